/** Keys: reads by programs, each beside `me` by session. Neither Fastify with one statement nor better-auth has them. */
import { id, keyOwners, organization, tokenOf } from '../population.ts'
import type { Operation } from './operation.ts'
import { asker, common, me } from './reads.ts'

const besideMe = { ...common, beside: me }
/** The key of the tenant, with which a product's server verifies what it gets. */
const verify = { method: 'POST', path: '/api/credentials/verify', key: 0 } as const

export const keys: readonly Operation[] = [
  {
    ...besideMe,
    name: 'me by key',
    callers: () => [1, keyOwners],
    ask: (i) => ({ method: 'GET', path: '/api/users/me', key: 1 + (i % keyOwners) }),
  },
  {
    ...besideMe,
    name: 'caller',
    ask: (i) => ({ method: 'GET', path: '/api/caller', user: asker(i) }),
  },
  {
    ...besideMe,
    name: 'verify',
    ask: (i, { tenant }) => ({ ...verify, body: { credential: tokenOf(tenant, asker(i)) } }),
  },
  {
    ...besideMe,
    name: 'verify in an organization',
    ask: (i, { tenant, population }) => {
      const user = asker(i)
      const named = { organization: id('org', organization(population, user)), permissions: ['members:update'] }
      return { ...verify, body: { credential: tokenOf(tenant, user), ...named } }
    },
  },
  {
    ...besideMe,
    name: 'mint a token',
    ask: (i) => ({ method: 'POST', path: '/api/tokens', user: asker(i), body: {} }),
  },
]
