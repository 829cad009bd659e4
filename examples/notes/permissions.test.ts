/** The permission `notes:delete`, with the real server of Notes and without its page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createGuildhall } from '@guildhall/client'
import { createWorld, type Person } from '../../test/world.ts'
import { openNotes } from './notes.ts'
import { createNotesServer } from './server.ts'

const world = await createWorld()
const model = JSON.parse(readFileSync(join(import.meta.dirname, 'access.json'), 'utf8'))
const notes = openNotes(':memory:')

/** Starts Notes for a new tenant with an organization. @returns what deletes a note of its owner, as somebody */
async function open() {
  const tenant = await world.tenant()
  const organization = await world.organization({ tenant: tenant.slug })
  const guildhall = createGuildhall({ url: world.url, tenant: tenant.slug })
  const server = createNotesServer({ guildhall, accounts: world.url, notes, files: new Map() }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo // listens on TCP
  const remove = async ({ token }: Person, author = organization.ann) => {
    const { id } = notes.add(organization.id, author.id, 'A note')
    const path = `http://127.0.0.1:${port}/api/organizations/${organization.id}/notes/${id}`
    const response = await fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
    return response.status === 204 ? 204 : `${response.status} ${JSON.parse(await response.text()).code}`
  }
  return { ...organization, remove, admin: await world.tenantAdmin(tenant.slug) }
}

test('admins and editors delete the notes of others, for as long as they are that', async () => {
  const { ann, ben, cleo, path, members, remove, admin } = await open()
  assert.equal((await admin.put('/api/admin/access', model)).status, 200)
  const change = (body: object) => ann.patch(`${path}/members/${members.cleo.id}`, body)
  assert.deepEqual([await remove(ben), await remove(cleo)], [204, '403 forbidden'])
  await change({ grants: [{ role: 'editor' }] })
  assert.equal(await remove(cleo), 204)
  await change({ status: 'suspended' })
  assert.equal(await remove(cleo), '403 membership_suspended')
  await change({ status: 'active', grants: [] })
  assert.equal(await remove(cleo), '403 forbidden')
})

test('before the permission is applied, everybody deletes only their own notes', async () => {
  const { ann, ben, remove } = await open()
  assert.deepEqual([await remove(ann), await remove(ben), await remove(ben, ben)], [204, '403 forbidden', 204])
})
