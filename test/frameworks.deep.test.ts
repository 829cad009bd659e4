/** docs/build/frameworks.md in practice: the program for a terminal signs somebody in, and settings are those of the console. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { after, test } from 'node:test'
import { frameworksFor } from '../console/applications/frameworks.ts'
import { readDocument, root } from './documents.ts'
import { Browser, createPublicWorld, register } from './relying-party.ts'
import { until } from './smtp.ts'

const world = await createPublicWorld()
const { blocks } = readDocument('docs/build/frameworks.md')

test('the program for a terminal signs somebody in, at a port of its own', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-frameworks-'))
  after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'node_modules/openid-client'), join(folder, 'node_modules/openid-client'))
  const program = blocks.find(({ text }) => text.startsWith('// sign-in.mjs'))?.text ?? assert.fail()
  writeFileSync(join(folder, 'sign-in.mjs'), program.replace('http://localhost', 'http://127.0.0.1'))
  const { id, issuer } = await register(world, {
    kind: 'native',
    redirectUris: ['http://127.0.0.1/callback'],
    postLogoutUris: [],
    scopes: ['openid', 'profile', 'email'],
  })
  const [ann, browser] = [await world.person(), new Browser(world)]

  const env = { ISSUER: issuer, CLIENT_ID: id }
  const child = spawn(execPath, ['sign-in.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'exit')
  const [, url = ''] = await until(() => /^Open (\S+)$/m.exec(said), 'the program to say where it signs in')
  const own = new URL(url).searchParams.get('redirect_uri')
  assert.equal((await fetch(`${own}?code=ghc_x&state=another`)).status, 404, 'another page interrupts nothing')
  const page = await browser.open(url)
  assert.equal(await browser.step(page), 'sign_in')
  await browser.signIn(ann)
  assert.equal(await browser.step(page), 'continue', 'any program may hold the port')
  const back = await fetch(await browser.goOn(page))

  assert.equal(await back.text(), 'You may close this page.')
  assert.deepEqual((await ended)[0], 0)
  assert.match(said, new RegExp(`^Signed in as ${ann.email}\\.$`, 'm'))
})

test('the settings of Apache and oauth2-proxy are those that the console offers', () => {
  for (const [beginning, name, path] of [
    ['OIDCProviderMetadataURL', 'Apache (mod_auth_openidc)', '/callback'],
    ['# The secret is in', 'oauth2-proxy', '/oauth2/callback'],
  ] as const) {
    const offered = frameworksFor('server').find((framework) => framework.name === name) ?? assert.fail(name)
    const settings = {
      issuer: 'https://accounts.example.com/api/tenants/ten_…',
      clientId: 'app_…',
      redirectUri: `https://notes.example.com${path}`,
      scope: 'openid profile email',
    }
    const shown = blocks.find(({ text }) => text.startsWith(beginning))?.text
    assert.equal(shown?.trimEnd(), offered.write(settings))
  }
})
