/** The provider of docs/build/providers.md: an admin adds it in the console, and somebody signs in with it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { after, type TestContext, test } from 'node:test'
import { parseEnv } from 'node:util'
import { createConsoleWorld } from './browser.ts'
import { readDocument, root } from './documents.ts'
import { freePort } from './ports.ts'
import { until } from './smtp.ts'

const { text, blocks } = readDocument('docs/build/providers.md')
const start = blocks.find((block) => block.language === 'sh')?.text ?? assert.fail()
const program = blocks.find((block) => block.text.startsWith('// provider.mjs'))?.text ?? assert.fail()
const { OUTBOUND_PRIVATE = '' } = parseEnv(start.replace(/ npm start$/m, ''))
const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE } })

/** A folder as after `npm install oidc-provider`. */
const folder = mkdtempSync(join(tmpdir(), 'guildhall-provider-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'node_modules'))
symlinkSync(join(root, 'node_modules/oidc-provider'), join(folder, 'node_modules/oidc-provider'))

test('a provider on loopback can be added and tried as the document says', async (t) => {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  for (const said of ['*OpenID Connect*', '`Local`', '`http://127.0.0.1:4100`', '`guildhall`', '`a-secret-to-try`'])
    assert.ok(text.includes(said), said)
  const { page: admins, context, open, become } = await world.tab(t, { person: await world.tenantAdmin() })
  await open('/admin/providers')
  await admins.getByRole('button', { name: 'Add provider' }).click()
  const dialog = admins.getByRole('dialog')
  await dialog.getByLabel('Provider', { exact: true }).selectOption({ label: 'OpenID Connect' })
  await dialog.getByLabel('Name').fill('Local')
  await dialog.getByLabel('Issuer').fill(issuer)
  await dialog.getByLabel('Client ID').fill('guildhall')
  await dialog.getByLabel('Client secret').fill('a-secret-to-try')
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await admins.getByText('Redirect URI', { exact: true }).waitFor()
  const shown = admins.getByText(/^http\S+\/sign-in\/callback\/idp_\w{26}$/)
  const callbackUrl = (await shown.first().textContent()) ?? ''
  await startProvider(t, port, callbackUrl)

  await become()
  const page = await context.newPage() // which may visit the provider
  await page.goto('/sign-in')
  await page.getByText('Continue with Local').click()
  await page.waitForURL(`${issuer}/**`)
  await page.locator('[name=login]').fill('dan')
  await page.locator('[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await page.getByText('dan@example.com').first().waitFor()
})

async function startProvider(t: TestContext, port: number, callbackUrl: string): Promise<void> {
  writeFileSync(join(folder, 'provider.mjs'), program.replaceAll('4100', `${port}`))
  const child = spawn(execPath, ['provider.mjs', callbackUrl], { cwd: folder, stdio: 'ignore' })
  t.after(async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  const metadata = `http://127.0.0.1:${port}/.well-known/openid-configuration`
  await until(() => fetch(metadata).then(Boolean, () => false), 'the provider to listen')
}
