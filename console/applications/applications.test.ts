/** Applications, as tenant admins add, change and delete them in a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestApplication } from '../../test/application-requests.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { until } from '../../test/smtp.ts'

const world = await createConsoleWorld({ isLocalhost: true })

test('a tenant admin adds an application in three steps, and copies its settings', async (t) => {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const { page, open, check } = await world.tab(t, { person: tess, tenant: slug })
  await open('/admin/applications')
  await page.getByText('No applications yet').waitFor()
  await check()
  await page.getByRole('link', { name: 'Add application' }).click()
  await page.getByText('Step 1 of 3').waitFor()
  await check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Step 2 of 3').waitFor()
  await page.getByLabel('Name').fill('Acme')
  const addresses = page.getByLabel('Addresses after signing in')
  await addresses.fill('http://app.example.com/callback')
  await page.getByText('“http://app.example.com/callback” must begin with https://.').waitFor()
  await check()
  await page.getByRole('button', { name: 'Add application' }).click()
  await addresses.and(page.locator('[aria-invalid=true]')).waitFor()
  await addresses.fill('https://APP.example.com/callback')
  await page
    .getByText('Browsers send “https://APP.example.com/callback” as “https://app.example.com/callback”')
    .waitFor()
  await addresses.fill('https://app.example.com/callback\nhttp://localhost:8080/callback')
  await page.getByRole('switch', { name: 'People choose an organization' }).check()
  await page.getByRole('button', { name: 'Add application' }).click()
  await page.getByRole('heading', { name: 'Acme was added' }).waitFor()
  assert.match(await page.getByRole('textbox', { name: 'Client secret' }).inputValue(), /^ghx_/)
  const settingsFor = (framework: string) =>
    page.getByRole('textbox', { name: `Settings for ${framework}`, exact: true })
  const [application] = (await tess.get('/api/admin/applications')).body.data
  assert.deepEqual(application.redirectUris, ['https://app.example.com/callback', 'http://localhost:8080/callback'])
  assert.equal(application.chooseOrganization, true)
  const { body: issuer } = await world.nobody.get(
    `/api/tenants/${(await tess.get('/api/admin/tenant')).body.id}/.well-known/openid-configuration`,
  )
  const frameworks = page.getByLabel('Framework')
  await frameworks.waitFor() // after the issuer is read
  const known = await frameworks.getByRole('option').allTextContents()
  assert.ok(known.length > 1)
  for (const name of known) {
    await frameworks.selectOption(name)
    const text = await settingsFor(name).inputValue()
    assert.ok(text.includes(issuer.issuer) && text.includes(application.id), text)
    assert.ok(!text.includes('ghx_'), text)
  }
  const toEnter = async (name: string) => {
    await frameworks.selectOption(name)
    await settingsFor(name).filter({ hasText: issuer.issuer }).waitFor()
    return page
      .getByRole('definition')
      .getByText(/^https:/)
      .allTextContents()
  }
  assert.deepEqual(await toEnter('Auth.js'), ['https://app.example.com/'])
  await page.getByText('Enter on the next page, under “Addresses after signing out”').waitFor()
  await page
    .getByText('With all of these settings, Auth.js asks every five minutes whether a session has ended.')
    .waitFor()
  assert.deepEqual(await toEnter('Apache (mod_auth_openidc)'), [
    'https://app.example.com/goodbye',
    'https://app.example.com/callback?logout=backchannel',
  ])
  await check()
  await page.getByRole('link', { name: 'I’ve saved it' }).click()
  await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor()
  assert.equal(await page.getByText('ghx_').count(), 0)
  await page.getByText('Enter below, under “Addresses after signing out”').waitFor()
  await check()
  await page.goBack()
  await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor() // and not the form again
})

test('a step back keeps what was typed, and leaving the page before the secret is saved asks first', async (t) => {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const { page, open, check } = await world.tab(t, { person: tess, tenant: slug })
  const places = page.getByRole('navigation')
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
  const questionOfSecret = page.getByRole('dialog', { name: 'Leave without the secret?' })
  const fields = () =>
    Promise.all([
      page.getByLabel('Name').inputValue(),
      page.getByLabel('Addresses after signing in').inputValue(),
      page.getByRole('switch', { name: 'People choose an organization' }).isChecked(),
    ])
  const next = page.getByRole('button', { name: 'Continue' })
  await open('/admin/applications/new')
  await next.click()
  await page.getByLabel('Name').fill('Acme')
  await page.getByLabel('Addresses after signing in').fill('com.acme.app:/callback')
  await page.getByRole('switch', { name: 'People choose an organization' }).check()
  await page.getByRole('button', { name: 'Add application' }).click()
  await page.getByLabel('Addresses after signing in').and(page.locator('[aria-invalid=true]')).waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('radio', { name: 'On a device' }).check()
  await next.click()
  assert.deepEqual(await fields(), ['Acme', 'com.acme.app:/callback', true])
  assert.equal(await page.locator('[aria-invalid=true]').count(), 0, 'the fault is gone with the other kind')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('radio', { name: 'On a server' }).check()
  await next.click()
  await page.getByLabel('Addresses after signing in').fill('https://app.example.com/callback')
  await places.getByRole('link', { name: 'Users' }).click()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByRole('button', { name: 'Add application' }).click()

  const secret = page.getByRole('textbox', { name: 'Client secret' })
  const shown = await secret.inputValue()
  await question.waitFor({ state: 'detached' })
  await places.getByRole('link', { name: 'Users' }).click()
  await check()
  await questionOfSecret.getByRole('button', { name: 'Stay' }).click()
  assert.equal(await secret.inputValue(), shown)
  await page.getByRole('link', { name: 'I’ve saved it' }).click()
  await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor()
  assert.equal(await question.or(questionOfSecret).count(), 0)
})

test('an application on a device has no secret, and its own scheme', async (t) => {
  const tess = await world.tenantAdmin()
  const { page, open, check } = await world.tab(t, { person: tess, width: 390 })
  await open('/admin/applications/new')
  await page.getByRole('radio', { name: 'On a device' }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('radio', { name: 'On a device' }).and(page.locator(':checked')).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  const long = 'Donaudampfschifffahrtsgesellschaftskapitän 株式会社東京通信工業 شركة الاتصالات المتحدة'
  await page.getByLabel('Name').fill(long)
  await page.getByLabel('Addresses after signing in').fill('com.acme.app:/callback')
  assert.equal(await page.getByRole('switch', { name: 'People choose an organization' }).isChecked(), false)
  await page.getByRole('button', { name: 'Add application' }).click()
  await page.getByRole('heading', { name: `${long} was added` }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Client secret' }).count(), 0)
  await check()
  await page.getByRole('link', { name: 'Done' }).click()
  await page.getByRole('heading', { name: long, level: 1 }).waitFor()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  assert.equal(await page.getByRole('button', { name: 'New secret…' }).count(), 0)
  await open('/admin/applications')
  await page.getByRole('link', { name: long }).waitFor()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await check()
})

test('a tenant admin changes an application, makes it the home, replaces its secret and deletes it', async (t) => {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const { application } = await requestApplication(tess)
  const { page, open, check } = await world.tab(t, { person: tess, tenant: slug })
  await open(`/admin/applications/${application.id}`)
  await page.getByLabel('Name').fill('Acme Shop')
  await page.getByRole('textbox', { name: 'Start address' }).fill('https://app.example.com/start')
  await page.getByRole('switch', { name: 'Home application' }).check()
  await page.getByRole('switch', { name: 'Enabled' }).uncheck()
  await page.getByRole('textbox', { name: 'Address for ended sessions' }).fill('https://app.example.com/logout#now')
  await page.getByRole('checkbox', { name: 'The API' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('textbox', { name: 'Address for ended sessions' })
    .and(page.locator('[aria-invalid=true]'))
    .waitFor()
  await page.getByRole('textbox', { name: 'Address for ended sessions' }).fill('https://app.example.com/logout')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Acme Shop was saved.').waitFor()
  await page.getByText('It hasn’t been notified yet.').waitFor()
  await check()
  const { body } = await tess.get(`/api/admin/applications/${application.id}`)
  assert.deepEqual(
    [body.name, body.isHome, body.enabled, body.startUrl, body.backChannelLogoutUri, [...body.scopes].sort()],
    [
      'Acme Shop',
      true,
      false,
      'https://app.example.com/start',
      'https://app.example.com/logout',
      ['api', 'email', 'openid', 'profile'],
    ],
  )

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New secret…' }).click()
  await dialog.getByLabel('The current secret keeps working for').selectOption('7 days')
  await check()
  await dialog.getByRole('button', { name: 'Create secret' }).click()
  assert.match(await dialog.getByRole('textbox', { name: 'Client secret' }).inputValue(), /^ghx_/)
  await page.keyboard.press('Escape')
  await check()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'Client secrets' }).getByRole('listitem').nth(1).waitFor()

  await page.getByRole('link', { name: 'All applications' }).click()
  const item = page.getByRole('list', { name: 'Applications' }).getByRole('listitem')
  await item.getByText('Home', { exact: true }).waitFor()
  await item.getByText('Disabled').waitFor()
  await check()
  await page.getByRole('link', { name: 'Acme Shop' }).click()
  await page.getByRole('button', { name: 'Delete application…' }).click()
  await dialog.getByLabel('Type Acme Shop to confirm').fill('Acme')
  await dialog.getByRole('button', { name: 'Delete application' }).click()
  await dialog.getByText('This doesn’t match the name of the application.').waitFor()
  await dialog.getByLabel('Type Acme Shop to confirm').fill('Acme Shop')
  await dialog.getByRole('button', { name: 'Delete application' }).click()
  await page.getByText('No applications yet').waitFor()
})

test('the page of an application says what its logo needs to be shown, and leads there', async (t) => {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const { application } = await requestApplication(tess)
  const { page, open, check } = await world.tab(t, { person: tess, tenant: slug, width: 390 })
  const path = `/admin/applications/${application.id}`
  const need = page.getByText('Shown only if “Show images from other servers” is on.')
  await open(path)
  await need.waitFor()
  await check()
  await need.getByRole('link', { name: 'Go to this setting' }).click()
  const setting = page.getByRole('switch', { name: 'Show images from other servers' })
  const isInView = () =>
    setting.evaluate((node) => Math.abs(node.getBoundingClientRect().top - innerHeight / 2) < innerHeight / 2)
  await setting.waitFor()
  await until(isInView, 'the setting to be in view')
  const answer = Promise.withResolvers<void>()
  t.after(() => answer.resolve()) // before the page waits for its requests
  await page.route('**/api/admin/tenant', async (route) => {
    await answer.promise
    await route.continue()
  })
  await open('/admin/settings#privacy')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  answer.resolve()
  await setting.waitFor()
  await until(isInView, 'the setting to be in view, also if the settings come late')
  await page.unrouteAll()
  await open(path)
  await need.getByRole('link', { name: 'Go to this setting' }).click()
  await setting.check()
  await page.locator('#privacy').getByRole('button', { name: 'Save' }).click()
  await page.getByText('“Privacy” saved.').waitFor()
  await page.goBack()
  await page.getByLabel('Logo URL').waitFor()
  assert.equal(await need.count(), 0)
})
