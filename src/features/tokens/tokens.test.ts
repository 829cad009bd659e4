import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { requestApplication } from '../../../test/application-requests.ts'
import { dump } from '../../../test/dump.ts'
import { partsOf } from '../../../test/jwt.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, codeOf, createWorld, type Json, type Organization, type Person } from '../../../test/world.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres
const tess = await world.tenantAdmin()
const model = {
  permissions: [
    { key: 'notes:read', name: 'Read notes', minimumRole: 'member' },
    { key: 'notes:write', name: 'Write notes', minimumRole: 'admin' },
    { key: 'notes:burn', name: 'Burn notes', minimumRole: 'owner' },
  ],
  roles: [{ key: 'writer', name: 'Writer', permissions: ['notes:write', 'members:update'] }],
}
assert.equal((await tess.put('/api/admin/access', model)).status, 200)
const tenantId = uuidToTenantId(world.tenantId)
const issuer = `${world.app.config.publicUrl}/api/tenants/${tenantId}`

async function mint(person: Person, body?: object): Promise<Json> {
  const answer = await person.post('/api/tokens', body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { claims } = partsOf(answer.body.token)
  assert.equal(answer.body.expiresAt, new Date(claims.exp * 1_000).toISOString())
  return claims
}

const pointersOf = ({ status, body }: Answer) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }: Json) => `${pointer} ${code}`),
]

/** The end of a person's session, by the database. */
async function setSession(person: Person, columns: string): Promise<void> {
  await query(`update sessions set ${columns} where user_id = $1`, [person.id])
}

test('a token has exactly the header and the claims that it needs, and nothing about the person', async () => {
  const { ann, id, slug } = await world.organization()
  const { body: device } = await ann.get('/api/users/me/devices')

  const { body } = await ann.post('/api/tokens', { organization: slug })

  const { header, claims: all } = partsOf(body.token)
  const { kid, ...rest } = header
  assert.deepEqual(rest, { alg: 'RS256', typ: 'at+jwt' })
  assert.match(kid, /^[\w-]{43}$/)
  const { iat, exp, jti, auth_time, ...claims } = all
  assert.deepEqual(claims, {
    iss: issuer,
    sub: ann.id,
    aud: tenantId,
    client_id: 'guildhall',
    scope: 'notes:burn notes:read notes:write',
    sid: device.data[0].id,
    org: { id, slug, role: 'owner', roles: ['owner', 'admin', 'member'] },
  })
  assert.equal(exp, iat + 300)
  assert.equal(auth_time, Math.floor(Date.parse(device.data[0].authenticatedAt) / 1_000))
  assert.match(jti, /^[\w-]{22}$/)
  assert.notEqual((await mint(ann)).jti, jti)
})

test('without an organization, a token says only who the person is', async () => {
  const { ann } = await world.organization()
  for (const body of [undefined, {}]) {
    const claims = await mint(ann, body)
    assert.deepEqual([claims.sub, claims.scope, 'org' in claims], [ann.id, '', false])
  }
})

test('a token has the permissions of the product that the person holds, or those of the named ones', async () => {
  const { ann, ben, cleo, id, path, members } = await world.organization()
  const scopes = async (permissions?: string[]) => {
    const body = { organization: id, ...(permissions && { permissions }) }
    return Promise.all([ann, ben, cleo].map(async (person) => (await mint(person, body)).scope))
  }
  assert.deepEqual(await scopes(), ['notes:burn notes:read notes:write', 'notes:read notes:write', 'notes:read'])
  assert.deepEqual(await scopes(['notes:write', 'members:update', 'notes:nothing']), [
    'members:update notes:write',
    'members:update notes:write',
    '',
  ])
  assert.deepEqual(await scopes([]), ['', '', ''])

  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'writer' }] })

  assert.equal((await mint(cleo, { organization: id })).scope, 'notes:read notes:write')
  assert.equal((await mint(cleo, { organization: id, permissions: ['members:update'] })).scope, 'members:update')
})

test('the audience is one of the tenant’s, the first by default, and without any the tenant’s id', async () => {
  const { slug } = await world.tenant()
  const [admin, ann] = await Promise.all([world.tenantAdmin(slug), world.person('Ann', { tenant: slug })])
  const { body: settings } = await admin.get('/api/admin/tenant')
  assert.deepEqual([settings.tokenSeconds, settings.tokenAudiences], [300, []])
  assert.equal((await mint(ann)).aud, settings.id)
  assert.equal((await mint(ann, { audience: settings.id })).aud, settings.id)

  const changed = await admin.patch('/api/admin/tenant', {
    tokenSeconds: 60,
    tokenAudiences: ['https://billing.example', 'search', 'search'],
  })

  assert.deepEqual(changed.body.tokenAudiences, ['https://billing.example', 'search'])
  const claims = await mint(ann)
  assert.deepEqual([claims.aud, claims.exp - claims.iat], ['https://billing.example', 60])
  assert.equal((await mint(ann, { audience: 'search' })).aud, 'search')
  for (const audience of [settings.id, 'https://billing.example/', 'other'])
    assert.deepEqual(pointersOf(await ann.post('/api/tokens', { audience })), [400, '/audience not_allowed'])
})

test('no token is signed for an application, which would take it for an ID token', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { application } = await requestApplication(admin)

  const answer = await admin.patch('/api/admin/tenant', { tokenAudiences: ['search', application.id] })

  assert.deepEqual(pointersOf(answer), [400, '/tokenAudiences/1 not_allowed'])
  assert.deepEqual(pointersOf(await admin.post('/api/tokens', { audience: application.id })), [
    400,
    '/audience not_allowed',
  ])
})

test('refusals come in their order', async () => {
  const { ann, ben, cleo, dan, id, path, members } = await world.organization()
  const there = await world.organization({ tenant: (await world.tenant()).slug })
  const ended = await world.signIn(ann)
  await ended.post('/api/auth/sign-out')
  const wrong = { organization: id, audience: 'other' }

  assert.deepEqual(codeOf(await world.nobody.post('/api/tokens', { permissions: [1] })), [401, 'unauthenticated'])
  assert.deepEqual(pointersOf(await ended.post('/api/tokens', { permissions: ['x'] })), [
    400,
    '/permissions/0 too_short',
  ])
  assert.deepEqual(pointersOf(await ended.post('/api/tokens', { permissions: [] })), [400, '/organization required'])
  assert.deepEqual(codeOf(await ended.post('/api/tokens', wrong)), [401, 'unauthenticated'])
  for (const organization of [there.id, there.slug, 'nowhere', id]) {
    const answer = await dan.post('/api/tokens', { organization, audience: 'other' })
    assert.deepEqual(codeOf(answer), [404, 'not_found'], organization)
    const caller = await dan.get(`/api/caller?organization=${organization}`)
    assert.deepEqual(codeOf(caller), [404, 'not_found'], organization)
  }
  await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })
  assert.deepEqual(codeOf(await cleo.post('/api/tokens', wrong)), [403, 'membership_suspended'])
  assert.deepEqual(codeOf(await cleo.get(`/api/caller?organization=${id}`)), [403, 'membership_suspended'])
  await query(`update organizations set second_factor = 'required' where id = $1`, [id])
  const refused = [await ben.post('/api/tokens', wrong), await ben.get(`/api/caller?organization=${id}`)]
  for (const answer of refused) {
    assert.deepEqual(codeOf(answer), [403, 'second_factor_required'])
    assert.deepEqual([answer.body.by, answer.body.methods], ['organization', []])
  }
  assert.equal((await mint(ben)).sub, ben.id, 'a token of no organization does not need its second factor')
  await query(`update organizations set second_factor = 'optional' where id = $1`, [id])
  assert.deepEqual(pointersOf(await ben.post('/api/tokens', wrong)), [400, '/audience not_allowed'])
})

test('permissions that are too long together are refused, and can be named one by one', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { ann, id } = await world.organization({ tenant: slug })
  const permissions = Array.from({ length: 64 }, (_, n) => ({
    key: `${'n'.repeat(60)}:n${n + 10}`,
    name: 'Notes',
  }))
  const put = await admin.put('/api/admin/access', { permissions, roles: [] })
  assert.equal(put.status, 200, JSON.stringify(put.body))

  const refused = await ann.post('/api/tokens', { organization: id })
  assert.deepEqual(pointersOf(refused), [400, '/permissions too_long'])
  assert.deepEqual(pointersOf(await ann.post('/api/tokens', { organization: id, audience: 'other' })), [
    400,
    '/audience not_allowed',
    '/permissions too_long',
  ])
  const keys = permissions.map(({ key }) => key)
  const claims = await mint(ann, { organization: id, permissions: keys.slice(1) })
  assert.deepEqual([claims.scope.split(' ').length, claims.scope.length], [63, 63 * 64 + 62])
})

test('a token ends with the session, whether that is idle or old', async () => {
  const ann = await world.person()
  const ends = async () => (await ann.get('/api/caller')).body.session.expiresAt
  const endOfToken = async () => (await mint(ann)).exp
  const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000)

  await setSession(ann, `last_active_at = now() - interval '14 days' + interval '50 seconds'`)
  const { body } = await ann.post('/api/tokens')
  assert.ok(Date.parse(body.expiresAt) < Date.now() + 51_000)
  await until(async () => seconds(await ends()) > Date.now() / 1_000 + 86_400, 'the use of the session to be noted')
  assert.ok((await endOfToken()) > Date.now() / 1_000 + 200)

  await setSession(ann, `created_at = now() - interval '30 days' + interval '120 seconds'`)
  assert.equal(await endOfToken(), seconds(await ends()))
})

test('a token ends with the membership, and with the grants of its permissions and of the roles that it names', async () => {
  const { ann, cleo, id, path, members } = await world.organization()
  const [soon, later] = [60, 120].map((seconds) => new Date(Date.now() + seconds * 1_000).toISOString())
  const exp = async (permissions?: string[]) =>
    (await mint(cleo, { organization: id, ...(permissions && { permissions }) })).exp
  const secondOf = (time = '') => Math.floor(Date.parse(time) / 1_000)

  const given = await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'writer' }] })
  assert.equal(given.status, 200)
  await query('update role_grants set expires_at = $2 where membership_id = $1', [members.cleo.id, soon])
  await query('update memberships set expires_at = $2 where id = $1', [members.cleo.id, later])

  assert.equal(await exp(), secondOf(soon))
  assert.equal(await exp(['notes:write']), secondOf(soon))
  assert.equal(await exp(['notes:read']), secondOf(soon), 'it names the role')
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [] })).status, 200)
  assert.equal(await exp(), secondOf(later))
  const alone = await mint(cleo)
  assert.equal(alone.exp, alone.iat + 300, 'it does not rest on the membership')
})

test('two first tokens at once make one key, and later tokens write nothing', async () => {
  const { slug, id } = await world.tenant()
  const people = await Promise.all(Array.from({ length: 6 }, () => world.person('Ann', { tenant: slug })))
  const kids = await Promise.all(
    people.map(async (person) => partsOf((await person.post('/api/tokens')).body.token).header.kid),
  )

  const made = await query<Json>('select id from signing_keys where tenant_id = $1', [id])
  assert.deepEqual([made.length, new Set(kids)], [1, new Set([made[0].id])])
  await outboxIsEmpty(world) // else its events come into the feed meanwhile
  // A use is noted when the last one is a minute old.
  await query(`update sessions set last_active_at = now() + interval '1 hour' where user_id = $1`, [people[0]?.id])
  const before = await dump(query)
  await mint(people[0] as Person) // there are six
  assert.equal(await dump(query), before)
})

test('no route of ours accepts a token', async () => {
  const { ann, id } = await world.organization()
  const { body } = await ann.post('/api/tokens', { organization: id })
  const headers = { authorization: `Bearer ${body.token}` }
  const cookie = { cookie: `guildhall=${body.token}` }
  const closed = world.app.routes.filter(({ config, schema }) => config?.access !== 'anyone' && !schema?.hide)
  assert.ok(closed.length > 80)

  for (const { method, url } of closed)
    for (const credential of [headers, cookie]) {
      const path = url.replace(/:\w+/g, 'x')
      const methods = [method].flat()
      for (const each of methods) {
        const response = await fetch(world.url + path, { method: each, headers: credential })
        assert.equal(response.status, 401, `${each} ${url}`)
      }
    }
})

test('the private key is sealed, and the signature is by the published one', async () => {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const { body } = await ann.post('/api/tokens')
  const [row] = await query<{ private_key: string; public_key: Json }>(
    'select * from signing_keys where tenant_id = $1',
    [id],
  )
  assert.ok(row)
  assert.deepEqual(Object.keys(row.public_key).sort(), ['e', 'kty', 'n'])
  assert.equal(Buffer.from(row.public_key.n, 'base64url').length, 256)
  assert.match(row.private_key, /^[\w-]{1000,}$/)
  assert.ok(!Buffer.from(row.private_key, 'base64url').includes(Buffer.from(row.public_key.n, 'base64url')))
  const [head, payload, signature = ''] = body.token.split('.')
  const key = createPublicKey({ key: row.public_key, format: 'jwk' })
  assert.ok(verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url')))
})

async function callerIn({ ann, ben, cleo, id, slug }: Organization) {
  const read = (person: Person, name: string) => person.get(`/api/caller?organization=${name}`)
  return Promise.all([read(ann, id), read(ben, slug), read(cleo, id)])
}

test('the answer names the caller, and what they may do in the organization now', async () => {
  const acme = await world.organization()
  const { ann, cleo, id, slug, path, members } = acme

  const [owner, admin, member] = await callerIn(acme)

  const { body: device } = await ann.get('/api/users/me/devices')
  const { name } = (await ann.get(path)).body
  const { permissions, session, ...shown } = owner.body
  assert.equal(session.id, device.data[0].id)
  assert.deepEqual(shown, {
    type: 'user',
    user: { id: ann.id, email: ann.email, emailVerified: true, name: 'Ann', avatarUrl: null, role: 'user' },
    key: null,
    application: null,
    organization: { id, slug, name, role: 'owner', roles: ['owner', 'admin', 'member'] },
  })
  for (const [answer, person] of [
    [owner, 'ann'],
    [admin, 'ben'],
    [member, 'cleo'],
  ] as const) {
    const details = await acme[person].get(`${path}/members/me`)
    assert.deepEqual(answer.body.permissions, [...details.body.permissions].sort(), person)
    assert.deepEqual(answer.body.organization.roles, details.body.roles)
  }
  assert.ok(permissions.includes('notes:burn') && !member.body.permissions.includes('notes:write'))

  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'writer' }] })
  const [, , writer] = await callerIn(acme)
  assert.ok(writer.body.permissions.includes('notes:write'))
  assert.deepEqual([writer.body.organization.role, writer.body.organization.roles], ['member', ['member', 'writer']])
  assert.deepEqual((await mint(cleo, { organization: id })).org.roles, ['member', 'writer'])
  await query(`update role_grants set expires_at = now() where membership_id = $1`, [members.cleo.id])
  assert.deepEqual((await callerIn(acme))[2].body.organization.roles, ['member'], 'the grant has ended')
  const alone = await cleo.get('/api/caller')
  assert.deepEqual([alone.body.organization, alone.body.permissions], [null, []])
})

test('asking who calls, and making a token, count as use of the session', async () => {
  for (const use of [(ann: Person) => ann.get('/api/caller'), (ann: Person) => ann.post('/api/tokens')]) {
    const ann = await world.person()
    await setSession(ann, `last_active_at = now() - interval '1 hour'`)
    assert.equal((await use(ann)).status, 200)
    const isNoted = async () =>
      (
        await query(`select from sessions where user_id = $1 and last_active_at > now() - interval '10 minutes'`, [
          ann.id,
        ])
      ).length === 1
    await until(isNoted, 'the use to be noted')
  }
})
