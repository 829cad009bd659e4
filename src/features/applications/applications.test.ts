import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anApplication, requestApplication } from '../../../test/application-requests.ts'
import { codeOf, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const list = '/api/admin/applications'

/** A tenant of its own, with an admin. */
async function makeTenant() {
  const tenant = await world.tenant()
  return { tenant, tess: await world.tenantAdmin(tenant.slug) }
}

/** The entries about applications, the oldest first. */
async function entriesOf(tess: Awaited<ReturnType<typeof makeTenant>>['tess']): Promise<Json[]> {
  return (await tess.get('/api/admin/audit?action=application.*')).body.data.reverse()
}

const faultsOf = ({ body }: { body: Json }) => body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`)

test('an admin adds, reads, changes and deletes an application', async () => {
  const { tess } = await makeTenant()
  const made = await tess.post(list, anApplication)
  const { application, secret } = made.body
  const path = `${list}/${application.id}`
  const { id, createdAt, updatedAt, secrets, ...rest } = application
  assert.deepEqual([made.status, made.headers.get('location')], [201, path])
  assert.match(id, /^app_/)
  assert.match(secret, /^ghx_[0-9a-z]{26}\.[\w-]{43}$/)
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(
    secrets.map((each: Json) => ({ ...each, createdAt: null })),
    [{ createdAt: null, expiresAt: null, lastUsedAt: null }],
  )
  assert.deepEqual(rest, {
    ...anApplication,
    logoUrl: null,
    startUrl: null,
    postLogoutUris: [],
    backChannelLogoutUri: null,
    scopes: ['openid', 'profile', 'email'],
    requireVerifiedEmail: true,
    chooseOrganization: false,
    isHome: false,
    enabled: true,
    lastLogout: null,
  })
  assert.deepEqual((await tess.get(list)).body, { data: [application], nextCursor: null })

  const change = {
    name: 'Acme Notes',
    logoUrl: 'https://example.com/logo.png',
    startUrl: 'https://app.example.com/start',
    redirectUris: ['https://new.example.com/callback'],
    postLogoutUris: ['https://app.example.com/'],
    backChannelLogoutUri: 'https://app.example.com/logout',
    scopes: ['openid', 'offline_access', 'api'],
    requireVerifiedEmail: false,
    chooseOrganization: true,
    isHome: true,
    enabled: false,
  }
  const changed = await tess.patch(path, change)
  assert.deepEqual({ ...application, ...change, updatedAt: changed.body.updatedAt }, changed.body)
  assert.deepEqual((await tess.get(path)).body, changed.body)
  const again = await tess.patch(path, { ...change, kind: 'server' })
  assert.deepEqual([again.body, again.headers.get('etag')], [changed.body, changed.headers.get('etag')])

  assert.deepEqual(codeOf(await tess.delete(path, { confirm: 'Acme' })), [400, 'confirmation_mismatch'])
  assert.equal((await tess.delete(path, { confirm: 'Acme Notes' })).body.deleted, true)
  assert.deepEqual(codeOf(await tess.get(path)), [404, 'not_found'])
  const entries = await entriesOf(tess)
  assert.deepEqual(
    entries.map(({ action, actor, target }) => [action, actor.id, target]),
    ['created', 'updated', 'deleted'].map((what) => [
      `application.${what}`,
      tess.id,
      { type: 'application', id, name: null },
    ]),
  )
  assert.deepEqual(entries[0]?.details, anApplication)
  assert.deepEqual(entries[1]?.details.isHome, { from: false, to: true })
  assert.deepEqual(entries[2]?.details, { name: 'Acme Notes', kind: 'server' })
  assert.ok(!JSON.stringify(entries).includes(secret.slice(32)))
})

test('only a server has a secret, of which the hash alone is stored', async () => {
  const { tenant, tess } = await makeTenant()
  const { secret } = await requestApplication(tess)
  for (const kind of ['browser', 'native']) {
    const { application, secret } = await requestApplication(tess, { kind })
    assert.deepEqual([secret, application.secrets], [null, []])
    assert.deepEqual(codeOf(await tess.post(`${list}/${application.id}/rotate-secret`)), [409, 'no_secret'])
  }
  const rows = await query<{ hash: Buffer }>(
    'select secret_hash as hash from application_secrets where tenant_id = $1',
    [tenant.id],
  )
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(secret ?? ''))
  assert.deepEqual(
    rows.map(({ hash }) => hash.toString('hex')),
    [Buffer.from(digest).toString('hex')],
  )
})

test('a change, a rotation and a deletion need the version that was read, if one is sent', async () => {
  const { tess } = await makeTenant()
  const { application } = await requestApplication(tess)
  const path = `${list}/${application.id}`
  const tag = { 'if-match': (await tess.get(path)).headers.get('etag') ?? '' }
  assert.equal((await tess.patch(path, { enabled: false }, tag)).status, 200)
  assert.deepEqual(codeOf(await tess.patch(path, { enabled: true }, tag)), [412, 'version_mismatch'])
  const after = { 'if-match': (await tess.get(path)).headers.get('etag') ?? '' }
  const rotated = await tess.post(`${path}/rotate-secret`)
  assert.notEqual(rotated.headers.get('etag'), after['if-match'])
  const body = { confirm: application.name }
  assert.deepEqual(codeOf(await tess.request(path, { method: 'DELETE', body, headers: after })), [
    412,
    'version_mismatch',
  ])
  const last = { 'if-match': rotated.headers.get('etag') ?? '' }
  assert.equal((await tess.request(path, { method: 'DELETE', body, headers: last })).status, 200)
})

test('the kind never changes', async () => {
  const { tess } = await makeTenant()
  const { application } = await requestApplication(tess)
  const answer = await tess.patch(`${list}/${application.id}`, { kind: 'native', redirectUris: ['a.b:/c'] })
  assert.deepEqual(codeOf(answer), [400, 'invalid_request'])
  assert.deepEqual(
    faultsOf(answer),
    ['/kind not_allowed', '/redirectUris/0 not_allowed'],
    'the rules are those of before',
  )
})

test('an application may ask for openid at least, and its scopes are stored once and in one order', async () => {
  const { tess } = await makeTenant()
  const { application } = await requestApplication(tess, { scopes: ['api', 'email', 'openid', 'api'] })
  assert.deepEqual(application.scopes, ['openid', 'email', 'api'])
  const path = `${list}/${application.id}`
  for (const [scopes, fault] of [
    [['profile'], '/scopes required'],
    [[], '/scopes too_short'],
    [['openid', 'admin'], '/scopes/1 not_allowed'],
  ] as const)
    assert.deepEqual(faultsOf(await tess.patch(path, { scopes })), [fault])
  assert.deepEqual(faultsOf(await tess.patch(path, { redirectUris: [] })), ['/redirectUris too_short'])
  const many = Array.from({ length: 21 }, (_, n) => `https://app.example.com/${n}`)
  assert.deepEqual(faultsOf(await tess.patch(path, { redirectUris: many, postLogoutUris: many })), [
    '/redirectUris too_long',
    '/postLogoutUris too_long',
  ])
})

test('a rotation leaves the secret before for a day, or as long as is asked for, and ends older ones', async () => {
  const { tenant, tess } = await makeTenant()
  const { application, secret } = await requestApplication(tess)
  const path = `${list}/${application.id}/rotate-secret`
  const overlapOf = ({ secrets: [newest, before, ...more] }: Json) => {
    assert.deepEqual([newest.expiresAt, more], [null, []])
    // The end is set a moment before the new secret is made.
    return before && Math.ceil((Date.parse(before.expiresAt) - Date.parse(newest.createdAt)) / 60_000) * 60
  }
  const { body: first } = await tess.post(path)
  assert.equal(overlapOf(first.application), 86_400)
  assert.equal(first.application.secrets[1].createdAt, application.secrets[0].createdAt)
  const { body: second } = await tess.post(path, { overlapSeconds: 2_592_000 })
  assert.equal(overlapOf(second.application), 2_592_000)
  assert.equal(second.application.secrets[1].createdAt, first.application.secrets[0].createdAt, 'the oldest is gone')
  const { body: third } = await tess.post(path, { overlapSeconds: 0 })
  assert.equal(overlapOf(third.application), undefined)
  assert.equal(new Set([secret, first.secret, second.secret, third.secret]).size, 4)
  for (const overlapSeconds of [-1, 2_592_001])
    assert.deepEqual(faultsOf(await tess.post(path, { overlapSeconds })), ['/overlapSeconds out_of_range'])

  await tess.post(path)
  await query(`update application_secrets set expires_at = now() where tenant_id = $1 and expires_at is not null`, [
    tenant.id,
  ])
  const { body } = await tess.get(`${list}/${application.id}`)
  assert.equal(body.secrets.length, 1, 'one whose time is over is not shown')
  const rotations = (await entriesOf(tess)).filter(({ action }) => action === 'application.secret_rotated')
  assert.deepEqual(
    rotations.map(({ details }) => details),
    [86_400, 2_592_000, 0, 86_400].map((overlapSeconds) => ({ overlapSeconds })),
  )
})

test('one application of a tenant is its home, which everybody may see while it is enabled', async () => {
  const { tenant, tess } = await makeTenant()
  const { tess: abroad } = await makeTenant()
  await requestApplication(abroad, { isHome: true })
  const shown = async () =>
    (await world.nobody.request('/api/tenant', { headers: { 'guildhall-tenant': tenant.slug } })).body.homeApplication
  assert.equal(await shown(), null)
  const startUrl = 'https://app.example.com/start'
  const { application: one } = await requestApplication(tess, { isHome: true, startUrl })
  const { id, name } = one
  assert.deepEqual(await shown(), { id, name, logoUrl: null, startUrl })

  const { application: two } = await requestApplication(tess, { name: 'Notes', isHome: true })
  assert.equal((await shown()).id, two.id)
  const [lost] = (await tess.get(list)).body.data
  assert.deepEqual([lost.id, lost.isHome, Date.parse(lost.updatedAt) > Date.parse(one.updatedAt)], [id, false, true])
  await tess.patch(`${list}/${id}`, { isHome: true })
  assert.equal((await shown()).id, id)
  await tess.patch(`${list}/${id}`, { enabled: false })
  assert.equal(await shown(), null)
  await tess.patch(`${list}/${id}`, { isHome: false, enabled: true })
  assert.equal(await shown(), null)
  assert.ok((await abroad.get(list)).body.data[0].isHome, 'another tenant has its own')
  const taken = (await entriesOf(tess)).filter(({ details }) => details.isHome?.from === true)
  assert.deepEqual(
    taken.map(({ action, target }) => [action, target.id]),
    [one, two, one].map((each) => ['application.updated', each.id]),
  )
})

test('the first application makes the signing key of its tenant, which signs at once', async () => {
  const { tenant, tess } = await makeTenant()
  const { id } = (await tess.get('/api/admin/tenant')).body
  const keys = () => world.nobody.get(`/api/tenants/${id}/jwks.json`)
  assert.equal((await keys()).status, 404)
  await requestApplication(tess)
  const { body: published } = await keys()
  assert.equal(published.keys.length, 1)
  await requestApplication(tess)
  assert.deepEqual((await keys()).body, published)
  const { token } = (await tess.post('/api/tokens')).body
  assert.equal(JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()).kid, published.keys[0].kid)
  assert.equal((await query('select from signing_keys where tenant_id = $1', [tenant.id])).length, 1)
})

test('the list is paged, the oldest first', async () => {
  const { tess } = await makeTenant()
  const made = []
  for (let count = 0; count < 5; count++) made.push((await requestApplication(tess)).application.id)
  const seen: string[] = []
  let page = `${list}?limit=2`
  for (;;) {
    const { body } = await tess.get(page)
    seen.push(...body.data.map(({ id }: Json) => id))
    if (!body.nextCursor) break
    page = `${list}?limit=2&cursor=${body.nextCursor}`
  }
  assert.deepEqual(seen, made)
})

test('an application of another tenant is not found', async () => {
  const [{ tess }, { tess: abroad }] = [await makeTenant(), await makeTenant()]
  const { application } = await requestApplication(abroad)
  const path = `${list}/${application.id}`
  for (const answer of [
    await tess.get(path),
    await tess.patch(path, { enabled: false }),
    await tess.post(`${path}/rotate-secret`),
    await tess.delete(path, { confirm: application.name }),
  ])
    assert.deepEqual(codeOf(answer), [404, 'not_found'])
  assert.deepEqual((await abroad.get(path)).body, application)
})

test('a deleted application takes its secrets and grants with it, and sessions go on', async () => {
  const { tenant, tess } = await makeTenant()
  const { application } = await requestApplication(tess)
  await query(
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
     select tenant_id, 'gra_1', id, $2, '\\x00', '{openid}' from sessions where tenant_id = $1 limit 1`,
    [tenant.id, application.id],
  )
  assert.equal((await tess.delete(`${list}/${application.id}`, { confirm: application.name })).status, 200)
  for (const table of ['applications', 'application_secrets', 'grants'])
    assert.deepEqual(await query(`select from ${table} where tenant_id = $1`, [tenant.id]), [], table)
  assert.equal((await tess.get('/api/users/me')).status, 200)
})
