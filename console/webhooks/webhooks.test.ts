/** Webhooks in the console: adding, testing, changing, rotating and deleting one, and its deliveries. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { typeDate } from '../../test/keyboard.ts'
import { findShifts, showOneByOne } from '../../test/shifts.ts'
import { requestWebhook, webhookUrl as url } from '../../test/webhook-requests.ts'

const world = await createConsoleWorld()
/** What no test does, so that nothing is sent by itself. */
const types = ['provider.*']

async function openTab(t: TestContext, options: TabOptions) {
  const tab = await world.tab(t, options)
  const { page } = tab
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  return { ...tab, button, dialog: page.getByRole('dialog'), list: page.getByRole('list', { name: 'Webhooks' }) }
}

/** Rows of the log, as the queue writes them. */
async function addDeliveries(webhookId: string): Promise<void> {
  await world.postgres.query(
    `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at,
       response_status, error, milliseconds, next_at)
     select f.tenant_id, w.id, f.sequence, f.entry_id, d.action, d.status, d.attempts, now(), d.response_status, d.error, 85, d.next_at
     from webhooks w
     join lateral (
       select *, row_number() over (order by sequence) as number from feed where tenant_id = w.tenant_id limit 3) f on true
     join (values
       (1, 'member.joined', 'delivered', 1, 204, null, null),
       (2, 'member.left', 'retrying', 3, null, 'timeout', now() + interval '2 hours'),
       (3, 'user.created', 'failed', 10, 500, 'status', null)
     ) d (number, action, status, attempts, response_status, error, next_at) on d.number = f.number
     where w.id = $1`,
    [webhookId],
  )
}

/** A webhook of a tenant of its own, in whose log one event was taken, one waits and one has failed. */
async function webhookWithDeliveries() {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  await world.organization({ tenant })
  const { webhook } = await requestWebhook(tess, '/api/admin/webhooks', { types })
  await tess.get('/api/admin/events') // which gives events their places
  await addDeliveries(webhook.id)
  return { tenant, tess, webhook }
}

test('a tenant admin adds a webhook, copies its secret, changes it, rotates its secret and deletes it', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { page, context, open, check, button, dialog, list } = await openTab(t, { person: tess, tenant })
  await open('/admin/webhooks')
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  await check()
  await button('New webhook').click()
  await button('Add webhook').click()
  await dialog.getByText('This field is required.').first().waitFor()
  await dialog.getByLabel('Name').fill('Billing')
  await dialog.getByLabel('URL').fill(url)
  await dialog.getByLabel('Types of events').first().fill('member')
  await page.getByRole('option', { name: 'All of member.*' }).click()
  await page.keyboard.press('Escape')
  await check()
  await context.setOffline(true)
  await button('Add webhook').click()
  await dialog.getByRole('alert').getByText('You’re offline').waitFor()
  assert.equal(await dialog.getByLabel('URL').inputValue(), url)
  await context.setOffline(false)
  await button('Add webhook').click()
  assert.match(await dialog.getByLabel('Secret', { exact: true }).inputValue(), /^whsec_/)
  await check()
  await button('I’ve saved it').click()
  await list.getByText(new URL(url).host).waitFor()
  await list.getByText('Active').waitFor()
  const [made] = (await tess.get('/api/admin/webhooks')).body.data
  assert.deepEqual([made.name, made.url, made.types], ['Billing', url, ['member.*']])

  await list.getByRole('link', { name: 'Billing' }).click()
  await page.getByText('Events are sent as they happen.').waitFor()
  await page.getByText('Nothing has been sent yet').waitFor()
  await check()
  await page.getByLabel('Name').fill('Invoices')
  await button('Save').click()
  await page.getByRole('heading', { name: 'Invoices', level: 1 }).waitFor()
  await button('Rotate secret…').click()
  await dialog.getByLabel('The current secret keeps signing for').selectOption('1 hour')
  await check()
  await button('Rotate secret').click()
  await dialog.getByLabel('Secret', { exact: true }).waitFor()
  await button('I’ve saved it').click()
  await page.getByText('Replaced, signs until').waitFor()

  await button('Disable…').click()
  await button('Disable webhook').click()
  await page.getByText('Disabled manually').waitFor()
  await check()
  await button('Enable').click()
  await page.getByText('Active', { exact: true }).waitFor()
  await button('Delete webhook…').click()
  await button('Delete webhook').click()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  assert.equal((await tess.get('/api/admin/webhooks')).body.data.length, 0)
})

test('the time of the next attempt comes while the log is open', async (t) => {
  const { tenant, tess, webhook } = await webhookWithDeliveries()
  const { page, open } = await openTab(t, { person: tess, tenant })
  await page.clock.install()
  await open(`/admin/webhooks/${webhook.id}`)
  const retried = page.getByRole('row').filter({ hasText: 'member.left' })
  await retried.getByText('Next attempt in 2 hours.').waitFor()
  await page.clock.fastForward('03:00:00')
  await retried.getByText('The next attempt is due now.').waitFor()
})

test('the log says what was not taken and why, and sends it again', async (t) => {
  const [one, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  t.after(() => one.resolve()) // before the page waits for its requests
  t.after(() => all.resolve())
  const { tenant, tess, webhook } = await webhookWithDeliveries()
  const { page, open, check, press, showFilters, button, dialog } = await openTab(t, {
    person: tess,
    tenant,
    width: 390,
  })
  await open(`/admin/webhooks/${webhook.id}`)
  const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row')
  const retried = rows.filter({ hasText: 'member.left' })
  await retried.getByText('Waiting', { exact: true }).waitFor()
  await retried.getByText('There was no answer within 15 seconds.').waitFor()
  await retried.getByText('Next attempt in 2 hours.').waitFor()
  const advice = retried.getByText('Answer first, and do the work afterwards.')
  assert.equal(await advice.isVisible(), false)
  await retried.locator('summary').focus()
  await press('Enter')
  await advice.waitFor()
  await retried.getByRole('button', { name: 'Try now: member.left' }).waitFor()
  await rows.filter({ hasText: 'user.created' }).getByText('The server answered 500.').waitFor()
  await check()

  const repeat = button('Send again: member.joined…')
  await repeat.focus()
  await press('Enter')
  await dialog.getByText('Your server has already accepted this event.').waitFor()
  await check()
  await press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.locator(':focus').getByText('Send again…').waitFor()
  await press('Enter')
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('1 event will be sent again.').waitFor()
  await button('Try now: member.joined').waitFor()

  await showFilters()
  await page.getByLabel('Result').selectOption('Failed')
  await retried.waitFor({ state: 'detached' })
  const again = button('Send again: user.created')
  let sent = 0
  await page.route('**/retry', async (route) => {
    await [one, all][sent++]?.promise
    await route.continue()
  })
  await again.focus()
  await press('Enter')
  await again.and(page.locator('[aria-busy=true]')).waitFor()
  await press('Enter')
  assert.equal(await button('Send all failed again').getAttribute('aria-busy'), null)
  one.resolve()
  await page.getByText('No matching deliveries').waitFor()
  assert.equal(sent, 1)
  await page.getByRole('heading', { name: 'Deliveries' }).and(page.locator(':focus')).waitFor()
  const allFailed = button('Send all failed again')
  await allFailed.waitFor({ state: 'detached' })
  await world.postgres.query(
    `update webhook_deliveries set status = 'failed', next_at = null where webhook_id = $1 and action = 'user.created'`,
    [webhook.id],
  )
  await button('Refresh').click()
  await again.waitFor()
  await allFailed.focus()
  await press('Enter')
  await again.and(page.locator('[aria-busy=true]')).waitFor()
  await again.dispatchEvent('click')
  all.resolve()
  await again.waitFor({ state: 'detached' })
  await allFailed.waitFor({ state: 'detached' })
  assert.equal(sent, 2)
  await page.getByLabel('Result').and(page.locator(':focus')).waitFor()

  await button('Send again since…').click()
  await dialog.getByText('Your server gets those it already had a second time').waitFor()
  await check()
  await button('Send again').last().click()
  await page.getByText('The events are being sent again.').waitFor()
  await button('Skip to now…').click()
  await button('Skip to now').click()
  await page.getByText('It continues with the next event.').waitFor()
})

for (const canBeRead of [true, false])
  test(`the button that sends all failed events again comes with the log, if their list ${canBeRead ? 'can' : 'cannot'} be read`, async (t) => {
    const { tenant, tess, webhook } = await webhookWithDeliveries()
    const { page, open, button } = await openTab(t, { person: tess, tenant, width: 390 })
    await page.setViewportSize({ width: 390, height: 3000 })
    await showOneByOne(t, page)
    const answer = Promise.withResolvers<void>()
    t.after(() => answer.resolve()) // before the page waits for its requests
    await page.route('**/deliveries?status=failed', async (route) => {
      await answer.promise
      await (canBeRead ? route.continue() : route.fulfill({ status: 429, json: { code: 'rate_limited' } }))
    })
    const log = page.waitForResponse('**/deliveries')
    await open(`/admin/webhooks/${webhook.id}`)
    await log
    answer.resolve()
    await button('Send all failed again').waitFor()
    await page.getByRole('table', { name: 'Deliveries' }).waitFor()
    assert.deepEqual(await findShifts(page), [])
  })

test('events are sent again since a day that is typed, and what is no day is refused at the field', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { webhook } = await requestWebhook(tess, '/api/admin/webhooks', { types })
  const { page, open, press } = await world.tab(t, { person: tess, tenant })
  const dialog = page.getByRole('dialog')
  const date = dialog.getByLabel('Date')
  const isRefused = async (words: string) => {
    await press('Enter')
    await date.and(page.locator('[aria-invalid=true]')).and(page.locator(':focus')).waitFor()
    await dialog.getByText(words).waitFor()
  }
  await open(`/admin/webhooks/${webhook.id}`)
  await page.getByRole('button', { name: 'Send again since…' }).click()
  await dialog.getByLabel('Since').selectOption('A date…')
  await typeDate(date, '1212')
  await isRefused('Enter the whole date: day, month and year.')
  await typeDate(date, '12120027')
  await isRefused('Check the year.')
  await typeDate(date, `1212${new Date().getFullYear() + 1}`)
  await isRefused('Choose today or an earlier day.')
  await typeDate(date, `1212${new Date().getFullYear() - 1}`)
  await press('Enter')
  await page.getByText('The events are being sent again.').waitFor()
})

test('a webhook that fails, and one whose person has lost the right to it, say what to do', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { webhook } = await requestWebhook(tess, '/api/admin/webhooks', { types })
  await world.postgres.query(
    `update webhooks set status = 'failing', failing_since = now() - interval '2 days', next_at = now() + interval '3 hours',
       setter_left = true,
       last_test = json_build_object('at', now(), 'status', null, 'error', 'tls', 'milliseconds', 12)
     where id = $1`,
    [webhook.id],
  )
  const { page, open, check } = await openTab(t, { person: tess, tenant })
  await open(`/admin/webhooks/${webhook.id}`)
  await page.getByText('Failing since').waitFor()
  await page.getByText('Your server isn’t accepting events').waitFor()
  await page.getByText('The next attempt is in 3 hours.').waitFor()
  await page.getByText('can no longer change webhooks').waitFor()
  await page.getByText('No secure connection could be made.').waitFor()
  await check()
})

test('an organization has webhooks where the tenant offers them, and those of one that does not are paused', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, slug } = await world.organization({ tenant })
  const { page, open, check, button, dialog, list } = await openTab(t, { person: ann, tenant })
  const place = page.getByRole('navigation').getByRole('link', { name: 'Webhooks', exact: true })
  await open(`/organizations/${slug}/webhooks`)
  await page.getByRole('heading', { name: 'Webhooks are turned off' }).waitFor()
  assert.equal(await place.count(), 0)
  assert.equal((await tess.patch('/api/admin/tenant', { organizationWebhooks: true })).status, 200)
  await open(`/organizations/${slug}/webhooks`)
  await place.waitFor()
  await button('New webhook').click()
  await dialog.getByLabel('Name').fill('Billing')
  await dialog.getByLabel('URL').fill(url)
  await button('Add webhook').click()
  await button('I’ve saved it').click()
  await list.getByText('Active').waitFor()
  assert.equal((await tess.patch('/api/admin/tenant', { organizationWebhooks: false })).status, 200)
  await open(`/organizations/${slug}/settings`)
  await page.getByRole('link', { name: 'See webhooks' }).waitFor()
  assert.equal(await place.count(), 0)
  await check()
  await page.getByRole('link', { name: 'See webhooks' }).click()
  await list.getByText('Paused').waitFor()
  await check()
  await list.getByRole('link', { name: 'Billing' }).click()
  await page.getByText('turned webhooks of organizations off').waitFor()
  assert.equal(await button('Send a test').count(), 0)
  await check()
})
