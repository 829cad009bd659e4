/** How often a network may come from a provider with addresses that sign-up would tell of. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, visit } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld({
  settings: {
    LIMITS: 'on',
    LIMIT_SIGN_UP: '2/3600',
    TRUST_PROXY: '127.0.0.1',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'a@example.com',
    OUTBOUND_PRIVATE: '127.0.0.1',
  },
})
const double = await startProviderDouble()
const [untrusted, trusted] = [
  await addProvider(world, double.origin, { clientId: 'untrusted' }),
  await addProvider(world, double.origin, { clientId: 'trusted', trustsEmail: true }),
]

const said = ({ status, body }: Answer) => [status, body.code ?? null, body.policy ?? null]
const somebody = () => `new-${randomBytes(5).toString('hex')}@example.com`

/** Somebody in a network of their own, who comes back from providers. */
function stranger() {
  const headers = { 'x-forwarded-for': `2001:db8:${randomBytes(2).toString('hex')}:1::1` }
  return async (providerId: string, claims: Json): Promise<Answer> => {
    const fields = await visit(world, double, providerId, claims, {}, headers)
    return world.nobody.post('/api/auth/sign-in/continue', fields, headers)
  }
}

test('a network that brings addresses for which nobody vouches learns of as few accounts as by signing up', async () => {
  const arrive = stranger()
  const { email } = await world.person()
  const [first, second] = [somebody(), somebody()]

  const answers = [
    await arrive(untrusted, { sub: first, email: first }),
    await arrive(untrusted, { sub: second, email }),
    await arrive(untrusted, { sub: somebody(), email }),
    await arrive(untrusted, { sub: somebody(), email: somebody() }),
  ]

  assert.deepEqual(answers.map(said), [
    [201, null, null],
    [403, 'sign_in_incomplete', null],
    [429, 'rate_limited', 'sign-up'],
    [429, 'rate_limited', 'sign-up'],
  ])
  assert.equal((await arrive(untrusted, { sub: first, email: first })).status, 200, 'whose account is linked signs in')
})

test('accounts that are made with an address for which a provider vouches count as sign-ups, and nothing else does', async () => {
  const arrive = stranger()
  const [first, second] = [somebody(), somebody()]
  const { email } = await world.person()

  const made = [
    await arrive(trusted, { sub: first, email: first }),
    await arrive(trusted, { sub: first, email: first }),
    await arrive(trusted, { sub: somebody(), email }),
    await arrive(trusted, { sub: second, email: second }),
    await arrive(trusted, { sub: somebody(), email: somebody() }),
  ]

  assert.deepEqual(made.map(said), [
    [201, null, null],
    [200, null, null],
    [403, 'sign_in_incomplete', null],
    [201, null, null],
    [429, 'rate_limited', 'sign-up'],
  ])
})
