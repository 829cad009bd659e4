import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { statuses, together } from '../../../test/races.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, Client, codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const tess = await world.tenantAdmin()
await tess.patch('/api/admin/tenant', { personalKeys: true })

const path = '/api/users/me/keys'
const hour = 3_600_000
const day = 24 * hour
const inFuture = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
const wanted = { name: 'Nightly import', scopes: ['me:read', 'members:read'] }
const make = (person: Person, body: object = {}) => person.post(path, { ...wanted, ...body })
/** A program that sends a secret. */
const withKey = (secret: string) => new Client(world, { authorization: `Bearer ${secret}` })
const faultsOf = ({ body }: { body: Json }) => body.errors.map(({ pointer, code }: Json) => [pointer, code])

test('a person makes a key, whose secret is shown once', async () => {
  const ann = await world.person('Ann')
  const made = await make(ann)
  assert.equal(made.status, 201)
  const { key, secret } = made.body
  assert.equal(made.headers.get('location'), `${path}/${key.id}`)
  assert.match(secret, /^ghk_[0-9a-z]{26}\.[A-Za-z0-9_-]{49}$/)
  assert.deepEqual(
    [key.name, key.owner, key.scopes, key.organizationId, key.holder, key.status, key.endedBecause, key.lastUsedAt],
    ['Nightly import', { type: 'user', id: ann.id }, wanted.scopes, null, null, 'active', null, null],
  )
  assert.deepEqual(key.secrets, [
    { hint: secret.slice(-4), createdAt: key.createdAt, expiresAt: null, lastUsedAt: null },
  ])
  const lifetime = Date.parse(key.expiresAt) - Date.parse(key.createdAt)
  assert.ok(Math.abs(lifetime - 90 * day) < hour, `it lives for 90 days, and not ${lifetime} ms`)

  const read = await ann.get(`${path}/${key.id}`)
  assert.deepEqual([read.status, read.body, read.headers.get('etag')], [200, key, made.headers.get('etag')])
  assert.deepEqual((await ann.get(path)).body, { data: [key], nextCursor: null })
  const stored = await query('select * from api_key_secrets where key_id = $1', [key.id])
  assert.ok(!JSON.stringify(stored).includes(secret.slice(40)), 'only its hash is stored')
  const [entry] = (await ann.get('/api/users/me/audit?action=key.created')).body.data
  assert.deepEqual(
    [entry.actor.id, entry.target.id, entry.details],
    [ann.id, key.id, { name: 'Nightly import', scopes: wanted.scopes, expiresAt: key.expiresAt }],
  )
})

test('every fault of a new key is told at once, at its field', async () => {
  const ann = await world.person('Ann')
  const scopes = ['members:read', 'users:read', 'organization:delete', 'nothing:known']
  const refused = await make(ann, { scopes, expiresAt: inFuture(hour / 2) })
  assert.deepEqual(codeOf(refused), [400, 'invalid_request'])
  assert.deepEqual(faultsOf(refused), [
    ['/scopes/1', 'not_allowed'],
    ['/scopes/2', 'not_allowed'],
    ['/scopes/3', 'not_allowed'],
    ['/expiresAt', 'out_of_range'],
  ])
  assert.deepEqual(faultsOf(await make(ann, { expiresAt: inFuture(367 * day) })), [['/expiresAt', 'out_of_range']])
  assert.deepEqual(faultsOf(await make(ann, { expiresAt: null })), [['/expiresAt', 'wrong_type']])
  assert.deepEqual(faultsOf(await make(ann, { scopes: [] })), [['/scopes', 'too_short']])
  assert.equal((await make(ann, { expiresAt: inFuture(365 * day) })).status, 201)
})

test('a key may have permissions of the product, as long as the product has them', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await admin.patch('/api/admin/tenant', { personalKeys: true })
  const body = { scopes: ['notes:write', 'notes:write'] }
  assert.deepEqual(faultsOf(await make(admin, body)), [
    ['/scopes/0', 'not_allowed'],
    ['/scopes/1', 'not_allowed'],
  ])
  const permissions = [{ key: 'notes:write', name: 'Write notes' }]
  await admin.put('/api/admin/access', { permissions, roles: [] })
  const made = await make(admin, body)
  assert.deepEqual([made.status, made.body.key.scopes], [201, ['notes:write']])
})

test('nobody names the owner of a key in a body', async () => {
  const [ann, eve] = [await world.person('Ann'), await world.person('Eve')]
  // better-auth took one, and made and changed keys of anybody for anybody: CVE-2025-61928.
  for (const claim of [{ userId: ann.id }, { owner: { type: 'user', id: ann.id } }, { ownerType: 'tenant' }]) {
    const [field] = Object.keys(claim)
    const refused = await make(eve, claim)
    assert.deepEqual(
      [...codeOf(refused), faultsOf(refused)],
      [400, 'invalid_request', [[`/${field}`, 'unknown_field']]],
    )
    const unsigned = await world.nobody.post(path, { ...wanted, ...claim })
    assert.deepEqual(codeOf(unsigned), [401, 'unauthenticated'])
  }
  assert.deepEqual((await ann.get(path)).body.data, [])
  assert.deepEqual((await eve.get(path)).body.data, [])

  const { key } = (await make(ann)).body
  for (const [client, refusal] of [
    [eve, [400, 'invalid_request']],
    [world.nobody, [401, 'unauthenticated']],
  ] as const) {
    const change = { name: 'Mine', userId: ann.id }
    assert.deepEqual(codeOf(await client.patch(`${path}/${key.id}`, change)), refusal)
    assert.deepEqual(codeOf(await client.post(`${path}/${key.id}/rotate`, { userId: ann.id })), refusal)
  }
  assert.deepEqual((await ann.get(path)).body.data, [key])
})

test('a key can be limited to an organization of its owner, and to no other one', async () => {
  const { id, cleo, dan, ann, path: acme, members } = await world.organization()
  const made = await make(cleo, { organizationId: id })
  assert.deepEqual([made.status, made.body.key.organizationId], [201, id])
  assert.deepEqual(made.body.key.owner, { type: 'user', id: cleo.id })
  assert.deepEqual(codeOf(await make(dan, { organizationId: id })), [404, 'not_found'])
  await ann.patch(`${acme}/members/${members.cleo.id}`, { status: 'suspended' })
  assert.deepEqual(codeOf(await make(cleo, { organizationId: id })), [404, 'not_found'])
})

test('a key that is limited to an organization leads to no other one', async () => {
  const { id, ann } = await world.organization()
  const { body: other } = await ann.post('/api/organizations', { name: 'Other' })
  const { ann: host, path: elsewhere } = await world.organization()
  await host.post(`${elsewhere}/invites`, { email: ann.email })
  const scopes = ['me:read', 'organizations:create', 'invitations:answer']
  const refused = await make(ann, { organizationId: id, scopes })
  assert.deepEqual(faultsOf(refused), [
    ['/scopes/1', 'not_allowed'],
    ['/scopes/2', 'not_allowed'],
  ])
  const limited = await make(ann, { organizationId: id, scopes: ['me:read'] })
  const free = await make(ann, { scopes: ['me:read', 'invitations:answer'] })
  const seen = async ({ body: { secret } }: Answer) => {
    const program = new Client(world, { authorization: `Bearer ${secret}` })
    const { body: organizations } = await program.get('/api/organizations')
    const { body: invitations } = await program.get('/api/users/me/invites')
    return [organizations.data.map((each: Json) => each.id).sort(), invitations.data.length]
  }
  assert.deepEqual(await seen(limited), [[id], 0])
  assert.deepEqual(await seen(free), [[id, other.id].sort(), 1])
})

test('a key is narrowed, and never widened', async () => {
  const ann = await world.person('Ann')
  const { body } = await make(ann)
  const { id, expiresAt } = body.key
  const change = (sent: object, headers?: Record<string, string>) => ann.patch(`${path}/${id}`, sent, headers)

  const wider = await change({ scopes: ['me:read', 'members:update'], expiresAt: inFuture(91 * day) })
  assert.deepEqual(codeOf(wider), [400, 'invalid_request'])
  assert.deepEqual(faultsOf(wider), [
    ['/scopes/1', 'not_allowed'],
    ['/expiresAt', 'not_allowed'],
  ])
  assert.deepEqual(faultsOf(await change({ expiresAt: null })), [['/expiresAt', 'not_allowed']])
  assert.deepEqual(faultsOf(await change({ expiresAt: inFuture(-hour) })), [['/expiresAt', 'out_of_range']])

  const end = inFuture(2 * day)
  const changed = await change({ name: ' Import ', scopes: ['members:read'], expiresAt: end })
  assert.equal(changed.status, 200)
  assert.deepEqual([changed.body.name, changed.body.scopes, changed.body.expiresAt], ['Import', ['members:read'], end])
  assert.deepEqual(faultsOf(await change({ scopes: ['me:read'] })), [['/scopes/0', 'not_allowed']])
  assert.deepEqual(codeOf(await change({ name: 'Late' }, { 'if-match': '"old"' })), [412, 'version_mismatch'])
  const same = await change({ name: 'Import' }, { 'if-match': changed.headers.get('etag') ?? '' })
  assert.deepEqual([same.status, same.body], [200, changed.body])
  const { data } = (await ann.get('/api/users/me/audit?action=key.narrowed')).body
  assert.deepEqual(
    data.map(({ details }: Json) => details),
    [
      {
        name: { from: 'Nightly import', to: 'Import' },
        scopes: { from: wanted.scopes, to: ['members:read'] },
        expiresAt: { from: expiresAt, to: end },
      },
    ],
  )
})

test('a rotation makes another secret; the one before works for a while, and an older one no more', async () => {
  const ann = await world.person('Ann')
  const first = (await make(ann, { expiresAt: inFuture(30 * day) })).body
  const rotate = (body?: object) => ann.post(`${path}/${first.key.id}/rotate`, body)

  const second = await rotate()
  assert.equal(second.status, 200)
  const { key, secret } = second.body
  assert.deepEqual(
    key.secrets.map(({ hint }: Json) => hint),
    [secret.slice(-4), first.secret.slice(-4)],
  )
  const [now, before] = key.secrets
  assert.equal(now.expiresAt, null)
  assert.ok(Math.abs(Date.parse(before.expiresAt) - Date.now() - day) < hour, 'the one before works for a day')
  assert.deepEqual([key.id, key.expiresAt, key.scopes], [first.key.id, first.key.expiresAt, wanted.scopes])

  const third = (await rotate({ overlapSeconds: 2_592_000 })).body
  const hints = third.key.secrets.map(({ hint }: Json) => hint)
  assert.deepEqual(hints, [third.secret.slice(-4), secret.slice(-4)], 'at most two live')
  assert.ok(Date.parse(third.key.secrets[1].expiresAt) <= Date.parse(key.expiresAt), 'and none longer than the key')

  const fourth = (await rotate({ overlapSeconds: 0 })).body
  assert.deepEqual(
    fourth.key.secrets.map(({ hint }: Json) => hint),
    [fourth.secret.slice(-4)],
  )
  assert.equal((await query('select from api_key_secrets where key_id = $1', [first.key.id])).length, 1)
})

test('a key remembers its last use when the secret is gone, and when the key has ended', async () => {
  const ann = await world.person('Ann')
  const { key, secret } = (await make(ann)).body
  const read = async () => (await ann.get(`${path}/${key.id}`)).body
  await withKey(secret).get('/api/users/me')
  await until(async () => (await read()).lastUsedAt !== null, 'the use of the key to be noted')
  const { lastUsedAt } = await read()

  const rotated = await ann.post(`${path}/${key.id}/rotate`, { overlapSeconds: 0 })
  assert.deepEqual([rotated.body.key.lastUsedAt, rotated.body.key.secrets[0].lastUsedAt], [lastUsedAt, null])
  for (const overlapSeconds of [60, 60, 0])
    assert.equal((await ann.post(`${path}/${key.id}/rotate`, { overlapSeconds })).body.key.lastUsedAt, lastUsedAt)
  await query(`update api_keys set last_used_at = now() - interval '1 hour' where id = $1`, [key.id])
  const { secret: last } = (await ann.post(`${path}/${key.id}/rotate`)).body
  await withKey(last).get('/api/users/me')
  await until(async () => (await read()).lastUsedAt >= lastUsedAt, 'the use of the new secret to be noted')
  const latest = (await read()).lastUsedAt
  assert.equal((await ann.delete(`${path}/${key.id}`)).body.lastUsedAt, latest)
  assert.deepEqual([(await read()).status, (await read()).lastUsedAt], ['ended', latest])

  const { key: expiring, secret: short } = (await make(ann)).body
  await withKey(short).get('/api/users/me')
  const ofExpiring = async () => (await ann.get(`${path}/${expiring.id}`)).body
  await until(async () => (await ofExpiring()).lastUsedAt !== null, 'the use of the key to be noted')
  const { lastUsedAt: used } = await ofExpiring()
  await query(`update api_keys set expires_at = now() - interval '1 minute' where id = $1`, [expiring.id])
  await runEverywhere(world, 'settle_keys')
  assert.deepEqual([(await ofExpiring()).endedBecause, (await ofExpiring()).lastUsedAt], ['expired', used])
  assert.equal((await query('select from api_key_secrets where key_id = $1', [expiring.id])).length, 0)
})

test('of twenty rotations at once each makes a secret, and the last two live', async () => {
  const ann = await world.person('Ann')
  const { key } = (await make(ann)).body
  const answers = await together(...Array.from({ length: 20 }, () => () => ann.post(`${path}/${key.id}/rotate`, {})))
  assert.deepEqual(statuses(answers), Array(20).fill('200'))
  const live = (await ann.get(`${path}/${key.id}`)).body.secrets
  assert.deepEqual([live.length, live[0].expiresAt], [2, null])
  const shown = answers.map(({ body }) => body.secret.slice(-4))
  assert.ok(
    live.every(({ hint }: Json) => shown.includes(hint)),
    'the first secret has ended',
  )
  assert.ok(live[0].createdAt >= live[1].createdAt)
})

test('a key that has ended stays ended, and comes last in lists', async () => {
  const ann = await world.person('Ann')
  const [one, two, three] = [await make(ann), await make(ann), await make(ann)].map(({ body }) => body.key)
  const ended = await ann.delete(`${path}/${three.id}`)
  assert.equal(ended.status, 200)
  assert.deepEqual([ended.body.status, ended.body.endedBecause, ended.body.secrets], ['ended', 'revoked', []])
  await query('update api_keys set expires_at = now() where id = $1', [two.id])

  const { data } = (await ann.get(path)).body
  assert.deepEqual(
    data.map(({ id, status, endedBecause }: Json) => [id, status, endedBecause]),
    [
      [one.id, 'active', null],
      [three.id, 'ended', 'revoked'],
      [two.id, 'ended', 'expired'],
    ],
  )
  const idsOf = async (list: string) => (await ann.get(`${path}?${list}`)).body.data.map(({ id }: Json) => id)
  assert.deepEqual([await idsOf('status=active'), await idsOf('status=ended')], [[one.id], [three.id, two.id]])
  const first = (await ann.get(`${path}?limit=1`)).body
  const second = (await ann.get(`${path}?limit=1&cursor=${first.nextCursor}`)).body
  const third = (await ann.get(`${path}?limit=1&cursor=${second.nextCursor}`)).body
  assert.deepEqual(
    [first, second, third].map((page) => page.data[0].id),
    [one.id, three.id, two.id],
  )
  assert.equal(third.nextCursor, null)

  for (const { id } of [two, three]) {
    assert.deepEqual(codeOf(await ann.patch(`${path}/${id}`, { name: 'Again' })), [409, 'key_ended'])
    assert.deepEqual(codeOf(await ann.post(`${path}/${id}/rotate`, {})), [409, 'key_ended'])
  }
  const again = await ann.delete(`${path}/${three.id}`)
  assert.deepEqual([again.status, again.body], [200, ended.body], 'ending it again changes nothing')
  assert.equal((await ann.get('/api/users/me/audit?action=key.ended')).body.data.length, 1)
})

test('of two who change and end a key of the same version, one is refused', async () => {
  const ann = await world.person('Ann')
  const made = await make(ann)
  const id = made.body.key.id
  const headers = { 'if-match': made.headers.get('etag') ?? '' }
  const answers = await together(
    () => ann.patch(`${path}/${id}`, { name: 'Changed' }, headers),
    () => ann.delete(`${path}/${id}`, undefined, headers),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
})

test('a person has at most twenty live keys, also of thirty made at once', async () => {
  const ann = await world.person('Ann')
  const answers = await together(...Array.from({ length: 30 }, () => () => make(ann)))
  assert.deepEqual(statuses(answers), [...Array(20).fill('201'), ...Array(10).fill('409 limit_reached')])
  assert.deepEqual(codeOf(await make(ann)), [409, 'limit_reached'])
  const [{ id }] = (await ann.get(path)).body.data
  await ann.delete(`${path}/${id}`)
  assert.equal((await make(ann)).status, 201)
})

test('another person’s key, and another tenant’s, are not found', async () => {
  const [ann, eve] = [await world.person('Ann'), await world.person('Eve')]
  const { slug } = await world.tenant()
  const abroad = await world.person('Abe', { tenant: slug })
  const { id } = (await make(ann)).body.key
  for (const person of [eve, abroad]) {
    assert.deepEqual(codeOf(await person.get(`${path}/${id}`)), [404, 'not_found'])
    assert.deepEqual(codeOf(await person.patch(`${path}/${id}`, { name: 'Mine' })), [404, 'not_found'])
    assert.deepEqual(codeOf(await person.post(`${path}/${id}/rotate`, {})), [404, 'not_found'])
    assert.deepEqual(codeOf(await person.delete(`${path}/${id}`)), [404, 'not_found'])
  }
})

test('without personal keys nobody makes or rotates one, and keys can be read and ended', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  assert.deepEqual(codeOf(await make(admin)), [403, 'not_offered'])
  await admin.patch('/api/admin/tenant', { personalKeys: true })
  const { id } = (await make(admin)).body.key
  await admin.patch('/api/admin/tenant', { personalKeys: false })
  assert.deepEqual(codeOf(await admin.post(`${path}/${id}/rotate`, {})), [403, 'not_offered'])
  assert.equal((await admin.get(`${path}/${id}`)).status, 200)
  assert.equal((await admin.delete(`${path}/${id}`)).body.status, 'ended')
})

test('a key for an organization waits for its row only if its maker is in it and may have keys', async (t) => {
  const { id, dan } = await world.organization()
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { body: own } = await admin.post('/api/organizations', { name: 'Own' })
  for (const [person, organizationId, refusal] of [
    [dan, id, [404, 'not_found']],
    [admin, own.id, [403, 'not_offered']],
  ] as const) {
    const release = await holdRow(t, world.postgres, 'organizations', organizationId)
    assert.deepEqual(codeOf(await make(person, { organizationId })), refusal)
    await release()
  }
})

test('a program uses the secret until the key is narrowed, rotated or ended', async () => {
  const ann = await world.person('Ann')
  const { key, secret } = (await make(ann, { scopes: ['me:read', 'me:update'] })).body
  const program = withKey(secret)
  assert.equal((await program.get('/api/users/me')).body.id, ann.id)
  assert.equal((await program.patch('/api/users/me', { name: 'Anna' })).status, 200)
  await ann.patch(`${path}/${key.id}`, { scopes: ['me:read'] })
  assert.deepEqual(codeOf(await program.patch('/api/users/me', { name: 'Ann' })), [403, 'insufficient_scope'])

  const second = (await ann.post(`${path}/${key.id}/rotate`, {})).body.secret
  for (const each of [secret, second]) assert.equal((await withKey(each).get('/api/users/me')).status, 200)
  const third = (await ann.post(`${path}/${key.id}/rotate`, {})).body.secret
  const statusesOf = async (...secrets: string[]) =>
    Promise.all(secrets.map(async (each) => (await withKey(each).get('/api/users/me')).status))
  assert.deepEqual(await statusesOf(secret, second, third), [401, 200, 200], 'the oldest of three ends at once')
  await query('update api_key_secrets set expires_at = now() where key_id = $1 and expires_at is not null', [key.id])
  assert.deepEqual(await statusesOf(second, third), [401, 200], 'the one before ends after its time')

  await ann.delete(`${path}/${key.id}`)
  assert.deepEqual(codeOf(await withKey(third).get('/api/users/me')), [401, 'unauthenticated'])
})

test('no key makes, reads, changes or ends keys of people', async () => {
  const ann = await world.person('Ann')
  const { key, secret } = (await make(ann, { scopes: ['me:read', 'me:update', 'keys:read', 'keys:write'] })).body
  const program = withKey(secret)
  for (const answer of [
    await program.get(path),
    await program.get(`${path}/${key.id}`),
    await program.post(path, wanted),
    await program.patch(`${path}/${key.id}`, { name: 'Mine' }),
    await program.post(`${path}/${key.id}/rotate`, {}),
    await program.delete(`${path}/${key.id}`),
  ])
    assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', null])
})

test('a key that is made while its person is suspended or removed does not work after that', async () => {
  const { ann, cleo, id, path: acme, members } = await world.organization()
  const program = async (answer: Awaited<ReturnType<typeof make>> | undefined) =>
    answer?.status === 201 ? (await withKey(answer.body.secret).get(acme)).status : undefined
  const [limited, removed] = await together(
    () => make(cleo, { scopes: ['organization:read'], organizationId: id }),
    () => ann.delete(`${acme}/members/${members.cleo.id}`),
  )
  assert.equal(removed?.status, 200)
  assert.ok([undefined, 401, 404].includes(await program(limited)), 'removed')

  const [made, suspended] = await together(
    () => make(ann, { scopes: ['organization:read'] }),
    () => tess.patch(`/api/admin/users/${ann.id}`, { status: 'suspended' }),
  )
  assert.equal(suspended?.status, 200)
  assert.ok([undefined, 401].includes(await program(made)), 'suspended')
  await tess.patch(`/api/admin/users/${ann.id}`, { status: 'active' })
})
