import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol } from '../../../test/sign-in.ts'
import { createWorld } from '../../../test/world.ts'

const world = await createWorld()

test('recovery codes are ten different ones of 24 random letters, each of which says five bits', async () => {
  const { person, recoveryCodes } = await enrol(world)
  const sets = [recoveryCodes]
  while (sets.length < 10) sets.push((await person.post('/api/users/me/recovery-codes')).body.codes)

  for (const set of sets) assert.equal(set.length, 10)
  const codes = sets.flat()
  assert.equal(new Set(codes).size, 100)
  for (const code of codes) assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){5}$/)
  const letters = codes.map((code) => code.replaceAll('-', ''))
  assert.equal(new Set(letters.join('')).size, 32)
  // All the letters at one place. By chance they are never as few as four bits can say, and never those of another place.
  const places = Array.from({ length: 24 }, (_, place) => letters.map((each) => each[place]).join(''))
  for (const place of places) assert.ok(new Set(place).size > 16, place)
  assert.equal(new Set(places).size, 24)
})
