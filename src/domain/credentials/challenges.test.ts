import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/world.ts'
import { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import { toProblem } from '../../platform/http/problems.ts'
import { newId } from '../../platform/http/schemas.ts'
import { problemOfConstraint } from '../problems.ts'
import {
  type ChallengeContent,
  challengeLifetime,
  makeChallenge,
  openChallenge,
  purgeChallenges,
  spendChallenge,
} from './challenges.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres
const [tenant, other] = [await world.tenant(), await world.tenant()]
const content: ChallengeContent = { purpose: 'confirm', userId: newId('user'), attemptOrSession: newId('dev') }

const inTenant = <T>(work: (sql: Sql) => Promise<T>) => world.database.inTenant(tenant.id, work)
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => toProblem(error, problemOfConstraint).code,
  )

test('a challenge tells what it is for, to its tenant, while it is valid', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 })
  const { challenge, expiresAt } = makeChallenge(world.keyring, tenant.id, content)

  assert.equal(Date.parse(expiresAt) - Date.now(), 600_000)
  assert.deepEqual(openChallenge(world.keyring, tenant.id, challenge), content)
  assert.notEqual(makeChallenge(world.keyring, tenant.id, content).challenge, challenge)
  assert.equal(openChallenge(world.keyring, other.id, challenge), undefined)
  for (const forged of [`${challenge}=`, challenge.slice(1), 'AAAA', ''])
    assert.equal(openChallenge(world.keyring, tenant.id, forged), undefined)
  const stranger = makeChallenge(new Keyring(['a secret of somebody else, who is a stranger']), tenant.id, content)
  assert.equal(openChallenge(world.keyring, tenant.id, stranger.challenge), undefined)

  t.mock.timers.tick(challengeLifetime * 1000)
  assert.deepEqual(openChallenge(world.keyring, tenant.id, challenge), content)
  t.mock.timers.tick(1)
  assert.equal(openChallenge(world.keyring, tenant.id, challenge), undefined)
})

test('a challenge is spent once, however many try at once', async () => {
  const { challenge } = makeChallenge(world.keyring, tenant.id, content)
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => outcomeOf(inTenant((each) => spendChallenge(each, challenge)))),
  )
  assert.deepEqual(outcomes.sort(), [...Array(9).fill('attempt_spent'), 'done'])
})

test('a challenge whose transaction rolls back is not spent', async () => {
  const { challenge } = makeChallenge(world.keyring, tenant.id, content)
  const failed = inTenant(async (sql) => {
    await spendChallenge(sql, challenge)
    throw new Error('afterwards')
  })
  await assert.rejects(failed, /afterwards/)
  assert.equal(await outcomeOf(inTenant((sql) => spendChallenge(sql, challenge))), 'done')
})

test('spent challenges are purged an hour after their end, by the batch', async () => {
  const spend = (id: string) =>
    world.database.inTenant(id, (sql) => spendChallenge(sql, makeChallenge(world.keyring, id, content).challenge))
  const { id } = await world.tenant()
  const purge = (batch: number) => world.database.inTenant(id, (sql) => purgeChallenges(sql, batch))
  for (let each = 0; each < 3; each++) await spend(id)
  await query(`update spent_challenges set expires_at = now() - interval '59 minutes' where tenant_id = $1`, [id])
  await spend(other.id)
  assert.equal((await purge(10)).length, 0)

  await query(`update spent_challenges set expires_at = now() - interval '61 minutes'`)
  assert.deepEqual([(await purge(2)).length, (await purge(2)).length], [2, 1])
  assert.equal((await query('select from spent_challenges where tenant_id = $1', [other.id])).length, 1)
})
