/** The benchmark: what it compares is there, and does the same. How fast it is, npm run bench says. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { checkAll, missingFields } from '../bench/contenders/contender.ts'
import { installOthers, startContest } from '../bench/contenders.ts'
import { openData } from '../bench/data.ts'
import { operations } from '../bench/operations.ts'
import { populationOf } from '../bench/population.ts'
import { freshen, freshenOther } from '../bench/seed.ts'

const scale = 0.05

installOthers()
const data = await openData(scale, false)
after(() => data.close())
const contest = await startContest(data, populationOf(scale))
after(() => contest.stop())

for (const operation of operations) {
  test(`each contender does “${operation.name}”, and the bare one answers with every field of ours`, async () => {
    const [from, to] = operation.callers(populationOf(scale))
    await data.guildhall.query(freshen(data.tenant, from, to))
    await data.betterAuth.query(freshenOther(from, to))
    const present = contest.contenders.filter((contender) => contender.has(operation))
    assert.ok(present.length >= 2)
    await checkAll(operation, present)
  })
}

test('a field that an answer lacks is named, wherever it is', () => {
  const wanted = { id: '1', user: { name: null, email: 'a' }, roles: ['a'], grants: [], data: [{ a: 1, b: 2 }] }
  assert.deepEqual(missingFields(wanted, wanted), [])
  const lacking = { id: '2', user: { email: 'b' }, roles: [], grants: [], data: [{ a: 1 }] }
  assert.deepEqual(missingFields(lacking, wanted), ['/user/name', '/roles', '/data/0/b'])
})
