import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { rowsRead } from '../../../test/explain.ts'
import { createGuessWorld, newAddress } from '../../../test/guesses.ts'
import type { Json } from '../../../test/world.ts'
import { type Purge, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { runRetention } from '../../tasks.ts'
import { purgesOfTries } from './guessing.ts'

const { world, attempt, accountOf } = await createGuessWorld()
const { query } = world.postgres
const batch = 1_000

/** Adds rows as a stranger leaves them who makes addresses up. */
const addRows = (tenant: string, kind: string, source: string, failures: number, age: string, count = 30_000) =>
  query(
    `insert into password_attempts (tenant_id, account, source, failures, updated_at)
     select $1, sha256(($2 || n)::bytea), case when $3 = '' then ''::bytea else sha256(($3 || n)::bytea) end, $4,
       now() - $5::interval from generate_series(1, $6) n`,
    [tenant, kind, source, failures, age, count],
  )

/** The plan of a purge in a tenant, behind the wall. Nothing is deleted. */
async function planOf(purge: Purge, tenant: string): Promise<Json> {
  let asked: Statement | undefined
  const sql = (strings: TemplateStringsArray, ...values: readonly unknown[]) => {
    asked = statement(strings, ...values)
    return Promise.resolve([])
  }
  await purge(Object.assign(sql, { tenant, claimTurn: () => {}, wakeRelay: () => {} }) as unknown as Sql, batch)
  assert.ok(asked)
  const client = new pg.Client({ connectionString: world.postgres.url })
  await client.connect()
  try {
    await client.query(`begin; set local guildhall.tenant = '${tenant}'`)
    const { rows } = await client.query(`explain (analyze, format json) ${asked.text}`, [...asked.values])
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.end()
  }
}

const indexes = {
  attempts: 'password_attempts_of_sources',
  fewUnknownAttempts: 'password_attempts_of_strangers',
  unknownAttempts: 'password_attempts_of_many_strangers',
}

test('a purge finds its rows by an index, and looks at no others, whatever strangers have left', async () => {
  const { id } = await world.tenant()
  const found = async (name: keyof typeof indexes) => {
    const { Plans: parts } = await planOf(purgesOfTries[name], id)
    const chosen = parts.find((part: Json) => part['Subplan Name'] === 'CTE over')
    assert.ok(JSON.stringify(chosen).includes(`"Index Name":"${indexes[name]}"`), `${name}: ${JSON.stringify(chosen)}`)
    return rowsRead(chosen, new Set(['password_attempts']))
  }
  const each = async () => ({
    attempts: await found('attempts'),
    fewUnknownAttempts: await found('fewUnknownAttempts'),
    unknownAttempts: await found('unknownAttempts'),
  })

  await addRows(id, 'off', '', 100, '300 days')
  await addRows(id, 'many', '', 6, '29 days')
  await addRows(id, 'few', '', 1, '47 hours')
  await addRows(id, 'network', 'network', 1, '23 hours')
  for (const update of ['select', 'analyze password_attempts']) {
    await query(update)
    assert.deepEqual(await each(), { attempts: 0, fewUnknownAttempts: 0, unknownAttempts: 0 })
  }
  await addRows(id, 'many over', '', 99, '31 days', 2_500)
  await addRows(id, 'few over', '', 5, '49 hours', 2_500)
  await addRows(id, 'network over', 'network', 200, '25 hours', 2_500)
  for (const update of ['select', 'analyze password_attempts']) {
    await query(update)
    assert.deepEqual(await each(), { attempts: batch, fewUnknownAttempts: batch, unknownAttempts: batch })
  }

  const { attempts, fewUnknownAttempts, unknownAttempts } = await runRetention(world.database)

  assert.deepEqual([attempts, fewUnknownAttempts, unknownAttempts], [2_500, 2_500, 2_500])
  const [left] = await query<{ rows: string }>('select count(*) as rows from password_attempts where tenant_id = $1', [
    id,
  ])
  assert.equal(Number(left?.rows), 120_000)
})

test('what is kept, and for how long, does not tell whether the account exists', async () => {
  const ann = await world.person()
  for (const failures of [5, 99, 100]) {
    for (const age of ['25 hours', '3 days', '31 days', '300 days']) {
      const kept: number[] = []
      for (const email of [ann.email, newAddress()]) {
        await attempt(email, undefined, '203.0.113.1')
        await query(
          `update password_attempts set updated_at = now() - $2::interval, failures = case source when '' then $3 else 1 end
           where account = $1`,
          [accountOf(email), age, failures],
        )
        for (const purge of Object.values(purgesOfTries))
          await world.database.inTenant(world.tenantId, (sql) => purge(sql, batch))
        kept.push((await query('select from password_attempts where account = $1', [accountOf(email)])).length)
        await query('delete from password_attempts where account = $1', [accountOf(email)])
      }
      assert.equal(kept[0], kept[1], `${failures} failures, ${age} ago`)
    }
  }
})
