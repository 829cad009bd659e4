/** What a page says by itself. Screen readers say it, if its region was there before. */
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { markRegions } from '../../test/regions.ts'

const world = await createConsoleWorld()

test('a lost connection, and what a new slug breaks, are said in regions that were there before', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, context, open, check } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/settings`)
  const field = page.getByRole('textbox', { name: 'Slug' })
  await field.waitFor()
  const said = await markRegions(page)
  await field.fill(`${slug}-2`)
  await said.getByText('will stop working').waitFor()
  await context.setOffline(true)
  await said.getByText('No connection to the service.').waitFor()
  await check()
})

test('who has no other way in is said in a region that was there before', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  await tess.patch('/api/admin/tenant', { mailCodes: true })
  const { page, open } = await world.tab(t, { person: tess, tenant })
  await open('/admin/settings')
  const mailCodes = page.getByRole('switch', { name: 'Sign in with an emailed code' })
  await mailCodes.waitFor()
  const said = await markRegions(page)
  await mailCodes.uncheck()
  await said.getByText('Everyone has another way to sign in.').waitFor()
})
