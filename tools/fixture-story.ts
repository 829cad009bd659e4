/**
 * The story of the fixtures: people of two tenants, with organizations, invitations, addresses, passwords and devices that changed. What a
 * migration adds belongs in it. Everything in it is asked for over HTTP, but for tenants, which the operator makes, and for an import.
 */
import assert from 'node:assert/strict'
import { renewSetUpLink } from '../src/features/tenants/set-up.ts'
import { createTenant, getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { importUsers } from '../src/process/transfer/users.ts'
import { aPicture } from '../test/pictures.ts'
import type { Double } from '../test/provider-double.ts'
import { type Answer, Client, type Json, password, type RequestOptions, type World } from '../test/world.ts'
import { playApplications } from './fixture-applications.ts'
import { playKeys } from './fixture-keys.ts'
import { playMembership } from './fixture-membership.ts'
import { playSignIn } from './fixture-sign-in.ts'
import { playWebhooks } from './fixture-webhooks.ts'

export const newPassword = 'another good passphrase'

export type Story = Awaited<ReturnType<typeof play>>

/**
 * @param double stands for GitHub
 * @param settle called after each request: waits until nothing of it is left to be done
 */
export async function play(world: World, double: Double, settle: () => Promise<void>) {
  class Asking extends Client {
    override async request(path: string, options?: RequestOptions): Promise<Answer> {
      const answer = await super.request(path, options)
      await settle()
      return answer
    }
  }
  const nobody = new Asking(world, {})
  const inTenant = (slug: string) => new Asking(world, { 'guildhall-tenant': slug })
  const owner = (token: string) => new Asking(world, { authorization: `Bearer ${token}` })
  const mailed = (email: string, page: string, tenant = 'default') => world.mailedToken(email, page, tenant)
  const setUp = async (slug: string, email: string) => {
    const link = await renewSetUpLink(world.database, world.app.config, await getTenantBySlug(world.database, slug))
    const token = link?.split('#token=')[1]
    const { session } = done(await nobody.post('/api/setup', { token, email, password, name: 'Tess Tenant' }))
    return owner(session.token)
  }
  const join = async (name: string, tenant = 'default') => {
    const email = `${name.toLowerCase()}@example.com`
    const { session, user } = done(await inTenant(tenant).post('/api/auth/sign-up', { email, password, name }))
    const person = Object.assign(owner(session.token), { email, id: user.id as string })
    done(await person.post('/api/auth/verify-email', { token: await mailed(email, 'verify-email', tenant) }))
    return person
  }
  const invite = async (inviter: Client, path: string, email: string, role = 'member') =>
    done(await inviter.post(`${path}/invites`, { email, role }))

  await createTenant(world.database, { slug: 'shop', name: 'The Shop', domains: ['shop.example'] })
  // Somebody whose password another product has hashed: by bcrypt.
  const { id: shopId } = await getTenantBySlug(world.database, 'shop')
  const ivy = {
    externalId: '4711',
    email: 'ivy@example.com',
    emailVerified: true,
    metadata: {},
    appMetadata: {},
    role: 'user',
    status: 'active',
    passwordHash: '$2b$04$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm',
  } as const
  await world.database.inTenant(shopId, (sql) => importUsers(sql, world.app, [{ number: 1, content: ivy }], false))
  const tess = await setUp('default', 'tess@example.com')
  const tom = await setUp('shop', 'tom@example.com')
  done(
    await tom.patch('/api/admin/tenant', {
      name: 'The Old Shop',
      brand: { color: '#7a3b12' },
      sessionIdleSeconds: 864_000,
      mailCodes: true,
      tokenSeconds: 600,
      tokenAudiences: ['https://notes.example.com'],
    }),
  )
  const ann = await join('Ann')
  const ben = await join('Ben')
  const cleo = await join('Cleo')
  const dan = await join('Dan')
  const eve = await join('Eve')
  const gus = await join('Gus')
  const sam = await join('Sam', 'shop')

  // Organizations, with members who came and went, and invitations in every state.
  done(await ann.patch('/api/users/me', { locale: 'de-CH', timeZone: 'Europe/Zurich', metadata: { plan: 'gold' } }))
  const creation = { path: '/api/organizations', body: { name: 'Acme', metadata: { size: 3 } } }
  const keyed = { ...ann.headers, 'idempotency-key': '"the-key-of-acme"' }
  const acme = done(await ann.post(creation.path, creation.body, keyed))
  const path = `/api/organizations/${acme.id}`
  done(await ann.patch(path, { name: 'Acme Works', logoUrl: 'https://example.com/acme.png' }))
  done(await ann.put('/api/users/me/avatar', aPicture))
  done(await tom.put('/api/admin/tenant/logo', aPicture))
  for (const [person, role] of [
    [ben, 'admin'],
    [cleo, 'member'],
    [dan, 'member'],
    [eve, 'member'],
    [gus, 'member'],
  ] as const) {
    const { id } = await invite(ann, path, person.email, role)
    done(await person.post(`/api/invites/${id}/accept`))
  }
  const { data: members } = done(await ann.get(`${path}/members`))
  const memberOf = (person: { id: string }) =>
    `${path}/members/${members.find((member: Json) => member.user.id === person.id).id}`
  done(await ann.patch(memberOf(cleo), { role: 'admin' }))
  done(await dan.delete(`${path}/members/me`))
  done(await ben.delete(memberOf(eve)))
  done(await dan.post(`/api/invites/${(await invite(ben, path, dan.email)).id}/decline`))
  done(await ben.delete(`${path}/invites/${(await invite(ben, path, 'revoked@example.com')).id}`))
  const expired = await invite(ben, path, 'expired@example.com')
  const pending = await invite(ann, path, eve.email, 'admin')
  done(await ann.post(`${path}/invites/${pending.id}/resend`))
  const hall = done(await ann.post('/api/organizations', { name: 'Hall' }))
  const { member } = done(
    await ben.post(`/api/invites/${(await invite(ann, `/api/organizations/${hall.id}`, ben.email)).id}/accept`),
  )
  done(await ann.post(`/api/organizations/${hall.id}/transfer`, { memberId: member.id }))
  const gone = done(await ann.post('/api/organizations', { name: 'Gone' }))
  done(await ann.delete(`/api/organizations/${gone.id}`, { confirm: gone.slug }))
  const shop = done(await sam.post('/api/organizations', { name: 'Acme' }))
  await invite(sam, `/api/organizations/${shop.id}`, 'ann@example.com')

  // Accounts: addresses, passwords and sessions that changed.
  done(await gus.delete('/api/users/me', { password }))
  for (const [person, email] of [
    [ann, 'ann@example.org'],
    [cleo, 'cleo@example.org'],
  ] as const)
    done(await person.patch('/api/users/me', { email, currentPassword: password }))
  done(await cleo.post('/api/auth/verify-email', { token: await mailed('cleo@example.org', 'verify-email') }))
  const signIn = async (email: string) => {
    const { session } = done(await nobody.post('/api/auth/sign-in', { email, password }))
    return { ...session, client: owner(session.token) }
  }
  done(await ann.delete(`/api/users/me/devices/${(await signIn(ann.email)).device.id}`))
  done(await (await signIn(ann.email)).client.post('/api/auth/sign-out'))
  const annElsewhere = await signIn(ann.email)
  done(await eve.patch('/api/users/me', { email: 'eve@example.org', currentPassword: password }))
  done(await nobody.post('/api/auth/undo-email-change', { token: await mailed(eve.email, 'undo-email-change') }))
  const reset = { token: await mailed(eve.email, 'reset-password'), newPassword }
  done(await nobody.post('/api/auth/reset-password', reset))
  done(await ben.post('/api/users/me/password', { currentPassword: password, newPassword }))
  const wrong = await nobody.post('/api/auth/sign-in', { email: dan.email, password: 'not the one of Dan' })
  assert.equal(wrong.status, 401)
  done(await nobody.post('/api/auth/forgot-password', { email: dan.email }))
  const danResets = { token: await mailed(dan.email, 'reset-password'), newPassword }
  const ida = done(
    await tess.post('/api/admin/users', {
      email: 'ida@example.com',
      name: 'Ida',
      role: 'admin',
      currentPassword: password,
    }),
  )
  for (const change of [{ role: 'user' }, { status: 'suspended' }, { status: 'active' }, { status: 'suspended' }])
    done(await tess.patch(`/api/admin/users/${ida.id}`, change))
  await playMembership({ tess, ann, cleo, join, done, settle, now: Date.now })
  const keys = await playKeys({ world, tess, ann, join, owner, done })
  await playApplications({ world, tess, join, done })
  const hooked = await playWebhooks({ world, tess, ann, done })
  const signingIn = await playSignIn({ nobody, tess, join, owner, done }, double)
  const preview = { id: pending.id as string, body: { token: await mailed(eve.email, 'invitation') } }

  return {
    people: { ann, annElsewhere: annElsewhere.client, ben, cleo, dan, eve, ida, ivy, sam, tess, tom },
    paths: {
      acme: path,
      hall: `/api/organizations/${hall.id}`,
      shop: `/api/organizations/${shop.id}`,
      pending: `${path}/invites/${pending.id}`,
      annInAcme: memberOf(ann),
      hooked,
    },
    creation: { ...creation, headers: keyed, answer: acme },
    expired,
    signingIn,
    keys,
    preview,
    danResets,
  }
}

export function done({ status, body }: Answer): Json {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
  return body
}
