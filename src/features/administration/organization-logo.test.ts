import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upload } from '../../../test/pictures.ts'
import { codeOf, createWorld } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const tess = await world.tenantAdmin()
const statusOf = async (url: string) => (await fetch(world.url + new URL(url).pathname)).status
const storedOf = (id: string) => query('select from pictures where organization_id = $1', [id])

test('an admin of the tenant, who is no member, gives an organization a logo and takes it away', async () => {
  const { ann, id, path, slug } = await world.organization()

  const { status, body, headers } = await upload(tess, `/api/admin/organizations/${slug}/logo`)

  assert.deepEqual([status, body.id, body.role, body.membership], [200, id, null, null])
  assert.equal((await ann.get(path)).body.logoUrl, body.logoUrl)
  assert.equal(await statusOf(body.logoUrl), 200)
  assert.equal((await tess.get(`/api/admin/organizations/${id}`)).headers.get('etag'), headers.get('etag'))

  const next = await upload(tess, `/api/admin/organizations/${id}/logo`)
  assert.deepEqual([await statusOf(body.logoUrl), await statusOf(next.body.logoUrl)], [404, 200])

  const removed = await tess.delete(`/api/admin/organizations/${id}/logo`)
  assert.deepEqual([removed.status, removed.body.logoUrl], [200, null])
  assert.equal(await statusOf(next.body.logoUrl), 404)
  assert.deepEqual(await storedOf(id), [])
})

test("the organization's log says that an admin of the tenant changed the logo", async () => {
  const { ann, id, path } = await world.organization()
  const { body } = await upload(tess, `/api/admin/organizations/${id}/logo`)
  const [entry] = (await ann.get(`${path}/audit?action=organization.updated`)).body.data
  assert.deepEqual(
    [entry.actor.id, entry.target.id, entry.details],
    [tess.id, id, { via: 'admin', logoUrl: { from: null, to: body.logoUrl } }],
  )
})

test('an owner may not by this route, and nothing of a picture is read for an organization that is not there', async () => {
  const { ann, id } = await world.organization()
  const unknown = `${id.slice(0, -4)}0000`
  for (const [person, named, refusal] of [
    [ann, id, [403, 'forbidden']],
    [tess, unknown, [404, 'not_found']],
    [tess, 'nobody-has-this', [404, 'not_found']],
  ] as const) {
    const at = `/api/admin/organizations/${named}/logo`
    // What is no picture would be refused as such if it had been read.
    assert.deepEqual(codeOf(await upload(person, at, Buffer.from('none'))), refusal)
    assert.deepEqual(codeOf(await person.delete(at)), refusal)
  }
  assert.deepEqual(await storedOf(id), [])
})

test('of two admins who change a logo at the same time, one is asked to look again', async () => {
  const { id } = await world.organization()
  const at = `/api/admin/organizations/${id}`
  const tag = (await tess.get(at)).headers.get('etag') ?? ''
  assert.equal((await tess.patch(at, { name: 'Renamed' })).status, 200)
  const answer = await tess.delete(`${at}/logo`, undefined, { 'if-match': tag })
  assert.deepEqual(codeOf(answer), [412, 'version_mismatch'])
})
