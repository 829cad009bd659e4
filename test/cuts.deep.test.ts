/** Connections to PostgreSQL that are lost in the middle of any message, on the way there or back. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { system } from '../src/domain/access/actors.ts'
import { record } from '../src/domain/record/record.ts'
import { type Sql, statement } from '../src/platform/database/database.ts'
import { UnavailableError } from '../src/platform/database/errors.ts'
import { addJob } from '../src/platform/jobs/queue.ts'
import { type Side, startProxy } from './proxy.ts'
import { outboxIsEmpty } from './queue.ts'
import { until } from './smtp.ts'
import { openPatient } from './timeout.ts'
import { createWorld } from './world.ts'

const world = await createWorld()
const { query, url } = world.postgres
const { tenantId: tenant } = world
// The world's relay has nothing left to take, and nothing wakes it: the outbox keeps the jobs of the changes below.
await outboxIsEmpty(world)
/** In bytes: less than each message of the protocol has. */
const step = 3
const sides = { 'on the way to PostgreSQL': 'client', 'on the way back': 'server' } as const satisfies Record<
  string,
  Side
>

/** A database behind a proxy that cuts one connection after some bytes. */
async function openCut(t: TestContext) {
  const proxy = await startProxy(Number(new URL(url).port))
  const database = openPatient(url.replace(/:\d+\//, `:${proxy.port}/`), { size: 1 })
  t.after(async () => {
    await database.close()
    proxy.close()
  })
  return {
    database,
    /**
     * Cuts the connection on which the client next sends `mark`.
     *
     * @param most how many bytes of a side pass from the piece with the mark on
     * @returns how many have come
     */
    cutAfter(side: Side, mark: string, most: number) {
      let [came, cut] = [0, undefined as object | undefined]
      proxy.inspect = (from, piece, connection) => {
        if (from === 'client' && piece.includes(mark)) cut ??= connection
        if (connection !== cut || from !== side) return 'pass'
        came += piece.length
        const isOver = came > most && came - piece.length <= most
        return isOver ? piece.length - (came - most) : 'pass'
      }
      return () => came
    },
  }
}

/** PostgreSQL has ended what was begun on connections that are gone. */
async function nothingIsOpen(): Promise<void> {
  const open = () =>
    query(`
      select from pg_stat_activity
      where application_name = 'guildhall' and datname = current_database() and state <> 'idle'`)
  await until(async () => (await open()).length === 0, 'every transaction to end')
}

for (const [where, side] of Object.entries(sides)) {
  test(`look-ups whose connection is lost in any message ${where} are all answered, each with its own rows`, async (t) => {
    const { database, cutAfter } = await openCut(t)
    const lookUp = async (number: number) => {
      const { found } = await database.read(
        tenant,
        { found: statement`select ${number}::int as number` },
        { byKey: true },
      )
      return found
    }
    const expected = [[{ number: 1 }], [{ number: 2 }], [{ number: 3 }]]
    for (let bytes = 0; ; bytes += step) {
      await lookUp(0) // on a connection that is whole, and knows the statement afterwards
      const came = cutAfter(side, 'set local', bytes)
      assert.deepEqual(await Promise.all([1, 2, 3].map(lookUp)), expected, `after ${bytes} bytes`)
      if (came() <= bytes) break // it was not lost
    }
    await nothingIsOpen()
  })

  test(`a change whose connection is lost in any message of its last pipeline ${where} is done with its entry and its job, or not at all`, async (t) => {
    const { database, cutAfter } = await openCut(t)
    const outcomes = new Map<string, 'done' | 'unknown'>()
    const change = (requestId: string) =>
      database.inTenant(tenant, async (sql: Sql) => {
        await sql`select 1`
        await sql.commit([
          record(sql, { ...system, requestId }, 'tenant.updated', { target: { type: 'tenant', id: tenant } }),
          addJob(sql, 'erase_log', { tenantId: tenant, organizationId: requestId }, requestId),
        ])
      })
    for (let bytes = 0; ; bytes += step) {
      const requestId = `req_${side}_${bytes}`
      await change(`req_${side}_before_${bytes}`)
      const came = cutAfter(side, 'commit\0', bytes)
      await change(requestId).then(
        () => outcomes.set(requestId, 'done'),
        (error: unknown) => {
          assert.ok(error instanceof UnavailableError, `after ${bytes} bytes: ${error}`)
          outcomes.set(requestId, 'unknown')
        },
      )
      if (came() <= bytes) break // it was not lost
    }
    await nothingIsOpen()

    const entries = await query<{ id: string }>('select request_id as id from audit_entries')
    const jobs = await query<{ id: string }>(`select jobs -> 0 ->> 'key' as id from outbox`)
    const idsOf = (rows: readonly { id: string }[]) =>
      rows
        .map(({ id }) => id)
        .filter((id) => outcomes.has(id))
        .sort()
    assert.deepEqual(idsOf(entries), idsOf(jobs))
    assert.equal(new Set(idsOf(jobs)).size, idsOf(jobs).length, 'once each')
    const done = [...outcomes].filter(([, outcome]) => outcome === 'done').map(([id]) => id)
    assert.deepEqual(
      done.filter((id) => !idsOf(entries).includes(id)),
      [],
      'what was answered is there',
    )
    assert.ok(done.length > 0 && done.length < outcomes.size)
  })
}
