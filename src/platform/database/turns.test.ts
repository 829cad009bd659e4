/** Turns: who runs, who waits, and what is left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { onConnections } from '../../../test/connections.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld } from '../../../test/world.ts'
import { UnavailableError } from './errors.ts'
import { type ClaimTurn, Turns } from './turns.ts'

const world = await createWorld()
const { open } = onConnections(world)

/** Transactions of a key that end when they are told to. */
function stage(turns = new Turns(60_000)) {
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const run = async (name: string) => {
    begun.push(name)
    const gate = Promise.withResolvers<void>()
    gates.set(name, gate)
    await gate.promise
    return name
  }
  /** Ends a transaction, and lets the next one begin. */
  const end = async (name: string, error?: Error) => {
    const gate = gates.get(name)
    assert.ok(gate, `${name} has not begun`)
    if (error) gate.reject(error)
    else gate.resolve()
    await setImmediate()
  }
  return { turns, begun, run, end }
}

test('one transaction of a key runs at a time, the others wait in order, and nothing is left of them', async () => {
  const { turns, begun, run, end } = stage()
  const names = ['a', 'b', 'c', 'd']
  const all = names.map((name) => turns.during(() => run(name), 'key'))
  const other = turns.during(() => run('other'), 'another key')
  const settled = Promise.allSettled([...all, other])
  await setImmediate()
  assert.deepEqual([begun, turns.held, turns.waiting], [['a', 'other'], 2, 3])

  await end('a')
  assert.deepEqual(begun.slice(2), ['b'])
  await end('b', new RangeError('ours'))
  assert.deepEqual(begun.slice(2), ['b', 'c'])
  for (const name of ['c', 'd', 'other']) await end(name)
  const outcomes = await settled
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual([turns.waiting, turns.held], [0, 0])
})

test('a transaction that claims a turn of others ends, and runs again when the turn has come', async () => {
  const { turns, begun, run, end } = stage()
  const holder = turns.during(() => run('a'), 'key')
  const tries: Record<string, number> = { b: 0, c: 0 }
  const claiming = (name: string) =>
    turns.during(async (claim: ClaimTurn) => {
      tries[name] = (tries[name] ?? 0) + 1
      claim(`of ${name}`)
      claim('key')
      claim('key') // it has it
      return run(name)
    })
  const claimed = ['b', 'c'].map(claiming)
  await setImmediate()
  assert.deepEqual([begun, tries, turns.waiting], [['a'], { b: 1, c: 1 }, 2])

  await end('a')
  assert.deepEqual([begun, tries], [['a', 'b'], { b: 2, c: 1 }])
  await end('b')
  assert.deepEqual([begun, tries], [['a', 'b', 'c'], { b: 2, c: 2 }])
  await end('c')
  assert.deepEqual(await Promise.all([holder, ...claimed]), ['a', 'b', 'c'])
  assert.deepEqual([turns.waiting, turns.held], [0, 0])
})

test('a transaction that fails its check while others have the turn waits no longer, and nothing is checked if the turn is free', async () => {
  const { turns, begun, run, end } = stage()
  const refuse = async () => Promise.reject(new RangeError('not yours'))
  const holder = turns.during(() => run('a'), 'key', refuse)
  const next = turns.during(
    () => run('b'),
    'key',
    async () => {},
  )
  await assert.rejects(
    turns.during(() => run('c'), 'key', refuse),
    RangeError,
  )
  assert.deepEqual([begun, turns.waiting], [['a'], 1])
  for (const name of ['a', 'b']) await end(name)
  assert.deepEqual(await Promise.all([holder, next]), ['a', 'b'])
  assert.equal(turns.held, 0)
})

test('a turn that does not come in time makes the service unavailable, and the place in the line is given up', async () => {
  const { turns, begun, run, end } = stage(new Turns(1))
  const holder = turns.during(() => run('a'), 'key')
  await assert.rejects(
    turns.during(() => run('b'), 'key'),
    UnavailableError,
  )
  await assert.rejects(
    turns.during(async (claim) => claim('key')),
    UnavailableError,
  )
  assert.deepEqual([begun, turns.waiting], [['a'], 0])
  await end('a')
  await holder
  assert.equal(turns.held, 0)
})

test('a transaction that waits for a turn has no connection, and those of another tenant do not wait for it', async (t) => {
  const database = open(t, { size: 2 })
  const { run, begun, end } = stage()
  const { tenantId: tenant } = world
  const { id: another } = await world.tenant()
  const all = [
    database.inTenant(tenant, () => run('a'), { turn: 'key' }),
    database.inTenant(tenant, () => run('b'), { turn: 'key' }),
    database.inTenant(tenant, async (sql) => {
      sql.claimTurn('key')
      return run('c')
    }),
  ]
  await until(() => begun.length === 1 && database.waitingForTurns === 2, 'two to wait for the first')
  await until(() => database.connections.used === 1, 'the one that claimed its turn to give its connection back')

  assert.equal(await database.inTenant(another, async () => 'at once', { turn: 'key' }), 'at once')
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    await until(() => begun.length > index, `${name} to begin`)
    await end(name)
  }
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c'])
})
