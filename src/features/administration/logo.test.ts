import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upload } from '../../../test/pictures.ts'
import { codeOf, createWorld } from '../../../test/world.ts'

const world = await createWorld()
const path = '/api/admin/tenant/logo'
const statusOf = async (url: string) => (await fetch(world.url + new URL(url).pathname)).status

test('an admin uploads the logo of the tenant, which a sign-in page shows, and removes it', async () => {
  const tess = await world.tenantAdmin()
  await tess.patch('/api/admin/tenant', { brand: { color: '#0f766e' } })

  const { status, body, headers } = await upload(tess, path)

  assert.equal(status, 200)
  const { logoUrl, color } = body.brand
  assert.equal(color, '#0f766e')
  assert.equal(headers.get('etag'), (await tess.get('/api/admin/tenant')).headers.get('etag'))
  assert.equal((await world.nobody.get('/api/tenant')).body.brand.logoUrl, logoUrl)
  assert.equal(await statusOf(logoUrl), 200)
  const [entry] = (await tess.get('/api/admin/audit?action=tenant.updated')).body.data
  assert.deepEqual(entry.details, { brand: { from: { logoUrl: null }, to: { logoUrl } } })

  const second = (await upload(tess, path)).body.brand.logoUrl
  assert.deepEqual([await statusOf(logoUrl), await statusOf(second)], [404, 200])
  const removed = await tess.delete(path)
  assert.deepEqual([removed.body.brand, await statusOf(second)], [{ logoUrl: null, color: '#0f766e' }, 404])
})

test('a logo elsewhere takes the place of the stored one; a URL of ours is refused', async () => {
  const tess = await world.tenantAdmin()
  const { logoUrl } = (await upload(tess, path)).body.brand
  const { avatarUrl } = (await upload(tess, '/api/users/me/avatar')).body
  assert.equal((await tess.patch('/api/admin/tenant', { brand: { logoUrl } })).status, 200)
  const refused = await tess.patch('/api/admin/tenant', { brand: { logoUrl: avatarUrl } })
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/brand/logoUrl'])

  assert.equal((await tess.patch('/api/admin/tenant', { brand: { color: '#4338ca' } })).body.brand.logoUrl, logoUrl)
  assert.equal(await statusOf(logoUrl), 200)
  const elsewhere = { brand: { logoUrl: 'https://pictures.example/logo.png' } }
  assert.equal((await tess.patch('/api/admin/tenant', elsewhere)).status, 200)
  assert.equal(await statusOf(logoUrl), 404)
  assert.equal(await statusOf(avatarUrl), 200, 'the picture of the admin stays')
})

test('nobody but admins of the tenant', async () => {
  const ann = await world.person()
  for (const answer of [await upload(ann, path), await ann.delete(path)])
    assert.deepEqual(codeOf(answer), [403, 'forbidden'])
})
