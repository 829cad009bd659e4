/** The settings and the activity of a tenant, for its admins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { saveDuringRead } from '../../test/late-reads.ts'
import { pngOf } from '../../test/pictures.ts'
import { enrol } from '../../test/sign-in.ts'

const world = await createConsoleWorld()

test('an admin changes the name and color of the tenant, and the console shows them at once', async (t) => {
  const admin = await world.tenantAdmin()
  const { page, open, check } = await world.tab(t, { person: admin })
  await open('/admin/settings')
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  await check()
  const save = page.getByRole('button', { name: 'Save' }).first()
  assert.equal(await save.isDisabled(), true)
  await page.getByRole('textbox', { name: 'Name' }).fill('Nordlicht')
  await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
  await page.getByLabel('Color').fill('#0f766e')
  await save.click()
  await page.getByText('“Name and brand” saved.').waitFor()
  await page.getByText('Nordlicht', { exact: true }).nth(1).waitFor()
  await page.waitForFunction(() => document.title === 'Settings · Nordlicht')
  await page.waitForFunction(() => document.documentElement.style.getPropertyValue('--accent-in-light') === '#0f766e')
  await check()
  const [entry] = (await admin.get('/api/admin/audit?action=tenant.updated')).body.data
  assert.deepEqual(Object.keys(entry.details).sort(), ['brand', 'name'])
})

test('an admin changes sign-up, sessions and retention, and only changed fields are sent', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await admin.patch('/api/admin/tenant', { brand: { logoUrl: 'https://pictures.example/logo.png' } })
  const { page, open } = await world.tab(t, { person: admin, tenant: slug, width: 390 })
  await open('/admin/settings')
  const sent: string[] = []
  const versions = new Set<string | undefined>()
  page.on('request', (request) => {
    if (request.method() !== 'PATCH') return
    sent.push(request.postData() ?? '')
    versions.add(request.headers()['if-match'])
  })
  const save = page.getByRole('button', { name: 'Save' })
  await page.getByRole('radio', { name: 'Invited people' }).check()
  const domains = page
    .getByRole('combobox', { name: 'Allowed email domains' })
    .or(page.getByLabel('Allowed email domains'))
    .first()
  await domains.fill('Example.ORG')
  const outlines = await domains.evaluate((field) =>
    [field, field.closest('div.mantine-TagsInput-input')].map((each) => each && getComputedStyle(each).outlineStyle),
  )
  assert.deepEqual(outlines, ['none', 'solid'], 'the frame shows the focus')
  await page.keyboard.press('Enter')
  await save.nth(1).click()
  await page.getByText('“Sign-up” saved.').waitFor()
  await page.getByText('example.org', { exact: true }).waitFor()

  await page.getByLabel('Sign out after inactivity', { exact: true }).fill('12')
  await page.getByLabel('Unit of “Sign out after inactivity”').selectOption('hours')
  const shortest = page.getByLabel('Minimum password length')
  await shortest.fill('3')
  await save.nth(3).click()
  await shortest.and(page.locator('[aria-invalid=true]')).waitFor()
  await shortest.fill('10')
  await save.nth(3).click()
  await page.getByText('“Passwords and sessions” saved.').waitFor()

  await page.getByLabel('Keep activity for').first().fill('90')
  await page.getByRole('switch', { name: 'Show images from other servers' }).check()
  await save.nth(4).click()
  await page.getByText('“Privacy” saved.').waitFor()
  assert.equal(await page.locator('img').count(), 0) // the policy of this page refuses it
  assert.deepEqual(
    sent.map((body) => JSON.parse(body)),
    [
      { signUp: 'invited_only', allowedEmailDomains: ['Example.ORG'] },
      { passwordMinimum: 3, sessionIdleSeconds: 43_200 },
      { passwordMinimum: 10, sessionIdleSeconds: 43_200 },
      { auditRetentionSeconds: 7_776_000, remotePictures: true },
    ],
  )
  // Each section saves on top of the last one; one of the four was refused.
  assert.deepEqual([versions.size, versions.has(undefined)], [3, false])
})

test('a number is kept as it is typed, and is saved', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { page, open } = await world.tab(t, { person: admin, tenant: slug })
  await open('/admin/settings')
  const type = async (label: string, text: string) => {
    const field = page.getByLabel(label, { exact: true })
    await field.fill('')
    await field.pressSequentially(text)
    assert.equal(await field.inputValue(), text)
    return field
  }
  await (await type('Keep activity for', '30.5')).press('Enter')
  await page.getByText('“Privacy” saved.').waitFor()
  await type('Minimum password length', '012')
  await type('Sign out after inactivity', '1.05')
  await page.getByLabel('Unit of “Sign out after inactivity”').selectOption('hours')
  await (await type('Sign out after', '1.5')).press('Enter')
  await page.getByText('“Passwords and sessions” saved.').waitFor()
  const limit = await type('Member limit of an organization', '050')
  await limit.press('Enter')
  await page.getByText('“Organizations” saved.').waitFor()
  const { body } = await admin.get('/api/admin/tenant')
  assert.deepEqual(
    [body.auditRetentionSeconds, body.passwordMinimum, body.sessionIdleSeconds, body.sessionAbsoluteSeconds],
    [2_635_200, 12, 3780, 129_600],
  )
  assert.equal(body.memberLimit, 50)
  await limit.fill('')
  await limit.pressSequentially('-')
  assert.equal(await limit.inputValue(), '', 'a sign alone is no limit')
})

test('a duration out of range is refused in the words of its field, and nothing is sent', async (t) => {
  const { slug } = await world.tenant()
  const { page, open, check } = await world.tab(t, { person: await world.tenantAdmin(slug), tenant: slug })
  await open('/admin/settings')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
  for (const [label, typed, words] of [
    ['Keep events for', '100', 'Choose from 1 day to 90 days.'],
    ['Sign out after inactivity', '1000', 'Choose from 5 minutes to 400 days.'],
    ['Grace period after a holder leaves', '31', 'Choose from 0 days to 30 days.'],
    ['Tokens last for', '61', 'Choose from 1 minute to 1 hour.'],
  ] as const) {
    const field = page.getByLabel(label, { exact: true })
    await field.fill(typed)
    await field.press('Enter')
    await page.getByText(words, { exact: true }).waitFor()
    await field.and(page.locator('[aria-invalid=true]:focus')).waitFor()
  }
  await check()
  assert.deepEqual(sent, [])
})

test('a fault of one entry of a list says of which', async (t) => {
  const { slug } = await world.tenant()
  const { page, open } = await world.tab(t, { person: await world.tenantAdmin(slug), tenant: slug })
  await open('/admin/settings')
  const domains = page.getByRole('combobox', { name: 'Allowed email domains' })
  for (const domain of ['example.com', 'localhost']) {
    await domains.fill(domain)
    await domains.press('Enter')
  }
  await page.getByRole('button', { name: 'Save' }).nth(1).click()
  await page.getByText(/^“localhost”: ./).waitFor()
})

test('an admin turns links to join off, and limits how many members an organization has', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { page, open, check } = await world.tab(t, { person: admin, tenant: slug })
  await open('/admin/settings')
  const save = page.getByRole('button', { name: 'Save' }).nth(5)
  const limit = page.getByLabel('Member limit of an organization')
  await page.getByRole('switch', { name: 'Links to join' }).uncheck()
  await limit.fill('0')
  await save.click()
  await limit.and(page.locator('[aria-invalid=true]')).waitFor()
  await check()
  await limit.fill('500')
  await save.click()
  await page.getByText('“Organizations” saved.').waitFor()
  const settings = async () => {
    const { body } = await admin.get('/api/admin/tenant')
    return [body.shareLinks, body.memberLimit]
  }
  assert.deepEqual(await settings(), [false, 500])
  await limit.fill('')
  await save.click()
  await save.and(page.locator('[data-disabled=true]')).waitFor()
  assert.deepEqual(await settings(), [false, null])
})

test('an admin says how long tokens last, and for which services they are', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { page, open, check } = await world.tab(t, { person: admin, tenant: slug })
  await open('/admin/settings')
  const save = page.getByRole('button', { name: 'Save' }).nth(7)
  const length = page.getByLabel('Tokens last for', { exact: true })
  await length.fill('90')
  const services = page.getByRole('combobox', { name: 'Services that tokens are for' })
  for (const name of ['https://billing.example', 'search']) {
    await services.fill(name)
    await services.press('Enter')
  }
  await save.click()
  await length.and(page.locator('[aria-invalid=true]')).waitFor()
  await check()
  await length.fill('10')
  await save.click()
  await page.getByText('“Signed tokens” saved.').waitFor()
  const { body } = await admin.get('/api/admin/tenant')
  assert.deepEqual([body.tokenSeconds, body.tokenAudiences], [600, ['https://billing.example', 'search']])
})

test('an admin requires a second factor, after setting one up', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { page, context, open, check } = await world.tab(t, { person: admin, tenant: slug })
  const choose = async () => {
    await open('/admin/settings')
    await page.getByRole('radio', { name: 'Required of admins' }).check()
    await page.getByRole('switch', { name: 'Sign in with an emailed code' }).check()
    await page.getByRole('button', { name: 'Save' }).nth(2).click()
  }
  await choose()
  await page.getByRole('alert').getByText('Set up your own second factor before you require one.').waitFor()
  await page.getByRole('alert').getByRole('link', { name: 'Set it up now' }).waitFor()
  await page.getByText(`http://localhost:3000/t/${slug}`).waitFor()
  await check()
  assert.equal((await admin.get('/api/admin/tenant')).body.secondFactor, 'optional')
  await enrol(world, admin) // it ends the session of the tab, and that of the API has two factors from then on
  await context.addCookies([{ name: 'guildhall', value: admin.token, url: world.url, httpOnly: true, sameSite: 'Lax' }])
  await choose()
  await page.getByText('“Ways to sign in” saved.').waitFor()
  const { body } = await admin.get('/api/admin/tenant')
  assert.deepEqual([body.secondFactor, body.mailCodes], ['admins', true])

  const mailCodes = page.getByRole('switch', { name: 'Sign in with an emailed code' })
  await mailCodes.uncheck()
  await page.getByText('Everyone has another way to sign in.').waitFor()
  const ann = await world.person('Ann', { tenant: slug })
  await world.postgres.query('update users set password_hash = null where id = $1', [ann.id])
  await open('/admin/settings')
  await mailCodes.uncheck()
  await page.getByText('1 person has no other way to sign in').waitFor()
  await page.getByRole('button', { name: 'Save' }).nth(2).click()
  await page.getByText('“Ways to sign in” saved.').waitFor()
  assert.equal((await admin.get('/api/admin/tenant')).body.mailCodes, false)
})

test('a change by another admin is shown at its field and fills the others, and is replaced only by saving again', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { page, open } = await world.tab(t, { person: admin, tenant: slug })
  await open('/admin/settings')
  const name = page.getByRole('textbox', { name: 'Name' })
  const save = page.getByRole('button', { name: 'Save' }).first()
  await name.fill('Nordlicht')
  await admin.patch('/api/admin/tenant', { name: 'Polarlicht', signUp: 'closed' })
  await save.click()
  await page.getByText('This was changed to “Polarlicht” in the meantime.').waitFor()
  await name.and(page.locator(':focus')).waitFor()
  await page.getByRole('radio', { name: 'No one', checked: true }).waitFor()
  assert.equal(await name.inputValue(), 'Nordlicht')
  assert.equal((await admin.get('/api/admin/tenant')).body.name, 'Polarlicht')
  await save.click()
  await page.getByText('“Name and brand” saved.').waitFor()
  assert.equal((await admin.get('/api/admin/tenant')).body.name, 'Nordlicht')

  await name.fill('Mondlicht')
  await admin.patch('/api/admin/tenant', { brand: { color: '#0f766e' } })
  await save.click()
  await page.getByRole('alert').getByText('This was changed in the meantime').waitFor()
  assert.deepEqual([await name.inputValue(), await page.getByLabel('Color').inputValue()], ['Mondlicht', '#0f766e'])
  await page.getByRole('button', { name: 'Discard my changes' }).click()
  await name.and(page.locator(':focus')).waitFor()
  assert.deepEqual([await name.inputValue(), await save.isDisabled()], ['Nordlicht', true])
  assert.equal(await page.getByText('in the meantime').count(), 0)
})

test('a read that began before a change was saved does not bring the old value back', async (t) => {
  const slow = Promise.withResolvers<void>()
  t.after(() => slow.resolve()) // before the page waits for its requests
  const { slug } = await world.tenant()
  const { page, open } = await world.tab(t, { person: await world.tenantAdmin(slug), tenant: slug })
  await page.clock.install()
  await open('/admin/settings')
  const name = await saveDuringRead(page, slow, {
    path: '/api/admin/tenant',
    words: '“Name and brand” saved.',
    away: () => page.clock.fastForward('01:00'),
  })
  assert.equal(await name.inputValue(), 'Nordlicht')
})

test('beside a logo, the name has room or is not shown', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const name = 'Northwind Traders of Trondheim'
  await admin.patch('/api/admin/tenant', { name })
  const { page, open } = await world.tab(t, { person: admin, tenant: slug })
  await open('/admin/settings')
  const field = page.getByRole('group', { name: 'Logo' })
  const shown = page.getByRole('region', { name: 'Menu' }).getByText(name)
  for (const [width, isShown] of [
    [100, true],
    [400, false],
  ] as const) {
    await field
      .locator('input[type=file]')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pngOf({ width, height: 100 }) })
    await field.getByRole('button', { name: 'Use this picture' }).click()
    await field.getByText('Picture saved.').waitFor()
    await page.waitForFunction((ratio) => {
      const logo = document.querySelector<HTMLImageElement>('section:last-of-type img')
      return logo !== null && logo.naturalWidth / logo.naturalHeight === ratio
    }, width / 100)
    const [isInSight, room] = await shown.evaluate((text) => {
      const { top, width } = text.getBoundingClientRect()
      return [top < (text.parentElement?.getBoundingClientRect().bottom ?? 0), width]
    })
    assert.deepEqual([isInSight, room >= 100], [isShown, true], `a logo of ${width} × 100`)
  }
})
