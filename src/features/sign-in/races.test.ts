import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { type Act, startSecond, statuses, together } from '../../../test/races.ts'
import {
  addPasskey,
  addProvider,
  answerOf,
  beginSignIn,
  continueWith,
  enrol,
  link,
  mailedCodeOf,
  visit,
} from '../../../test/sign-in.ts'
import { type Answer, Client, createWorld, type Json, type Person, password, type World } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { mailReset } from '../../domain/credentials/mailed-tokens.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' }, processes: 4 })
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { query, awaitLine } = world.postgres
const tess = await world.tenantAdmin()

const newPassword = 'another long passphrase'
async function isSignedIn({ status, body }: Answer): Promise<boolean> {
  if (status !== 200) return false
  const client = new Client(world, { authorization: `Bearer ${body.session.token}` })
  return (await client.get('/api/users/me')).status === 200
}

test('of fifty equal codes, callbacks, mailed codes or answers of a passkey at once in two processes, one signs in', async (t) => {
  const places = [world, await startSecond(world, t)] as const
  // Guesses are counted for each person.
  const [byCode, byRecoveryCode, byKey] = [await enrol(world), await enrol(world), await enrol(world)]
  const other = await world.person('Ben')
  const { key } = await addPasskey(byKey.person)
  const sub = `sub-${other.id}`
  assert.equal((await link(double, other, providerId, { sub })).status, 201)
  const arriving = await visit(world, double, providerId, { sub })
  await query('update tenants set mail_codes = true where id = $1', [world.tenantId])
  const mailed = await world.nobody.post('/api/auth/sign-in/mail-code', { email: other.email })
  const attemptByKey = await beginSignIn(world, byKey.person)
  /** Several attempts, so that it is the code that works once, and not only the attempt. */
  const attemptsOf = (person: Person) => Promise.all(Array.from({ length: 5 }, () => beginSignIn(world, person)))
  const proofs: [string[], () => Json | Promise<Json>][] = [
    [await attemptsOf(byCode.person), () => ({ totp: byCode.code() })],
    [await attemptsOf(byRecoveryCode.person), () => ({ recoveryCode: byRecoveryCode.recoveryCodes[0] })],
    [[attemptByKey], async () => ({ credential: await answerOf(world, key, attemptByKey) })],
    [[arriving.attempt], () => ({ callback: arriving.callback })],
    [[mailed.body.attempt.token], async () => ({ mailCode: await mailedCodeOf(world, mailed.body.attempt.token) })],
  ]
  for (const [attempts, prove] of proofs) {
    const proof = await prove()
    const answers = await fiftyIn(places, (place, index) =>
      continueWith(place, attempts[index % attempts.length] ?? '', proof),
    )
    checkOnce(answers, [403, 410, 429], Object.keys(proof).join())
  }
  const credential = await answerOf(world, key)
  const answers = await fiftyIn(places, ({ nobody }) => nobody.post('/api/auth/sign-in/passkey', { credential }))
  checkOnce(answers, [410], 'a passkey alone')
})

/** Sends fifty requests at once, in turn to each process. */
function fiftyIn(places: readonly [World, World], act: (place: World, index: number) => Promise<Answer>) {
  return together(...Array.from({ length: 50 }, (_, index) => () => act(index % 2 ? places[1] : places[0], index)))
}

/** On a slow machine, requests that wait too long for a connection are 503: nothing of them was looked at. */
function checkOnce(answers: readonly Answer[], refusals: readonly number[], what: string): void {
  const said = `${what}: ${statuses(answers).join()}`
  assert.equal(answers.filter(({ status }) => status === 200).length, 1, said)
  assert.ok(
    answers.every(({ status }) => [200, 503, ...refusals].includes(status)),
    said,
  )
}

/** Sends requests that need a person's row while it is locked, in this order, and releases it when all of them wait: they certainly meet. */
async function meet(
  t: TestContext,
  { id }: Person,
  acts: readonly Act[],
  meanwhile: () => Promise<unknown> = async () => {},
) {
  const release = await holdRow(t, world.postgres, 'users', id)
  const sent: Promise<Answer>[] = []
  for (const act of acts) {
    sent.push(act())
    await awaitLine(sent.length)
  }
  await meanwhile()
  await release()
  return Promise.all(sent)
}

/** Begins to sign in at the provider. @returns the token of the attempt with the second step */
async function beginAtProvider({ id }: Person): Promise<string> {
  const { body } = await world.nobody.post(
    '/api/auth/sign-in/continue',
    await visit(world, double, providerId, { sub: `sub-${id}` }),
  )
  return body.attempt.token
}

async function resetByMail(person: Person): Promise<Answer> {
  const place = { tenant: world.tenantId, id: person.id, generation: 1 }
  const token = makeMailedToken(world.keyring, 'reset_password', place)
  return world.nobody.post('/api/auth/reset-password', { token, newPassword })
}

/** What takes away what a sign-in rests on. After it, nobody may be signed in by the attempt that had begun. */
interface End {
  readonly end: (person: Person) => Promise<Answer>
  readonly prepare?: (person: Person) => Promise<unknown>
  readonly begin?: (person: Person) => Promise<string>
}
const ends: Record<string, End> = {
  'a change of the password': {
    end: (person) => person.post('/api/users/me/password', { currentPassword: password, newPassword }),
  },
  'a reset of the password by mail': {
    prepare: (person) =>
      world.database.inTenant(world.tenantId, (sql) => mailReset(sql, world.app.config, 'reset_password', person)),
    end: resetByMail,
  },
  'an admin’s reset of the factors': { end: ({ id }) => tess.delete(`/api/admin/users/${id}/factors`) },
  'a suspension': { end: ({ id }) => tess.patch(`/api/admin/users/${id}`, { status: 'suspended' }) },
  'the removal of the factor': {
    end: async (person) => {
      const { body } = await person.get('/api/users/me/factors')
      return person.delete(`/api/users/me/factors/${body.data[0].id}`)
    },
  },
  'the unlinking of the account at the provider': {
    prepare: (person) => link(double, person, providerId, { sub: `sub-${person.id}` }),
    begin: beginAtProvider,
    end: async (person) => {
      const { body } = await person.get('/api/users/me/identities')
      return person.delete(`/api/users/me/identities/${body.data[0].id}`)
    },
  },
  'the deletion of the account': { end: (person) => person.delete('/api/users/me', { confirm: person.email }) },
}
for (const [name, { end, prepare, begin }] of Object.entries(ends)) {
  test(`${name} beside the last step of a sign-in leaves no session`, async (t) => {
    for (const isFirst of [true, false]) {
      const person = await world.person()
      await prepare?.(person)
      const { code } = await enrol(world, person)
      const attempt = begin ? await begin(person) : await beginSignIn(world, person)
      const proof = { totp: code() }
      const acts = [() => end(person), () => continueWith(world, attempt, proof)]
      const answers = await meet(t, person, isFirst ? acts : acts.toReversed())
      const [ended, signIn] = (isFirst ? answers : answers.toReversed()) as [Answer, Answer]
      assert.equal(ended.status, 200, JSON.stringify(ended.body))
      if (!isFirst) assert.equal(signIn.status, 200, JSON.stringify(signIn.body))
      assert.equal(await isSignedIn(signIn), false, isFirst ? 'it came first' : 'it came second')
    }
  })
}

test('of two last ways in that are taken away at once, one stays', async (t) => {
  await query('update tenants set mail_codes = false where id = $1', [world.tenantId])
  for (const isFirst of [true, false]) {
    const person = await world.person()
    const { body } = await link(double, person, providerId, { sub: `sub-${person.id}` })
    const acts = [
      () => person.delete('/api/users/me/password'),
      () => person.delete(`/api/users/me/identities/${body.id}`),
    ]
    const answers = await meet(t, person, isFirst ? acts : acts.toReversed())
    assert.deepEqual(statuses(answers), ['200', '409 last_way_in'])
  }
})

const unauthenticated = '401 unauthenticated'
/** What a session begins or confirms, and what it is answered if its account is suspended meanwhile. */
const ofSessions: Record<string, [(person: Person) => Promise<Answer>, string]> = {
  'a confirmation by password': [(person) => person.post('/api/auth/confirm', { password }), '403 user_suspended'],
  'the beginning of a confirmation': [(person) => person.post('/api/auth/confirm', {}), unauthenticated],
  'the beginning of a link to a provider': [
    (person) => person.post('/api/users/me/identities/start', { providerId }),
    unauthenticated,
  ],
}
for (const [name, [act, ifSuspended]] of Object.entries(ofSessions)) {
  test(`${name} tells that the account was deleted or suspended meanwhile`, async (t) => {
    const ends: [(person: Person) => Promise<Answer>, string][] = [
      [({ id }) => tess.delete(`/api/admin/users/${id}`), unauthenticated],
      [({ id }) => tess.patch(`/api/admin/users/${id}`, { status: 'suspended' }), ifSuspended],
    ]
    for (const [end, refusal] of ends) {
      const person = await world.person()
      const answers = await meet(t, person, [() => end(person), () => act(person)])
      assert.deepEqual(statuses(answers), ['200', refusal])
    }
  })
}

for (const [name, path, body, begun] of [
  ['a confirmation', '/api/auth/confirm', {}, '403 sign_in_incomplete'],
  ['a link to a provider', '/api/users/me/identities/start', { providerId }, '200'],
] as const) {
  test(`${name} begins, though the sign-in is no longer fresh when the account has been waited for`, async (t) => {
    const person = await world.person()
    const answers = await meet(t, person, [() => person.post(path, body)], () =>
      query(`update sessions set authenticated_at = now() - interval '601 seconds' where user_id = $1`, [person.id]),
    )
    assert.deepEqual(statuses(answers), [begun])
  })
}

/** A member with one factor, and an owner who can require one of them. */
async function underOwner() {
  const [owner, member] = [await world.person(), await world.person()]
  const { body } = await owner.post('/api/organizations', { name: 'Strict' })
  await world.join(owner, body.id, member)
  for (const person of [owner, member]) await enrol(world, person)
  const path = `/api/organizations/${body.id}`
  const { data } = (await member.get('/api/users/me/factors')).body
  return {
    member,
    path,
    require: () => owner.patch(path, { secondFactor: 'required' }),
    remove: () => member.delete(`/api/users/me/factors/${data[0].id}`),
  }
}

test('a requirement that comes while somebody removes their last factor keeps the factor', async (t) => {
  const { member, require, remove } = await underOwner()
  let required: Answer | undefined
  const [removed] = await meet(t, member, [remove], async () => {
    required = await require()
  })
  assert.deepEqual([required?.status, removed?.status, removed?.body.code], [200, 409, 'second_factor_in_use'])
})

test('a last factor that is removed while a requirement waits leaves a session that the requirement closes', async (t) => {
  const { member, path, require, remove } = await underOwner()
  const id = path.split('/').at(-1)
  const release = await holdRow(t, world.postgres, 'organizations', id)
  const required = require()
  await awaitLine(1)
  assert.equal((await remove()).status, 200)
  await release()
  assert.equal((await required).status, 200)
  const { status, body } = await (await world.signIn(member)).get(path)
  assert.deepEqual([status, body.code, body.by], [403, 'second_factor_required', 'organization'])
})

test('of two last factors that are removed at once under a requirement, one stays', async () => {
  const { person } = await enrol(world)
  const { answer } = await addPasskey(person)
  const { body: organization } = await person.post('/api/organizations', { name: 'Strict' })
  const path = `/api/organizations/${organization.id}`
  assert.equal((await person.patch(path, { secondFactor: 'required' })).status, 200)
  const { data } = (await person.get('/api/users/me/factors')).body
  const totp = data.find((each: Json) => each.type === 'totp')
  const answers = await together(
    ...[totp.id, answer.body.factor.id].map((id) => () => person.delete(`/api/users/me/factors/${id}`)),
  )
  assert.deepEqual(statuses(answers), ['200', '409 second_factor_in_use'])
})
