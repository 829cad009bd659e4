/** Applications: sign-ins to a product, and its calls for people, each beside `me` by session. No other contender has them. */
import { sealCode } from '../../src/domain/applications/codes.ts'
import { makeAccessToken, makeRefreshToken } from '../../src/domain/applications/grant-tokens.ts'
import { Keyring, sha256 } from '../../src/platform/cryptography.ts'
import { uuidToTenantId } from '../../src/platform/http/schemas.ts'
import { applicationId, callback, grantsIn, id, secret } from '../population.ts'
import type { Operation } from './operation.ts'
import { asker, askers, common, me } from './reads.ts'

const keyring = new Keyring([secret])
const besideMe = { ...common, beside: me }
const scopes = ['openid', 'profile', 'email', 'offline_access', 'api'] as const
const verifier = 'v'.repeat(43)
const challenge = sha256(verifier).toString('base64url')
const pathOf = (tenant: string) => `/api/tenants/${uuidToTenantId(tenant)}`

export const applications: readonly Operation[] = [
  {
    ...besideMe,
    name: 'authorize',
    status: 303,
    location: callback,
    ask: (i, { tenant }) => {
      const query = new URLSearchParams({
        client_id: applicationId,
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid profile email',
        state: `state-${i}`,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      return { method: 'GET', path: `${pathOf(tenant)}/authorize?${query}`, user: asker(i), isBrowser: true }
    },
  },
  {
    ...besideMe,
    name: 'exchange',
    isOnce: true,
    callers: (population) => [1, grantsIn(population)],
    ask: (i, { tenant, population }) => {
      const code = sealCode(keyring, tenant, {
        sessionId: id('dev', 1 + (i % grantsIn(population))),
        applicationId,
        redirectUri: callback,
        challenge,
        nonce: null,
        scopes,
        organizationId: null,
        expiresAt: new Date(Date.now() + 600_000).toISOString(),
      })
      const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }
      return { method: 'POST', path: `${pathOf(tenant)}/token`, form: { ...form, client_id: applicationId } }
    },
  },
  {
    ...besideMe,
    name: 'refresh',
    isOnce: true,
    callers: (population) => [1, grantsIn(population)],
    limit: ({ population }) => grantsIn(population),
    ask: (i, { tenant }) => {
      const token = makeRefreshToken(keyring, { tenant, grantId: id('gra', 1 + i), generation: 0 })
      const form = { grant_type: 'refresh_token', refresh_token: token, client_id: applicationId }
      return { method: 'POST', path: `${pathOf(tenant)}/token`, form }
    },
  },
  {
    ...besideMe,
    name: 'me by application',
    ask: (i, { tenant }) => {
      const end = Math.floor(Date.now() / 1000) + 3_000
      const token = makeAccessToken(keyring, { tenant, grantId: id('gra', 1 + (i % askers)), end })
      return { method: 'GET', path: '/api/users/me', token }
    },
  },
]
