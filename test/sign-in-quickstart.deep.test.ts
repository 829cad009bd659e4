/** The first part of docs/build/quickstart.md in practice: its product, into which two people sign in by a browser, as the page says. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { after, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { createConsoleWorld } from './browser.ts'
import { commandsIn, runCommands } from './commands.ts'
import { readDocument, root } from './documents.ts'
import { freePort } from './ports.ts'
import { Browser } from './relying-party.ts'
import { until } from './smtp.ts'
import { password } from './world.ts'

const world = await createConsoleWorld({ isLocalhost: true })
const port = await freePort()
const home = `http://localhost:${port}`
const { text, blocks } = readDocument('docs/build/quickstart.md')
const end = text.slice(0, text.indexOf('\n## Pages of your own')).split('\n').length
const part = blocks
  .filter(({ line }) => line < end)
  .map(({ language, text }) => ({
    language,
    text: text.replaceAll('http://localhost:4000', home).replace('listen(4000', `listen(${port}`),
  }))
const commands = part.filter(({ language }) => language === 'console').flatMap(({ text }) => commandsIn(text))
const program = part.find(({ text }) => text.startsWith('// notes.mjs'))?.text ?? assert.fail()

/** The product's folder. Its client of OpenID Connect is the repository's. */
const folder = mkdtempSync(join(tmpdir(), 'guildhall-sign-in-quickstart-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'node_modules'))
symlinkSync(join(root, 'node_modules/openid-client'), join(folder, 'node_modules/openid-client'))
writeFileSync(join(folder, 'notes.mjs'), program.replaceAll('http://localhost:3000', world.app.config.publicUrl))

test('the first part names its commands', () => {
  const [start, create, ...rest] = commands.map(({ command }) => command)
  assert.equal(start, 'npm start')
  assert.match(create ?? '', /^node tools\/guildhall\.mjs application create /)
  assert.deepEqual(rest, [
    'mkdir ../notes',
    'cd ../notes',
    'npm init --yes',
    'npm install openid-client',
    'node --env-file=.env notes.mjs',
  ])
})

test('the code of the first part compiles', async () => {
  const types = { typeRoots: [join(root, 'node_modules/@types')], types: ['node'] }
  const compilerOptions = { allowJs: true, checkJs: true, lib: ['es2023', 'dom', 'dom.iterable'], paths: {}, ...types }
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.mjs'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiling = promisify(execFile)(execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', folder])
  await compiling.catch(({ stdout }) => assert.fail(stdout))
})

test('two people sign in to the product with Guildhall, the second one by an invitation', async (t) => {
  const product = await startProduct(t)

  const eve = await world.tab(t, { visits: home })
  await eve.page.goto(home)
  await eve.page.getByRole('link', { name: 'Sign in with Guildhall' }).click()
  await eve.page.getByText('to continue to Notes', { exact: true }).waitFor()
  await eve.page.getByRole('link', { name: 'Cancel and go back to Notes' }).click()
  await eve.page.getByRole('link', { name: 'Sign in with Guildhall' }).click()
  await eve.page.getByRole('button', { name: 'Sign up' }).click()
  await eve.page.getByLabel('Email').fill('eve@notes.example')
  await eve.page.getByLabel('Name').fill('Eve')
  await eve.page.getByLabel('Password', { exact: true }).fill(password)
  await eve.page.getByRole('button', { name: 'Create account' }).click()
  await eve.page.getByRole('heading', { name: 'Verify your email address' }).waitFor()
  const other = await eve.context.newPage()
  await other.goto(`/verify-email#token=${await world.mailedToken('eve@notes.example', 'verify-email')}`)
  await eve.page.getByRole('textbox').fill('The Press')
  await eve.page.getByRole('button', { name: 'Create organization' }).click()
  await eve.page.getByRole('heading', { name: 'Eve in The Press, owner' }).waitFor()
  await eve.page.getByRole('button', { name: 'Leave a note' }).click()
  await eve.page.getByText('Eve was here').waitFor()

  await eve.open('/organizations/the-press/invitations')
  await eve.page.getByRole('button', { name: 'Invite people' }).click()
  await eve.page.getByRole('dialog').getByRole('textbox').first().fill('finn@notes.example')
  await eve.page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Invite|Send)/ })
    .click()
  const finn = await world.tab(t, { visits: home })
  await finn.openMailed('finn@notes.example', 'invitation')
  await finn.page.getByLabel('Name').fill('Finn')
  await finn.page.getByLabel('Password', { exact: true }).fill(password)
  await finn.page.getByRole('button', { name: 'Create account and join' }).click()
  await finn.page.getByRole('link', { name: 'Continue to Notes' }).click()
  await finn.page.getByRole('heading', { name: 'Finn in The Press, member' }).waitFor()
  await finn.page.getByText('Eve was here').waitFor()

  await finn.page.getByRole('button', { name: 'Sign out' }).click()
  await finn.page.getByRole('link', { name: 'Sign in with Guildhall' }).waitFor()
  await finn.open('/me')
  await finn.page.getByRole('heading', { name: /^Sign in to/ }).waitFor()

  const back = `${home}/callback?code=ghc_x&state=x`
  const withoutCookie = await fetch(back, { redirect: 'manual' })
  assert.equal(withoutCookie.status, 400, 'it does not begin another sign-in')
  assert.match(await withoutCookie.text(), /Allow cookies for this site, and <a href="\/sign-in">sign in again<\/a>/)
  for (const path of ['//', '/?', '/%ff/notes', '/callback', '/callback?code=1']) await sendPath(path)
  const refused = await fetch(`${home}/notes`, { method: 'POST', redirect: 'manual' })
  assert.equal(refused.headers.get('location'), '/sign-in')
  assert.equal(product.said, '', 'nothing failed')
})

test('sign-ins in two tabs both end, and a callback that is opened again leads to the product', async (t) => {
  const product = await startProduct(t)
  const { ann } = await world.organization()
  const { body: other } = await ann.post('/api/organizations', { name: 'Another' })
  const [browser, visitor] = [new Browser(world), new Visitor()]
  await browser.signIn(ann)
  const begin = async () => visitor.leave(`/sign-in?iss=x&organization=${other.id}`)
  const [first, second] = [await begin(), await begin()]

  const back = await browser.open(first)
  assert.equal(await visitor.leave(back), '/')
  assert.match(await visitor.read('/'), / in Another, owner<\/h1>/)
  assert.equal(await visitor.leave(await browser.open(second)), '/')
  assert.equal(await visitor.leave(back), '/')

  assert.match(await visitor.read('/'), / in Another, owner<\/h1>/)
  assert.equal(product.said, '', 'nothing failed')
})

test('the product starts while Guildhall is off', async (t) => {
  await startProduct(t, { ISSUER: `http://localhost:${await freePort()}/api/tenants/ten_x` })

  assert.equal((await fetch(`${home}/sign-in`, { redirect: 'manual' })).status, 500)

  assert.equal((await fetch(home)).status, 200)
})

/** What a browser has of the product. */
class Visitor {
  #cookie = ''

  async #open(address: URL | string): Promise<Response> {
    const answer = await fetch(new URL(address, home), { headers: { cookie: this.#cookie }, redirect: 'manual' })
    for (const cookie of answer.headers.getSetCookie()) this.#cookie = cookie.split(';')[0] ?? ''
    return answer
  }

  async read(address: string): Promise<string> {
    return (await this.#open(address)).text()
  }

  /** @returns where the product sends the browser */
  async leave(address: URL | string): Promise<string> {
    const { status, headers } = await this.#open(address)
    assert.equal(status, 303, `${address}`)
    return `${headers.get('location')}`
  }
}

/**
 * Registered by the page's command, with what it prints in `.env`, and started like `node --env-file=.env notes.mjs`.
 *
 * @param settings instead of those in `.env`
 */
async function startProduct(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const env = {
    TENANT: 'default',
    DATABASE_URL: world.postgres.url,
    GUILDHALL_SECRET: 'a secret that is only used in tests',
    PUBLIC_URL: world.app.config.publicUrl,
  }
  const [, create = assert.fail()] = commands
  const [printed = ''] = await runCommands([create], { cwd: root, url: world.app.config.publicUrl, env })
  const values = /^Issuer {2}(http:\S+)\nId {6}(app_\S+)\nSecret {2}(ghx_\S+)$/.exec(printed)
  assert.ok(values, printed)
  const file = part.find(({ language }) => language === 'sh')?.text ?? assert.fail()
  const [, issuer = '', id = '', secret = ''] = values
  const written = file.replace('http://localhost:3000/api/tenants/ten_…', issuer).replace('app_…', id)
  writeFileSync(join(folder, '.env'), written.replace('ghx_…', secret))

  const child = spawn(execPath, ['--env-file=.env', 'notes.mjs'], {
    cwd: folder,
    env: settings,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const product = { said: '' }
  child.stderr.on('data', (chunk) => (product.said += chunk))
  t.after(async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  await until(() => {
    assert.equal(child.exitCode, null, 'the product has ended')
    return fetch(home).then(Boolean, () => false)
  }, 'the product to listen')
  return product
}

/** Sent unchanged, because `fetch` would resolve it to a URL. */
async function sendPath(path: string): Promise<void> {
  const [answer]: IncomingMessage[] = await once(get({ port, path, agent: false }), 'response')
  assert.ok((answer?.resume().statusCode ?? 500) < 500, path)
}
