/** The permission `notes:delete`, with the real server of Notes and without its page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPublicWorld } from '../../test/relying-party.ts'
import type { Person } from '../../test/world.ts'
import { startNotes } from './testing.ts'

const world = await createPublicWorld()
const { notes, signInAs, ask } = await startNotes(world)
const model = JSON.parse(readFileSync(join(import.meta.dirname, 'access.json'), 'utf8'))

/** An organization. @returns what deletes a note of its owner, as somebody */
async function open() {
  const organization = await world.organization()
  const cookies = new Map<Person, string>()
  const remove = async (person: Person, author = organization.ann) => {
    const cookie = cookies.get(person) ?? (await signInAs(person))
    cookies.set(person, cookie)
    const { id } = notes.add(organization.id, author.id, 'A note')
    const { status, body } = await ask('DELETE', `/api/organizations/${organization.id}/notes/${id}`, cookie)
    return status === 204 ? 204 : `${status} ${body.code}`
  }
  return { ...organization, remove }
}

test('before the permission is applied, everybody deletes only their own notes', async () => {
  const { ann, ben, remove } = await open()
  assert.deepEqual([await remove(ann), await remove(ben), await remove(ben, ben)], [204, '403 forbidden', 204])
})

test('admins and editors delete the notes of others, for as long as they are that', async () => {
  const { ann, ben, cleo, path, members, remove } = await open()
  assert.equal((await (await world.tenantAdmin()).put('/api/admin/access', model)).status, 200)
  const change = (body: object) => ann.patch(`${path}/members/${members.cleo.id}`, body)
  assert.deepEqual([await remove(ben), await remove(cleo)], [204, '403 forbidden'])
  await change({ grants: [{ role: 'editor' }] })
  assert.equal(await remove(cleo), 204)
  await change({ status: 'suspended' })
  assert.equal(await remove(cleo), '403 membership_suspended')
  await change({ status: 'active', grants: [] })
  assert.equal(await remove(cleo), '403 forbidden')
})
