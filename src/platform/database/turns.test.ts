/** Turns: who runs, who waits, and what is left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { onConnections } from '../../../test/connections.ts'
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

test('two transactions of a key run at once, the others wait in order, and nothing is left of them', async () => {
  const { turns, begun, run, end } = stage()
  const names = ['a', 'b', 'c', 'd', 'e']
  const all = names.map((name) => turns.during(() => run(name), 'key'))
  const other = turns.during(() => run('other'), 'another key')
  const settled = Promise.allSettled([...all, other])
  await setImmediate()
  assert.deepEqual(begun, ['a', 'b', 'other'])
  assert.equal(turns.waiting, 3)

  await end('b')
  assert.deepEqual(begun.slice(3), ['c'])
  await end('c', new RangeError('ours'))
  await end('a')
  assert.deepEqual(begun.slice(3), ['c', 'd', 'e'])

  for (const name of ['d', 'e', 'other']) await end(name)
  const outcomes = await settled
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual([turns.waiting, turns.keys], [0, 0])
})

test('a transaction that claims a turn of others ends, and runs again when the turn has come', async () => {
  const { turns, begun, run, end } = stage()
  const holders = ['a', 'b'].map((name) => turns.during(() => run(name), 'key'))
  const tries: Record<string, number> = { c: 0, d: 0 }
  const claiming = (name: string) =>
    turns.during(async (claim: ClaimTurn) => {
      tries[name] = (tries[name] ?? 0) + 1
      claim('own')
      claim('key')
      claim('key') // it has it
      return run(name)
    })
  const claimed = ['c', 'd'].map(claiming)
  await setImmediate()
  assert.deepEqual([begun, tries, turns.waiting], [['a', 'b'], { c: 1, d: 1 }, 2])

  await end('a')
  assert.deepEqual([begun.slice(2), tries], [['c'], { c: 2, d: 1 }])
  await end('c')
  assert.deepEqual([begun.slice(2), tries], [['c', 'd'], { c: 2, d: 2 }])
  for (const name of ['b', 'd']) await end(name)
  assert.deepEqual(await Promise.all([...holders, ...claimed]), ['a', 'b', 'c', 'd'])
  assert.deepEqual([turns.waiting, turns.keys], [0, 0])
})

test('whoever is not admitted while others have the turn waits no longer, and nobody is asked if it is free', async () => {
  const { turns, begun, run, end } = stage()
  const refuse = async () => Promise.reject(new RangeError('not yours'))
  const holders = ['a', 'b'].map((name) => turns.during(() => run(name), 'key', refuse))
  const next = turns.during(
    () => run('c'),
    'key',
    async () => {},
  )
  await assert.rejects(
    turns.during(() => run('d'), 'key', refuse),
    RangeError,
  )
  assert.deepEqual([begun, turns.waiting], [['a', 'b'], 1])
  for (const name of ['a', 'b', 'c']) await end(name)
  assert.deepEqual(await Promise.all([...holders, next]), ['a', 'b', 'c'])
  assert.equal(turns.keys, 0)
})

test('a turn that does not come in time makes the service unavailable, and the place in the line is given up', async () => {
  const { turns, begun, run, end } = stage(new Turns(1))
  const holders = ['a', 'b'].map((name) => turns.during(() => run(name), 'key'))
  await assert.rejects(
    turns.during(() => run('c'), 'key'),
    UnavailableError,
  )
  await assert.rejects(
    turns.during(async (claim) => claim('key')),
    UnavailableError,
  )
  assert.deepEqual([begun, turns.waiting], [['a', 'b'], 0])
  for (const name of ['a', 'b']) await end(name)
  await Promise.all(holders)
  assert.equal(turns.keys, 0)
})

test('a transaction that waits for a turn has no connection, and those of another tenant do not wait for it', async (t) => {
  const database = open(t, { size: 3 })
  const { run, begun, end } = stage()
  const { tenantId: tenant } = world
  const { id: another } = await world.tenant()
  const held = ['a', 'b'].map((name) => database.inTenant(tenant, () => run(name), { turn: 'key' }))
  const waiting = [
    database.inTenant(tenant, () => run('c'), { turn: 'key' }),
    database.inTenant(tenant, async (sql) => {
      sql.claimTurn('key')
      return run('d')
    }),
  ]
  await world.postgres.awaitLine(2, () => database.waitingForTurns)

  assert.equal(await database.inTenant(another, async () => 'at once', { turn: 'key' }), 'at once')
  assert.deepEqual([begun.toSorted(), database.connections.used], [['a', 'b'], 2])
  for (const name of ['a', 'b']) await end(name)
  await world.postgres.awaitLine(4, () => begun.length)
  for (const name of ['c', 'd']) await end(name)
  assert.deepEqual(await Promise.all([...held, ...waiting]), ['a', 'b', 'c', 'd'])
})
