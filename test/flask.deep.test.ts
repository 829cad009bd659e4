/** Debian's Flask with Authlib, by the code of docs/build/frameworks.md: a product in Python. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readDocument } from './documents.ts'
import { freePort } from './ports.ts'
import { Browser, createPublicWorld, register } from './relying-party.ts'
import { enrol } from './sign-in.ts'
import { until } from './smtp.ts'
import type { Json } from './world.ts'

/** Debian's own: another one in the path has none of its packages. */
const python = '/usr/bin/python3'
const isMissing = spawnSync(python, ['-c', 'import flask, authlib, requests']).status !== 0
const skip =
  isMissing &&
  process.env.CI !== 'true' &&
  'Flask or Authlib is missing. Debian: apt-get install python3-flask python3-authlib python3-requests.'

const world = await createPublicWorld()
const folder = mkdtempSync(join(tmpdir(), 'guildhall-flask-'))
after(() => rmSync(folder, { recursive: true }))
const port = await freePort()
const site = `http://127.0.0.1:${port}`
if (!skip) await startProduct()

async function startProduct() {
  assert.ok(!isMissing, 'Flask or Authlib is missing')
  const { issuer, id, secret } = await register(world, {
    redirectUris: [`${site}/callback`],
    postLogoutUris: [`${site}/`],
  })
  const { blocks } = readDocument('docs/build/frameworks.md')
  writeFileSync(join(folder, 'app.py'), blocks.find(({ text }) => text.startsWith('# app.py'))?.text ?? assert.fail())
  const flask = spawn(python, ['-m', 'flask', 'run', '--port', `${port}`], {
    cwd: folder,
    env: {
      ISSUER: issuer,
      ORIGIN: site,
      CLIENT_ID: id,
      CLIENT_SECRET: `${secret}`,
      SESSION_SECRET: 'a secret that is only used in tests',
    },
    stdio: ['ignore', 'ignore', 'ignore'], // it logs each request
  })
  after(async () => {
    const ended = once(flask, 'exit')
    if (flask.kill()) await ended
  })
  await until(async () => {
    assert.equal(flask.exitCode, null, 'Flask has ended')
    return (await fetch(site).catch(() => undefined))?.status === 200
  }, 'Flask to serve')
}

/** What a browser has of the product. */
class Visitor {
  #cookie = ''

  async open(address: URL | string, method = 'GET'): Promise<Response> {
    const headers = { cookie: this.#cookie }
    const response = await fetch(new URL(address, site), { method, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) this.#cookie = cookie.split(';')[0] ?? ''
    return response
  }

  /** @returns where the product sends the browser */
  async leave(address: URL | string, method?: string): Promise<string> {
    const { status, headers } = await this.open(address, method)
    assert.ok([302, 303].includes(status), `${address} answered ${status}`)
    return `${headers.get('location')}`
  }

  async user(): Promise<Json> {
    return (await this.open('/')).json()
  }
}

/** A person who is signed in to the product. */
async function signIn() {
  const ann = await world.person()
  const [browser, visitor] = [new Browser(world), new Visitor()]
  const page = await browser.open(await visitor.leave('/sign-in'))
  assert.equal(await browser.step(page), 'sign_in')
  const signedIn = await browser.signIn(ann)
  assert.equal(await visitor.leave(await browser.goOn(page)), '/')
  return { ann, signedIn, browser, visitor }
}

test('a stranger signs in, and the product knows who it is', { skip }, async () => {
  const { ann, visitor } = await signIn()

  const user = await visitor.user()

  assert.deepEqual([user.sub, user.email, user.acr], [ann.id, ann.email, 'aal1'])
})

test('a link with an organization asks for that organization', { skip }, async () => {
  const [visitor, { id }] = [new Visitor(), await world.organization()]

  const asked = new URL(await visitor.leave(`/sign-in?iss=x&organization=${id}`))
  const usual = new URL(await visitor.leave('/sign-in'))

  assert.deepEqual(
    [asked, usual].map(({ searchParams }) => searchParams.get('organization')),
    [id, null],
  )
})

test('a sign-in that the person cancels leads back to the product', { skip }, async () => {
  const [browser, visitor] = [new Browser(world), new Visitor()]
  const page = await browser.open(await visitor.leave('/sign-in'))

  assert.equal(await visitor.leave(await browser.cancelUrl(page)), '/')

  assert.deepEqual(await visitor.user(), {})
})

test('the product asks for a second factor when it needs one', { skip }, async () => {
  const { ann, signedIn, browser, visitor } = await signIn()

  const page = await browser.open(await visitor.leave('/step-up'))
  assert.equal(await browser.step(page), 'second_factor')
  await enrol(world, signedIn)
  await visitor.leave(await browser.goOn(page))

  const user = await visitor.user()
  assert.deepEqual([user.sub, user.acr], [ann.id, 'aal2'])
})

test('the product signs its person out of itself and of Guildhall', { skip }, async () => {
  const { browser, visitor } = await signIn()

  const page = await browser.open(await visitor.leave('/sign-out', 'POST'))
  assert.equal(await browser.isAsked(page), false)
  assert.equal(`${await browser.signOut(page)}`, `${site}/`)

  assert.deepEqual(await visitor.user(), {})
  assert.equal(await browser.isSignedIn(), false)
})

test('the cookie is secure if people open the product by https, whatever Guildhall has', { skip }, () => {
  const isSecure = (origin: string, issuer: string) => {
    const program = 'import app; print(app.app.config["SESSION_COOKIE_SECURE"])'
    const env = { ORIGIN: origin, ISSUER: issuer, CLIENT_ID: 'app', CLIENT_SECRET: 'secret', SESSION_SECRET: 'secret' }
    return spawnSync(python, ['-c', program], { cwd: folder, env, encoding: 'utf8' }).stdout.trim()
  }

  assert.equal(isSecure('https://notes.example.com', 'http://localhost:3000/api/tenants/ten'), 'True')
  assert.equal(isSecure('http://localhost:5000', 'https://accounts.example.com/api/tenants/ten'), 'False')
})
