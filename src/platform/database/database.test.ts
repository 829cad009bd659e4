import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw } from 'sql-template-tag'
import { onConnections } from '../../../test/connections.ts'
import { createWorld } from '../../../test/world.ts'
import { type Database, pipeline, type Sql, statement, withoutCommit } from './database.ts'
import { ConstraintError, UnavailableError } from './errors.ts'

const world = await createWorld()
const { query } = world.postgres
const { tenantId: tenant } = world
const { open, pidOf } = onConnections(world)
const { ann, ben } = await world.organization()

test('a failed transaction leaves nothing behind, and the connection stays usable', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  const change = async (work: () => Promise<unknown>) =>
    database.inTenant(tenant, async (sql) => {
      await sql`update users set locale = 'fr' where tenant_id = ${tenant} and id = ${ann.id}`
      await work()
      await sql`select 1`
    })

  await assert.rejects(
    change(async () => Promise.reject(new RangeError('ours'))),
    RangeError,
  )
  await assert.rejects(
    database.inTenant(tenant, async (sql) => {
      await sql`update users set locale = 'fr' where tenant_id = ${tenant} and id = ${ann.id}`
      await sql`select 1 / 0`
    }),
  )
  await assert.rejects(
    database.inTenant(tenant, async (sql) => {
      await sql`update users set locale = 'fr' where tenant_id = ${tenant} and id = ${ann.id}`
      await sql`select 1 / 0`.catch(() => {})
      return 'as if nothing had been'
    }),
  )
  await assert.rejects(database.inTenant(tenant, async () => {}, { first: { failing: statement`select 1 / 0` } }))
  assert.deepEqual(await query(`select locale from users where id = $1`, [ann.id]), [{ locale: null }])
  assert.equal(await pidOf(database), pid)
})

test('only a UUID names a tenant, and a refused name takes no connection', async (t) => {
  const database = open(t, { size: 1 })
  for (const wrong of [
    '',
    'default',
    `${tenant}'; drop table users; --`,
    tenant.toUpperCase(),
    ` ${tenant}`,
    `${tenant}\n`,
  ]) {
    await assert.rejects(
      database.inTenant(wrong, async () => {}),
      TypeError,
    )
    await assert.rejects(database.read(wrong, { ones: statement`select 1` }), TypeError)
  }
  assert.ok(await pidOf(database))
})

test('a deadlocked transaction is retried, and the caller does not notice', async () => {
  let attempts = 0
  let arrived = 0
  let meet: (() => void) | undefined
  const bothHaveOne = new Promise<void>((resolve) => {
    meet = resolve
  })
  const lockBoth = (first: string, second: string) =>
    world.database.inTenant(tenant, async (sql) => {
      attempts++
      await sql`update users set time_zone = 'Europe/Rome' where tenant_id = ${tenant} and id = ${first}`
      if (++arrived === 2) meet?.()
      await bothHaveOne
      await sql`update users set time_zone = 'Europe/Rome' where tenant_id = ${tenant} and id = ${second}`
      return 'done'
    })

  assert.deepEqual(await Promise.all([lockBoth(ann.id, ben.id), lockBoth(ben.id, ann.id)]), ['done', 'done'])
  assert.ok(attempts >= 3, 'one of the two was the victim of the other')
})

/** Fails as PostgreSQL would: `do` takes no parameters, so the code stands in the text. */
const failures = {
  '40001': statement`do $$ begin raise exception using errcode = '40001'; end $$`,
  '40P01': statement`do $$ begin raise exception using errcode = '40P01'; end $$`,
  '53300': statement`do $$ begin raise exception using errcode = '53300'; end $$`,
  '55P03': statement`do $$ begin raise exception using errcode = '55P03'; end $$`,
  '57014': statement`do $$ begin raise exception using errcode = '57014'; end $$`,
}

test('a failure that can be retried is tried four times, then the service is unavailable', async () => {
  for (const [code, failing] of Object.entries(failures)) {
    let attempts = 0
    await assert.rejects(
      world.database.inTenant(tenant, async (sql) => {
        attempts++
        await sql(Object.assign([failing.text], { raw: [failing.text] }))
      }),
      UnavailableError,
      code,
    )
    assert.equal(attempts, code.startsWith('40') ? 4 : 1, code)
  }
})

test('a violated constraint is reported by its name and kind', async () => {
  const refused = async (work: Parameters<Database['inTenant']>[1]) => {
    const error = await world.database.inTenant(tenant, work).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof ConstraintError)
    return [error.constraint, error.kind]
  }

  assert.deepEqual(
    await refused((sql) => sql`update users set email = ${ann.email} where tenant_id = ${tenant} and id = ${ben.id}`),
    ['users_email_key', 'unique'],
  )
  assert.deepEqual(await refused((sql) => sql`update organizations set owner_count = 0 where tenant_id = ${tenant}`), [
    'organizations_keep_an_owner',
    'check',
  ])
  const [, kind] = await refused(
    (sql) => sql`update memberships set user_id = 'user_none' where tenant_id = ${tenant} and user_id = ${ben.id}`,
  )
  assert.equal(kind, 'foreign_key')
})

test('rows have the form of the API: camelCase, times in RFC 3339, counts as numbers', async () => {
  const [row] = await world.database.inTenant(
    tenant,
    (sql) => sql`
      select timestamptz '2026-01-31 10:30:00.5+01' as created_at, count(*) as member_count, null as a_b_c, '{"a_b":1}'::jsonb as metadata`,
  )
  assert.deepEqual(row, { createdAt: '2026-01-31T09:30:00.500Z', memberCount: 1, aBC: null, metadata: { a_b: 1 } })
})

test('every time is read to the millisecond', async () => {
  const times = {
    '2026-01-31 10:30:00+01': '2026-01-31T09:30:00.000Z',
    '2026-01-31 09:30:00.5+00': '2026-01-31T09:30:00.500Z',
    '2026-01-31 09:30:59.999999+00': '2026-01-31T09:30:59.999Z',
    '1969-12-31 23:59:59.000001+00': '1969-12-31T23:59:59.000Z',
    '12026-01-31 09:30:00+00': '+012026-01-31T09:30:00.000Z',
  }
  const read = (zone: string) =>
    world.database.inTenant(tenant, async (sql) => {
      await sql`select set_config('timezone', ${zone}, true)`
      return sql<{
        at: string
      }>`select t.at from unnest(${Object.keys(times)}::timestamptz[]) with ordinality t (at, n) order by n`
    })
  for (const zone of ['UTC', 'Asia/Kolkata']) {
    const rows = await read(zone)
    assert.deepEqual(
      rows.map(({ at }) => at),
      Object.values(times),
      zone,
    )
  }
})

test('a statement sent after its transaction has ended is refused, and runs in no other transaction', async (t) => {
  const database = open(t, { size: 1 })
  const rename = (sql: Sql) => sql`update users set locale = 'pt' where tenant_id = ${tenant} and id = ${ann.id}`
  let late: Promise<unknown> = Promise.resolve()
  const goOn = async (sql: Sql) => {
    for (let turn = 0; turn < 5; turn++) await sql`select 1`
    await rename(sql)
  }
  const work = async (sql: Sql) => {
    late = goOn(sql)
    late.catch(() => {}) // looked at below
    await sql`select 1`
    throw new RangeError('ours')
  }

  await assert.rejects(database.inTenant(tenant, work), RangeError)
  await database.inTenant(tenant, async (sql) => {
    for (let turn = 0; turn < 10; turn++) await sql`select 1`
  })

  await assert.rejects(late, /after its transaction had ended/)
  assert.deepEqual(await query(`select from users where locale = 'pt'`), [])
})

test('a value that cannot be read fails only the query that selected it', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  await assert.rejects(database.read(tenant, { never: statement`select 'infinity'::timestamptz as at` }), RangeError)
  const rows = await database.read(tenant, { nothing: statement``, ones: statement`select 1 as one` })
  assert.deepEqual(rows, { nothing: [], ones: [{ one: 1 }] })
  assert.equal(await pidOf(database), pid)
})

test('if work goes on after a failed statement, the transaction is not reported as committed', async (t) => {
  const database = open(t, { size: 1 })
  const unwritable = [(sql: Sql) => sql`select ${{ large: 1n }}::jsonb`, (sql: Sql) => sql`select 1 / 0`]
  for (const failing of unwritable) {
    const work = async (sql: Sql) => {
      await sql`update users set locale = 'nl' where tenant_id = ${tenant} and id = ${ann.id}`
      await failing(sql).catch(() => {})
    }
    await assert.rejects(database.inTenant(tenant, work), /failed, and its work did not/)
  }
  assert.deepEqual(await query(`select from users where locale = 'nl'`), [])
})

test('the last statements of a transaction are committed with it, all or none', async (t) => {
  const database = open(t, { size: 1 })
  const speak = (sql: Sql, locale: string) =>
    sql<{ locale: string }>`
      update users set locale = ${locale} where tenant_id = ${tenant} and id = ${ann.id} returning locale`

  const answers = await database.inTenant(tenant, (sql) =>
    sql.commit([speak(sql, 'da'), false, pipeline([sql`select 1 as one`])]),
  )
  assert.deepEqual(answers, [[{ locale: 'da' }], false, [[{ one: 1 }]]])

  for (const failing of ['select 1 / 0', `insert into users (tenant_id) values ('${tenant}')`]) {
    const work = (sql: Sql) => sql.commit([speak(sql, 'fi'), sql`${raw(failing)}`])
    await assert.rejects(database.inTenant(tenant, work))
  }
  assert.deepEqual(await query('select locale from users where id = $1', [ann.id]), [{ locale: 'da' }])
})

test('after the last statements of a transaction, its work can send no more', async (t) => {
  const database = open(t, { size: 1 })
  const work = async (sql: Sql) => {
    await sql.commit([sql`select 1`])
    await sql`update users set locale = 'sv' where tenant_id = ${tenant} and id = ${ann.id}`
  }
  await assert.rejects(database.inTenant(tenant, work), /after its transaction had ended/)
  assert.deepEqual(await query(`select from users where locale = 'sv'`), [])

  const goOn = async (sql: Sql) => {
    await sql`select 1`
    await sql`select 2`
  }
  // @ts-expect-error: what an async function sends after an answer would come too late
  await assert.rejects(database.inTenant(tenant, (sql) => sql.commit([goOn(sql)])))
})

test('work that is not the last of its transaction commits nothing itself', async (t) => {
  const database = open(t, { size: 1 })
  const part = (sql: Sql) =>
    sql.commit([sql`update users set locale = 'el' where tenant_id = ${tenant} and id = ${ann.id}`])
  const work = async (sql: Sql) => {
    await part(withoutCommit(sql))
    throw new RangeError('ours')
  }
  await assert.rejects(database.inTenant(tenant, work), RangeError)
  assert.deepEqual(await query(`select from users where locale = 'el'`), [])
})

test("a statement that waited for a lock sees what is committed by then, whatever the server's default isolation", async (t) => {
  const database = open(t)
  const role = `role guildhall in database ${new URL(world.postgres.url).pathname.slice(1)}` // the server has others
  await query(`alter ${role} set default_transaction_isolation = 'repeatable read'`)
  try {
    const [row] = await database.inTenant(
      tenant,
      (sql) => sql<{ level: string }>`
      select current_setting('transaction_isolation') as level`,
    )
    assert.equal(row?.level, 'read committed')
  } finally {
    await query(`alter ${role} reset default_transaction_isolation`)
  }
})
