/** Keys: which operations each kind of key may use, with which scope, and in whose organization and tenant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticate } from '../src/domain/access/authentication.ts'
import { openDoors } from '../src/domain/access/authorization.ts'
import { keyKind } from '../src/domain/keys/credential.ts'
import { limitRequests } from '../src/domain/limits/request-rates.ts'
import { builtInPermissions } from '../src/domain/permissions/permissions.ts'
import { isScopeOf, type OwnerType, otherScopes, ownerTypes } from '../src/domain/permissions/scopes.ts'
import { createServer } from '../src/platform/http/server.ts'
import { keepFresh } from './freshness.ts'
import { makeLink } from './membership-requests.ts'
import { aPicture } from './pictures.ts'
import { makeBodies } from './valid-bodies.ts'
import { requestWebhook } from './webhook-requests.ts'
import { codeOf, createWorld, type Json, type Person, type Program, password } from './world.ts'

/**
 * Each operation, with the scope that a key needs and the kinds of keys that may use it: those of a person (P), of an organization (O) and of
 * the tenant (T). `-`: for sessions alone. `any`: whatever the scopes. `open`: nobody’s credential is looked at. `session`: without a session,
 * `sign_in_required`.
 */
const table = `
POST /api/auth/sign-up                                       open
POST /api/auth/sign-in                                       open
POST /api/auth/sign-in/passkey                               open
POST /api/auth/sign-in/mail-code                             open
POST /api/auth/sign-in/provider                              open
POST /api/auth/sign-in/continue                              open
POST /api/auth/passkey-options                               open
POST /api/auth/sign-out                                      -
POST /api/auth/verify-email                                  session
POST /api/auth/forgot-password                               open
POST /api/auth/reset-password                                open
POST /api/auth/undo-email-change                             open
POST /api/auth/end-session                                   open
POST /api/auth/end-session/preview                           open
POST /api/auth/verify-email/resend                           -
POST /api/auth/confirm                                       -
POST /api/setup                                              open
GET /api/mailbox                                             open
GET /livez                                                   open
GET /readyz                                                  open
GET /api/tenant                                              open
GET /api/tenants/{tenantId}/.well-known/openid-configuration open
GET /api/tenants/{tenantId}/jwks.json                        open
POST /api/tenants/{tenantId}/token                           open
POST /api/tenants/{tenantId}/revoke                          open
GET /api/tenants/{tenantId}/userinfo                         open
POST /api/tenants/{tenantId}/userinfo                        open
POST /api/auth/sign-out/preview                              open
POST /api/auth/authorize/preview                             open
POST /api/auth/authorize                                     open
GET /api/tenants/{tenantId}/authorize                        open
POST /api/tenants/{tenantId}/authorize                       open
GET /api/tenants/{tenantId}/end-session                      open
POST /api/tenants/{tenantId}/end-session                     open
POST /api/invites/{inviteId}/preview                         open
GET /api/organizations/{orgId}/webhooks                      webhooks:read         POT
POST /api/organizations/{orgId}/webhooks                     -
GET /api/organizations/{orgId}/webhooks/{webhookId}          webhooks:read         POT
PATCH /api/organizations/{orgId}/webhooks/{webhookId}        webhooks:write        POT
DELETE /api/organizations/{orgId}/webhooks/{webhookId}       webhooks:write        POT
POST /api/organizations/{orgId}/webhooks/{webhookId}/rotate  -
POST /api/organizations/{orgId}/webhooks/{webhookId}/test    webhooks:write        POT
GET /api/organizations/{orgId}/webhooks/{webhookId}/deliveries webhooks:read         POT
POST /api/organizations/{orgId}/webhooks/{webhookId}/retry   webhooks:write        POT
POST /api/links/preview                                      open

GET /api/users/me                                            me:read                P
PATCH /api/users/me                                          me:update              P
PUT /api/users/me/avatar                                     me:update              P
DELETE /api/users/me/avatar                                  me:update              P
GET /api/users/me/invites                                    me:read                P
DELETE /api/users/me                                         -
POST /api/users/me/password                                  -
DELETE /api/users/me/password                                -
GET /api/users/me/factors                                    -
POST /api/users/me/factors/setup                             -
POST /api/users/me/factors                                   -
PATCH /api/users/me/factors/{factorId}                       -
DELETE /api/users/me/factors/{factorId}                      -
POST /api/users/me/recovery-codes                            -
GET /api/users/me/identities                                 -
POST /api/users/me/identities/start                          -
POST /api/users/me/identities                                -
DELETE /api/users/me/identities/{identityId}                 -
GET /api/users/me/devices                                    -
DELETE /api/users/me/devices                                 -
DELETE /api/users/me/devices/{deviceId}                      -
GET /api/users/me/audit                                      -
GET /api/users/me/deletion-impact                            -
GET /api/users/me/keys                                       -
POST /api/users/me/keys                                      -
GET /api/users/me/keys/{keyId}                               -
PATCH /api/users/me/keys/{keyId}                             -
DELETE /api/users/me/keys/{keyId}                            -
POST /api/users/me/keys/{keyId}/rotate                       -
POST /api/invites/{inviteId}/accept                          invitations:answer     P
POST /api/invites/{inviteId}/decline                         invitations:answer     P
POST /api/links/join                                         -

GET /api/organizations                                       me:read                P
POST /api/organizations                                      organizations:create   P
GET /api/organizations/{orgId}                               organization:read      POT
PATCH /api/organizations/{orgId}                             organization:update    POT
PUT /api/organizations/{orgId}/logo                          organization:update   POT
DELETE /api/organizations/{orgId}/logo                       organization:update   POT
DELETE /api/organizations/{orgId}                            organization:delete    T
POST /api/organizations/{orgId}/transfer                     -
GET /api/organizations/{orgId}/audit                         audit:read             POT
GET /api/organizations/{orgId}/events                        events:read            POT
GET /api/organizations/{orgId}/members                       members:read           POT
GET /api/organizations/{orgId}/members/{memberId}            members:read           POT
PATCH /api/organizations/{orgId}/members/{memberId}          members:update         POT
DELETE /api/organizations/{orgId}/members/{memberId}         members:remove         POT
GET /api/organizations/{orgId}/invites                       invitations:read       POT
POST /api/organizations/{orgId}/invites                      invitations:write      POT
POST /api/organizations/{orgId}/invites/bulk                 invitations:write      POT
GET /api/organizations/{orgId}/invites/{inviteId}            invitations:read       POT
DELETE /api/organizations/{orgId}/invites/{inviteId}         invitations:write      POT
POST /api/organizations/{orgId}/invites/{inviteId}/resend    invitations:write      POT
GET /api/organizations/{orgId}/links                         invitations:read       POT
POST /api/organizations/{orgId}/links                        invitations:write      POT
GET /api/organizations/{orgId}/links/{linkId}                invitations:read       POT
DELETE /api/organizations/{orgId}/links/{linkId}             invitations:write      POT
GET /api/organizations/{orgId}/keys                          keys:read              POT
POST /api/organizations/{orgId}/keys                         -
GET /api/organizations/{orgId}/keys/{keyId}                  keys:read              POT
PATCH /api/organizations/{orgId}/keys/{keyId}                keys:write             POT
DELETE /api/organizations/{orgId}/keys/{keyId}               keys:write             POT
POST /api/organizations/{orgId}/keys/{keyId}/rotate          -
GET /api/organizations/{orgId}/roles                         members:read           POT
GET /api/organizations/{orgId}/check/{permission}            any                    POT
POST /api/check                                              any                    POT
GET /api/caller                                              any                    POT
POST /api/tokens                                             tokens:create          POT
POST /api/credentials/verify                                 credentials:verify     T

GET /api/admin/users                                         users:read             T
POST /api/admin/users                                        users:write            T
GET /api/admin/users/{userId}                                users:read             T
PATCH /api/admin/users/{userId}                              users:write            T
DELETE /api/admin/users/{userId}                             users:delete           T
GET /api/admin/users/{userId}/devices                        sessions:read          T
GET /api/admin/users/{userId}/deletion-impact                users:read             T
DELETE /api/admin/users/{userId}/devices                     sessions:end           T
DELETE /api/admin/users/{userId}/devices/{deviceId}          sessions:end           T
GET /api/admin/users/{userId}/factors                        users:read             T
DELETE /api/admin/users/{userId}/factors                     -
GET /api/admin/users/{userId}/identities                     users:read             T
DELETE /api/admin/users/{userId}/identities/{identityId}     -
GET /api/admin/users/{userId}/keys                           -
DELETE /api/admin/users/{userId}/keys/{keyId}                -
GET /api/admin/keys                                          -
POST /api/admin/keys                                         -
GET /api/admin/keys/{keyId}                                  -
PATCH /api/admin/keys/{keyId}                                -
DELETE /api/admin/keys/{keyId}                               -
POST /api/admin/keys/{keyId}/rotate                          -
GET /api/admin/organizations                                 organization:read      T
POST /api/admin/organizations                                organizations:create   T
GET /api/admin/organizations/{orgId}                         organization:read      T
PATCH /api/admin/organizations/{orgId}                       organization:update    T
PUT /api/admin/organizations/{orgId}/logo                    organization:update    T
DELETE /api/admin/organizations/{orgId}/logo                 organization:update    T
DELETE /api/admin/organizations/{orgId}                      organization:delete    T
POST /api/admin/organizations/{orgId}/transfer               ownership:transfer     T
GET /api/admin/organizations/{orgId}/members                 members:read           T
POST /api/admin/organizations/{orgId}/members                invitations:write      T
GET /api/admin/organizations/{orgId}/members/{memberId}      members:read           T
PATCH /api/admin/organizations/{orgId}/members/{memberId}    members:update         T
DELETE /api/admin/organizations/{orgId}/members/{memberId}   members:remove         T
GET /api/admin/organizations/{orgId}/roles                   members:read           T
GET /api/admin/organizations/{orgId}/invites                 invitations:read       T
POST /api/admin/organizations/{orgId}/invites                invitations:write      T
POST /api/admin/organizations/{orgId}/invites/bulk           invitations:write      T
GET /api/admin/organizations/{orgId}/invites/{inviteId}      invitations:read       T
DELETE /api/admin/organizations/{orgId}/invites/{inviteId}   invitations:write      T
POST /api/admin/organizations/{orgId}/invites/{inviteId}/resend invitations:write   T
GET /api/admin/access                                        tenant:read            T
PUT /api/admin/access                                        -
GET /api/admin/audit                                         audit:read             T
GET /api/admin/events                                        events:read            T
GET /api/admin/tenant                                        tenant:read            T
PATCH /api/admin/tenant                                      -
PUT /api/admin/tenant/logo                                   -
DELETE /api/admin/tenant/logo                                -
GET /api/admin/webhooks                                      webhooks:read         T
POST /api/admin/webhooks                                     -
GET /api/admin/webhooks/{webhookId}                          webhooks:read         T
PATCH /api/admin/webhooks/{webhookId}                        webhooks:write        T
DELETE /api/admin/webhooks/{webhookId}                       webhooks:write        T
POST /api/admin/webhooks/{webhookId}/rotate                  -
POST /api/admin/webhooks/{webhookId}/test                    webhooks:write        T
GET /api/admin/webhooks/{webhookId}/deliveries               webhooks:read         T
POST /api/admin/webhooks/{webhookId}/retry                   webhooks:write        T
GET /api/admin/applications                                  -
POST /api/admin/applications                                 -
GET /api/admin/applications/{appId}                          -
PATCH /api/admin/applications/{appId}                        -
DELETE /api/admin/applications/{appId}                       -
POST /api/admin/applications/{appId}/rotate-secret           -
GET /api/admin/providers                                     -
POST /api/admin/providers                                    -
GET /api/admin/providers/{providerId}                        -
PATCH /api/admin/providers/{providerId}                      -
DELETE /api/admin/providers/{providerId}                     -
`

const rows = table
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [method = '', path = '', scope = '', kinds = ''] = line.split(/ +/)
    const mayUse = ownerTypes.filter((kind) => kinds.includes({ user: 'P', organization: 'O', tenant: 'T' }[kind]))
    return { operation: `${method} ${path}`, method, path, scope, mayUse }
  })
const judged = rows.filter(({ scope }) => scope !== 'open' && scope !== 'session')
const scoped = judged.filter(({ scope }) => scope !== '-' && scope !== 'any')

// One person owns an organization for each row.
const world = await createWorld({ settings: { MAX_ORGANIZATIONS: '1000' } })
const { query } = world.postgres
const abroad = await world.tenant()
await query('update tenants set personal_keys = true, organization_keys = true, organization_webhooks = true')
const { ann, ids, bodies, operations } = await makeBodies(world)
const organization = ids.orgId ?? assert.fail()
const neighbour = await world.organization()
const tess = await world.tenantAdmin()
const foreign = await world.organization({ tenant: abroad.slug })
await keepFresh(world.postgres)

/** The scopes that a kind of key may have. */
function scopesOf(kind: OwnerType): string[] {
  return [...builtInPermissions.map(({ key }) => key), ...Object.keys(otherScopes)].filter((scope) =>
    isScopeOf(kind, scope, new Set()),
  )
}

const may = (kind: OwnerType, scope: string) => scope === 'any' || scopesOf(kind).includes(scope)

/** This scope alone; for `any` the one that a check asks about. Who changes webhooks must be able to read events. */
const only = (scope: string) =>
  scope === 'webhooks:write' ? [scope, 'events:read'] : [scope === 'any' ? 'organization:read' : scope]

/** Keys are made once for the same scopes. */
const made = new Map<string, Promise<Program>>()
function keyOf(kind: OwnerType, scopes: readonly string[], place = { person: ann, organization }): Promise<Program> {
  const name = JSON.stringify([kind, place.organization, scopes])
  const { person, organization } = place
  const key =
    made.get(name) ?? world.key(scopes, { user: { person }, organization: { organization }, tenant: {} }[kind])
  made.set(name, key)
  return key
}

/** Sends a request to what `makeBodies` has made, without the password of a person. */
function send(key: Program, operation: string) {
  const { method, path } = operations.find(({ name }) => name === operation) ?? assert.fail(operation)
  const { currentPassword, ...body } = bodies[operation] ?? {}
  const isPasswordNeeded = operation === 'POST /api/users/me/password'
  return key.request(path, { method, body: bodies[operation] && !isPasswordNeeded ? body : bodies[operation] })
}

/** A webhook that is made for a request, of which the tenant has no other one then. */
async function webhookIn(path: string, own: Person, orgId: string): Promise<Json> {
  const isOfTenant = path.startsWith('/api/admin/')
  if (isOfTenant) await query('delete from webhooks where organization_id is null')
  const list = isOfTenant ? '/api/admin/webhooks' : `/api/organizations/${orgId}/webhooks`
  return (await requestWebhook(isOfTenant ? tess : own, list)).webhook
}

/** A request that succeeds, on things that are made for it. */
async function sendFresh(key: Program, { operation, method, path }: (typeof rows)[number], own: Person, orgId: string) {
  const target = await world.person('Tom')
  const memberId = /memberId|transfer/.test(path) ? (await world.join(own, orgId, target)).id : undefined
  const { body: invitation } = await own.post(`/api/organizations/${orgId}/invites`, { email: `x-${target.email}` })
  const [device] = await query<{ id: string }>('select id from sessions where user_id = $1', [target.id])
  const filled: Readonly<Record<string, string | undefined>> = {
    ...{ orgId, memberId, inviteId: invitation.id, userId: target.id, deviceId: device?.id },
    linkId: path.includes('{linkId}') ? (await makeLink(own, orgId)).id : undefined,
    keyId: path.includes('{keyId}') ? (await world.key(['members:read'], { organization: orgId })).id : undefined,
    permission: 'organization:read',
    webhookId: path.includes('{webhookId}') ? (await webhookIn(path, own, orgId)).id : undefined,
  }
  const { body: organization } = await own.get(`/api/organizations/${orgId}`)
  const email = `new-${target.email}`
  const ownBodies: Readonly<Record<string, Json>> = {
    'PATCH /api/users/me': { name: 'Renamed' },
    'PATCH /api/organizations/{orgId}': { name: 'Renamed' },
    'PUT /api/users/me/avatar': aPicture,
    'PUT /api/organizations/{orgId}/logo': aPicture,
    'DELETE /api/organizations/{orgId}': { confirm: organization.slug },
    'PATCH /api/organizations/{orgId}/members/{memberId}': {
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    },
    'POST /api/organizations/{orgId}/invites': { email },
    'POST /api/organizations/{orgId}/invites/bulk': { invites: [{ email }] },
    'POST /api/organizations/{orgId}/invites/{inviteId}/resend': {},
    'POST /api/organizations/{orgId}/links': {},
    'PATCH /api/organizations/{orgId}/keys/{keyId}': { name: 'Renamed' },
    'PATCH /api/organizations/{orgId}/webhooks/{webhookId}': { name: 'Renamed' },
    'POST /api/organizations/{orgId}/webhooks/{webhookId}/retry': {},
    'PATCH /api/admin/webhooks/{webhookId}': { name: 'Renamed' },
    'POST /api/admin/webhooks/{webhookId}/retry': {},
    'POST /api/organizations': { name: 'Acme' },
    'POST /api/check': { checks: [{ organizationId: orgId, permission: 'organization:read' }] },
    'POST /api/credentials/verify': { credential: own.token },
    'POST /api/admin/users': { email },
    'PATCH /api/admin/users/{userId}': { name: 'Renamed' },
    'POST /api/admin/organizations': { name: 'Acme', ownerId: target.id },
    'PATCH /api/admin/organizations/{orgId}': { name: 'Renamed' },
    'PUT /api/admin/organizations/{orgId}/logo': aPicture,
    'DELETE /api/admin/organizations/{orgId}': { confirm: organization.slug },
    'POST /api/admin/organizations/{orgId}/transfer': { memberId },
    'PATCH /api/admin/organizations/{orgId}/members/{memberId}': { role: 'member' },
    'POST /api/admin/organizations/{orgId}/invites': { email },
    'POST /api/admin/organizations/{orgId}/invites/bulk': { invites: [{ email }] },
    'POST /api/admin/organizations/{orgId}/invites/{inviteId}/resend': {},
    'POST /api/admin/organizations/{orgId}/members': { userId: (await world.person('Nia')).id },
  }
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? assert.fail(`${operation}: ${name}`))
  return key.request(place, { method, body: ownBodies[operation] })
}

test('the table has exactly the operations of the document', () => {
  assert.deepEqual(rows.map(({ operation }) => operation).sort(), [...world.contract.operations].sort())
})

for (const kind of ownerTypes) {
  const whose = { user: 'a person', organization: 'an organization', tenant: 'the tenant' }[kind]

  test(`a key of ${whose} with every scope but the one needed is refused everywhere, and does nothing`, async () => {
    const before = await query('select count(*) from audit_entries')
    for (const { operation, scope } of judged.filter(({ scope }) => scope !== 'any')) {
      const key = await keyOf(
        kind,
        scopesOf(kind).filter((each) => each !== scope),
      )
      const answer = await send(key, operation)
      const needed = scope === '-' ? null : scope
      assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', needed], operation)
    }
    assert.deepEqual(await query('select count(*) from audit_entries'), before)
  })

  test(`a key of ${whose} does with the one scope what the table says`, async () => {
    for (const row of [...scoped, ...rows.filter(({ scope }) => scope === 'any')]) {
      const { operation, scope, mayUse } = row
      if (!may(kind, scope)) continue
      if (!mayUse.includes(kind)) {
        assert.deepEqual(codeOf(await send(await keyOf(kind, only(scope)), operation)), [403, 'forbidden'], operation)
        continue
      }
      const { body: own } = await ann.post('/api/organizations', { name: 'Acme' })
      const key = await keyOf(kind, only(scope), { person: ann, organization: own.id })
      const answer = await sendFresh(key, row, ann, own.id)
      // The invitation is somebody else’s: the door has let the key in.
      const isAnswer = operation.endsWith('/accept') || operation.endsWith('/decline')
      if (isAnswer) assert.deepEqual(codeOf(answer), [403, 'invitation_for_another_email'], operation)
      else assert.ok(answer.status < 300, `${operation}: ${codeOf(answer)}`)
    }
  })
}

test('what asks for a session is told by every key to sign in', async () => {
  for (const { operation } of rows.filter(({ scope }) => scope === 'session')) {
    for (const kind of ownerTypes) {
      const answer = await send(await keyOf(kind, scopesOf(kind)), operation)
      assert.deepEqual(codeOf(answer), [403, 'sign_in_required'], `${kind}: ${operation}`)
    }
  }
})

test('for a key of elsewhere, what has an id is not there, and lists show nothing of it', async () => {
  const before = await query('select count(*) from audit_entries where tenant_id = $1', [world.tenantId])
  const strangers = {
    user: [
      { person: ann, organization: neighbour.id },
      { person: neighbour.dan },
      { person: foreign.ann, tenant: abroad.slug },
    ],
    organization: [{ organization: neighbour.id }, { organization: foreign.id, tenant: abroad.slug }],
    tenant: [{ tenant: abroad.slug }],
  }
  let sent = 0
  for (const { operation, method, scope, mayUse } of judged.filter(({ scope }) => scope !== '-')) {
    const ofOrganization = operation.includes('/api/organizations/{orgId}')
    for (const kind of mayUse.filter((each) => may(each, scope)))
      for (const stranger of ofOrganization ? strangers[kind] : strangers[kind].filter(({ tenant }: Json) => tenant)) {
        const answer = await send(await world.key(only(scope), stranger), operation)
        if (operation.includes('{')) assert.deepEqual(codeOf(answer), [404, 'not_found'], `${kind}: ${operation}`)
        else if (method === 'GET')
          assert.doesNotMatch(JSON.stringify(answer.body), new RegExp(`${organization}|${ann.id}`))
        sent++
      }
  }
  assert.ok(sent > 100, `${sent} requests`)
  const after = await query('select count(*) from audit_entries where tenant_id = $1', [world.tenantId])
  assert.deepEqual(after, before)
})

test('a key proves nothing with a password', async () => {
  const key = await keyOf('tenant', ['users:write'])
  const confirmed = { currentPassword: password }
  for (const answer of [
    await key.post('/api/admin/users', { email: 'gus@example.com', ...confirmed }),
    await key.patch(`/api/admin/users/${ann.id}`, { name: 'Anna', ...confirmed }),
  ])
    assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', null])
})

test('a route that says nothing of keys is closed to them', async (t) => {
  const { config, database, keyring } = world.app
  const app = createServer({ config, database, keyring }, false)
  t.after(() => app.close())
  await authenticate(app, [keyKind])
  limitRequests(app)
  openDoors(app)
  const tell = async () => 'planted'
  app.get('/of-users', { config: { access: 'user' } }, (request) => request.readAsUser(() => ({})).then(tell))
  app.post('/of-admins', { config: { access: 'tenant_admin' } }, (request) => request.asTenantAdmin(tell))
  app.get('/named', { config: { access: 'user', organizationIn: 'query' } }, (request) =>
    request.readAsUser(() => ({})).then(tell),
  )
  app.post('/fresh/:orgId', { config: { access: 'organization:update', proof: 'fresh' } }, (request) =>
    request.inOrganization(tell),
  )
  for (const kind of ownerTypes) {
    const { token } = await keyOf(kind, scopesOf(kind))
    const headers = { authorization: `Bearer ${token}` }
    for (const [method, url] of [
      ['GET', '/of-users'],
      ['GET', `/named?organization=${organization}`],
      ['POST', '/of-admins'],
      ['POST', `/fresh/${organization}`],
    ] as const) {
      const answer = await app.inject({ method, url, headers })
      assert.deepEqual(
        [answer.statusCode, answer.json().code, answer.json().scope],
        [403, 'insufficient_scope', null],
        url,
      )
    }
  }
})
