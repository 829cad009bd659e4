/** Keys as callers: what `GET /api/caller` tells of them, and the tokens that they make. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf } from '../../../test/jwt.ts'
import { codeOf, createWorld, type Json, type Program } from '../../../test/world.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
await query('update tenants set personal_keys = true, organization_keys = true')
const tess = await world.tenantAdmin()
const model = {
  permissions: [
    { key: 'notes:read', name: 'Read notes', minimumRole: 'member' },
    { key: 'notes:write', name: 'Write notes', minimumRole: 'admin' },
  ],
  roles: [{ key: 'writer', name: 'Writer', permissions: ['notes:write'] }],
}
assert.equal((await tess.put('/api/admin/access', model)).status, 200)

async function mint(key: Program, body?: object): Promise<Json> {
  const answer = await key.post('/api/tokens', body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return partsOf(answer.body.token).claims
}

test('the caller by a person’s key is the person, within its scopes', async () => {
  const { ann, cleo, id, slug, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'writer' }] })
  const scopes = ['notes:write', 'members:read', 'me:read', 'members:update']
  const key = await world.key(scopes, { person: cleo })

  const there = await key.get(`/api/caller?organization=${slug}`)

  const { user, organization } = (await cleo.get(`/api/caller?organization=${id}`)).body
  assert.deepEqual(there.body, {
    type: 'user',
    user,
    key: { id: key.id, name: 'Nightly import', owner: { type: 'user', id: cleo.id }, scopes, expiresAt: null },
    session: null,
    application: null,
    organization,
    permissions: ['members:read', 'notes:write'],
  })
  assert.deepEqual(organization.roles, ['member', 'writer'])
  const alone = await key.get('/api/caller')
  assert.deepEqual([alone.body.organization, alone.body.permissions], [null, [...scopes].sort()])
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [] })
  assert.deepEqual((await key.get(`/api/caller?organization=${id}`)).body.permissions, ['members:read'])
})

test('the caller by a key of an organization or of the tenant is the key, and no member', async () => {
  const { id, slug } = await world.organization()
  const scopes = ['notes:read', 'members:update', 'tokens:create']
  for (const [key, owner] of [
    [await world.key(scopes, { organization: id }), { type: 'organization', id }],
    [await world.key(scopes), { type: 'tenant', id: uuidToTenantId(world.tenantId) }],
  ] as const) {
    const { body } = await key.get(`/api/caller?organization=${slug}`)
    assert.deepEqual(
      { ...body, organization: { ...body.organization, name: undefined } },
      {
        type: 'key',
        user: null,
        key: { id: key.id, name: 'Nightly import', owner, scopes, expiresAt: null },
        session: null,
        application: null,
        organization: { id, slug, name: undefined, role: null, roles: [] },
        permissions: ['members:update', 'notes:read'],
      },
    )
    assert.deepEqual((await key.get('/api/caller')).body.permissions, [...scopes].sort())
  }
})

test('a key asks about itself without any scope, and only where it may act', async () => {
  const { ann, id } = await world.organization()
  const other = await world.organization()
  const there = await world.organization({ tenant: (await world.tenant()).slug })
  const keys = [
    await world.key(['me:read'], { person: ann, organization: id }),
    await world.key(['notes:read'], { organization: id }),
  ]
  await world.join(other.ann, other.id, ann)
  for (const key of keys) {
    assert.equal((await key.get(`/api/caller?organization=${id}`)).status, 200)
    for (const organization of [other.id, other.slug, there.id, there.slug, 'nowhere'])
      assert.deepEqual(codeOf(await key.get(`/api/caller?organization=${organization}`)), [404, 'not_found'])
  }
})

test('a token of a key says whose key made it', async () => {
  const { ann, id, slug } = await world.organization()
  const scopes = ['notes:write', 'members:read', 'tokens:create']
  const role = { role: 'owner', roles: ['owner', 'admin', 'member'] }
  const none = { role: null, roles: [] }
  for (const [key, sub, org] of [
    [await world.key(scopes, { person: ann }), ann.id, role],
    [await world.key(scopes, { organization: id }), undefined, none],
    [await world.key(scopes), undefined, none],
  ] as const) {
    const { iat, exp, jti, iss, aud, ...claims } = await mint(key, { organization: slug })
    assert.deepEqual(claims, {
      sub: sub ?? key.id,
      client_id: key.id,
      sid: key.id,
      scope: 'notes:write',
      org: { id, slug, ...org },
    })
    assert.equal(exp, iat + 300)
    const named = await mint(key, { organization: id, permissions: ['members:read', 'members:update', 'notes:read'] })
    assert.equal(named.scope, 'members:read')
    const alone = await mint(key)
    assert.deepEqual([alone.scope, 'org' in alone, 'auth_time' in alone], ['', false, false])
  }
})

test('a token ends with the key that makes it', async () => {
  const { ann, id } = await world.organization()
  for (const owner of [{ person: ann }, { organization: id }, {}]) {
    const key = await world.key(['tokens:create'], owner)
    const end = new Date(Date.now() + 60_000)
    await query('update api_keys set expires_at = $2 where id = $1', [key.id, end.toISOString()])
    for (const body of [{}, { organization: id }])
      assert.equal((await mint(key, body)).exp, Math.floor(end.getTime() / 1_000))
    assert.deepEqual((await key.get('/api/caller')).body.key.expiresAt, end.toISOString())
  }
})

test('a key without the scope makes no token', async () => {
  const { ann, id } = await world.organization()
  for (const owner of [{ person: ann }, { organization: id }, {}]) {
    const refused = await (await world.key(['notes:read', 'me:read'], owner)).post('/api/tokens')
    assert.deepEqual([...codeOf(refused), refused.body.scope], [403, 'insufficient_scope', 'tokens:create'])
  }
})
