/**
 * The console's weight: how many requests load a page, and how many bytes the page to sign in is. And nothing moves while it loads. How fast
 * that is, npm run bench says.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { requestApplication } from '../test/application-requests.ts'
import { createConsoleWorld, type Tab } from '../test/browser.ts'
import { offerKeys, requestKey } from '../test/key-requests.ts'
import { onRows } from '../test/rows.ts'
import { findShifts, showOneByOne } from '../test/shifts.ts'
import { offerWebhooks, requestWebhook } from '../test/webhook-requests.ts'

const world = await createConsoleWorld()
const { giveMembers, giveOrganizations } = onRows(world)

test('the page to sign in is loaded by at most 12 requests, with at most 200 kB', async (t) => {
  const { page, open } = await world.tab(t)
  const { requests } = listen(page)
  await open('/sign-in')
  await page.waitForLoadState('networkidle')

  assert.ok(requests.length <= 12, requests.join('\n'))
  const sizes = await Promise.all(requests.map(async (path) => [path, await sizeOf(path)] as const))
  const sum = sizes.reduce((total, [, size]) => total + size, 0)
  assert.ok(sum > 50_000 && sum <= 200_000, `${sum}: ${sizes.map((pair) => pair.join(' ')).join('\n')}`)
})

for (const width of [390, 1440]) {
  test(`each page with a session is loaded by at most 15 requests, and nothing on it moves, ${width} pixels wide`, async (t) => {
    const { tenant, tess, ann, slug, values } = await makeOneOfEach()
    const tab = await world.tab(t, { person: ann, tenant, width })
    await tab.page.setViewportSize({ width, height: 1600 }) // what is below moves unseen
    await showOneByOne(t, tab.page)
    const visitAll = async (...files: readonly string[]) => {
      for (const path of listPages(...files))
        await visit(
          tab,
          path.replace(/\$\w+/g, (name) => values[name] ?? name),
        )
    }
    await visitAll('me', 'organizations')
    // What is left of these is then found by requests of its own.
    const off = { personalKeys: false, organizationKeys: false, organizationWebhooks: false }
    assert.equal((await tess.patch('/api/admin/tenant', off)).status, 200)
    await visit(tab, '/me/security')
    await visit(tab, `/organizations/${slug}/settings`)
    values.$webhookId = values.$tenantWebhookId
    await tab.become(tess)
    await visitAll('administration')
  })
}

test('the logs and the feed name 60 organizations of 120, and as many people without a name, by at most 15 requests', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, id: first } = await world.organization({ tenant })
  const names = Array.from({ length: 120 }, (_, index) => `Guild ${1001 + index}`)
  const ids = await giveOrganizations(ann, names)
  await giveMembers(first, Array(60).fill(null))
  const nameless = await world.postgres.query<{ id: string; email: string }>(
    `select u.id, u.email from memberships m join users u on u.tenant_id = m.tenant_id and u.id = m.user_id
     where m.organization_id = $1 and u.name is null`,
    [first],
  )
  for (const [index, { id: userId }] of nameless.entries())
    await tess.post(`/api/admin/organizations/${ids[60 + index]}/members`, { userId })
  const tab = await world.tab(t, { person: tess, tenant })
  await showOneByOne(t, tab.page)
  const words = [...names.slice(-40), ...nameless.slice(-40).map(({ email }) => email)]
  const logs = ['activity', `users/${tess.id}/activity`, 'events']
  for (const path of logs.map((each) => `/admin/${each}`)) {
    await visit(tab, path)
    const text = (await tab.page.getByRole('main').textContent()) ?? ''
    assert.deepEqual(
      words.filter((each) => !text.includes(each)),
      [],
      path,
    )
  }
})

/** Opens a page, and counts its requests and what moves on it. */
async function visit({ page, open }: Tab, path: string): Promise<void> {
  const { requests, stop } = listen(page)
  await open(path)
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
  assert.ok(
    requests.some((each) => each.endsWith('/api/tenant')) && requests.length <= 15,
    `${path}: ${requests.length}\n${requests.join('\n')}`,
  )
  assert.deepEqual(await findShifts(page), [], path)
  stop()
}

/** A tenant with one of each thing that has a page, a large organization, and the names of these in the paths of the pages. */
async function makeOneOfEach() {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, id, slug, path } = await world.organization({ tenant })
  const [suspended] = await giveMembers(id, Array(60).fill('Kim'))
  assert.equal((await ann.patch(`${path}/members/${suspended}`, { status: 'suspended' })).status, 200)
  await ann.post(`${path}/invites`, { email: 'kim@example.org' })
  await offerKeys(world, tenant)
  await requestKey(ann, '/api/users/me/keys')
  await requestKey(ann, `${path}/keys`)
  await offerWebhooks(world, tenant)
  const { webhook } = await requestWebhook(ann, `${path}/webhooks`)
  const { webhook: ofTenant } = await requestWebhook(tess, '/api/admin/webhooks')
  const { application } = await requestApplication(tess)
  const { body: provider } = await tess.post('/api/admin/providers', {
    type: 'github',
    name: 'GitHub',
    clientId: 'guildhall',
  })
  const values: Record<string, string | undefined> = {
    $orgId: slug,
    $organizationId: id,
    $userId: ann.id,
    $appId: application.id,
    $providerId: provider.id,
    $webhookId: webhook.id,
    $tenantWebhookId: ofTenant.id,
  }
  return { tenant, tess, ann, slug, values }
}

/** The paths below which the routes of a page are, by the names of their parents. */
const parents: Readonly<Record<string, string>> = {
  inside: '',
  organization: '/organizations/$orgId',
  admin: '/admin',
  user: '/admin/users/$userId',
  anyOrganization: '/admin/organizations/$organizationId',
}

/** @returns the paths of all pages in these files of `routes/`, with the names of their parameters */
function listPages(...files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const source = readFileSync(join(import.meta.dirname, 'routes', `${file}.ts`), 'utf8')
    const routes = [...source.matchAll(/getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g)]
    return routes.flatMap(([, parent = '', path = '']) => {
      const base = parents[parent]
      if (base === undefined) throw new Error(`the path of ${parent} is not known here`)
      const isFrame = Object.values(parents).includes(base + path)
      const page = (base + path).replace(/\/$/, '')
      return isFrame ? [] : [page]
    })
  })
}

/** @returns a list to which the paths of the service are added that a page asks for, also those that its browser has kept; and what ends that */
function listen(page: Page): { readonly requests: readonly string[]; stop(): void } {
  const requests: string[] = []
  const add = (request: Request) => void requests.push(new URL(request.url()).pathname)
  page.on('request', add)
  return { requests, stop: () => void page.off('request', add) }
}

/** How many bytes the body is that a browser gets. */
async function sizeOf(path: string): Promise<number> {
  const headers = { 'accept-encoding': 'gzip, deflate, br' }
  return (await world.app.inject({ url: path, headers })).rawPayload.length
}
