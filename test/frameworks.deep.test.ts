/** docs/build/frameworks.md in practice: the program for a terminal signs somebody in, and settings are those of the console. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { after, test } from 'node:test'
import fastify from 'fastify'
import { frameworksFor, settingsOf } from '../console/applications/frameworks.ts'
import { readDocument, root } from './documents.ts'
import { Browser, createPublicWorld, register } from './relying-party.ts'
import { until } from './smtp.ts'

const world = await createPublicWorld()
const { blocks, text } = readDocument('docs/build/frameworks.md')

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
  const ended = once(child, 'close') // when all that it has said is here
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

test('the settings that the console offers are those of the document', () => {
  for (const [name, redirectUri, ...beginnings] of [
    ['Auth.js', '/api/auth/callback/guildhall', '// auth.ts', '// app/api/auth', '// proxy.ts', '// app/actions.ts'],
    ['Spring Security', '/login/oauth2/code/guildhall', '# application.yaml', '@Bean'],
    ['ASP.NET Core', '/signin-oidc', 'builder.Services'],
    ['oauth2-proxy', '/oauth2/callback', '# The secret is in'],
    ['Apache (mod_auth_openidc)', '/callback', 'OIDCProviderMetadataURL'],
    ['oidc-client-ts', '/callback', '// main.js'],
  ] as const) {
    const kind = name === 'oidc-client-ts' ? 'browser' : 'server'
    const framework = frameworksFor(kind).find((each) => each.name === name) ?? assert.fail(name)
    const shown = beginnings.map((beginning) => blocks.find(({ text }) => text.startsWith(beginning))?.text.trimEnd())
    const settings = settingsOf(
      {
        id: 'app_…',
        kind,
        redirectUris: [`https://notes.example.com${redirectUri}`],
        postLogoutUris: [],
        scopes: ['openid', 'profile', 'email'],
      },
      'https://accounts.example.com/api/tenants/ten_…',
      framework,
    )
    assert.equal(framework.write(settings), shown.join('\n\n'))
    const { postLogoutUri, backChannelUri } = settings
    for (const address of [framework.signedOut && postLogoutUri, framework.backChannel && backChannelUri])
      if (address) assert.ok(text.includes(address.replace('notes.example.com', '…')), address)
  }
})

test('the cookies of a product are secure if people open the product by https, whatever Guildhall has', () => {
  const said = blocks.flatMap(({ text }) => [...text.matchAll(/(?:\bsecure: |_SECURE=)(.*?)(?: \}|\)?$)/gim)])
  const rules = said.map(([, rule]) => rule)
  assert.deepEqual(rules, ["ORIGIN.startsWith('https:')", "ORIGIN.startsWith('https:')", 'ORIGIN.startswith("https:")'])
})

const onExpress = blocks.find(({ text }) => text.includes("from 'express'"))?.text ?? assert.fail()

test('the product on Express ends sessions in every store: it calls what each must have, and awaits it', () => {
  const called = [...onExpress.matchAll(/\bstore\.(\w+)/g)].map(([, name]) => name)
  assert.deepEqual(called, ['get', 'set'])
  assert.match(onExpress, /^app\.post\('\/back-channel'.*?^ {2}await write\(.*?^\}\)/ms)
})

test('the product on Express ends what began before a logout token, and no later sign-in', () => {
  const [, rule = assert.fail()] = /if \(marks\.some\((.*)\)\) \{$/m.exec(onExpress) ?? []
  const isEnded = (user: object, mark: unknown) => [undefined, mark].some(new Function('user', `return ${rule}`)(user))
  const [, kept = assert.fail()] = /^ {2}await write\(`ended:.*?`, (\{.*\})\)/m.exec(onExpress) ?? []
  const mark = new Function('session', 'cookie', 'iat', `return ${kept}`)({ Cookie: Object }, {}, 100)
  assert.deepEqual(
    [99, 100, 101].map((iat) => isEnded({ iat }, mark)),
    [true, true, false],
  )
  assert.equal(isEnded({ iat: 99 }, undefined), false)
})

test('a product behind a proxy that ends TLS knows that the browser has https', async (t) => {
  const of = (library: string) =>
    blocks.find(({ text }) => text.includes(`from '${library}'`))?.text ?? assert.fail(library)
  assert.match(of('express'), /^app\.set\('trust proxy', 1\)/m)

  const [, trustProxy = assert.fail()] = /fastify\(\{ trustProxy: '(.+)' \}\)/.exec(of('fastify')) ?? []
  const app = fastify({ trustProxy })
  t.after(() => app.close())
  app.get('/', ({ protocol }) => ({ protocol }))
  const protocolFor = async (remoteAddress: string) => {
    const answer = await app.inject({ url: '/', remoteAddress, headers: { 'x-forwarded-proto': 'https' } })
    return answer.json().protocol
  }
  assert.deepEqual([await protocolFor('127.0.0.1'), await protocolFor('192.0.2.1')], ['https', 'http'])
})
