/** The keys of the tenant in the console, the keys of a user for its admins, who may have keys, and permissions that cannot be read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { offerKeys, requestKey } from '../../test/key-requests.ts'

const world = await createConsoleWorld()

test('a key of the tenant is made for a purpose, or with what the admin chooses', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { page, open, check } = await world.tab(t, { person: tess, tenant })
  const dialog = page.getByRole('dialog')
  const live = page.getByRole('table', { name: 'Active keys' }).getByRole('row')
  const create = async (name: string, choose: () => Promise<unknown>): Promise<string[]> => {
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog.getByLabel('Name').fill(name)
    await choose()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByLabel('Secret', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
    await live.getByText(name).waitFor()
    const [newest] = (await tess.get('/api/admin/keys')).body.data
    return newest.scopes
  }
  await open('/admin/keys')
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'New key' }).click()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('Choose at least one.').waitFor()
  await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await check()
  await dialog.getByLabel('Name').fill('Gate')
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
  await question.getByRole('button', { name: 'Discard changes' }).click()
  await dialog.waitFor({ state: 'detached' })

  const chosen = (name: string) => () => dialog.getByRole('radio', { name, exact: true }).check()
  assert.deepEqual(await create('Gate', chosen('Verify')), ['credentials:verify'])
  const readOnly = await create('Dashboard', chosen('Read only'))
  assert.ok(readOnly.includes('users:read') && readOnly.every((scope) => scope.endsWith(':read')), readOnly.join())
  const backend = await create('Server', chosen('Back end'))
  assert.ok(
    ['users:write', 'sessions:end', 'invitations:write', 'credentials:verify'].every((scope) =>
      backend.includes(scope),
    ),
  )
  assert.ok(!backend.some((scope) => /delete|ownership|keys:/.test(scope)), backend.join())
  const own = await create('Cleaner', async () => {
    await chosen('Verify')()
    await chosen('Something else')()
    await check()
    await dialog.getByRole('checkbox', { name: 'Check who is calling' }).uncheck()
    await dialog.getByRole('checkbox', { name: 'Delete users' }).check()
  })
  assert.deepEqual(own, ['users:delete'])
  await live.getByText('Delete users', { exact: true }).waitFor()
  await check()
})

test('an admin sees the keys of a user, and ends one', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  await offerKeys(world, tenant)
  const ann = await world.person('Ann', { tenant })
  const { page, open, check } = await world.tab(t, { person: tess, tenant })
  await open(`/admin/users/${ann.id}/devices`)
  await page.getByText('This user has no keys.').waitFor()
  const { secret } = await requestKey(ann, '/api/users/me/keys', { scopes: ['me:read', 'tokens:create'] })
  await page.reload()
  const keys = page.getByRole('list', { name: 'Keys' })
  await keys.getByText('See your account, Get signed tokens').waitFor()
  await keys.getByText(`…${secret.slice(-4)}`).waitFor()
  await check()
  await keys.getByRole('button', { name: 'End Import…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End key' }).click()
  await page.getByText('The key has ended.').waitFor()
  await page.getByText('This user has no keys.').waitFor()
  const [key] = (await ann.get('/api/users/me/keys')).body.data
  assert.deepEqual([key.status, key.endedBecause], ['ended', 'revoked'])
  await tess.patch('/api/admin/tenant', { personalKeys: false })
  await page.reload()
  await page.getByRole('heading', { name: 'Devices', level: 2 }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Keys', level: 2 }).count(), 0)
})

test('an admin says who may have keys, and the console offers them at once', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { page, open, check, closeMenu } = await world.tab(t, { person: tess, tenant })
  const myKeys = page.getByRole('menuitem', { name: 'My keys' })
  const menu = page.getByRole('button', { name: tess.email })
  await open('/admin/settings')
  const section = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Keys and webhooks', exact: true }) })
    .last()
  const save = section.getByRole('button', { name: 'Save' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Profile' }).waitFor()
  assert.equal(await myKeys.count(), 0)
  await closeMenu()
  await section.getByRole('switch', { name: 'Keys of people' }).check()
  await section.getByRole('switch', { name: 'Keys of organizations' }).check()
  const grace = section.getByLabel('Grace period after a holder leaves', { exact: true })
  await grace.fill('31')
  await save.click()
  await grace.and(page.locator('[aria-invalid=true]')).waitFor()
  await check()
  await grace.fill('2')
  await save.click()
  await page.getByText('“Keys and webhooks” saved.').waitFor()
  const { body } = await tess.get('/api/admin/tenant')
  assert.deepEqual([body.personalKeys, body.organizationKeys, body.keyGraceSeconds], [true, true, 172_800])
  await menu.click()
  await myKeys.click()
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
})

test('while the permissions cannot be read, no key is made that would get too few, and reading them again is offered', async (t) => {
  const { slug: tenant } = await world.tenant()
  await offerKeys(world, tenant)
  const tess = await world.tenantAdmin(tenant)
  const { ann, slug, id } = await world.organization({ tenant })
  const { page, open, become, check } = await world.tab(t, { person: tess, tenant })
  const [newKey, retry] = [
    page.getByRole('button', { name: 'New key' }),
    page.getByRole('button', { name: 'Try again' }),
  ]
  const dialog = page.getByRole('dialog')
  const places = [
    { path: '/admin/keys', list: '/api/admin/keys', maker: tess, reads: ['**/api/admin/access'] },
    { path: `/organizations/${slug}/keys`, list: `/api/organizations/${id}/keys`, maker: ann, reads: ['**/roles'] },
    { path: '/me/keys', list: '/api/users/me/keys', maker: ann, reads: ['**/roles', '**/api/organizations'] },
  ]
  for (const { path, list, maker, reads } of places) {
    await requestKey(maker, list)
    await become(maker)
    for (const read of reads) {
      await page.route(read, (route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } }))
      await open(path)
      await page.getByRole('main').getByRole('alert').getByText('Too many attempts').waitFor()
      await page.getByRole('table', { name: 'Active keys' }).getByText('Import', { exact: true }).waitFor()
      assert.equal(await newKey.count(), 0, `${path} without ${read}`)
      await check()
      await page.unroute(read)
      const late = Promise.withResolvers<void>()
      await page.route(read, (route) => late.promise.then(() => route.continue()))
      await retry.click()
      await newKey.and(page.locator(':disabled')).waitFor()
      late.resolve()
      await newKey.click()
      await page.unroute(read)
      if (path === '/admin/keys') await dialog.getByRole('radio', { name: 'Something else' }).check()
      await dialog.getByRole('checkbox', { name: 'See the members' }).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await retry.count(), 0)
    }
  }
})
