/** The page of an invitation, which its mail links to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { type Organization, password } from '../../test/world.ts'

const world = await createConsoleWorld()
const newAddress = () => `new-${Math.random().toString(36).slice(2)}@example.com`

async function invite({ ann, path }: Organization, email: string, role = 'member') {
  const { status, body } = await ann.post(`${path}/invites`, { email, role })
  assert.equal(status, 201)
  return body
}

/** Until they are there, texts have another font, and other lines. */
const fontsEnd = 'document.fonts.ready.then(() => undefined)'

test('an invited person without an account sees inviter and organization, signs up and joins with a verified address', async (t) => {
  const acme = await world.organization()
  const email = newAddress()
  await invite(acme, email, 'admin')
  const { page, openMailed, check } = await world.tab(t, { width: 390 })
  await acme.ann.patch('/api/users/me', { name: null })
  await openMailed(email, 'invitation')
  await page.getByText(/^You’ve been invited to Acme.* as an admin\./).waitFor()
  await acme.ann.patch('/api/users/me', { name: 'Ann' })
  await page.reload()
  await page.getByText('Ann invited you as an admin.').waitFor()
  await page.getByText('You’ll be able to manage its members and settings.').waitFor()
  assert.equal(await page.getByLabel('Email').inputValue(), email)
  await check()
  // On a phone, the picture of the organization is above the heading, which has all of the width.
  const [heading, field] = [await page.getByRole('heading').boundingBox(), await page.getByLabel('Email').boundingBox()]
  assert.equal(heading?.x, field?.x)
  await page.getByLabel('Name').fill('Nora')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account and join' }).click()

  await page.waitForURL(`**/organizations/${acme.slug}`)
  assert.equal(await page.getByText('isn’t verified yet').count(), 0)
  const { body } = await acme.ann.get(`${acme.path}/members?query=${email}`)
  assert.deepEqual([body.data[0].role, body.data[0].user.name], ['admin', 'Nora'])
})

test('a long word of the organization is not broken to make room for the picture', async (t) => {
  const acme = await world.organization()
  await acme.ann.patch(acme.path, { name: 'Donaudampfschifffahrt' })
  await invite(acme, acme.dan.email)
  const { page, openMailed } = await world.tab(t, { person: acme.dan })
  await openMailed(acme.dan.email, 'invitation')
  const [heading, button] = [page.getByRole('heading'), page.getByRole('button', { name: 'Accept invitation' })]
  await button.waitFor()
  assert.equal((await heading.boundingBox())?.x, (await button.boundingBox())?.x)
})

test('all of an invitation is on the screen of a small laptop', async (t) => {
  const acme = await world.organization()
  const email = newAddress()
  await invite(acme, email)
  const { page, openMailed } = await world.tab(t)
  await page.setViewportSize({ width: 1366, height: 768 })
  await openMailed(email, 'invitation')
  await page.getByText('If you weren’t expecting this').waitFor()
  await page.evaluate(fontsEnd)
  assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), 768)
})

test('an invited person with an account signs in and joins; no form is offered that cannot succeed', async (t) => {
  const acme = await world.organization()
  await invite(acme, acme.dan.email)
  const { page, openMailed, check } = await world.tab(t)
  await openMailed(acme.dan.email, 'invitation')
  await check()
  await page.getByText('ask for an invitation to that address').waitFor()
  assert.equal(await page.getByText(/sign up|create (an )?account/i).count(), 0)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in and join' }).click()
  await page.getByText('This is not your current password.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in and join' }).click()
  await page.waitForURL(`**/organizations/${acme.slug}`)
  await page.getByText(/^You joined Acme/).waitFor()
})

test('somebody who signs in to join an organization that is full reads why they have not joined', async (t) => {
  const acme = await world.organization()
  await invite(acme, acme.dan.email)
  const limit = async (memberLimit: number) =>
    assert.equal((await admin.patch(`/api/admin/organizations/${acme.id}`, { memberLimit })).status, 200)
  const admin = await world.tenantAdmin()
  await limit(1)
  const { page, openMailed, check } = await world.tab(t)
  await openMailed(acme.dan.email, 'invitation')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in and join' }).click()
  const alert = page.getByRole('alert').and(page.locator(':focus'))
  await alert.getByText('This organization is full').waitFor()
  await page.getByText(`Signed in as ${acme.dan.email}`).waitFor()
  await check()
  await limit(100)
  await page.getByRole('button', { name: 'Accept invitation' }).click()
  await page.waitForURL(`**/organizations/${acme.slug}`)
})

test('the page says which roles an invited person would have, and until when', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const permissions = [{ key: 'invoices:write', name: 'Write invoices' }]
  const roles = ['Billing', 'Reports'].map((name) => ({
    key: name.toLowerCase(),
    name,
    permissions: ['invoices:write'],
  }))
  await tess.put('/api/admin/access', { permissions, roles })
  const { ann, dan, path } = await world.organization({ tenant })
  const year = new Date().getFullYear() + 1
  const { status } = await ann.post(`${path}/invites`, {
    email: dan.email,
    grants: [{ role: 'billing', expiresAt: `${year}-01-31T12:00:00Z` }, { role: 'reports' }],
    memberExpiresAt: `${year}-03-03T12:00:00Z`,
  })
  assert.equal(status, 201)
  const { page, openMailed, check } = await world.tab(t, { tenant, width: 390 })
  await openMailed(dan.email, 'invitation')
  const offer = `Member with Billing until 31 January ${year} and Reports, until 3 March ${year}`
  await page.getByText(offer).waitFor()
  await check()
})

test('where a mailed code signs in, an invited person joins without a password', async (t) => {
  const { slug: tenant } = await world.tenant()
  await world.postgres.query('update tenants set mail_codes = true where slug = $1', [tenant])
  const acme = await world.organization({ tenant })
  const email = newAddress()
  await invite(acme, email)
  const { page, openMailed } = await world.tab(t, { tenant, width: 390 })
  await openMailed(email, 'invitation')
  await page.getByLabel('Name').fill('Nora')
  await page.getByRole('button', { name: 'Sign up without a password' }).click()
  await page.getByText('we’ll email you a code').waitFor()
  assert.equal(await page.getByText('Choose a password to').count(), 0, 'the page asks for none')
  await page.getByRole('button', { name: 'Create account and join' }).click()
  await page.waitForURL(`**/organizations/${acme.slug}`)
  const { body } = await acme.ann.get(`${acme.path}/members?query=${email}`)
  assert.equal(body.data[0].user.name, 'Nora')
  const [user] = await world.postgres.query<{ hash: string | null }>(
    'select password_hash as hash from users where email = $1',
    [email],
  )
  assert.equal(user?.hash, null)
})

test('if sign-up is closed, the page tells an invited person without an account whom to ask', async (t) => {
  const { slug: tenant } = await world.tenant()
  const acme = await world.organization({ tenant })
  const email = newAddress()
  await invite(acme, email)
  const { page, openMailed } = await world.tab(t, { tenant })
  await openMailed(email, 'invitation')
  // The policy changes while the page is open.
  const closed = await (await world.tenantAdmin(tenant)).patch('/api/admin/tenant', { signUp: 'closed' })
  assert.equal(closed.status, 200)
  await page.getByLabel('Name').fill('Nora')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account and join' }).click()
  await page.getByText('Another Tenant isn’t accepting new accounts').waitFor()
  await page.getByText(`${email} doesn’t have one. Ask an admin of Another Tenant`).waitFor()
  assert.equal(await page.getByLabel('Password', { exact: true }).count(), 0)
})

test('the signed-in invited person joins with one click, which also verifies the address', async (t) => {
  const acme = await world.organization()
  const nora = await world.person('Nora', { verified: false })
  await invite(acme, nora.email)
  const { page, openMailed, check } = await world.tab(t, { person: nora })
  await openMailed(nora.email, 'invitation')
  await check()
  await page.getByRole('button', { name: 'Accept invitation' }).click()
  await page.waitForURL((url) => url.pathname === `/organizations/${acme.slug}` && url.hash === '')
  assert.equal((await nora.get('/api/users/me')).body.emailVerified, true)

  await openMailed(nora.email, 'invitation')
  await page.getByRole('heading', { name: 'You’re already a member of Acme' }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Go to Acme' }).click()
  await page.waitForURL(`**/organizations/${acme.slug}`)

  await acme.ann.delete(`${acme.path}/members/${(await nora.get(`${acme.path}/members/me`)).body.id}`)
  await openMailed(nora.email, 'invitation')
  await page.getByRole('heading', { name: 'This invitation was already used' }).waitFor()
  await page.getByRole('link', { name: 'Go to your organizations' }).click()
  await page.waitForURL('**/organizations')
})

test('a used invitation that cannot be read now is read again by a button, and says who is a member', async (t) => {
  const acme = await world.organization()
  const { id } = await invite(acme, acme.dan.email)
  await world.mailedToken(acme.dan.email, 'invitation') // an accepted invitation is not mailed
  assert.equal((await acme.dan.post(`/api/invites/${id}/accept`)).status, 200)
  const { page, openMailed, check } = await world.tab(t, { person: acme.dan })
  await page.route('**/accept', (route) => route.abort('internetdisconnected'))
  await openMailed(acme.dan.email, 'invitation')
  const again = page.getByRole('main').getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.getByText('The service can’t be reached').waitFor()
  await check()
  await page.unroute('**/accept')
  await again.click()
  await page.getByRole('heading', { name: 'You’re already a member of Acme' }).waitFor()
})

test('the page says who is signed in if it is somebody else, and continues as the invited person', async (t) => {
  const acme = await world.organization()
  await invite(acme, acme.dan.email)
  const { page, openMailed, check } = await world.tab(t, { person: acme.cleo })
  await openMailed(acme.dan.email, 'invitation')
  await page.getByText(`It was sent to ${acme.dan.email}, but you are signed in as ${acme.cleo.email}.`).waitFor()
  await check()
  await page.getByRole('button', { name: 'Switch account' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in and join' }).click()
  await page.waitForURL(`**/organizations/${acme.slug}`)
})

test('the button that answers is above the fold of a small laptop, for every visitor', async (t) => {
  const acme = await world.organization()
  const email = newAddress()
  await invite(acme, email, 'admin')
  await invite(acme, acme.dan.email, 'admin')
  const { page, openMailed, become } = await world.tab(t)
  await page.setViewportSize({ width: 1366, height: 768 })
  const check = async (name: string) => {
    const button = page.getByRole('button', { name })
    await button.waitFor()
    await page.evaluate(fontsEnd)
    const box = await button.boundingBox()
    assert.ok(box && box.y + box.height <= 768, `${name}: ${JSON.stringify(box)}`)
  }
  await openMailed(email, 'invitation')
  await check('Create account and join')
  await openMailed(acme.dan.email, 'invitation')
  await check('Sign in and join')
  await become(acme.dan)
  await openMailed(acme.dan.email, 'invitation')
  await check('Accept invitation')
  await become(acme.cleo)
  await openMailed(acme.dan.email, 'invitation')
  await check('Switch account')
})

test('the signed-in invited person who is somebody else switches the account on the page', async (t) => {
  const acme = await world.organization()
  await invite(acme, acme.dan.email)
  const { page, openMailed, check } = await world.tab(t, { person: acme.dan, width: 390 })
  await openMailed(acme.dan.email, 'invitation')
  await page.getByText('Not you?').waitFor()
  await check()
  await page.getByRole('button', { name: 'Switch account' }).click()
  await page.getByRole('button', { name: 'Sign in and join' }).waitFor()
})

test('declining asks first, and then the link says that the invitation was declined', async (t) => {
  const acme = await world.organization()
  const { id } = await invite(acme, acme.dan.email)
  const { page, openMailed, check } = await world.tab(t, { person: acme.dan })
  await openMailed(acme.dan.email, 'invitation')
  await page.getByRole('button', { name: 'Decline' }).click()
  const dialog = page.getByRole('dialog', { name: 'Decline the invitation?' })
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('heading', { name: 'Invitation declined' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Invitation declined' }).waitFor()
  assert.equal((await acme.ann.get(`${acme.path}/invites/${id}`)).body.status, 'declined')

  await openMailed(acme.dan.email, 'invitation')
  await page.getByRole('heading', { name: 'This invitation was declined' }).waitFor()
})

test('an invitation that is revoked while its page is open says so when it is accepted', async (t) => {
  const acme = await world.organization()
  const { id } = await invite(acme, acme.dan.email)
  const { page, openMailed } = await world.tab(t, { person: acme.dan })
  await openMailed(acme.dan.email, 'invitation')
  const accept = page.getByRole('button', { name: 'Accept invitation' })
  await accept.waitFor()
  await acme.ann.delete(`${acme.path}/invites/${id}`)
  await accept.click()
  await page.getByRole('heading', { name: 'This invitation was revoked' }).waitFor()
  assert.equal(await accept.count(), 0)
})

test('an expired, revoked or replaced invitation says so, and what to do', async (t) => {
  const acme = await world.organization()
  const [expired, revoked, resent] = [newAddress(), newAddress(), newAddress()]
  const { id: expiredId } = await invite(acme, expired)
  const { id: revokedId } = await invite(acme, revoked)
  const { id: resentId } = await invite(acme, resent)
  const replaced = await world.mailedToken(resent, 'invitation')
  await Promise.all([world.mailedToken(expired, 'invitation'), world.mailedToken(revoked, 'invitation')])
  await world.postgres.query(
    `update invitations set expires_at = now() - interval '1 second' where email = $1 returning id`,
    [expired],
  )
  assert.equal((await acme.ann.get(`${acme.path}/invites/${expiredId}`)).body.status, 'expired')
  await acme.ann.delete(`${acme.path}/invites/${revokedId}`)
  await acme.ann.post(`${acme.path}/invites/${resentId}/resend`)
  const { page, open, openMailed, check } = await world.tab(t)
  await openMailed(expired, 'invitation')
  await page.getByRole('heading', { name: 'This invitation has expired' }).waitFor()
  await openMailed(revoked, 'invitation')
  await page.getByRole('heading', { name: 'This invitation was revoked' }).waitFor()
  await open(`/invitation#token=${replaced}`)
  await page.getByRole('heading', { name: 'This invitation can’t be opened' }).waitFor()
  await page.getByText('If you got a newer email, use the link in that one').waitFor()
  await check()
})

test('on a phone, a long name stays on the page, and a long address beside its picture', async (t) => {
  const acme = await world.organization()
  await acme.ann.patch(acme.path, { name: 'Hohenzollern-Schaumburger Donaudampfschifffahrtsgesellschaft' })
  const email = `maximiliane.von-der-hohenzollern-schaumburg.${newAddress()}`
  const person = await world.person('Maximiliane', { email })
  await invite(acme, email)
  const { page, openMailed } = await world.tab(t, { person, width: 390 })
  await openMailed(email, 'invitation')
  const words = await page.getByText(`Signed in as ${email}`).boundingBox()
  const title = await page.getByRole('heading', { level: 1 }).boundingBox()
  assert.ok(words && title && words.x >= title.x + 28 && title.x + title.width <= 390, JSON.stringify({ words, title }))
})
