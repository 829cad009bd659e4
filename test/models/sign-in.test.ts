/** Signing in against a model: people with all kinds of factors, under all policies, by every way in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Authenticator, newAuthenticator } from '../authenticator.ts'
import { seed, times } from '../depth.ts'
import { startProviderDouble } from '../provider-double.ts'
import {
  addPasskey,
  addProvider,
  answerOf,
  codeOf,
  continueWith,
  type Enrolled,
  enrol,
  forgetSteps,
  link,
  passkeyOrigin,
  signInWith,
  visit,
} from '../sign-in.ts'
import { type Answer, Client, createWorld, type Json, type Person } from '../world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { ask } = world.postgres
const { tenantId: tenant } = world
await ask('update tenants set mail_codes = true where id = $1', [tenant])

const policies = ['optional', 'admins', 'required'] as const
const ways = ['password', 'passkey', 'mail_code', 'provider'] as const
const seconds = ['totp', 'passkey', 'recovery_code'] as const
type Way = (typeof ways)[number]

/** What the contract says of somebody (sign-in asks as this says, and not as the code does). */
interface Model {
  readonly policy: (typeof policies)[number]
  readonly isAdmin: boolean
  readonly hasTotp: boolean
  /** `key`: one that cannot sign in alone. */
  readonly passkey: 'none' | 'key' | 'passkey'
}

const models: fc.Arbitrary<Model> = fc.record({
  policy: fc.constantFrom(...policies),
  isAdmin: fc.boolean(),
  hasTotp: fc.boolean(),
  passkey: fc.constantFrom('none', 'key', 'passkey'),
})

function isAsked({ policy, isAdmin, hasTotp, passkey }: Model): boolean {
  const isNamed = policy === 'required' || (policy === 'admins' && isAdmin)
  return hasTotp || passkey === 'key' || (isNamed && passkey !== 'none')
}

/** Whether a session of one factor is kept from a route. */
function isClosed({ policy }: Model, isForAdmins: boolean): boolean {
  return policy === 'required' || (policy === 'admins' && isForAdmins)
}

/** Somebody as the model says. */
interface Somebody {
  readonly person: Person
  readonly sub: string
  readonly key: Authenticator
  readonly totp: Enrolled | undefined
  readonly recoveryCodes: string[]
}

async function make({ isAdmin, hasTotp, passkey }: Model): Promise<Somebody> {
  await setPolicy('optional')
  const person = await world.person()
  if (isAdmin) await ask(`update users set role = 'admin' where id = $1`, [person.id])
  const sub = `sub-${person.id}`
  assert.equal((await link(double, person, providerId, { sub })).status, 201)
  const totp = hasTotp ? await enrol(world, person) : undefined
  const key = newAuthenticator(-7, { origin: passkeyOrigin, isVerified: passkey === 'passkey' })
  const added = passkey === 'none' ? undefined : (await addPasskey(person, key)).answer
  assert.ok(added === undefined || added.status === 201, JSON.stringify(added?.body))
  const recoveryCodes = [...(totp?.recoveryCodes ?? added?.body.recoveryCodes ?? [])]
  return { person, sub, key, totp, recoveryCodes }
}

async function setPolicy(policy: Model['policy']): Promise<void> {
  await ask('update tenants set second_factor = $2 where id = $1', [tenant, policy])
}

async function enter(way: Way, { person, sub, key }: Somebody): Promise<Answer> {
  if (way === 'password') return signInWith(world, person)
  if (way === 'passkey')
    return world.nobody.post('/api/auth/sign-in/passkey', { credential: await answerOf(world, key) })
  if (way === 'provider')
    return world.nobody.post('/api/auth/sign-in/continue', await visit(world, double, providerId, { sub }))
  const { body } = await world.nobody.post('/api/auth/sign-in/mail-code', { email: person.email })
  return continueWith(world, body.attempt.token, { mailCode: await codeOf(world, body.attempt.token) })
}

async function second(method: string, { key, totp, recoveryCodes }: Somebody, attempt: string): Promise<Json> {
  if (method === 'passkey') return { credential: await answerOf(world, key, attempt) }
  if (method === 'recovery_code') return { recoveryCode: recoveryCodes.shift() }
  await forgetSteps(world)
  return { totp: totp?.code() }
}

/** Checks that a session may do what its assurance allows, and no more. */
async function checkSession(model: Model, { body }: Answer, person: Person, assurance: 1 | 2): Promise<void> {
  const { token, device } = body.session
  assert.deepEqual([body.user.id, device.assurance], [person.id, assurance])
  const client = new Client(world, { authorization: `Bearer ${token}` })
  const statusOf = async (path: string) => (await client.get(path)).status
  const closed = (isForAdmins: boolean) => assurance === 1 && isClosed(model, isForAdmins)
  assert.equal(await statusOf('/api/users/me'), 200)
  assert.equal(await statusOf('/api/users/me/audit'), closed(false) ? 403 : 200)
  assert.equal(await statusOf('/api/admin/tenant'), !model.isAdmin || closed(true) ? 403 : 200)
}

/** An attempt opens nothing, on no route. */
async function checkAttempt(token: string): Promise<void> {
  for (const path of ['/api/users/me', '/api/users/me/factors', '/api/organizations', '/api/admin/users']) {
    const { status } = await new Client(world, { authorization: `Bearer ${token}` }).get(path)
    assert.equal(status, 401, path)
  }
}

test('nobody has a session without what the policy asks, by any way in, with any factors', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(models, fc.constantFrom(...ways), fc.constantFrom(...seconds), async (model, way, method) => {
      const somebody = await make(model)
      await setPolicy(model.policy)
      const answer = await enter(way, somebody)
      if (way === 'passkey') {
        if (model.passkey === 'passkey') await checkSession(model, answer, somebody.person, 2)
        else assert.equal(answer.status, 401, JSON.stringify(answer.body))
        return
      }
      if (!isAsked(model)) {
        seen.add(`${way} alone`)
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        return checkSession(model, answer, somebody.person, 1)
      }
      assert.deepEqual([answer.status, answer.body.code, answer.body.session], [403, 'sign_in_incomplete', undefined])
      const { token, next, methods } = answer.body.attempt
      const expected = [
        ...(model.passkey === 'none' ? [] : ['passkey']),
        ...(model.hasTotp ? ['totp'] : []),
        ...(somebody.recoveryCodes.length > 0 ? ['recovery_code'] : []),
      ]
      assert.deepEqual([next, methods], ['second_factor', expected])
      await checkAttempt(token)
      const chosen = expected.includes(method) ? method : (expected[0] ?? '')
      seen.add(`${way}, then ${chosen}`)
      const completed = await continueWith(world, token, await second(chosen, somebody, token))
      assert.equal(completed.status, 200, JSON.stringify(completed.body))
      await checkSession(model, completed, somebody.person, 2)
      const again = await continueWith(
        world,
        token,
        await second(chosen, somebody, token).catch(() => ({ totp: '000000' })),
      )
      assert.equal(again.body.code, 'attempt_spent')
    }),
    { numRuns: times(60), seed },
  )
  assert.ok(seen.size >= 9, [...seen].join('; '))
})
