import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerKeys, requestKey } from '../../../test/key-requests.ts'
import { statuses, together } from '../../../test/races.ts'
import { Client, codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
await offerKeys(world)
const tess = await world.tenantAdmin()
await tess.put('/api/admin/access', {
  permissions: [
    { key: 'notes:write', name: 'Write notes', minimumRole: 'admin' },
    { key: 'notes:void', name: 'Void notes', minimumRole: 'owner' },
  ],
  roles: [
    { key: 'keeper', name: 'Keeper of keys', permissions: ['keys:read', 'keys:write'] },
    { key: 'voider', name: 'Voider', permissions: ['notes:void'] },
  ],
})

const day = 86_400_000
const inFuture = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
const make = (person: Person, path: string, body: object = {}) =>
  person.post(`${path}/keys`, { name: 'Import', scopes: ['members:read'], ...body })
const lackOf = ({ status, body }: { status: number; body: Json }) => [status, body.code, body.missing, body.until]

test('an admin makes a key of the organization, and is its holder', async () => {
  const { ben, cleo, dan, ann, id, path, slug } = await world.organization()
  const made = await make(ben, `/api/organizations/${slug}`, {
    scopes: ['members:read', 'invitations:write', 'notes:write', 'tokens:create'],
  })
  assert.equal(made.status, 201)
  const { key } = made.body
  assert.equal(made.headers.get('location'), `${path}/keys/${key.id}`)
  assert.deepEqual(
    [key.owner, key.organizationId, key.holder, key.expiresAt, key.status],
    [{ type: 'organization', id }, id, { id: ben.id, name: 'Ben' }, null, 'active'],
  )
  assert.deepEqual((await ann.get(`${path}/keys`)).body.data, [key])
  assert.deepEqual((await ann.get(`${path}/keys/${key.id}`)).body, key)
  const [entry] = (await ann.get(`${path}/audit?action=key.created`)).body.data
  assert.deepEqual([entry.actor.id, entry.target.id, entry.organizationId], [ben.id, key.id, id])
  assert.deepEqual(codeOf(await make(cleo, path)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await make(dan, path)), [404, 'not_found'])
})

test('a key of an organization has neither what owners alone may do, nor scopes of people and of tenants', async () => {
  const { ann, path } = await world.organization()
  const scopes = ['organization:delete', 'ownership:transfer', 'me:read', 'users:read', 'keys:write']
  const refused = await make(ann, path, { scopes })
  assert.deepEqual(codeOf(refused), [400, 'invalid_request'])
  assert.deepEqual(
    refused.body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`),
    [0, 1, 2, 3].map((index) => `/scopes/${index} not_allowed`),
  )
})

test('nobody makes a key that may do more than they, nor one that lives longer', async () => {
  const { ann, ben, cleo, path, members } = await world.organization()
  const wanted = { scopes: ['members:read', 'notes:write', 'notes:void'] }
  assert.deepEqual(lackOf(await make(ben, path, wanted)), [403, 'role_above_yours', ['notes:void'], null])

  const expiresAt = inFuture(30 * day)
  const grants = [{ role: 'voider', expiresAt }]
  await ann.patch(`${path}/members/${members.ben.id}`, { grants })
  assert.deepEqual(lackOf(await make(ben, path, wanted)), [403, 'role_above_yours', [], expiresAt])
  assert.equal((await make(ben, path, { ...wanted, expiresAt })).status, 201)

  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'keeper' }], expiresAt })
  assert.deepEqual(lackOf(await make(cleo, path, { scopes: ['members:update'], expiresAt })), [
    403,
    'role_above_yours',
    ['members:update'],
    null,
  ])
  assert.deepEqual(lackOf(await make(cleo, path)), [403, 'role_above_yours', [], expiresAt])
  assert.equal((await make(cleo, path, { scopes: ['members:read', 'keys:read'], expiresAt })).status, 201)
})

test('a rotation is judged like making, and makes the rotator the holder', async () => {
  const { ann, ben, cleo, path, members } = await world.organization()
  const { key, secret } = await requestKey(ann, `${path}/keys`, { scopes: ['members:update', 'notes:void'] })
  const rotate = (person: Person) => person.post(`${path}/keys/${key.id}/rotate`, {})
  assert.deepEqual(lackOf(await rotate(ben)), [403, 'role_above_yours', ['notes:void'], null])
  const expiresAt = inFuture(30 * day)
  await ann.patch(`${path}/members/${members.ben.id}`, { grants: [{ role: 'voider', expiresAt }] })
  assert.deepEqual(lackOf(await rotate(ben)), [403, 'role_above_yours', [], expiresAt])
  assert.deepEqual(codeOf(await rotate(cleo)), [403, 'forbidden'])
  const unchanged = (await ann.get(`${path}/keys/${key.id}`)).body
  assert.deepEqual([unchanged.holder.id, unchanged.secrets[0].hint], [ann.id, secret.slice(-4)])

  await ann.patch(`${path}/members/${members.ben.id}`, { grants: [{ role: 'voider' }] })
  // As after the loss of a holder: the end was brought forward, and the chosen one was none.
  await query(`update api_keys set holder_left_at = now(), expires_at = now() + interval '1 hour' where id = $1`, [
    key.id,
  ])
  const rotated = await rotate(ben)
  assert.equal(rotated.status, 200)
  const { holder, holderLeftAt, expiresAt: end } = rotated.body.key
  assert.deepEqual([holder, holderLeftAt, end], [{ id: ben.id, name: 'Ben' }, null, null])
})

test('after its holder has left, the secret that they have seen lives no longer than the grace, whatever the overlap', async () => {
  const { ann, ben, path, members } = await world.organization()
  const { key } = await requestKey(ben, `${path}/keys`)
  await ann.delete(`${path}/members/${members.ben.id}`)
  const { body: graced } = await ann.get(`${path}/keys/${key.id}`)
  assert.ok(Date.parse(graced.expiresAt) - Date.now() < 8 * day)

  const { body } = await ann.post(`${path}/keys/${key.id}/rotate`, { overlapSeconds: 2_592_000 })

  const [now, before] = body.key.secrets
  assert.deepEqual([body.key.expiresAt, now.expiresAt, before.expiresAt], [null, null, graced.expiresAt])
})

test('whoever may manage keys narrows and ends them, also those that may do more than they', async () => {
  const { ann, cleo, path, members } = await world.organization()
  const { key } = await requestKey(ann, `${path}/keys`, { scopes: ['members:update', 'members:read'] })
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'keeper' }] })
  const expiresAt = inFuture(day)
  const narrowed = await cleo.patch(`${path}/keys/${key.id}`, { scopes: ['members:read'], expiresAt })
  assert.deepEqual([narrowed.status, narrowed.body.scopes, narrowed.body.expiresAt], [200, ['members:read'], expiresAt])
  const wider = await cleo.patch(`${path}/keys/${key.id}`, { scopes: ['members:update'], expiresAt: null })
  assert.deepEqual(
    wider.body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`),
    ['/scopes/0 not_allowed', '/expiresAt not_allowed'],
  )
  const ended = await cleo.delete(`${path}/keys/${key.id}`)
  assert.deepEqual([ended.status, ended.body.endedBecause], [200, 'revoked'])
  const { data } = (await ann.get(`${path}/audit?action=key.narrowed,key.ended`)).body
  assert.deepEqual(
    data.map(({ action, target }: Json) => [action, target.id]),
    [
      ['key.ended', key.id],
      ['key.narrowed', key.id],
    ],
  )
})

test('a key of a person that is limited to an organization is none of the organization’s', async () => {
  const { ann, id, path } = await world.organization()
  const { key } = await requestKey(ann, '/api/users/me/keys', { organizationId: id })
  assert.deepEqual((await ann.get(`${path}/keys`)).body.data, [])
  for (const answer of [
    await ann.get(`${path}/keys/${key.id}`),
    await ann.patch(`${path}/keys/${key.id}`, { name: 'Mine' }),
    await ann.post(`${path}/keys/${key.id}/rotate`, {}),
    await ann.delete(`${path}/keys/${key.id}`),
  ])
    assert.deepEqual(codeOf(answer), [404, 'not_found'])
})

test('an organization has at most fifty live keys, also of sixty made at once', async () => {
  const { ann, ben, path } = await world.organization()
  const acts = Array.from({ length: 60 }, (_, index) => () => make(index % 2 ? ann : ben, path))
  assert.deepEqual(statuses(await together(...acts)), [
    ...Array(50).fill('201'),
    ...Array(10).fill('409 limit_reached'),
  ])
})

test('of a rotation and the demotion of who rotates, either the key has the new holder or nothing has happened', async () => {
  const { ann, ben, path, members } = await world.organization()
  const { key } = await requestKey(ann, `${path}/keys`, { scopes: ['members:update'] })
  const [rotated, demoted] = await together(
    () => ben.post(`${path}/keys/${key.id}/rotate`, {}),
    () => ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
  )
  assert.equal(demoted?.status, 200)
  const { holder } = (await ann.get(`${path}/keys/${key.id}`)).body
  assert.equal(holder.id, rotated?.status === 200 ? ben.id : ann.id, `${rotated?.status}`)
})

test('without keys of organizations nobody makes or rotates one, and keys can be read and ended', async () => {
  const { slug } = await world.tenant()
  await offerKeys(world, slug)
  const { ann, path } = await world.organization({ tenant: slug })
  const { key } = await requestKey(ann, `${path}/keys`)
  await query('update tenants set organization_keys = false where slug = $1', [slug])
  assert.deepEqual(codeOf(await make(ann, path)), [403, 'not_offered'])
  assert.deepEqual(codeOf(await ann.post(`${path}/keys/${key.id}/rotate`, {})), [403, 'not_offered'])
  assert.equal((await ann.get(`${path}/keys/${key.id}`)).body.status, 'active')
  assert.equal((await ann.delete(`${path}/keys/${key.id}`)).body.status, 'ended')
})

test('the owner of a key is the organization of the path, whatever a body says', async () => {
  const [acme, other] = [await world.organization(), await world.organization()]
  // As in CVE-2025-61928 of better-auth.
  for (const claim of [{ organizationId: other.id }, { userId: other.ann.id }, { holder: { id: other.ann.id } }]) {
    const refused = await make(acme.ann, acme.path, claim)
    const [field] = Object.keys(claim)
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, `/${field}`])
  }
  assert.deepEqual((await other.ann.get(`${other.path}/keys`)).body.data, [])
})

test('a key with keys:write narrows and ends the organization’s keys, and makes and rotates none', async () => {
  const { ann, path } = await world.organization()
  const keeper = await requestKey(ann, `${path}/keys`, { scopes: ['keys:read', 'keys:write'] })
  const { key } = await requestKey(ann, `${path}/keys`, { scopes: ['members:read', 'members:update'] })
  const program = new Client(world, { authorization: `Bearer ${keeper.secret}` })
  assert.equal((await program.get(`${path}/keys`)).body.data.length, 2)
  assert.equal((await program.get(`${path}/keys/${key.id}`)).status, 200)
  const narrowed = await program.patch(`${path}/keys/${key.id}`, { name: 'Renamed', scopes: ['members:read'] })
  assert.deepEqual([narrowed.status, narrowed.body.scopes], [200, ['members:read']])
  for (const answer of [
    await program.post(`${path}/keys`, { name: 'Another', scopes: ['members:read'] }),
    await program.post(`${path}/keys/${key.id}/rotate`, {}),
  ])
    assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', null])
  assert.equal((await program.delete(`${path}/keys/${key.id}`)).body.status, 'ended')
  const { data } = (await ann.get(`${path}/audit?action=key.narrowed,key.ended`)).body
  assert.deepEqual(
    data.map(({ action, actor, details }: Json) => [action, actor.type, actor.id, Object.keys(details)]),
    [
      ['key.ended', 'key', keeper.key.id, ['reason']],
      ['key.narrowed', 'key', keeper.key.id, ['scopes']],
    ],
  )
  assert.equal((await program.delete(`${path}/keys/${keeper.key.id}`)).body.status, 'ended', 'also itself')
  assert.deepEqual(codeOf(await program.get(`${path}/keys`)), [401, 'unauthenticated'])
})
