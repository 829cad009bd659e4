/** Oneself among the members: by `me`, by the id of one's membership, and by one's user id. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, createWorld } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld()

const codeOf = ({ status, body }: Answer) => (body.code ? [status, body.code] : [status])

test('removing needs the permission before it is said who is a member, and leaving needs none', async () => {
  const { cleo, path, members } = await world.organization()

  assert.deepEqual(codeOf(await cleo.delete(`${path}/members/${members.ben.id}`)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await cleo.delete(`${path}/members/${newId('mem')}`)), [403, 'forbidden'])
  assert.equal((await cleo.delete(`${path}/members/${members.cleo.id}`)).body.id, members.cleo.id)
})
