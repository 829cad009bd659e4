/** oidc-client-ts in Chromium, by the settings that the console offers: a page of another origin, without a server of its own. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from './browser.ts'
import { readDocument } from './documents.ts'
import { listenLocally } from './listening.ts'
import { root } from './processes.ts'
import { register } from './relying-party.ts'
import { type Json, password } from './world.ts'

const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const { blocks } = readDocument('docs/build/frameworks.md')
const documented = blocks.find(({ text }) => text.startsWith('// main.js'))?.text ?? assert.fail()
const product = await startProduct()

/** A page that signs people in. It says who is there. */
async function startProduct() {
  const library = await readFile(join(root, 'node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js'))
  let script = ''
  const server = createServer(({ url }, response) => {
    const isScript = url?.endsWith('.js')
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    if (url === '/oidc-client-ts.js') response.end(library)
    else if (isScript) response.end(script)
    else
      response.end(`<title>Acme</title><link rel=icon href="data:,"><h1></h1>
        <button id=in>Enter</button> <button id=renew>Renew</button> <button id=out>Leave</button>
        <script src=/oidc-client-ts.js></script><script src=/page.js></script>`)
  })
  const origin = await listenLocally(server)
  await world.updateTenant('default', { allowedOrigins: [origin] })
  const { id, issuer } = await register(world, {
    kind: 'browser',
    redirectUris: [`${origin}/callback`],
    postLogoutUris: [`${origin}/goodbye`],
  })
  script = `
    const manager = new oidc.UserManager({
      authority: '${issuer}',
      client_id: '${id}',
      redirect_uri: '${origin}/callback',
      post_logout_redirect_uri: '${origin}/goodbye',
      scope: 'openid profile email offline_access',
      loadUserInfo: true,
      automaticSilentRenew: false,
    })
    const show = async () => {
      const user = await manager.getUser()
      document.querySelector('h1').textContent = user ? 'Hello ' + user.profile.name : 'Nobody is here'
    }
    const on = (id, act) => document.getElementById(id).addEventListener('click', () => act().then(show))
    on('in', () => manager.signinRedirect())
    on('renew', () => manager.signinSilent())
    on('out', () => manager.signoutRedirect())
    const arrive = { '/callback': () => manager.signinCallback(), '/goodbye': () => manager.signoutCallback() }
    Promise.resolve(arrive[location.pathname]?.()).then(() => history.replaceState(null, '', '/')).then(show)`
  return { origin }
}

/** What the page keeps of the person. */
async function userOf(page: Page): Promise<Json> {
  return page.evaluate('manager.getUser()')
}

/** Somebody enters who is signed in at Guildhall. */
async function enter(page: Page): Promise<void> {
  await page.goto(product.origin)
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByRole('button', { name: 'Continue as Ann' }).click()
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor()
}

test('a stranger signs in on our pages, and the page knows who it is after a reload too', async (t) => {
  const ann = await world.person('Ann')
  const { page } = await world.tab(t, { visits: product.origin })
  await page.goto(product.origin)
  await page.getByRole('heading', { name: 'Nobody is here' }).waitFor()

  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor()

  const { profile } = await userOf(page)
  assert.deepEqual([profile.sub, profile.email], [ann.id, ann.email])
  await page.reload()
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor()
})

test('the page goes on by a refresh token, and learns a new name by it', async (t) => {
  const ann = await world.person('Ann')
  const { page } = await world.tab(t, { person: ann, visits: product.origin })
  await enter(page)
  const before = await userOf(page)
  await ann.patch('/api/users/me', { name: 'Ann Archer' })

  await page.getByRole('button', { name: 'Renew' }).click()
  await page.getByRole('heading', { name: 'Hello Ann Archer' }).waitFor()

  const after = await userOf(page)
  assert.match(after.refresh_token, /^ghf_/)
  assert.notEqual(after.refresh_token, before.refresh_token)
})

test('the page signs its person out of itself and of Guildhall', async (t) => {
  const { page } = await world.tab(t, { person: await world.person('Ann'), visits: product.origin })
  await enter(page)

  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Nobody is here' }).waitFor()

  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
})

/** A page with the code of the document, as a module. */
async function startDocumented() {
  const files = {
    '/oidc-client-ts.js': await readFile(join(root, 'node_modules/oidc-client-ts/dist/esm/oidc-client-ts.js')),
    '/jwt-decode.js': await readFile(join(root, 'node_modules/jwt-decode/build/esm/index.js')),
  }
  const imports = { 'oidc-client-ts': '/oidc-client-ts.js', 'jwt-decode': '/jwt-decode.js' }
  let script = ''
  const server = createServer(({ url }, response) => {
    const isScript = url?.endsWith('.js')
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    if (isScript) response.end(files[url as keyof typeof files] ?? script)
    else
      response.end(`<title>Acme</title><link rel=icon href="data:,"><body><h1>Notes</h1>
        <script type=importmap>${JSON.stringify({ imports })}</script>
        <script type=module src=/main.js></script>`)
  })
  const origin = await listenLocally(server)
  await world.updateTenant('default', { allowedOrigins: [product.origin, origin] })
  const { id, issuer } = await register(world, { kind: 'browser', redirectUris: [`${origin}/callback`] })
  const code = documented
    .replaceAll('https://notes.example.com', origin)
    .replace('https://accounts.example.com/api/tenants/ten_…', issuer)
    .replace('app_…', id)
  // Warnings of the code are expected, and would count as what went wrong.
  script = `console.warn = () => {}\n${code}\nif (user) document.title = user.profile.name`
  return { origin }
}

test('the code of the document signs in, after a cancelled sign-in too, and a reload of the callback asks again', async (t) => {
  const { origin } = await startDocumented()
  const { page } = await world.tab(t, { person: await world.person('Ann'), visits: origin })
  const signIn = page.getByRole('button', { name: 'Sign in' })
  await page.goto(`${origin}/callback?error=access_denied&state=unknown`) // cancelled
  await signIn.waitFor()
  await page.goto(`${origin}/callback?code=ghc_old&state=unknown`) // opened again
  await signIn.click()
  await page.getByRole('button', { name: 'Continue as Ann' }).click()
  await page.waitForFunction('document.title === "Ann"')
  assert.equal(page.url(), `${origin}/`)
  await page.reload()
  await page.waitForFunction('document.title === "Ann"')

  await page.evaluate(`(() => {
    const [key] = Object.keys(sessionStorage)
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)), expires_at: 1 }))
  })()`)
  await page.reload()
  await signIn.waitFor()
})
