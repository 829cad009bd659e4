import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { startSecond, statuses, together } from '../../../test/races.ts'
import {
  addPasskey,
  addProvider,
  answerOf,
  beginSignIn,
  codeOf,
  continueWith,
  enrol,
  link,
  visit,
} from '../../../test/sign-in.ts'
import { type Answer, Client, createWorld, type Json, type Person, password, type World } from '../../../test/world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { ask, awaitLine } = world.postgres
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
  await ask('update tenants set mail_codes = true where id = $1', [world.tenantId])
  const mailed = await world.nobody.post('/api/auth/sign-in/mail-code', { email: other.email })
  const attemptByKey = await beginSignIn(world, byKey.person)
  /** Several attempts, so that it is the code that works once, and not only the attempt. */
  const attemptsOf = (person: Person) => Promise.all(Array.from({ length: 5 }, () => beginSignIn(world, person)))
  const proofs: [string[], Json][] = [
    [await attemptsOf(byCode.person), { totp: byCode.code() }],
    [await attemptsOf(byRecoveryCode.person), { recoveryCode: byRecoveryCode.recoveryCodes[0] }],
    [[attemptByKey], { credential: await answerOf(world, key, attemptByKey) }],
    [[arriving.attempt], { callback: arriving.callback }],
    [[mailed.body.attempt.token], { mailCode: await codeOf(world, mailed.body.attempt.token) }],
  ]
  for (const [attempts, proof] of proofs) {
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

function checkOnce(answers: readonly Answer[], refusals: readonly number[], what: string): void {
  const said = `${what}: ${statuses(answers).join()}`
  assert.equal(answers.filter(({ status }) => status === 200).length, 1, said)
  assert.ok(
    answers.every(({ status }) => status === 200 || refusals.includes(status)),
    said,
  )
}

/** What takes away what a sign-in rests on, and whether somebody may be signed in by it afterwards. */
const ends: Record<string, (person: Person) => Promise<Answer>> = {
  'a change of the password': (person) =>
    person.post('/api/users/me/password', { currentPassword: password, newPassword }),
  'an admin’s reset of the factors': ({ id }) => tess.delete(`/api/admin/users/${id}/factors`),
  'a suspension': ({ id }) => tess.patch(`/api/admin/users/${id}`, { status: 'suspended' }),
}
for (const [name, end] of Object.entries(ends)) {
  test(`${name} beside the last step of a sign-in leaves no session`, async () => {
    for (const isFirst of [true, false]) {
      const { person, code } = await enrol(world)
      const attempt = await beginSignIn(world, person)
      const proof = { totp: code() }
      const acts = [() => end(person), () => continueWith(world, attempt, proof)]
      await ask('begin')
      await ask('select from users where id = $1 for update', [person.id])
      const sent: Promise<Answer>[] = []
      for (const act of isFirst ? acts : acts.toReversed()) {
        sent.push(act())
        await awaitLine(sent.length)
      }
      await ask('commit')
      const answers = await Promise.all(sent)
      const [ended, signIn] = (isFirst ? answers : answers.toReversed()) as [Answer, Answer]
      assert.equal(ended.status, 200)
      assert.equal(await isSignedIn(signIn), false, isFirst ? 'it came first' : 'it came second')
    }
  })
}

test('of two last ways in that are taken away at once, one stays', async () => {
  await ask('update tenants set mail_codes = false where id = $1', [world.tenantId])
  const person = await world.person()
  const { body } = await link(double, person, providerId, { sub: `sub-${person.id}` })
  const answers = await together(
    () => person.delete('/api/users/me/password'),
    () => person.delete(`/api/users/me/identities/${body.id}`),
  )
  assert.deepEqual(statuses(answers), ['200', '409 last_way_in'])
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
