/** The benchmark: what it compares is there, and does the same. How fast it is, npm run bench says. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { checkAll, missingFields } from '../bench/contenders/contender.ts'
import { installOthers, startContest } from '../bench/contenders.ts'
import { openData } from '../bench/data.ts'
import { operations } from '../bench/operations.ts'
import { populationOf } from '../bench/population.ts'
import { freshen, freshenOther } from '../bench/seed.ts'
import { cpuOf, cpuOfFamily } from '../bench/usage.ts'
import { measureWebhooks } from '../bench/webhooks.ts'

const scale = 0.05

installOthers()
const data = await openData(scale, false)
const contest = await startContest(data, populationOf(scale)).catch(async (failure) => {
  await data.close()
  throw failure
})
// In this order: a contender that has lost its database would say so.
after(async () => {
  await contest.stop()
  await data.close()
})

for (const operation of operations) {
  test(`each contender does “${operation.name}”, and the bare one answers with every field of ours`, async () => {
    const [from, to] = operation.callers(populationOf(scale))
    await data.guildhall.query(freshen(data.tenant, from, to))
    await data.betterAuth.query(freshenOther(from, to))
    const present = contest.contenders.filter((contender) => contender.has(operation))
    assert.ok(present.length >= (operation.bare ? 2 : 1))
    await checkAll(operation, present)
  })
}

const little = { seconds: 1, counted: 5, followed: 2, waiting: 600 }
const skip = spawnSync('wrk', ['--version']).error ? 'wrk, which makes the load, is missing' : false

test('the bench of webhooks makes them fail and answer, follows events, and leaves none of them on', {
  skip,
}, async () => {
  const { rates, delays, costs, relayed } = await measureWebhooks(contest, data, 1, little)
  const found = [...Object.values(rates), delays.alone.p50, delays.storm.p50, ...Object.values(costs), relayed]
  assert.ok(
    found.every((figure) => Number.isFinite(figure) && figure > 0),
    found.join(),
  )
  const left = await data.guildhall.query(`
    select (select count(*)::int from webhooks) as made, (select count(*)::int from webhooks where status <> 'disabled') as enabled,
      (select count(*)::int from outbox) as waiting`)
  assert.deepEqual(left, [{ made: 20, enabled: 0, waiting: 0 }])
})

test('a field that an answer lacks is named, wherever it is', () => {
  const wanted = { id: '1', user: { name: null, email: 'a' }, roles: ['a'], grants: [], data: [{ a: 1, b: 2 }] }
  assert.deepEqual(missingFields(wanted, wanted), [])
  const lacking = { id: '2', user: { email: 'b' }, roles: [], grants: [], data: [{ a: 1 }] }
  assert.deepEqual(missingFields(lacking, wanted), ['/user/name', '/roles', '/data/0/b'])
})

test('the CPU time of a process has what it has used, and that of its parent has it too', () => {
  const look = () => [cpuOf(process.pid), cpuOfFamily(process.ppid)] as const
  const [own, family] = look()
  const before = process.cpuUsage()
  for (let used = 0; used < 200_000; ) {
    const { user, system } = process.cpuUsage(before)
    used = user + system
  }
  const [ownNow, familyNow] = look()
  // The kernel notes the time of a running thread at its next tick.
  for (const rise of [ownNow - own, familyNow - family]) assert.ok(rise > 150_000, `${rise} µs`)
})
