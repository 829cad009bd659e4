import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopInHour } from '../../../test/earlier.ts'
import { holdRow } from '../../../test/holding.ts'
import { statuses, together } from '../../../test/races.ts'
import { addPasskey, answerOf, beginSignIn, continueWith, enrol } from '../../../test/sign-in.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { pipelines } from '../../platform/channels.ts'

const world = await createWorld({ processes: 2 })
const { query, awaitLine } = world.postgres

const signIn = (credential: unknown) => world.nobody.post('/api/auth/sign-in/passkey', { credential })

test('a passkey’s answer signs in once, however often it is sent at once', async () => {
  const person = await world.person()
  const { key } = await addPasskey(person)
  const credential = await answerOf(world, key)

  const answers = await together(...Array.from({ length: 50 }, () => () => signIn(credential)))

  assert.deepEqual(statuses(answers), ['200', ...Array.from({ length: 49 }, () => '410 attempt_spent')])
  assert.equal((await person.get('/api/users/me/devices')).body.data.length, 2)
})

test('a sign-in with a passkey waits for the person before it holds the passkey, so that it blocks no change of it', async (t) => {
  const person = await world.person()
  const { key } = await addPasskey(person)
  const { recoveryCodes } = await enrol(world, person)
  assert.equal(recoveryCodes.length, 10)
  const whole = await answerOf(world, key)
  const attempt = await beginSignIn(world, person)
  const second = await answerOf(world, key, attempt)
  for (const act of [() => signIn(whole), () => continueWith(world, attempt, { credential: second })]) {
    const release = await holdRow(t, world.postgres, 'users', person.id)
    const answer = act()
    await awaitLine(1)
    await query(`update factors set name = 'Another' where user_id = $1`, [person.id]) // would be a deadlock
    await release()
    const { status, body } = await answer
    assert.equal(status, 200, JSON.stringify(body))
  }
})

test('sign-ins with passkeys beside changes of factors and sessions meet no deadlock', async (t) => {
  const person = await world.person()
  const { key, answer } = await addPasskey(person)
  // A transaction that meets a deadlock is repeated. PostgreSQL counts deadlocks too, but some time later.
  const failed: unknown[] = []
  const note = (message: unknown) => failed.push((message as { error: { code?: string } }).error.code) // of a failed promise
  pipelines.error.subscribe(note)
  t.after(() => pipelines.error.unsubscribe(note))
  const path = `/api/users/me/factors/${answer.body.factor.id}`
  for (let round = 0; round < 5; round++) {
    const credentials = []
    for (let each = 0; each < 6; each++) credentials.push(await answerOf(world, key))
    const answers = await together(
      ...credentials.flatMap((credential) => [
        () => signIn(credential),
        () => person.patch(path, { name: `Key ${round}` }),
        () => person.delete('/api/users/me/devices'),
      ]),
    )
    assert.deepEqual([...new Set(statuses(answers))], ['200'])
  }
  const removal = [
    () => person.delete(path),
    ...Array.from({ length: 5 }, () => async () => signIn(await answerOf(world, key))),
  ]
  const answers = statuses(await together(...removal))
  assert.ok(
    answers.every((each) => ['200', '401 unknown_passkey'].includes(each)),
    answers.join(),
  )
  assert.ok(!failed.includes('40P01'), 'none was a victim of a deadlock')
})

test('a passkey whose counter went back is refused, and its owner reads of it once', async () => {
  const person = await world.person()
  const { key } = await addPasskey(person)
  await query('update factors set sign_count = 1000 where user_id = $1', [person.id])
  const copied = await answerOf(world, key)

  const answers = [await signIn(copied), await signIn(copied)]

  assert.deepEqual(statuses(answers), ['401 invalid_credentials', '410 attempt_spent'])
  const { body } = await person.get('/api/users/me/audit?action=session.refused')
  assert.deepEqual(
    body.data.map(({ actor, details }: Json) => [actor.type, details]),
    [['anonymous', { reason: 'passkey_counter' }]],
  )
})

test('a refused passkey is in the log of its owner, once for each way, network and hour', async (t) => {
  const person = await world.person()
  const { key } = await addPasskey(person)
  await enrol(world, person)
  const refusedAt = async () => {
    const { body } = await person.get('/api/users/me/audit?action=session.refused')
    return body.data.map(({ actor, ip, details }: Json) => [actor.type, ip, details])
  }
  const elsewhere = async (attempt?: string) => {
    const { body } = await world.nobody.post('/api/auth/passkey-options', attempt === undefined ? {} : { attempt })
    return key.get(body.options, { origin: 'https://login.example' })
  }
  stopInHour(t)

  assert.deepEqual(statuses([await signIn(await elsewhere())]), ['401 invalid_credentials'])
  assert.deepEqual(await refusedAt(), [['anonymous', '127.0.0.1', { reason: 'passkey' }]])
  await signIn(await elsewhere())
  assert.equal((await refusedAt()).length, 1)

  const attempt = await beginSignIn(world, person)
  const credential = (await elsewhere(attempt)) as unknown as Json
  assert.deepEqual(statuses([await continueWith(world, attempt, { credential })]), ['403 wrong_proof'])
  const atSignIn = await signIn(credential)
  assert.deepEqual(statuses([atSignIn]), ['401 invalid_credentials'], 'the challenge is of another purpose')
  assert.deepEqual(await refusedAt(), [
    ['anonymous', '127.0.0.1', { reason: 'second_factor' }],
    ['anonymous', '127.0.0.1', { reason: 'passkey' }],
  ])
})
