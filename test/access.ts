/** Access: who may use which operation, as one table (access-table.ts) that is checked against the running service. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { makeMailedToken, newToken } from '../src/domain/access/tokens.ts'
import { type AccessRow, columns } from './access-table.ts'
import { applicationAdminRequest } from './application-requests.ts'
import { authorizationRequest } from './authorizations.ts'
import { grantRequest } from './grants.ts'
import { mailedTokenOf } from './inventory.ts'
import { bodyOfKeyRequest, keyRequest, offerKeys, requestKey } from './key-requests.ts'
import { makeLink, membershipRequest } from './membership-requests.ts'
import { aPicture } from './pictures.ts'
import { startProviderDouble } from './provider-double.ts'
import { type Described, signInRequests } from './sign-in-requests.ts'
import { bodyOfWebhookRequest, offerWebhooks, requestWebhook, webhookRequest } from './webhook-requests.ts'
import { type Answer, type Client, createWorld, mailboxKey, type Person, password, type World } from './world.ts'

interface People {
  readonly nobody: Client
  readonly outsider: Person
  readonly member: Person
  readonly admin: Person
  readonly owner: Person
  readonly tenantAdmin: Person
  readonly ended: Person
}

/** Writes without an entry in a log: they change nothing, begin something, request a mail, leave the change to the worker, or name a factor. */
const unrecorded = [
  'POST /api/auth/sign-in/mail-code',
  'POST /api/auth/sign-in/provider',
  'POST /api/auth/passkey-options',
  'POST /api/users/me/factors/setup',
  'PATCH /api/users/me/factors/{factorId}',
  'POST /api/users/me/identities/start',
  'POST /api/auth/verify-email/resend',
  'POST /api/auth/forgot-password',
  'POST /api/invites/{inviteId}/preview',
  'POST /api/links/preview',
  'POST /api/check',
  'POST /api/tokens',
  'POST /api/credentials/verify',
  'POST /api/organizations/{orgId}/webhooks/{webhookId}/test',
  'POST /api/organizations/{orgId}/webhooks/{webhookId}/retry',
  'POST /api/admin/webhooks/{webhookId}/test',
  'POST /api/admin/webhooks/{webhookId}/retry',
  'POST /api/tenants/{tenantId}/revoke',
  'POST /api/tenants/{tenantId}/userinfo',
  'POST /api/tenants/{tenantId}/authorize',
  'POST /api/tenants/{tenantId}/end-session',
  'POST /api/auth/authorize/preview',
  'POST /api/auth/sign-out/preview',
  'POST /api/auth/end-session/preview',
]

/** Registers the tests of these rows, in a world of their own. Call it once, at the top of a test file. */
export async function testAccess(chosen: readonly AccessRow[]): Promise<World> {
  const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
  const signIn = signInRequests(world, await startProviderDouble())
  const { tenantId: tenant } = world
  let other: Promise<Person> | undefined
  let target: Promise<Person> | undefined
  await offerKeys(world)
  await offerWebhooks(world)
  await world.tenantAdmin() // so that the admins below are never the last

  for (const { name, operation, statuses } of chosen) {
    test(`${name}: each kind of caller is allowed or refused as the table says`, async () => {
      const people = await makePeople()
      const found: Record<string, string> = {}
      const isWrite = !operation.startsWith('GET ') && !unrecorded.includes(operation)
      let described: Described | undefined
      for (const column of columns) {
        const caller = people[column as keyof People] // the head of the table
        described ??= await describe(name, people)
        const { path = operation.split(' ')[1] ?? '', ...sent } = described
        const method = operation.split(' ')[0] ?? ''
        const answer = await caller.request(path, { method, ...sent })
        found[column] = String(answer.status)
        if (isWrite && answer.status < 400) described = undefined // the caller has changed
        const isSignedOut = operation === 'POST /api/auth/sign-out' && ['nobody', 'ended'].includes(column)
        assert.equal(
          await isRecorded(answer),
          isWrite && answer.status < 400 && !isSignedOut,
          `${name} by ${column}: a change, and nothing else, leaves an entry in the audit log`,
        )
      }
      assert.deepEqual(found, Object.fromEntries(columns.map((column, index) => [column, statuses[index]])))
    })
  }

  test("every statement on a tenant's table names the tenant", async () => {
    const walled = await world.postgres.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity`,
    )
    const mention = new RegExp(
      `\\b(?:from|join|update|into)\\s+(?:${walled.map(({ name }) => name).join('|')})\\b`,
      'g',
    )
    const condition = /\btenant_id\s*=\s*(?:\$\d+|\w+\.(?:tenant_)?id)\b|(?<!on conflict )\(tenant_id[,)]/g
    const statements = await sentStatements()
    assert.ok(statements.length > 60, `only ${statements.length} statements were sent`)
    for (const text of statements) {
      const [mentions, conditions] = [mention, condition].map((pattern) => [...text.matchAll(pattern)].length)
      assert.ok((conditions ?? 0) >= (mentions ?? 0), `without tenant_id: ${text}`)
    }
  })

  return world

  async function isRecorded({ headers }: Answer): Promise<boolean> {
    const entries = await world.postgres.query('select from audit_entries where request_id = $1', [
      headers.get('x-request-id'),
    ])
    return entries.length > 0
  }

  /** The prepared statements of the service's connections: all statements that it has sent. */
  async function sentStatements(): Promise<string[]> {
    let arrived = 0
    const connections = 10
    const prepared = await Promise.all(
      Array.from({ length: connections }, () =>
        world.database.acrossTenants(async (sql) => {
          for (arrived++; arrived < connections; ) await setTimeout(5) // so that each query uses another connection
          return sql<{ statement: string }>`select statement from pg_prepared_statements`
        }),
      ),
    )
    return [...new Set(prepared.flat().map(({ statement }) => statement))]
  }

  async function makePeople(): Promise<People> {
    const [outsider, member, admin, owner, tenantAdmin] = await Promise.all([
      world.person('Otto'),
      world.person('Mia'),
      world.person('Ada'),
      world.person('Olga'),
      world.tenantAdmin(),
    ])
    const ended = await world.signIn(owner)
    await ended.post('/api/auth/sign-out')
    return { nobody: world.nobody, outsider, member, admin, owner, tenantAdmin, ended }
  }

  /** A request, on things that are created for it. */
  async function describe(name: string, people: People): Promise<Described> {
    const { outsider, member, owner } = people
    const newcomer = `new-${randomBytes(6).toString('hex')}@example.com`
    if (name.includes('{orgId}')) return inNewOrganization(name, people, newcomer)
    const signedIn = Object.values(people).filter((person): person is Person => 'id' in person)
    const onSignIn = await signIn.describe(name, signedIn, outsider)
    if (onSignIn) return onSignIn
    const onGrants = await grantRequest(world, name, await otherOwner())
    if (onGrants) return onGrants
    const onAuthorization = await authorizationRequest(world, name)
    if (onAuthorization) return onAuthorization
    const onKeys = await keyRequest(name, people)
    if (onKeys) return onKeys
    if (name.includes('/api/admin/webhooks')) await world.postgres.query('delete from webhooks') // there is room for twenty
    const onWebhooks = await webhookRequest(name, people.tenantAdmin)
    if (onWebhooks) return onWebhooks
    const onApplications = await applicationAdminRequest(name, people.tenantAdmin)
    if (onApplications) return onApplications
    const onMembership = await membershipRequest(name, await otherOwner())
    if (onMembership) return onMembership
    switch (name) {
      case 'GET /api/mailbox (with its key)':
        return { path: '/api/mailbox', headers: { 'guildhall-mailbox-key': mailboxKey } }
      case 'POST /api/auth/sign-up':
        return { body: { email: newcomer, password } }
      case 'POST /api/auth/sign-in':
        return { body: { email: outsider.email, password } }
      case "POST /api/auth/verify-email (with the outsider's token)":
        await world.postgres.query('update users set email_verified = false where id = $1', [outsider.id])
        return {
          body: { token: makeMailedToken(world.keyring, 'verify_email', { tenant, id: outsider.id, generation: 1 }) },
        }
      case 'POST /api/auth/verify-email/resend':
        await world.postgres.query('update users set email_verified = false where id = any($1)', [
          signedIn.map(({ id }) => id),
        ])
        return {}
      case 'POST /api/auth/forgot-password':
        return { body: { email: newcomer } }
      case 'POST /api/auth/reset-password':
        return {
          body: { token: await mailedTokenOf(world, tenant, outsider, 'reset_password'), newPassword: password },
        }
      case 'POST /api/auth/undo-email-change':
        return { body: { token: await mailedTokenOf(world, tenant, outsider, 'email_changed') } }
      case 'POST /api/auth/end-session':
      case 'POST /api/auth/end-session/preview': {
        const rita = await world.person('Rita')
        const [session] = await world.postgres.query<{ id: string }>('select id from sessions where user_id = $1', [
          rita.id,
        ])
        const row = { tenant, id: session?.id ?? '', generation: 1 }
        return { body: { token: makeMailedToken(world.keyring, 'end_session', row) } }
      }
      case 'POST /api/setup': {
        const { id } = await world.tenant() // one without an admin
        const { token, hash } = newToken('ghu', id)
        await world.postgres.query(`insert into set_up_links values ($1, $2, now() + interval '1 hour')`, [id, hash])
        return { body: { token, email: newcomer, password } }
      }
      case 'PATCH /api/users/me':
        return { body: { name: `New ${newcomer.slice(0, 9)}` } }
      case 'PATCH /api/users/me (another address)':
        return { body: { email: newcomer, currentPassword: password } }
      case 'DELETE /api/users/me (the owner has members)':
        await makeOrganization({ owner, member: await world.person('Max') })
        return { body: { password } }
      case 'DELETE /api/users/me/devices':
        for (const person of signedIn) await world.signIn(person)
        return {}
      case 'POST /api/users/me/password':
        return { body: { currentPassword: password, newPassword: 'quite another passphrase' } }
      case "DELETE /api/users/me/devices/{deviceId} (the outsider's)": {
        const [device] = await world.postgres.query<{ id: string }>('select id from sessions where user_id = $1', [
          outsider.id,
        ])
        return { path: `/api/users/me/devices/${device?.id}` }
      }
      case 'POST /api/organizations':
        return { body: { name: 'Acme' } }
      case 'POST /api/invites/{inviteId}/preview': {
        const { inviteId } = await makeOrganization({ owner, member, invited: newcomer })
        const token = makeMailedToken(world.keyring, 'invitation', { tenant, id: inviteId, generation: 1 })
        return { path: `/api/invites/${inviteId}/preview`, body: { token } }
      }
      case 'POST /api/invites/{inviteId}/accept':
      case 'POST /api/invites/{inviteId}/decline': {
        const { inviteId } = await makeOrganization({ owner, member, invited: outsider.email })
        return { path: `/api/invites/${inviteId}/${name.split('/').at(-1)}` }
      }
      case 'POST /api/admin/users':
        return { body: { email: newcomer } }
      case 'POST /api/admin/users (an admin)':
        return { body: { email: newcomer, role: 'admin', currentPassword: password } }
      case 'PATCH /api/admin/users/{userId}':
        return { path: `/api/admin/users/${outsider.id}`, body: { appMetadata: { plan: 'team' } } }
      case 'PATCH /api/admin/users/{userId} (to admin)':
        return { path: `/api/admin/users/${outsider.id}`, body: { role: 'admin', currentPassword: password } }
      case 'PATCH /api/admin/users/{userId} (suspended)':
        return { path: `/api/admin/users/${outsider.id}`, body: { status: 'suspended' } }
      case 'DELETE /api/admin/users/{userId}/devices/{deviceId}': {
        const [device] = await world.postgres.query<{ id: string }>('select id from sessions where user_id = $1', [
          outsider.id,
        ])
        return { path: `/api/admin/users/${outsider.id}/devices/${device?.id}` }
      }
      case 'PUT /api/users/me/avatar':
      case 'PUT /api/admin/tenant/logo':
        return { body: aPicture }
      case 'DELETE /api/users/me/avatar':
        await world.postgres.query(`update users set avatar_url = 'https://example.com/a.png'`)
        return {}
      case 'DELETE /api/admin/tenant/logo':
        await world.postgres.query(`update tenants set logo_url = 'https://example.com/a.png'`)
        return {}
      case 'PATCH /api/admin/tenant':
        return { body: { brand: { color: '#0f766e' } } }
      default:
        if (name.includes('/admin/users/{userId}'))
          return { path: name.split(' ')[1]?.replace('{userId}', outsider.id) ?? '' }
        return {}
    }
  }

  async function inNewOrganization(
    name: string,
    { owner, admin, member }: People,
    newcomer: string,
  ): Promise<Described> {
    const { id, slug, inviteId } = await makeOrganization({ owner, admin, member, invited: newcomer })
    // With another owner, no cell is about the last one.
    const [other, target] = [await otherOwner(), await otherMember()]
    const otherId = await world.join(owner, id, other, 'owner').then((membership) => membership.id)
    const targetId = await world.join(owner, id, target).then((membership) => membership.id)
    const memberId = name.includes('(oneself)') ? 'me' : /\((an|to an) owner\)/.test(name) ? otherId : targetId
    const path = (name.split(' ')[1] ?? '')
      .replace('{orgId}', id)
      .replace('{memberId}', memberId)
      .replace('{inviteId}', inviteId)
      .replace('{permission}', 'organization:update')
      .replace('{linkId}', name.includes('{linkId}') ? (await makeLink(owner, id)).id : '')
      .replace(
        '{keyId}',
        name.includes('{keyId}') ? (await requestKey(owner, `/api/organizations/${id}/keys`)).key.id : '',
      )
      .replace(
        '{webhookId}',
        name.includes('{webhookId}')
          ? (await requestWebhook(owner, `/api/organizations/${id}/webhooks`)).webhook.id
          : '',
      )
    if (name.includes('/keys')) return { path, ...bodyOfKeyRequest(name) }
    if (name.includes('/webhooks')) return { path, ...bodyOfWebhookRequest(name) }
    if (name.startsWith('PATCH') && name.includes('/members/'))
      return {
        path,
        body: { role: name.endsWith('(to owner)') ? 'owner' : name.endsWith('(an owner)') ? 'member' : 'admin' },
      }
    if (name.startsWith('PUT')) return { path, body: aPicture }
    if (name.endsWith('/logo')) {
      await owner.patch(`/api/organizations/${id}`, { logoUrl: 'https://example.com/a.png' })
      return { path }
    }
    if (name.startsWith('PATCH')) return { path, body: { name: 'Renamed' } }
    if (name.includes('/transfer')) return { path, body: { memberId } }
    if (name.startsWith('DELETE') && name.endsWith('/organizations/{orgId}')) return { path, body: { confirm: slug } }
    if (name.startsWith('POST') && name.endsWith('/members')) {
      const { id: userId } = await world.person('Nia')
      return { path, body: { userId } }
    }
    if (name.endsWith('/bulk')) return { path, body: { invites: [{ email: `x-${newcomer}` }] } }
    if (name.startsWith('POST') && name.endsWith('/links')) return { path, body: {} }
    if (name.startsWith('POST') && name.includes('/invites') && !name.includes('{inviteId}'))
      return { path, body: { email: `x-${newcomer}`, ...(name.endsWith('(as an owner)') && { role: 'owner' }) } }
    return { path }
  }

  function otherOwner(): Promise<Person> {
    other ??= world.person('Ove')
    return other
  }
  function otherMember(): Promise<Person> {
    target ??= world.person('Tom')
    return target
  }

  /** An organization with these members, and an invitation. */
  async function makeOrganization(wanted: {
    readonly owner: Person
    readonly admin?: Person
    readonly member?: Person
    readonly invited?: string
  }): Promise<{ id: string; slug: string; inviteId: string }> {
    const { owner, admin, member, invited } = wanted
    const { body } = await owner.post('/api/organizations', { name: `Acme ${randomBytes(5).toString('hex')}` })
    if (admin) await world.join(owner, body.id, admin, 'admin')
    if (member) await world.join(owner, body.id, member)
    if (!invited) return { id: body.id, slug: body.slug, inviteId: '' }
    const invitation = await owner.post(`/api/organizations/${body.id}/invites`, { email: invited })
    return { id: body.id, slug: body.slug, inviteId: invitation.body.id }
  }
}
