/** Snapshots: how often is read what everybody may ask. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { UnavailableError } from './errors.ts'
import { snapshotOf } from './snapshots.ts'

test('callers share one read while it runs and for a second after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const readings = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let count = 0
  const read = snapshotOf(() => readings[count++]?.promise ?? assert.fail())
  const first = [read(), read()]
  t.mock.timers.tick(1_999)
  first.push(read())
  assert.equal(count, 1)
  readings[0]?.resolve('one')
  assert.deepEqual(await Promise.all(first), ['one', 'one', 'one'])
  await setImmediate()
  t.mock.timers.tick(999)
  assert.equal(await read(), 'one')
  t.mock.timers.tick(1)
  readings[1]?.resolve('two')
  assert.equal(await read(), 'two')
})

test('a failed read fails for everyone who shares it, and the next call reads again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let count = 0
  const read = snapshotOf(async () => {
    if (++count === 1) throw new Error('away')
    return 'back'
  })
  await assert.rejects(Promise.all([read(), read()]), /away/)
  await setImmediate()
  t.mock.timers.tick(1000)
  assert.equal(await read(), 'back')
  assert.equal(count, 2)
})

test('a read that hangs is given up, and later calls do not wait for it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let count = 0
  const read = snapshotOf(() => (++count === 1 ? new Promise<string>(() => {}) : Promise.resolve('back')))
  const asked = assert.rejects(read(), UnavailableError)
  t.mock.timers.tick(2_000)
  await asked
  await setImmediate()
  t.mock.timers.tick(1_000)
  assert.equal(await read(), 'back')
})
