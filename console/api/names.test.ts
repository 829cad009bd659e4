import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTogether } from './names.ts'

test('names that are wanted at once are read by a hundred, whatever else fails', async () => {
  const asked: number[] = []
  let isDown = false
  const readOne = readTogether(async (ids) => {
    asked.push(ids.length)
    if (isDown) throw new Error('down')
    return new Map(ids.filter((id) => id !== 'gone').map((id) => [id, id.toUpperCase()]))
  })
  const ids = [...Array.from({ length: 249 }, (_, index) => `a${index}`), 'gone', 'gone']
  const names = await Promise.all(ids.map(readOne))
  assert.deepEqual(asked, [100, 100, 50])
  assert.deepEqual([names[0], names[248], names[249]], ['A0', 'A248', null])

  isDown = true
  await assert.rejects(readOne('a1'), /down/)
  isDown = false
  assert.equal(await readOne('a1'), 'A1')
})
