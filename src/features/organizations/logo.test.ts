import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { pngOf, upload } from '../../../test/pictures.ts'
import { codeOf, createWorld } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const statusOf = async (url: string) => (await fetch(world.url + new URL(url).pathname)).status
const storedOf = (id: string) => query('select from pictures where organization_id = $1', [id])

test('an admin uploads a logo, which keeps its proportions, and everybody in the organization sees it', async () => {
  const { ben, cleo, path } = await world.organization()

  const { status, body, headers } = await upload(ben, `${path}/logo`, pngOf({ width: 1200, height: 300 }))

  assert.equal(status, 200)
  assert.equal((await cleo.get(path)).body.logoUrl, body.logoUrl)
  assert.equal((await ben.get(path)).headers.get('etag'), headers.get('etag'))
  const picture = await fetch(world.url + new URL(body.logoUrl).pathname)
  const { width, height, format } = await sharp(Buffer.from(await picture.arrayBuffer())).metadata()
  assert.deepEqual([width, height, format], [512, 128, 'webp'])
  const [entry] = (await ben.get(`${path}/audit?action=organization.updated`)).body.data
  assert.deepEqual(entry.details, { logoUrl: { from: null, to: body.logoUrl } })

  const removed = await ben.delete(`${path}/logo`)
  assert.deepEqual([removed.status, removed.body.logoUrl, await statusOf(body.logoUrl)], [200, null, 404])
})

test('a member may not, and for others there is no organization; nothing of their picture is read', async () => {
  const { cleo, dan, path, id } = await world.organization()
  for (const [person, refusal] of [
    [cleo, [403, 'forbidden']],
    [dan, [404, 'not_found']],
  ] as const) {
    // What is no picture would be refused as such if it had been read.
    assert.deepEqual(codeOf(await upload(person, `${path}/logo`, Buffer.from('none'))), refusal)
    assert.deepEqual(codeOf(await person.delete(`${path}/logo`)), refusal)
  }
  assert.deepEqual(await storedOf(id), [])
})

test('a logo elsewhere takes the place of the stored one, also if an admin of the tenant sets it', async () => {
  const { ann, path, id } = await world.organization()
  const tess = await world.tenantAdmin()
  const logoUrl = 'https://pictures.example/acme.png'
  for (const set of [
    () => ann.patch(path, { logoUrl }),
    () => tess.patch(`/api/admin/organizations/${id}`, { logoUrl }),
    () => tess.patch(`/api/admin/organizations/${id}`, { logoUrl: null }),
  ]) {
    const { body } = await upload(ann, `${path}/logo`)
    assert.equal((await set()).status, 200)
    assert.equal(await statusOf(body.logoUrl), 404)
    assert.deepEqual(await storedOf(id), [])
  }
})

test('a URL of ours that is not that of the own logo is refused, of new organizations too', async () => {
  const { ann, path } = await world.organization()
  const tess = await world.tenantAdmin()
  const { logoUrl } = (await upload(ann, `${path}/logo`)).body
  const { body: other } = await ann.post('/api/organizations', { name: 'Other' })
  for (const answer of [
    await ann.patch(`/api/organizations/${other.id}`, { logoUrl }),
    await tess.patch(`/api/admin/organizations/${other.id}`, { logoUrl }),
    await ann.post('/api/organizations', { name: 'New', logoUrl }),
    await tess.post('/api/admin/organizations', { name: 'New', ownerId: ann.id, logoUrl }),
  ]) {
    assert.equal(answer.status, 400)
    assert.deepEqual([answer.body.errors[0].pointer, answer.body.errors[0].code], ['/logoUrl', 'not_allowed'])
  }
  assert.equal((await ann.patch(path, { logoUrl, name: 'Acme' })).body.logoUrl, logoUrl)
})

test('the logo goes with the organization', async () => {
  const { ann, path, id, slug } = await world.organization()
  const { logoUrl } = (await upload(ann, `${path}/logo`)).body
  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)
  assert.equal(await statusOf(logoUrl), 404)
  assert.deepEqual(await storedOf(id), [])
})
