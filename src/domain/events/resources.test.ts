/** What the `data` of events has, beside the resources as the API shows them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestApplication } from '../../../test/application-requests.ts'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { requestKey } from '../../../test/key-requests.ts'
import { offerWebhooks, requestWebhook } from '../../../test/webhook-requests.ts'
import { type Client, createWorld, type Json, password } from '../../../test/world.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { eventsOf, follow } = feedsOf(world)

/** The last event of a type, as the tenant's feed shows it now. */
async function last(reader: Client, type: string, feed = '/api/admin/events'): Promise<Json> {
  const event = (await follow(reader, feed, { types: type })).at(-1)
  assert.ok(event, `there is an event ${type}`)
  return event
}

/** A resource without some fields. */
function without(resource: Json, ...fields: string[]): Json {
  return Object.fromEntries(Object.entries(resource).filter(([field]) => !fields.includes(field)))
}

/** A member as events show them. */
function memberOf(member: Json): Json {
  const { user, ...rest } = without(member, 'invitedBy', 'permissions')
  return { ...rest, user: { ...user, hasSecondFactor: null }, lastActiveAt: null }
}

test('events of people have the user as admins of the tenant read them', async () => {
  const { tess, ann, dan, tenant } = await tenantWithEvents(world)
  await tess.patch(`/api/admin/users/${ann.id}`, { name: 'Anna', externalId: 'customer-1' })
  await ann.post('/api/users/me/password', { currentPassword: password, newPassword: `${password} anew` })
  await world.signIn(dan, { 'guildhall-tenant': tenant })

  const user = (await tess.get(`/api/admin/users/${ann.id}`)).body
  assert.equal(user.externalId, 'customer-1')
  assert.deepEqual((await last(tess, 'profile.updated')).data, { user })
  assert.deepEqual((await last(tess, 'password.changed')).data, { user: { id: ann.id } })
  const started = await last(tess, 'session.started')
  const { body: devices } = await tess.get(`/api/admin/users/${dan.id}/devices`)
  assert.ok(devices.data.some(({ id }: Json) => id === started.data.session.id))
  assert.equal(started.data.session.userId, dan.id)

  await tess.delete(`/api/admin/users/${dan.id}/devices/${started.data.session.id}`)
  const revoked = await last(tess, 'session.revoked')
  assert.deepEqual([revoked.data, revoked.details], [started.data, { deviceId: started.data.session.id }])
  await tess.delete(`/api/admin/users/${dan.id}/devices`)
  assert.deepEqual((await last(tess, 'session.revoked')).data, { session: { id: null, userId: dan.id } })
})

test('a password that is set by a mailed link leads to an event with the user as they are then', async () => {
  const { tess, tenant } = await tenantWithEvents(world)
  const made = `made-${tess.email}`
  const { id } = (await tess.post('/api/admin/users', { email: made })).body
  const eve = await world.person('Eve', { tenant, verified: false })
  await eve.patch('/api/users/me', { email: `next-${eve.email}`, currentPassword: password })
  const named = { 'guildhall-tenant': tenant }
  await world.nobody.post('/api/auth/forgot-password', { email: eve.email }, named)

  for (const [userId, email] of [
    [id, made],
    [eve.id, eve.email],
  ]) {
    const token = await world.mailedToken(email, 'reset-password', tenant)
    const { nextAfter: after } = await eventsOf(tess, '/api/admin/events', { after: 'latest' })
    const answer = await world.nobody.post(
      '/api/auth/reset-password',
      { token, newPassword: `${password} anew` },
      named,
    )
    assert.equal(answer.status, 200)

    const types = 'user.*,profile.*,email.*'
    const { data } = await eventsOf(tess, '/api/admin/events', { after, types })
    const user = (await tess.get(`/api/admin/users/${userId}`)).body
    assert.deepEqual([user.emailVerified, user.pendingEmail], [true, null])
    assert.deepEqual(data.at(-1)?.data, { user })
  }
})

test('events of an organization have it, and those of its members who they are', async () => {
  const { tess, ann, path, id, slug, members } = await tenantWithEvents(world)
  await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await ann.patch(path, { name: 'Renamed' })

  const organization = without((await ann.get(path)).body, 'role', 'roles', 'membership', 'permissions')
  const member = async (name: 'ann' | 'ben' | 'cleo') =>
    memberOf((await ann.get(`${path}/members/${members[name].id}`)).body)
  for (const [reader, feed] of [
    [tess, '/api/admin/events'],
    [ann, `${path}/events`],
  ] as const) {
    assert.deepEqual((await last(reader, 'organization.created', feed)).data, {
      organization,
      member: await member('ann'),
    })
    assert.deepEqual((await last(reader, 'organization.updated', feed)).data, { organization })
    assert.deepEqual((await last(reader, 'member.role_changed', feed)).data, {
      organization: { id, slug, name: 'Renamed' },
      member: await member('cleo'),
    })
  }
  assert.equal((await member('cleo')).role, 'admin')
})

test('a transfer names both owners, also one by an admin of the tenant', async () => {
  const { tess, ann, path, id, members } = await tenantWithEvents(world)
  const owners = async () => {
    const { data } = await last(tess, 'organization.ownership_transferred')
    return data.members.map(({ user, role }: Json) => [user.name, role])
  }
  await ann.post(`${path}/transfer`, { memberId: members.ben.id })
  assert.deepEqual(await owners(), [
    ['Ben', 'owner'],
    ['Ann', 'admin'],
  ])
  await tess.post(`/api/admin/organizations/${id}/transfer`, { memberId: members.cleo.id })
  assert.deepEqual(await owners(), [
    ['Cleo', 'owner'],
    ['Ben', 'admin'],
  ])
})

test('an organization that an admin of the tenant has made has its first owner', async () => {
  const { tess, dan, ann } = await tenantWithEvents(world)
  const { body } = await tess.post('/api/admin/organizations', { name: 'Made', ownerId: dan.id })
  await tess.post(`/api/admin/organizations/${body.id}/members`, { userId: ann.id, role: 'owner' })
  const { member } = (await last(tess, 'organization.created')).data
  assert.deepEqual([member.user.id, member.role], [dan.id, 'owner'])
})

test('somebody who is no member any more is named by both ids', async () => {
  const { tess, ann, ben, cleo, path, id, members } = await tenantWithEvents(world)
  await ann.delete(`${path}/members/${members.ben.id}`)
  await cleo.delete(`${path}/members/me`)
  assert.deepEqual((await last(tess, 'member.removed')).data, { member: { id: members.ben.id, userId: ben.id } })
  assert.deepEqual((await last(tess, 'member.left')).data, { member: { id: members.cleo.id, userId: cleo.id } })

  const soon = new Date(Date.now() + 120_000).toISOString()
  const { body: dora } = await tess.post(`/api/admin/organizations/${id}/members`, {
    userId: ben.id,
    expiresAt: soon,
  })
  await query(`update memberships set expires_at = now() - interval '1 second' where id = $1`, [dora.id])
  await tess.post(`/api/admin/organizations/${id}/members`, { userId: ben.id })
  assert.deepEqual((await last(tess, 'member.expired')).data, { member: { id: dora.id, userId: ben.id } })
  assert.deepEqual((await last(tess, 'member.removed')).data.member.userId, ben.id)
})

test('invitations and links have no secret, and keys no holder', async () => {
  const { tess, ann, path, tenant } = await tenantWithEvents(world)
  await query('update tenants set organization_keys = true where slug = $1', [tenant])
  const { body: invitation } = await ann.post(`${path}/invites`, { email: 'eve@example.com' })
  const { body: link } = await ann.post(`${path}/links`, {})
  const { key, secret } = await requestKey(ann, `${path}/keys`)

  assert.deepEqual((await last(tess, 'invitation.sent')).data, { invitation })
  assert.ok(link.url.includes('ghl_'))
  assert.deepEqual((await last(tess, 'link.created')).data, { link: without(link, 'url') })
  const created = await last(tess, 'key.created')
  assert.deepEqual(created.data, { key: without(key, 'holder') })
  assert.ok(!JSON.stringify(created).includes(secret.split('.')[1] ?? assert.fail()))
})

test('events of the tenant have applications and providers without their secrets, and the keys of its access model', async () => {
  const { tess } = await tenantWithEvents(world)
  const { application } = await requestApplication(tess)
  const login = { type: 'github', name: 'GitHub', clientId: 'guildhall', clientSecret: 'hidden-secret' }
  const { body: provider } = await tess.post('/api/admin/providers', login)
  const permissions = [{ key: 'notes:write', name: 'Write notes' }]
  const roles = [{ key: 'editor', name: 'Editor', permissions: ['notes:write'] }]
  assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
  await tess.patch('/api/admin/tenant', { name: 'Renamed' })

  assert.deepEqual((await last(tess, 'application.created')).data, { application: without(application, 'secrets') })
  const { id, type, name } = provider
  assert.deepEqual((await last(tess, 'provider.created')).data, {
    provider: { id, type, name, enabled: provider.enabled },
  })
  assert.deepEqual((await last(tess, 'access.updated')).data, { roles: ['editor'], permissions: ['notes:write'] })
  const updated = await last(tess, 'tenant.updated')
  assert.deepEqual([updated.data, updated.details], [{}, { name: { from: 'Another Tenant', to: 'Renamed' } }])
  assert.ok(!JSON.stringify(await follow(tess, '/api/admin/events')).includes('hidden-secret'))

  await tess.delete(`/api/admin/providers/${id}`, { confirm: name })
  assert.deepEqual((await last(tess, 'provider.deleted')).data, { provider: { id } })
  assert.deepEqual((await last(tess, 'provider.created')).data, { provider: null })
})

test('events of webhooks have them without their secrets, and the last one which it was', async () => {
  const { tess, ann, path, tenant } = await tenantWithEvents(world)
  await offerWebhooks(world, tenant)
  for (const [person, list, feeds] of [
    [tess, '/api/admin/webhooks', [[tess, '/api/admin/events']]],
    [
      ann,
      `${path}/webhooks`,
      [
        [tess, '/api/admin/events'],
        [ann, `${path}/events`],
      ],
    ],
  ] as const) {
    const { webhook, secret } = await requestWebhook(person, list)
    for (const [reader, feed] of feeds) {
      const { data } = await last(reader, 'webhook.created', feed)
      assert.equal(data.webhook.id, webhook.id)
      assert.ok(!JSON.stringify(data).includes(secret))
    }

    await person.delete(`${list}/${webhook.id}`)

    for (const [reader, feed] of feeds) {
      assert.deepEqual((await last(reader, 'webhook.deleted', feed)).data, { webhook: { id: webhook.id } })
      assert.deepEqual((await last(reader, 'webhook.created', feed)).data, { webhook: null })
    }
  }
})

test('a resource is shown as it is now, and one that is gone as null', async () => {
  const { tess, ann, path, members } = await tenantWithEvents(world)
  await ann.patch(path, { name: 'First' })
  await ann.patch(path, { name: 'Second' })
  const renamed = (await follow(tess, '/api/admin/events', { types: 'organization.updated' })).slice(-2)
  assert.deepEqual(
    renamed.map(({ details, data }) => [details.name.to, data.organization.name]),
    [
      ['First', 'Second'],
      ['Second', 'Second'],
    ],
  )

  await ann.delete(`${path}/members/${members.cleo.id}`)
  const joined = await follow(tess, '/api/admin/events', { types: 'member.joined' })
  assert.deepEqual(
    joined.map(({ data: { member, organization } }) => [member?.user.name ?? null, organization.name]),
    [
      ['Ben', 'Second'],
      [null, 'Second'],
    ],
  )
})
