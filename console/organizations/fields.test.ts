/** The fields of an organization in the console: whatever the API takes of people can be written in the forms, and arrives. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld, type Tab } from '../../test/browser.ts'
import { unfold } from '../../test/contract.ts'

const world = await createConsoleWorld()
const { paths } = unfold(world.app.swagger())

/**
 * Writes something of its own into each field of the form, which has a field for everything that the operation takes. Only the API writes
 * `metadata`; a logo is uploaded, and `secondFactor` has a form of its own.
 */
async function fillIn({ page }: Tab, method: 'post' | 'patch', path: string): Promise<Record<string, string>> {
  const { properties } = paths[path][method].requestBody.content['application/json'].schema
  const inputs = page.locator('form input[data-path]:not([type=checkbox])')
  await inputs.first().waitFor()
  const written: Record<string, string> = {}
  for (const input of await inputs.all()) {
    const field = (await input.getAttribute('data-path')) ?? ''
    const word = `${field.toLowerCase()}-${randomBytes(4).toString('hex')}`
    written[field] = (await input.getAttribute('type')) === 'url' ? `https://example.com/${word}` : word
    await input.fill(written[field])
  }
  assert.deepEqual(
    Object.keys(written).sort(),
    Object.keys(properties)
      .filter((field) => !['metadata', 'logoUrl', 'secondFactor'].includes(field))
      .sort(),
  )
  return written
}

test('every field of a new organization can be written, and arrives', async (t) => {
  const ann = await world.person('Ann')
  const tab = await world.tab(t, { person: ann })
  await tab.open('/organizations/new')
  const written = await fillIn(tab, 'post', '/api/organizations')
  await tab.page.getByRole('button', { name: 'Create organization' }).click()
  await tab.page.waitForURL(`**/organizations/${written.slug}`)
  const { body } = await ann.get(`/api/organizations/${written.slug}`)
  for (const [field, value] of Object.entries(written)) assert.equal(body[field], value, field)
})

test('every field of an organization can be changed by its admins, arrives, and is shown to members', async (t) => {
  const { ann, cleo, slug } = await world.organization()
  const tab = await world.tab(t, { person: ann })
  await tab.open(`/organizations/${slug}/settings`)
  const written = await fillIn(tab, 'patch', '/api/organizations/{orgId}')
  await tab.page.getByRole('button', { name: 'Save' }).click()
  await tab.page.waitForURL(`**/organizations/${written.slug}/settings`)
  const { body } = await ann.get(`/api/organizations/${written.slug}`)
  for (const [field, value] of Object.entries(written)) assert.equal(body[field], value, field)

  await tab.become(cleo)
  await tab.open(`/organizations/${written.slug}/settings`)
  for (const value of Object.values(written))
    await tab.page.getByRole('definition').filter({ hasText: value }).waitFor()
})
