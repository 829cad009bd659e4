/** Every operation of the contract, through the client, on the real service. Each answer is checked against the contract. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeAt } from '../../src/domain/credentials/totp.ts'
import { renewSetUpLink } from '../../src/features/tenants/set-up.ts'
import { newAuthenticator } from '../../test/authenticator.ts'
import { unfold } from '../../test/contract.ts'
import { createGuildhall } from '../../test/patient-client.ts'
import { aPicture } from '../../test/pictures.ts'
import { startProviderDouble } from '../../test/provider-double.ts'
import { passkeyOrigin } from '../../test/sign-in.ts'
import { createWorld, type Json, password } from '../../test/world.ts'
import { type Attempt, type Guildhall, invitationIdOf, SignInIncomplete, withConfirmation } from './index.ts'

const world = await createWorld({ worker: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const { contract, url } = world

/** The operations that the client leaves out, each with its reason. */
const leftOut: Readonly<Record<string, string>> = {
  'GET /api/mailbox': 'for people who develop, on the page /mailbox',
  'GET /api/organizations/{orgId}/check/{permission}':
    'for proxies, before they forward a request; `check` asks the other one',
  'GET /api/tenants/{tenantId}/.well-known/openid-configuration': 'for verifiers that follow OpenID Connect Discovery',
  'GET /api/tenants/{tenantId}/jwks.json': 'for verifiers; that of `@guildhall/client/tokens` reads it by itself',
  'POST /api/tenants/{tenantId}/token': 'for applications, which use a client of OpenID Connect',
  'POST /api/tenants/{tenantId}/revoke': 'the same',
  'GET /api/tenants/{tenantId}/userinfo': 'the same',
  'POST /api/tenants/{tenantId}/userinfo': 'the same',
  'GET /api/tenants/{tenantId}/authorize': 'for browsers that an application has sent',
  'POST /api/tenants/{tenantId}/authorize': 'for browsers that an application has sent',
  'GET /api/tenants/{tenantId}/end-session': 'for browsers that an application has sent',
  'POST /api/tenants/{tenantId}/end-session': 'for browsers that an application has sent',
  'POST /api/auth/authorize': 'for the pages of the service',
  'POST /api/auth/authorize/preview': 'for the pages of the service',
  'POST /api/auth/sign-out/preview': 'for the pages of the service',
  'GET /livez': 'for what starts and stops the service',
  'GET /readyz': 'for what sends it requests',
}

/** The operations that succeeded. */
const done: { readonly operation: string; readonly headers: Headers }[] = []

async function fetchAndNote(request: Request, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(request, init)
  const path = request.url.slice(url.length)
  const text = await response.clone().text()
  const { status, headers } = response
  contract.check(request.method, path, { status, headers, body: text === '' ? '' : JSON.parse(text) })
  if (response.ok)
    done.push({ operation: contract.operationOf(request.method, path) ?? path, headers: request.headers })
  return response
}

/** As a browser sends it from a page of the service. */
function fetchFromPage(request: Request, init?: RequestInit): Promise<Response> {
  request.headers.set('sec-fetch-site', 'same-origin')
  return fetchAndNote(request, init)
}

const tenant = await world.tenant()
const shared = { url, tenant: tenant.slug }
const guildhall = createGuildhall({ ...shared, fetch: fetchAndNote })
const mailed = (email: string, page: string) => world.mailedToken(email, page, tenant.slug)
const picture = new Blob([aPicture], { type: 'image/png' })
const newPassword = `${password} anew`

async function signUp(name: string, invitationToken?: string) {
  const email = `${name}@example.com`
  const body = { email, password, name, ...(invitationToken && { invitationToken }) }
  const { user, session } = await guildhall.auth.signUp(body)
  return { email, id: user.id, as: guildhall.withToken(session.token) }
}

async function itemsOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

async function signInAndOut(): Promise<Guildhall> {
  const ann = await signUp('ann')
  assert.deepEqual(await ann.as.auth.verifyEmail({ token: await mailed(ann.email, 'verify-email') }), {
    email: ann.email,
    emailVerified: true,
  })

  const page = createGuildhall({ ...shared, session: 'cookie', fetch: fetchFromPage })
  const { session } = await page.auth.signIn({ email: ann.email, password })
  assert.ok(!('token' in session), 'it is a cookie')
  const token = await mailed(ann.email, 'end-session')
  const { signedInAt } = await guildhall.auth.previewEndSession({ token })
  assert.ok(Date.parse(signedInAt) <= Date.now())
  await guildhall.auth.endSession({ token })
  assert.deepEqual((await itemsOf(ann.as.me.devices.list())).length, 1)

  const eve = await signUp('eve')
  await eve.as.auth.resendVerification()
  await guildhall.auth.forgotPassword({ email: eve.email })

  const bob = await signUp('bob')
  await bob.as.auth.verifyEmail({ token: await mailed(bob.email, 'verify-email') })
  await bob.as.me.update({ email: 'robert@example.com', currentPassword: password })
  await guildhall.auth.undoEmailChange({ token: await mailed(bob.email, 'undo-email-change') })
  const reset = await guildhall.auth.resetPassword({ token: await mailed(bob.email, 'reset-password'), newPassword })
  assert.deepEqual(reset, { email: bob.email })
  return ann.as
}

async function lookAfterOneself(me: Guildhall['me']): Promise<void> {
  const { etag } = await me.get()
  const named = await me.update({ name: 'Ann of Acme' }, { ifMatch: etag })
  assert.equal(named.name, 'Ann of Acme')
  const { avatarUrl, etag: pictured } = await me.avatar.upload(picture, { ifMatch: named.etag })
  assert.match(avatarUrl ?? '', /\/pictures\/ten_/)
  assert.equal((await me.avatar.remove({ ifMatch: pictured })).avatarUrl, null)
  assert.deepEqual(await me.changePassword({ currentPassword: password, newPassword }), { endedSessions: 0 })
  assert.equal((await me.deletionImpact()).counts.memberships, 0)
  assert.equal((await itemsOf(me.audit.list({ action: ['profile.*', 'password.changed'] }))).length, 4)
  const { session } = await guildhall.auth.signIn({ email: 'ann@example.com', password: newPassword })
  assert.equal((await me.devices.end(session.device.id)).id, session.device.id)
  assert.deepEqual(await me.devices.endOthers(), { endedSessions: 0 })
}

async function shareAnOrganization({ organizations }: Guildhall): Promise<void> {
  const { id, etag } = await organizations.create({ name: 'Acme' })
  const named = await organizations.update(id, { name: 'Acme & Co.', slug: 'acme-co' }, { ifMatch: etag })
  const { slug } = named
  const { logoUrl, etag: pictured } = await organizations.logo.upload(id, picture, { ifMatch: named.etag })
  assert.match(logoUrl ?? '', /\/pictures\/ten_/)
  assert.equal((await organizations.logo.remove(id, { ifMatch: pictured })).logoUrl, null)
  const [listed] = await itemsOf(organizations.list({ role: 'owner' }))
  const { etag: _, permissions = [], ...read } = await organizations.get(slug)
  assert.deepEqual(listed, read)
  assert.ok(permissions.includes('organization:delete'))

  const invited = await organizations.invitations.create(id, { email: 'cleo@example.com', role: 'admin' })
  const token = await mailed('cleo@example.com', 'invitation')
  assert.equal(invitationIdOf(token), invited.id)
  assert.equal((await guildhall.invitations.preview(invited.id, { token })).organization.name, 'Acme & Co.')
  const cleo = await signUp('cleo', token)
  assert.equal((await itemsOf(cleo.as.me.invitations.list())).length, 1)
  const { member } = await cleo.as.invitations.accept(invited.id)

  const dan = await organizations.invitations.create(id, { email: 'dan@example.com' })
  await organizations.invitations.resend(id, dan.id)
  const again = await organizations.invitations.get(id, dan.id)
  assert.equal((await organizations.invitations.revoke(id, dan.id, { ifMatch: again.etag })).status, 'revoked')
  const declined = await organizations.invitations.create(id, { email: 'bob@example.com' })
  const { session } = await guildhall.auth.signIn({ email: 'bob@example.com', password: newPassword })
  assert.equal((await guildhall.withToken(session.token).invitations.decline(declined.id)).status, 'declined')
  assert.equal((await itemsOf(organizations.invitations.list(id, { status: 'declined' }))).length, 1)

  const { members } = organizations
  assert.equal((await members.update(id, member.id, { role: 'member' })).role, 'member')
  const { from, to } = await organizations.transfer(id, { memberId: member.id })
  assert.deepEqual([from.role, to.role], ['admin', 'owner'])
  assert.equal((await members.get(id, from.id)).user.name, 'Ann of Acme')
  assert.equal((await members.get(id, 'me')).id, from.id)
  assert.deepEqual(await itemsOf(members.list(id, { userId: to.user.id })), [to])
  assert.deepEqual(
    (await itemsOf(members.list(id, { sort: 'name' }))).map(({ role }) => role),
    ['admin', 'owner'],
  )
  assert.ok((await itemsOf(organizations.audit.list(id))).length > 5)
  const { data, nextAfter } = await organizations.events.read(id, { types: ['organization.created'] })
  assert.equal(data[0]?.id, (await itemsOf(organizations.audit.list(id))).at(-1)?.id)
  assert.ok(nextAfter > 0)
  await members.remove(id, 'me')
  const confirm = { confirm: slug }
  const { etag: last } = await cleo.as.organizations.get(id)
  assert.ok((await cleo.as.organizations.delete(id, confirm, { ifMatch: last })).deleted)
}

/** Roles of the product, granted to members, invited people and by a link, and what they may do then. */
async function useRoles(ann: Guildhall, admin: Guildhall['admin']): Promise<void> {
  const { organizations } = ann
  const { id, slug } = await organizations.create({ name: 'Roles' })
  const { etag } = await admin.access.get()
  const permissions = [{ key: 'notes:delete', name: 'Delete notes' }]
  const model = { permissions, roles: [{ key: 'editor', name: 'Editor', permissions: ['notes:delete'] }] }
  assert.deepEqual((await admin.access.replace(model, { dryRun: true })).changes.added, ['notes:delete', 'editor'])
  const { changes, ...replaced } = await admin.access.replace(model, { ifMatch: etag })
  assert.equal(changes.affectedMembers > 0, true)
  assert.deepEqual(await admin.access.get(), replaced)
  const roles = await itemsOf(organizations.roles.list(id))
  assert.deepEqual(roles.map(({ key, mayGrant }) => [key, mayGrant]).at(-1), ['editor', true])

  const { results } = await organizations.invitations.bulk(id, {
    invites: [{ email: 'cleo@example.com', grants: [{ role: 'editor' }], mail: false }, { email: 'ann@example.com' }],
  })
  const [sent, refused] = results
  assert.deepEqual([sent?.outcome, sent?.invitation?.mailed, refused?.outcome], ['sent', false, 'already_a_member'])
  const link = await organizations.links.create(id, { maxUses: 2 })
  assert.deepEqual(await organizations.links.get(id, link.id), link)
  const token = new URL(link.url ?? '').hash.replace('#token=', '')
  assert.equal((await guildhall.links.preview({ token })).organization.id, id)
  const { session } = await guildhall.auth.signIn({ email: 'bob@example.com', password: newPassword })
  const bob = guildhall.withToken(session.token)
  const { member } = await bob.links.join({ token })
  assert.equal((await organizations.links.end(id, link.id)).endedBecause, 'revoked')
  assert.equal((await itemsOf(organizations.links.list(id)))[0]?.uses, 1)

  assert.equal(await bob.check(id, 'notes:delete'), false)
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  await organizations.members.update(id, member.id, { grants: [{ role: 'editor', expiresAt }] })
  assert.equal(await bob.check<'notes:delete'>(id, 'notes:delete'), true)
  const lines = ['notes:delete', 'notes:burn', 'members:update'].map((permission) => ({
    organizationId: id,
    permission,
  }))
  assert.deepEqual(await bob.check(lines), [
    { allowed: true, until: expiresAt },
    { allowed: false, reason: 'unknown_permission' },
    { allowed: false, reason: 'not_granted' },
  ])
  const own = await bob.organizations.members.me(id)
  const { organization, permissions: held } = await bob.caller({ organization: slug })
  assert.deepEqual([organization?.id, held.includes('notes:delete')], [id, true])
  assert.equal((await bob.caller()).organization, null)
  const key = await world.key(['credentials:verify'], { tenant: tenant.slug })
  const backend = createGuildhall({ url, key: key.token, fetch: fetchAndNote })
  const asked = { credential: session.token ?? '', organization: id, permissions: ['notes:delete'] }
  const verification = await backend.credentials.verify(asked)
  assert.ok(verification.valid && verification.caller.organization?.id === id)
  assert.match((await bob.tokens.create({ organization: id })).token, /^(?:[\w-]+\.){2}[\w-]+$/)
  assert.deepEqual([own.id, own.permissions.includes('notes:delete')], [member.id, true])
  const dropped = await admin.access.replace({ permissions: [], roles: [] }, { drop: ['notes:delete', 'editor'] })
  assert.deepEqual(dropped.changes.removed, ['notes:delete', 'editor'])
  await bob.auth.signOut()
  await organizations.delete(id, { confirm: slug })
}

/** Keys of oneself, of an organization and of the tenant. */
async function useKeys(ann: Guildhall, admin: Guildhall['admin']): Promise<void> {
  await admin.tenant.update({ personalKeys: true, organizationKeys: true })
  const { id: orgId, slug } = await ann.organizations.create({ name: 'Keys' })
  const { id: userId } = await ann.me.get()
  const wanted = { name: 'Import', scopes: ['members:read', 'members:update'] }
  const own = ann.me.keys
  const ofOrganization = ann.organizations.keys
  const { key: one } = await own.create({ ...wanted, organizationId: orgId })
  const { key: two } = await ofOrganization.create(orgId, wanted)
  const { key: three, secret } = await admin.keys.create(wanted)
  assert.ok(secret.endsWith(three.secrets[0]?.hint ?? 'none'))

  const narrower = { scopes: ['members:read'] }
  const narrowed = await own.update(one.id, narrower, { ifMatch: (await own.get(one.id)).etag })
  assert.deepEqual([narrowed.scopes, narrowed.owner.id], [['members:read'], userId])
  const { etag } = await ofOrganization.get(orgId, two.id)
  assert.deepEqual((await ofOrganization.update(orgId, two.id, narrower, { ifMatch: etag })).owner.id, orgId)
  const { etag: first } = await admin.keys.get(three.id)
  const changed = await admin.keys.update(three.id, narrower, { ifMatch: first })
  assert.equal(changed.owner.type, 'tenant')

  assert.equal((await own.rotate(one.id)).key.secrets.length, 2)
  assert.equal((await ofOrganization.rotate(orgId, two.id, { overlapSeconds: 0 })).key.secrets.length, 1)
  assert.equal((await admin.keys.rotate(three.id)).key.holder?.name, null)

  const lists = [
    own.list(),
    ofOrganization.list(orgId),
    admin.keys.list({ status: 'active' }),
    admin.users.keys.list(userId),
  ]
  const ids = await Promise.all(lists.map(async (list) => (await itemsOf(list)).map(({ id }) => id)))
  assert.deepEqual([ids[0], ids[1], ids[3]], [[one.id], [two.id], [one.id]])
  assert.ok(ids[2]?.includes(three.id))

  const { etag: last } = await own.get(one.id)
  assert.equal((await own.end(one.id, { ifMatch: last })).status, 'ended')
  const again = await own.create(wanted)
  const ended = await admin.users.keys.end(userId, again.key.id, { ifMatch: (await own.get(again.key.id)).etag })
  assert.equal(ended.endedBecause, 'revoked')
  const ofTwo = await ofOrganization.get(orgId, two.id)
  assert.equal((await ofOrganization.end(orgId, two.id, { ifMatch: ofTwo.etag })).status, 'ended')
  const ofThree = await admin.keys.get(three.id)
  assert.equal((await admin.keys.end(three.id, { ifMatch: ofThree.etag })).status, 'ended')
  await ann.organizations.delete(orgId, { confirm: slug })
}

/** Webhooks of an organization and of the tenant. */
async function useWebhooks(ann: Guildhall, admin: Guildhall['admin']): Promise<void> {
  await admin.tenant.update({ organizationWebhooks: true })
  const { id: orgId, slug } = await ann.organizations.create({ name: 'Webhooks' })
  const wanted = { name: 'Billing', url: 'https://billing.example.com/guildhall', types: ['member.*'] as const }
  const [ofTenant, ofOrganization] = [admin.webhooks, ann.organizations.webhooks]
  const { webhook: one, secret } = await ofTenant.create({ ...wanted, types: [...wanted.types] })
  const { webhook: two } = await ofOrganization.create(orgId, { ...wanted, types: [] })
  assert.match(secret, /^whsec_/)
  assert.deepEqual([one.organizationId, two.organizationId], [null, orgId])

  const { etag } = await ofTenant.get(one.id)
  assert.equal((await ofTenant.update(one.id, { name: 'Bills' }, { ifMatch: etag })).name, 'Bills')
  const { etag: ofTwo } = await ofOrganization.get(orgId, two.id)
  const disabled = await ofOrganization.update(orgId, two.id, { status: 'disabled' }, { ifMatch: ofTwo })
  assert.equal(disabled.disabledBecause, 'person')
  await ofOrganization.update(orgId, two.id, { status: 'active' })
  assert.equal((await ofTenant.rotate(one.id)).webhook.secrets.length, 2)
  assert.equal((await ofOrganization.rotate(orgId, two.id, { overlapSeconds: 0 })).webhook.secrets.length, 1)

  await ofTenant.test(one.id)
  await ofOrganization.test(orgId, two.id)
  assert.equal((await ofTenant.retry(one.id)).retried, 0)
  assert.equal((await ofOrganization.retry(orgId, two.id, { sequences: [1] })).retried, 0)
  const filters = { status: 'failed' } as const
  assert.deepEqual(await itemsOf(ofTenant.deliveries(one.id, filters)), [])
  assert.deepEqual(await itemsOf(ofOrganization.deliveries(orgId, two.id, filters)), [])
  assert.deepEqual(
    (await itemsOf(ofOrganization.list(orgId))).map(({ id }) => id),
    [two.id],
  )
  assert.deepEqual(
    (await itemsOf(ofTenant.list())).map(({ id }) => id),
    [one.id],
  )

  const { etag: last } = await ofTenant.get(one.id)
  assert.ok((await ofTenant.delete(one.id, { ifMatch: last })).deleted)
  const { etag: lastOfTwo } = await ofOrganization.get(orgId, two.id)
  assert.ok((await ofOrganization.delete(orgId, two.id, { ifMatch: lastOfTwo })).deleted)
  await ann.organizations.delete(orgId, { confirm: slug })
}

/** @returns the attempt of a sign-in that is not complete */
async function attemptOf(signIn: Promise<unknown>): Promise<Attempt> {
  const error = await signIn.catch((reason: unknown) => reason)
  assert.ok(error instanceof SignInIncomplete, String(error))
  return error.attempt
}

/** Adds an authenticator app and a passkey, and signs in and confirms with them. */
async function useFactors(): Promise<{ readonly id: string; readonly as: Guildhall }> {
  const gus = await signUp('gus')
  await gus.as.auth.verifyEmail({ token: await mailed(gus.email, 'verify-email') })
  await world.postgres.query(`update sessions set authenticated_at = now() - interval '1 hour' where user_id = $1`, [
    gus.id,
  ])
  const { as, app } = await withConfirmation(
    async (client = gus.as) => ({ as: client, app: await client.me.factors.setUp({ type: 'totp' }) }),
    async () => guildhall.withToken((await gus.as.auth.confirm({ password })).session.token),
  )
  const { factors } = as.me
  const step = Math.floor(Date.now() / 30_000)
  const { setup, secret } = app
  const added = await factors.add({ type: 'totp', setup, code: codeAt(secret, step) })
  assert.equal(added.recoveryCodes?.length, 10)
  assert.equal((await factors.rename(added.factor.id, { name: 'Phone' })).name, 'Phone')
  const { codes } = await as.me.recoveryCodes.create()

  const next = await attemptOf(guildhall.auth.signIn({ email: gus.email, password }))
  assert.deepEqual([next.next, next.methods], ['second_factor', ['totp', 'recovery_code']])
  const { user } = await guildhall.auth.continue({ attempt: next.token, recoveryCode: codes[0] ?? '' })
  assert.equal(user.id, gus.id)

  const key = newAuthenticator(-7, { origin: passkeyOrigin })
  const { options } = await factors.setUp({ type: 'passkey' })
  const { factor } = await factors.add({ type: 'passkey', credential: key.create(options) })
  assert.equal(factor.canSignIn, true)
  const asked = await guildhall.auth.passkeyOptions()
  const { session } = await guildhall.auth.signInWithPasskey({ credential: key.get(asked.options) })
  assert.equal(session.device.assurance, 2)
  assert.equal((await as.me.removePassword()).endedSessions, 2)

  const confirming = await attemptOf(as.auth.confirm())
  const { options: own } = await as.auth.passkeyOptions({ attempt: confirming.token })
  const confirmed = await as.auth.continue({ attempt: confirming.token, credential: key.get(own) })
  const again = guildhall.withToken(confirmed.session.token)
  await again.me.factors.remove(added.factor.id)
  assert.deepEqual((await again.me.factors.list()).data, [
    { ...factor, lastUsedAt: confirmed.session.device.authenticatedAt },
  ])
  return { id: gus.id, as: again }
}

/** Signs in at a provider, by a mailed code, and links an account. */
async function useProvider({ tenant, providers, users }: Guildhall['admin'], gus: Guildhall): Promise<void> {
  const added = await providers.create({ type: 'oidc', name: 'Login', issuer: double.origin, clientId: 'guildhall' })
  const { etag } = await tenant.get()
  assert.equal((await tenant.update({ mailCodes: true }, { ifMatch: etag })).mailCodes, true)
  const { signIn } = await guildhall.tenant.get()
  assert.deepEqual(signIn.providers, [{ id: added.id, type: 'oidc', name: 'Login' }])

  double.claims = { sub: 'hal', email: 'hal@example.com', email_verified: true, name: 'Hal' }
  const visit = await guildhall.auth.startProvider({ providerId: added.id })
  const proof = {
    attempt: visit.attempt.token,
    callback: { ...double.signIn(visit.url), redirectUri: added.callbackUrl },
  }
  const { user } = await guildhall.auth.continue(proof)
  assert.deepEqual([user.name, user.hasPassword], ['Hal', false])
  const { attempt } = await guildhall.auth.requestCode({ email: user.email })
  assert.deepEqual(attempt.methods, ['mail_code'])

  double.claims = { sub: 'gus', email: 'gus@example.org' }
  const linking = await gus.me.identities.start({ providerId: added.id })
  const { identities } = gus.me
  const callback = { ...double.signIn(linking.url), redirectUri: added.callbackUrl }
  const linked = await identities.link({ attempt: linking.attempt.token, callback })
  assert.equal(linked.email, 'gus@example.org')
  assert.deepEqual(await itemsOf(identities.list()), [linked])
  assert.equal((await identities.unlink(linked.id)).id, linked.id)

  const [own] = await itemsOf(users.identities.list(user.id))
  assert.ok(own)
  assert.equal((await users.identities.unlink(user.id, own.id)).email, user.email)
}

async function resetFactors({ users }: Guildhall['admin'], id: string): Promise<void> {
  const { data } = await users.factors.list(id)
  assert.equal(data.length, 1)
  assert.deepEqual(await users.factors.reset(id), { removed: 1, endedSessions: 1 })
}

/** What an admin of the tenant does in an organization in the owner's place. */
async function helpMembers({ organizations, users }: Guildhall['admin'], id: string, userId: string): Promise<void> {
  const { members, invitations, roles } = organizations
  assert.equal(
    (await itemsOf(roles.list(id))).every(({ mayGrant }) => mayGrant),
    true,
  )
  const [bob] = await itemsOf(members.list(id, { userId }))
  assert.ok(bob)
  assert.equal((await members.update(id, bob.id, { role: 'admin' })).role, 'admin')
  assert.ok((await members.get(id, bob.id)).permissions?.includes('members:update'))
  assert.equal((await users.deletionImpact(userId)).counts.memberships, 1)
  assert.equal((await members.remove(id, bob.id)).id, bob.id)
  const sent = await invitations.create(id, { email: 'gil@example.com' })
  const { results } = await invitations.bulk(id, { invites: [{ email: 'gil@example.com' }] })
  assert.equal(results[0]?.outcome, 'already_invited')
  const { etag } = await invitations.resend(id, sent.id)
  assert.equal((await invitations.get(id, sent.id)).etag, etag)
  assert.equal((await invitations.revoke(id, sent.id, { ifMatch: etag })).status, 'revoked')
  assert.equal((await itemsOf(invitations.list(id, { status: 'revoked' }))).length, 1)
}

async function administer(admin: Guildhall['admin'], ann: Guildhall): Promise<void> {
  const settings = await admin.tenant.get()
  const named = await admin.tenant.update({ name: 'The Shop' }, { ifMatch: settings.etag })
  assert.equal(named.name, 'The Shop')
  const { brand, etag: pictured } = await admin.tenant.logo.upload(picture, { ifMatch: named.etag })
  assert.match(brand.logoUrl ?? '', /\/pictures\/ten_/)
  assert.equal((await admin.tenant.logo.remove({ ifMatch: pictured })).brand.logoUrl, null)

  const made = await admin.users.create({ email: 'fay@example.com', name: 'Fay' })
  const fay = await admin.users.get(made.id)
  const { etag } = await admin.users.update(fay.id, { appMetadata: { plan: 'team' } }, { ifMatch: fay.etag })
  assert.deepEqual(await itemsOf(admin.users.devices.list(fay.id)), [])
  assert.ok((await admin.users.delete(fay.id, { ifMatch: etag })).deleted)
  const [bob] = await itemsOf(admin.users.list({ query: 'bob', sort: 'email' }))
  const [device] = bob ? await itemsOf(admin.users.devices.list(bob.id)) : []
  assert.ok(bob && device)
  await admin.users.devices.end(bob.id, device.id)
  assert.deepEqual(await admin.users.devices.endAll(bob.id), { endedSessions: 0 })

  const { id, slug } = await ann.organizations.create({ name: 'Widgets' })
  const given = await admin.organizations.create({ name: 'Given', ownerId: (await ann.me.get()).id })
  const limited = await admin.organizations.update(given.id, { memberLimit: 5 }, { ifMatch: given.etag })
  assert.equal(limited.memberLimit, 5)
  const logo = await admin.organizations.logo.upload(given.id, picture, { ifMatch: limited.etag })
  assert.match(logo.logoUrl ?? '', /\/pictures\/ten_/)
  assert.equal((await admin.organizations.logo.remove(given.id, { ifMatch: logo.etag })).logoUrl, null)
  assert.equal((await admin.organizations.members.add(given.id, { userId: bob.id })).role, 'member')
  await helpMembers(admin, given.id, bob.id)
  assert.ok((await admin.organizations.delete(given.id, { confirm: given.slug })).deleted)
  const { id: inviteId } = await ann.organizations.invitations.create(id, { email: 'cleo@example.com' })
  const { session } = await guildhall.auth.signIn({ email: 'cleo@example.com', password })
  const { member } = await guildhall.withToken(session.token).invitations.accept(inviteId)
  assert.equal((await admin.organizations.transfer(id, { memberId: member.id })).to.id, member.id)
  assert.equal((await itemsOf(admin.organizations.members.list(id))).length, 2)
  assert.equal((await itemsOf(admin.organizations.list({ query: 'Widg', id: [id, given.id] }))).length, 1)
  const found = await admin.organizations.get(id)
  assert.equal(found.role, null)
  assert.ok((await admin.organizations.delete(id, { confirm: slug }, { ifMatch: found.etag })).deleted)
  const provider = await admin.providers.create({ type: 'github', name: 'GitHub', clientId: 'guildhall' })
  const renamed = await admin.providers.update(provider.id, { name: 'Git' }, { ifMatch: provider.etag })
  assert.equal((await admin.providers.get(provider.id)).name, 'Git')
  const names = (await itemsOf(admin.providers.list())).map(({ name }) => name)
  assert.deepEqual(names, ['Login', 'Git'])
  assert.ok((await admin.providers.delete(provider.id, { confirm: 'Git' }, { ifMatch: renamed.etag })).deleted)
  const { application, secret } = await admin.applications.create({
    name: 'Notes',
    kind: 'server',
    redirectUris: ['https://notes.example.com/callback'],
  })
  const rotated = await admin.applications.rotateSecret(application.id, { overlapSeconds: 0 })
  assert.ok(secret && rotated.secret && secret !== rotated.secret)
  const read = await admin.applications.get(application.id)
  const home = await admin.applications.update(application.id, { isHome: true }, { ifMatch: read.etag })
  assert.equal((await guildhall.tenant.get()).homeApplication?.id, application.id)
  assert.equal((await itemsOf(admin.applications.list()))[0]?.isHome, true)
  const confirmed = { confirm: 'Notes' }
  assert.ok((await admin.applications.delete(application.id, confirmed, { ifMatch: home.etag })).deleted)
  assert.equal((await admin.events.read({ types: ['application.deleted'] })).data[0]?.type, 'application.deleted')
  const [entry] = await itemsOf(admin.audit.list({ action: ['organization.deleted'], userId: bob.id }))
  assert.equal(entry, undefined)
}

test('the client reaches every operation of the contract with its headers, except for the listed ones', async () => {
  assert.equal((await guildhall.tenant.get()).slug, tenant.slug)
  const token = (await renewSetUpLink(world.database, world.app.config, tenant))?.split('#token=')[1] ?? ''
  const first = await guildhall.auth.setUp({ token, email: 'tess@example.com', password })
  const ann = await signInAndOut()
  await lookAfterOneself(ann.me)
  await shareAnOrganization(ann)
  const tess = guildhall.withToken(first.session.token)
  await useRoles(ann, tess.admin)
  await useKeys(ann, tess.admin)
  await useWebhooks(ann, tess.admin)
  const gus = await useFactors()
  await useProvider(tess.admin, gus.as)
  await resetFactors(tess.admin, gus.id)
  await administer(tess.admin, ann)
  const { etag } = await ann.me.get()
  assert.ok((await ann.me.delete({ password: newPassword }, { ifMatch: etag })).deleted)
  await tess.auth.signOut()

  const reached = new Set(done.map(({ operation }) => operation))
  assert.deepEqual([...reached, ...Object.keys(leftOut)].sort(), [...contract.operations].sort())

  const { paths } = unfold(world.app.swagger())
  const operations = contract.operations.map((operation) => {
    const [method = '', path = ''] = operation.split(' ')
    const { parameters = [] } = paths[path][method.toLowerCase()]
    return { operation, takes: parameters.map(({ name }: Json) => name) }
  })
  const taking = (header: string) =>
    operations.filter(({ takes }) => takes.includes(header)).map((each) => each.operation)
  const sent = (header: string) => [
    ...new Set(done.filter(({ headers }) => headers.has(header)).map((each) => each.operation)),
  ]

  assert.deepEqual(sent('If-Match').sort(), taking('If-Match').sort())
  assert.deepEqual(sent('Idempotency-Key').sort(), taking('Idempotency-Key').sort())
  const keys = done.flatMap(({ headers }) => headers.get('Idempotency-Key') ?? [])
  assert.equal(new Set(keys).size, keys.length, 'each call has its own key')
})
