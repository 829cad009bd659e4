import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { codeOf, createWorld, type Json, type Person, type Program } from '../../../test/world.ts'
import { newKeyToken, newToken } from '../../domain/access/tokens.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres
const tess = await world.tenantAdmin()
const model = {
  permissions: [
    { key: 'notes:read', name: 'Read notes', minimumRole: 'member' },
    { key: 'notes:write', name: 'Write notes', minimumRole: 'admin' },
  ],
  roles: [{ key: 'writer', name: 'Writer', permissions: ['notes:write'] }],
}
assert.equal((await tess.put('/api/admin/access', model)).status, 200)
/** Has all tenants offer keys. */
const offer = () => query('update tenants set personal_keys = true, organization_keys = true')
await offer()
/** The product's back end. */
const backend = await world.key(['credentials:verify'])

interface Asked {
  readonly organization?: string
  readonly permissions?: readonly string[]
}

async function verify(credential: string, asked: Asked = {}, by: Program | Person = backend): Promise<Json> {
  const { status, body } = await by.post('/api/credentials/verify', { credential, ...asked })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('a back end learns of each credential what it would learn itself', async () => {
  const { ann, ben, cleo, id, slug, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'writer' }] })
  const credentials = [
    ann,
    ben,
    cleo,
    await world.key(['notes:read', 'notes:write', 'members:read', 'me:read'], { person: cleo }),
    await world.key(['notes:write', 'tokens:create'], { person: ben, organization: id }),
    await world.key(['members:read', 'notes:read'], { organization: id }),
    await world.key(['members:read', 'notes:write', 'users:read']),
  ]
  for (const each of credentials)
    for (const organization of [undefined, id, slug]) {
      const itself = await each.get(`/api/caller${organization ? `?organization=${organization}` : ''}`)
      assert.equal(itself.status, 200)
      assert.deepEqual(await verify(each.token, organization ? { organization } : {}), {
        valid: true,
        caller: itself.body,
      })
    }
})

test('the answer has the permissions that were asked for, or names all that are missing', async () => {
  const { cleo, id, ann, path, members } = await world.organization()
  const ask = (each: Person | Program, permissions: string[]) => verify(each.token, { organization: id, permissions })
  const wanted = ['notes:write', 'notes:read', 'members:update', 'notes:nothing', 'notes:write']
  assert.deepEqual(await ask(cleo, wanted), {
    valid: false,
    reason: 'missing_permission',
    missing: ['members:update', 'notes:nothing', 'notes:write'],
  })
  assert.equal((await ask(cleo, ['notes:read'])).valid, true)
  assert.equal((await ask(cleo, [])).valid, true)

  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'writer' }] })
  assert.equal((await ask(cleo, ['notes:write', 'notes:read'])).valid, true)
  // A key has what its person holds and its scopes name, whichever is less.
  const key = await world.key(['notes:write', 'members:update', 'tokens:create'], { person: cleo })
  assert.deepEqual((await ask(key, ['notes:write'])).caller.permissions, ['notes:write'])
  const missing = ['members:update', 'notes:read', 'tokens:create']
  assert.deepEqual((await ask(key, ['notes:write', ...missing])).missing, missing)
  const own = await world.key(['notes:write'], { organization: id })
  assert.deepEqual((await ask(own, ['notes:write', 'notes:read'])).missing, ['notes:read'])
})

test('of several conditions each must hold: none that holds makes up for another', async () => {
  // In Clerk (CVE-2026-42349), a condition that could not be judged was left out.
  const { ben, cleo, dan, id, ann, path, members } = await world.organization()
  const { body: bens } = await ben.post('/api/organizations', { name: 'Ben’s' })
  const limited = await world.key(['notes:write'], { person: ben, organization: id })
  const told = async ({ token }: Person | Program, organization: string, ...permissions: string[]) => {
    const { valid, reason, missing } = await verify(token, { organization, permissions })
    return valid ? 'valid' : [reason, ...(missing ?? [])].join(' ')
  }
  assert.equal(await told(ben, bens.id, 'notes:write', 'notes:read'), 'valid')
  assert.equal(await told(ben, id, 'notes:write', 'organization:delete'), 'missing_permission organization:delete')
  assert.equal(
    await told(ben, bens.id, 'notes:write', 'organization:delete', 'notes:burn'),
    'missing_permission notes:burn',
  )
  assert.equal(await told(cleo, id, 'notes:read', 'notes:write'), 'missing_permission notes:write')
  for (const permissions of [[], ['notes:read']]) {
    assert.equal(await told(dan, id, ...permissions), 'no_access')
    assert.equal(await told(cleo, bens.id, ...permissions), 'no_access', 'what they hold elsewhere does not count')
  }
  assert.equal(await told(limited, id, 'notes:write'), 'valid')
  assert.equal(await told(limited, bens.id, 'notes:write'), 'no_access')
  assert.equal(await told(limited, id, 'notes:read', 'notes:write'), 'missing_permission notes:read')
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })).status, 200)
  assert.equal(await told(cleo, id, 'notes:read'), 'no_access')

  for (const asked of [{ permissions: ['notes:read'] }, { permissions: ['notes:read'], organization: null }]) {
    const { status } = await backend.post('/api/credentials/verify', { credential: ben.token, ...asked })
    assert.equal(status, 400)
  }
})

test('what is no credential of the tenant is unknown, whatever it is', async () => {
  const { slug, id } = await world.tenant()
  await offer()
  const there = await world.organization({ tenant: slug })
  const ann = await world.person('Ann')
  const { body: minted } = await ann.post('/api/tokens')
  const { token: unheard } = newKeyToken(world.tenantId)
  const texts = [
    'x',
    '\ud83d\ude00',
    'x'.repeat(16_384),
    `eyJhbGciOiJSUzI1NiJ9.${'x'.repeat(8_000)}.x`,
    `ght_${'0'.repeat(16_380)}`,
    ann.token.slice(0, -1),
    `${ann.token} `,
    ` ${ann.token}`,
    `Bearer ${ann.token}`,
    ann.token.replace('ghs_', 'ghk_'),
    newToken('ghs', world.tenantId).token,
    newToken('gha', world.tenantId).token,
    newToken('ghs', id).token,
    unheard,
    unheard.slice(0, -1) + (unheard.endsWith('A') ? 'B' : 'A'),
    minted.token,
    // Of another tenant, all of which live.
    there.ann.token,
    (await world.key(['notes:read'], { person: there.ann, tenant: slug })).token,
    (await world.key(['notes:read'], { organization: there.id, tenant: slug })).token,
    (await world.key(['users:read'], { tenant: slug })).token,
  ]
  const asked: Asked[] = [{}, { organization: there.id }, { organization: there.slug, permissions: ['notes:read'] }]
  for (const text of texts)
    for (const each of asked)
      assert.deepEqual(await verify(text, each), { valid: false, reason: 'unknown' }, JSON.stringify(text))
})

test('a credential that has ended is told from one that never was', async () => {
  const refusalOf = async (each: Person | Program) => {
    const { caller, ...refusal } = await verify(each.token)
    assert.equal(caller, undefined)
    return refusal
  }
  const ended = { valid: false, reason: 'ended' }
  const { slug } = await world.tenant()
  await offer()
  const [ann, ben, cleo] = await Promise.all([world.person('Ann'), world.person('Ben'), world.person('Cleo')])
  const keys = [
    await world.key(['me:read'], { person: ann }),
    await world.key(['me:read'], { person: ben }),
    await world.key(['me:read'], { person: cleo }),
  ] as const
  for (const each of [ann, ben, cleo, ...keys]) assert.equal((await verify(each.token)).valid, true)

  await ann.post('/api/auth/sign-out')
  await query(`update sessions set created_at = now() - interval '31 days' where user_id = $1`, [ben.id])
  await query(`update users set status = 'suspended' where id = $1`, [cleo.id])
  await query(`update api_keys set expires_at = now() where id = $1`, [keys[0].id])
  await query(`update api_key_secrets set expires_at = now() where key_id = $1`, [keys[1].id])
  for (const each of [ann, ben, cleo, ...keys]) assert.deepEqual(await refusalOf(each), ended)

  const [dan, { id: organizationId }] = [
    await world.person('Dan', { tenant: slug }),
    await world.organization({ tenant: slug }),
  ]
  const kinds = [
    await world.key(['me:read'], { person: dan, tenant: slug }),
    await world.key(['notes:read'], { organization: organizationId, tenant: slug }),
  ]
  const by = await world.key(['credentials:verify'], { tenant: slug })
  for (const each of kinds) assert.equal((await verify(each.token, {}, by)).valid, true)
  await query('update tenants set personal_keys = false, organization_keys = false where slug = $1', [slug])
  for (const each of kinds) assert.deepEqual(await verify(each.token, {}, by), ended, 'the tenant offers none')
})

test('nobody has access to an organization in which they may do nothing', async () => {
  const { ann, cleo, dan, id, path, members } = await world.organization()
  const other = await world.organization()
  const there = await world.organization({ tenant: (await world.tenant()).slug })
  const refused = { valid: false, reason: 'no_access' }
  const organizations = [id, other.id, there.id, there.slug, 'nowhere']
  const keys = {
    limited: await world.key(['notes:read'], { person: cleo, organization: id }),
    own: await world.key(['notes:read'], { organization: id }),
    tenants: await world.key(['notes:read']),
  }
  await world.join(other.ann, other.id, cleo)
  const reach = async (each: Person | Program) => {
    const answers = organizations.map((organization) =>
      verify(each.token, { organization, permissions: ['notes:read'] }),
    )
    return (await Promise.all(answers)).map(({ caller, ...refusal }) => (caller ? caller.organization.id : refusal))
  }
  const nowhere = organizations.slice(2).map(() => refused)
  assert.deepEqual(await reach(dan), [refused, refused, ...nowhere])
  assert.deepEqual(await reach(cleo), [id, other.id, ...nowhere])
  assert.deepEqual(await reach(keys.limited), [id, refused, ...nowhere])
  assert.deepEqual(await reach(keys.own), [id, refused, ...nowhere])
  assert.deepEqual(await reach(keys.tenants), [id, other.id, ...nowhere])

  await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })
  for (const each of [cleo, keys.limited]) assert.deepEqual((await reach(each)).slice(0, 1), [refused])
  await ann.delete(`${path}/members/${members.cleo.id}`)
  assert.deepEqual(await reach(cleo), [refused, other.id, ...nowhere])
  const unknown = { valid: false, reason: 'unknown' }
  assert.deepEqual(await verify(keys.limited.token), unknown, 'the key has ended with the membership')
})

test('a session without a second factor is valid nowhere where one is required', async () => {
  const { slug } = await world.tenant()
  await offer()
  const by = await world.key(['credentials:verify'], { tenant: slug })
  const { ann, id } = await world.organization({ tenant: slug })
  const own = await world.key(['notes:read'], { organization: id, tenant: slug })
  const key = await world.key(['me:read'], { person: ann, tenant: slug })
  const reasons = async (organization?: string) =>
    Promise.all(
      [ann, key, own].map(async (each) => (await verify(each.token, organization ? { organization } : {}, by)).reason),
    )
  assert.deepEqual(await reasons(id), [undefined, undefined, undefined])

  await query(`update organizations set second_factor = 'required' where id = $1`, [id])
  assert.deepEqual(await reasons(), [undefined, undefined, undefined])
  const refused = ['second_factor_required', 'second_factor_required', undefined]
  assert.deepEqual(await reasons(id), refused)
  await query(`update tenants set second_factor = 'required' where slug = $1`, [slug])
  assert.deepEqual(await reasons(), refused)

  await query('update sessions set assurance = 2 where user_id = $1', [ann.id])
  await query('update api_keys set assurance = 2 where id = $1', [key.id])
  assert.deepEqual(await reasons(id), [undefined, undefined, undefined])
})

test('only the tenant’s keys with the scope may ask', async () => {
  const { ann, id } = await world.organization()
  const body = { credential: ann.token }
  const scopes = ['credentials:verify']
  const post = (each: Person | Program) => each.post('/api/credentials/verify', body)
  const without = await post(await world.key(['users:read', 'notes:read']))
  assert.deepEqual([...codeOf(without), without.body.scope], [403, 'insufficient_scope', 'credentials:verify'])
  for (const owner of [{ person: ann }, { person: tess }, { organization: id }])
    assert.deepEqual(codeOf(await post(await world.key(scopes, owner))), [403, 'forbidden'], JSON.stringify(owner))
  for (const person of [ann, tess]) {
    const bySession = await post(person)
    assert.deepEqual([...codeOf(bySession), bySession.body.scope], [403, 'insufficient_scope', 'credentials:verify'])
  }
  assert.deepEqual(codeOf(await world.nobody.post('/api/credentials/verify', body)), [401, 'unauthenticated'])
  const byBrowser = await backend.post('/api/credentials/verify', body, { origin: 'https://app.example.com' })
  assert.deepEqual(codeOf(byBrowser), [403, 'cross_site'])

  const incomplete = await backend.post('/api/credentials/verify', { ...body, permissions: [] })
  assert.deepEqual(
    [incomplete.status, incomplete.body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`)],
    [400, ['/organization required']],
  )
})

test('a verified credential counts as used, and a refused one does not', async () => {
  const { cleo, id, dan } = await world.organization()
  const key = await world.key(['notes:read'], { person: cleo })
  await query(`update sessions set last_active_at = now() - interval '1 hour' where user_id = any($1)`, [
    [cleo.id, dan.id],
  ])
  await query('update memberships set last_active_at = null where user_id = $1', [cleo.id])
  const used = async (person: Person) =>
    (
      await query(`select from sessions where user_id = $1 and last_active_at > now() - interval '10 minutes'`, [
        person.id,
      ])
    ).length > 0

  assert.equal((await verify(dan.token, { organization: id })).reason, 'no_access')
  assert.equal((await verify(cleo.token, { organization: id })).valid, true)
  await until(() => used(cleo), 'the use of the session to be noted')
  const isActive = async () =>
    (await query('select from memberships where user_id = $1 and last_active_at is not null', [cleo.id])).length > 0
  await until(isActive, 'the use of the membership to be noted')
  assert.equal(await used(dan), false)

  assert.equal((await verify(key.token)).valid, true)
  for (const { id } of [key, backend]) {
    const isNoted = async () =>
      (await query('select from api_key_secrets where key_id = $1 and last_used_at is not null', [id])).length > 0
    await until(isNoted, 'the use of the key to be noted')
  }
})
