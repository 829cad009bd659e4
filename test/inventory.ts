/**
 * An inventory: a tenant with a caller of every kind, and with everything that a request can name. It is for requests that may do anything
 * to it. They contain placeholders such as `~orgId~` and `~outsider~`, and get another inventory when this one is damaged.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { makeMailedToken, newToken } from '../src/domain/access/tokens.ts'
import { mailReset, mailToken } from '../src/domain/credentials/mailed-tokens.ts'
import { linkedMails } from '../src/domain/mail/account.ts'
import { addMember } from '../src/domain/organizations/memberships.ts'
import { newId, uuidToTenantId } from '../src/platform/http/schemas.ts'
import { requestApplication } from './application-requests.ts'
import { newAuthenticator } from './authenticator.ts'
import { sealRequests } from './authorizations.ts'
import { keepFresh } from './freshness.ts'
import { makeKeys, offerKeys } from './key-requests.ts'
import { makeLink } from './membership-requests.ts'
import type { Double } from './provider-double.ts'
import { addPasskey, enrol, passkeyOrigin } from './sign-in.ts'
import { makeWebhooks, offerWebhooks, webhookUrl } from './webhook-requests.ts'
import { type Client, type Json, mailboxKey, type Person, password, type World } from './world.ts'

export interface Inventory {
  readonly callers: Readonly<Record<CallerKind, Client>>
  /** The values of the placeholders. */
  readonly values: Readonly<Record<string, string>>
  /** Whether every caller is still of their kind, and no link is used. */
  isWhole(): Promise<boolean>
}

export const callerKinds = [
  'nobody',
  'ended',
  'newcomer',
  'outsider',
  'enrolled',
  'member',
  'admin',
  'owner',
  'tenantAdmin',
  'tenantKey',
] as const
/**
 * `newcomer` has an unverified address, `outsider` is invited into the organization, `enrolled` has a second factor, `ended` had a session
 * that has ended, and `tenantKey` is a key that verifies credentials.
 */
export type CallerKind = (typeof callerKinds)[number]

/** @param double a provider that the world lets requests go to; without it nothing can be linked */
export async function makeInventory(world: World, double?: Double): Promise<Inventory> {
  const [{ id: tenant, slug }, unowned] = await Promise.all([world.tenant(), world.tenant()])
  const named = { tenant: slug }
  const [ann, ben, cleo, dan, eve, fay, gus, tess] = await Promise.all([
    world.person('Ann', named),
    world.person('Ben', named),
    world.person('Cleo', named),
    world.person('Dan', named),
    world.person('Eve', { ...named, verified: false }),
    world.person('Fay', named),
    world.person('Gus', named),
    world.tenantAdmin(slug),
    world.tenantAdmin(slug), // so that the other is not the last
  ])
  const { body: organization } = await ann.post('/api/organizations', { name: `Acme ${slug}` })
  const orgId: string = organization.id
  const memberId = await world.database.inTenant(tenant, async (sql) => {
    const [id, memberId] = [newId('mem'), newId('mem')]
    await addMember(sql, { id, organizationId: orgId, userId: ben.id, role: 'admin', invitedBy: ann.id })
    await addMember(sql, { id: memberId, organizationId: orgId, userId: cleo.id, role: 'member', invitedBy: ann.id })
    return memberId
  })
  const { body: invitation } = await ann.post(`/api/organizations/${orgId}/invites`, { email: dan.email })
  const link = await makeLink(ann, orgId)
  await offerKeys(world, slug)
  const keys = await makeKeys(ann, { owner: ann, orgId, admin: tess })
  const tenantKey = await world.key(['credentials:verify'], named)
  const { body: provider } = await tess.post('/api/admin/providers', {
    type: 'github',
    name: 'GitHub',
    clientId: 'guildhall',
  })
  const { application } = await requestApplication(tess)
  await offerWebhooks(world, slug)
  const webhooks = await makeWebhooks({ owner: ann, orgId, admin: tess })
  await ann.post('/api/tokens') // makes the signing key, so that the keys of the tenant can be read
  await world.postgres.query('update sessions set ended_at = now() where user_id = $1', [fay.id])
  const [device] = await world.postgres.query<{ id: string }>('select id from sessions where user_id = $1', [cleo.id])
  const deviceId = device?.id ?? ''
  const setUp = newToken('ghu', unowned.id)
  await world.postgres.query(`insert into set_up_links values ($1, $2, now() + interval '1 hour')`, [
    unowned.id,
    setUp.hash,
  ])
  const { authorization, signOut } = await sealRequests(world, tenant)
  const waysIn = await addWaysIn(world, { tenant: { id: tenant, slug }, gus, dan, tenantAdmin: tess }, double)
  await keepFresh(world.postgres, tenant)
  const people = {
    newcomer: eve,
    outsider: dan,
    enrolled: gus,
    member: cleo,
    admin: ben,
    owner: ann,
    tenantAdmin: tess,
  }
  const values = {
    tenant: slug,
    unowned: unowned.slug,
    orgId,
    slug: organization.slug,
    memberId,
    userId: cleo.id,
    keyHolderId: ann.id,
    outsiderId: dan.id,
    inviteId: invitation.id,
    deviceId,
    providerId: provider.id,
    appId: application.id,
    applicationName: application.name,
    linkId: link.id,
    ...keys,
    ...webhooks,
    permission: 'members:read',
    invites: '[{"email":"~newEmail~"}]',
    checks: '[{"organizationId":"~orgId~","permission":"~permission~"}]',
    permissionKeys: '["members:read"]',
    applicationScopes: '["openid","email"]',
    webhookTypes: '["member.*"]',
    webhookUrl,
    redirectUris: '["https://app.example.com/callback"]',
    tenantId: uuidToTenantId(tenant),
    permissions: '[{"key":"notes:write","name":"~newText~"}]',
    roles: '[{"key":"writer","name":"~newText~","permissions":["notes:write"]}]',
    joinToken: link.token,
    authorizationRequest: authorization,
    signOutRequest: signOut,
    providerName: provider.name,
    ...waysIn,
    email: dan.email,
    password,
    mailboxKey,
    ...Object.fromEntries(Object.entries({ ...people, tenantKey }).map(([kind, { token }]) => [kind, token])),
    verifyToken: makeMailedToken(world.keyring, 'verify_email', { tenant, id: eve.id, generation: 1 }),
    resetToken: await mailedTokenOf(world, tenant, dan, 'reset_password'),
    undoToken: await mailedTokenOf(world, tenant, cleo, 'email_changed'),
    endToken: makeMailedToken(world.keyring, 'end_session', { tenant, id: deviceId, generation: 1 }),
    invitationToken: makeMailedToken(world.keyring, 'invitation', { tenant, id: invitation.id, generation: 1 }),
    setUpToken: setUp.token,
  }

  const look = async () => {
    const [row] = await world.postgres.query(lookAround, [
      tenant,
      unowned.id,
      Object.values(people).map(({ id }) => id),
    ])
    return JSON.stringify(row)
  }
  const first = await look()
  return {
    callers: { nobody: world.nobody, ended: fay, ...people, tenantKey },
    values,
    isWhole: async () => (await look()) === first,
  }
}

/** A tenant, somebody of it who has no factor yet, and somebody who is to have a passkey. */
interface Home {
  readonly tenant: { readonly id: string; readonly slug: string }
  readonly gus: Person
  readonly dan: Person
  readonly tenantAdmin: Person
}

/**
 * Gives Gus an authenticator app and a linked account, and Dan a passkey. In the tenant, mailed codes sign in.
 *
 * @param double a provider that the world lets requests go to; without it nothing can be linked
 * @returns the values of the placeholders
 */
async function addWaysIn(world: World, { tenant, gus, dan, tenantAdmin }: Home, double?: Double): Promise<Json> {
  const { query } = world.postgres
  const inTenant = { 'guildhall-tenant': tenant.slug }
  const post = async (path: string, body: Json) => (await world.nobody.post(path, body, inTenant)).body
  await query('update tenants set mail_codes = true where id = $1', [tenant.id])
  const { body: provider } = await tenantAdmin.post('/api/admin/providers', {
    ...{ type: 'oidc', name: 'Acme Login', clientId: 'guildhall' },
    issuer: double?.origin ?? 'https://login.example.com',
  })
  const identityId = newId('idn')
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, $2, $3, $4, 'x', $2)`,
    [tenant.id, identityId, gus.id, provider.id],
  )

  const { key } = await addPasskey(dan)
  const { recoveryCodes } = await enrol(world, gus)
  const [factor] = (await gus.get('/api/users/me/factors')).body.data
  const begun = await post('/api/auth/sign-in', { email: gus.email, password })
  assert.equal(begun.code, 'sign_in_incomplete')
  const asked = await post('/api/auth/passkey-options', {})
  const setUp = await gus.post('/api/users/me/factors/setup', { type: 'passkey' })
  const newKey = newAuthenticator(-7, { origin: passkeyOrigin })
  return {
    enrolledId: gus.id,
    identityId,
    factorId: factor.id,
    attempt: begun.attempt.token,
    recoveryCode: recoveryCodes[0],
    assertion: JSON.stringify(key.get(asked.options)),
    registration: JSON.stringify(newKey.create(setUp.body.options)),
    ...(double && (await beginLinking(gus, provider.id, double))),
  }
}

async function beginLinking(person: Person, providerId: string, double: Double): Promise<Json> {
  const { body } = await person.post('/api/users/me/identities/start', { providerId })
  double.claims = { sub: newId('idn') }
  return { linkAttempt: body.attempt.token, callback: JSON.stringify(double.signIn(body.url)) }
}

const lookAround = `
  select
    (select array_agg(concat(id, role, status, email, email_verified, password_hash) order by id)
     from users where tenant_id = $1 and id = any($3)) as users,
    (select array_agg(concat(id, token_hash) order by id) from sessions where tenant_id = $1 and user_id = any($3) and ended_at is null) as sessions,
    (select array_agg(concat(m.id, m.role, o.slug) order by m.id)
     from memberships m join organizations o on (o.tenant_id, o.id) = (m.tenant_id, m.organization_id)
     where m.tenant_id = $1 and (m.tenant_id, m.organization_id) in (select tenant_id, organization_id from invitations)) as members,
    (select array_agg(concat(id, status, generation) order by id) from invitations where tenant_id = $1) as invitations,
    (select array_agg(concat(id, uses, ended_at) order by id) from links where tenant_id = $1) as join_links,
    (select array_agg(concat(id, version, ended_at) order by id) from api_keys where tenant_id = $1) as keys,
    (select array_agg(concat(key, minimum_role) order by key) from permissions where tenant_id = $1) as permissions,
    (select array_agg(concat(key, permissions) order by key) from roles where tenant_id = $1) as roles,
    (select array_agg(concat(id, status, expires_at) order by id) from memberships where tenant_id = $1) as membership_states,
    (select array_agg(concat(user_id, purpose, slot, generation, spent_at) order by user_id, purpose, slot)
     from mailed_tokens where tenant_id = $1 and user_id = any($3)) as links,
    (select array_agg(concat(id, name, is_enabled) order by id) from providers where tenant_id = $1) as providers,
    (select array_agg(concat(id, version) order by id) from applications where tenant_id = $1) as applications,
    (select array_agg(concat(id, version) order by id) from webhooks where tenant_id = $1) as webhooks,
    (select array_agg(id order by id) from factors where tenant_id = $1) as factors,
    (select array_agg(id order by id) from identities where tenant_id = $1) as identities,
    (select count(*) from recovery_codes where tenant_id = $1) as recovery_codes,
    (select array_agg(concat(id, failures, is_exchanging) order by id) from attempts
     where tenant_id = $1 and user_id = any($3)) as attempts,
    (select concat(sign_up, allowed_email_domains, password_minimum, session_idle_seconds, session_absolute_seconds,
       second_factor, mail_codes)
     from tenants where id = $1) as settings,
    (select count(*) from set_up_links where tenant_id = $2) as set_up_links`

/**
 * @returns the text with the value of each `~place~`; `~newText~` and `~newEmail~` are new each time. A value that is an object or a list takes
 * the place of the string in JSON
 */
export function fillIn(text: string, { values }: Inventory): string {
  const ofObjects = text.replace(/"~(\w+)~"/g, (place, name: string) => {
    const value = values[name]
    return value && /^[{[]/.test(value) ? value : place
  })
  return ofObjects.replace(/~(\w+)~/g, (place, name: string) => {
    if (name === 'newText') return newText()
    return name === 'newEmail' ? `${newText()}@example.com` : (values[name] ?? place)
  })
}

function newText(): string {
  return `new-${randomBytes(6).toString('hex')}`
}

/** The token of a link that is mailed to somebody. */
export async function mailedTokenOf(
  { app, database, keyring, postgres }: World,
  tenant: string,
  { id, email }: Person,
  kind: 'reset_password' | 'email_changed',
): Promise<string> {
  await database.inTenant(tenant, (sql) =>
    kind === 'reset_password' ? mailReset(sql, app.config, kind, { id, email }) : mailToken(sql, kind, id, email),
  )
  const [row] = await postgres.query<{ generation: number }>(
    'select generation from mailed_tokens where user_id = $1 and purpose = $2',
    [id, linkedMails[kind].purpose],
  )
  return makeMailedToken(keyring, linkedMails[kind].purpose, { tenant, id, generation: row?.generation ?? 0 })
}
