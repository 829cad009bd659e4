/** Every operation of the contract, through the client, on the real service. Each answer is checked against the contract. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renewSetUpLink } from '../../src/features/tenants/set-up.ts'
import { unfold } from '../../test/contract.ts'
import { createWorld, type Json, password } from '../../test/world.ts'
import { createGuildhall, type Guildhall, invitationIdOf } from './index.ts'

const world = await createWorld({ worker: true })
const { contract, url } = world

/** The operations that the client leaves out, each with its reason. */
const leftOut: Readonly<Record<string, string>> = {
  'GET /api/mailbox': 'for people who develop, on the page /mailbox',
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
  await guildhall.auth.endSession({ token: await mailed(ann.email, 'end-session') })
  assert.deepEqual((await itemsOf(ann.as.me.devices.list())).length, 1)

  const eve = await signUp('eve')
  await eve.as.auth.resendVerification()
  await guildhall.auth.forgotPassword({ email: eve.email })

  const bob = await signUp('bob')
  await bob.as.auth.verifyEmail({ token: await mailed(bob.email, 'verify-email') })
  await bob.as.me.update({ email: 'robert@example.com', currentPassword: password })
  await guildhall.auth.undoEmailChange({ token: await mailed(bob.email, 'undo-email-change') })
  await guildhall.auth.resetPassword({ token: await mailed(bob.email, 'reset-password'), newPassword })
  return ann.as
}

async function lookAfterOneself(me: Guildhall['me']): Promise<void> {
  const { etag } = await me.get()
  assert.equal((await me.update({ name: 'Ann of Acme' }, { ifMatch: etag })).name, 'Ann of Acme')
  assert.deepEqual(await me.changePassword({ currentPassword: password, newPassword }), { endedSessions: 0 })
  assert.equal((await me.deletionImpact()).counts.memberships, 0)
  assert.equal((await itemsOf(me.audit.list({ action: ['profile.*', 'password.changed'] }))).length, 2)
  const { session } = await guildhall.auth.signIn({ email: 'ann@example.com', password: newPassword })
  assert.equal((await me.devices.end(session.device.id)).id, session.device.id)
  assert.deepEqual(await me.devices.endOthers(), { endedSessions: 0 })
}

async function shareAnOrganization({ organizations }: Guildhall): Promise<void> {
  const { id, etag } = await organizations.create({ name: 'Acme' })
  const { slug } = await organizations.update(id, { name: 'Acme & Co.', slug: 'acme-co' }, { ifMatch: etag })
  const [listed] = await itemsOf(organizations.list({ role: 'owner' }))
  const { etag: _, ...read } = await organizations.get(slug)
  assert.deepEqual(listed, read)

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
  await members.remove(id, 'me')
  const confirm = { confirm: slug }
  const { etag: last } = await cleo.as.organizations.get(id)
  assert.ok((await cleo.as.organizations.delete(id, confirm, { ifMatch: last })).deleted)
}

async function administer(admin: Guildhall['admin'], ann: Guildhall): Promise<void> {
  const settings = await admin.tenant.get()
  assert.equal((await admin.tenant.update({ name: 'The Shop' }, { ifMatch: settings.etag })).name, 'The Shop')

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
  const { id: inviteId } = await ann.organizations.invitations.create(id, { email: 'cleo@example.com' })
  const { session } = await guildhall.auth.signIn({ email: 'cleo@example.com', password })
  const { member } = await guildhall.withToken(session.token).invitations.accept(inviteId)
  assert.equal((await admin.organizations.transfer(id, { memberId: member.id })).to.id, member.id)
  assert.equal((await itemsOf(admin.organizations.members.list(id))).length, 2)
  assert.equal((await itemsOf(admin.organizations.list({ query: 'Widg' }))).length, 1)
  const found = await admin.organizations.get(id)
  assert.equal(found.role, null)
  assert.ok((await admin.organizations.delete(id, { confirm: slug }, { ifMatch: found.etag })).deleted)
  const provider = await admin.providers.create({ type: 'github', name: 'GitHub', clientId: 'guildhall' })
  const named = await admin.providers.update(provider.id, { name: 'Git' }, { ifMatch: provider.etag })
  assert.equal((await admin.providers.get(provider.id)).name, 'Git')
  assert.equal((await itemsOf(admin.providers.list())).length, 1)
  assert.ok((await admin.providers.delete(provider.id, { confirm: 'Git' }, { ifMatch: named.etag })).deleted)
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
