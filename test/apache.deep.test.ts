/** Debian's Apache with mod_auth_openidc, by the settings that the console offers: a site that needs no code to sign people in. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, get as open } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { frameworksFor, settingsOf } from '../console/applications/frameworks.ts'
import { freePort } from './ports.ts'
import { Browser, createPublicWorld, register } from './relying-party.ts'
import { enrol } from './sign-in.ts'
import { until } from './smtp.ts'

const modules = '/usr/lib/apache2/modules'
const isMissing = !existsSync('/usr/sbin/apache2') || !existsSync(`${modules}/mod_auth_openidc.so`)
const skip =
  isMissing &&
  process.env.CI !== 'true' &&
  'Apache or its module is missing. Debian: apt-get install apache2 libapache2-mod-auth-openidc.'

const world = await createPublicWorld()
const site = `http://127.0.0.1:${await freePort()}`
const redirectUri = `${site}/redirect_uri`
const scopes: ('openid' | 'profile' | 'email' | 'offline_access')[] = ['openid', 'profile', 'email', 'offline_access']
const addresses = { redirectUris: [redirectUri], postLogoutUris: [`${site}/goodbye`] }
const application = skip
  ? undefined
  : await register(world, { ...addresses, scopes, backChannelLogoutUri: `${redirectUri}?logout=backchannel` })
if (application) await startApache(application)

/** Serves one page at every path to those who are signed in, and says in headers whom Apache knows. */
async function startApache({ issuer, id, secret }: { issuer: string; id: string; secret: string | null }) {
  assert.ok(!isMissing, 'Apache or its module is missing')
  const copied = frameworksFor('server').find(({ name }) => name.startsWith('Apache'))
  assert.ok(copied)
  const filledIn = settingsOf({ id, kind: 'server', ...addresses, scopes }, issuer, copied)
  assert.deepEqual(
    [filledIn.postLogoutUri, filledIn.backChannelUri],
    [`${site}/goodbye`, `${redirectUri}?logout=backchannel`],
  )
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-apache-'))
  await chmod(folder, 0o755) // Apache serves as another user
  await mkdir(join(folder, 'pages'))
  await writeFile(join(folder, 'pages', 'index.html'), 'Welcome')
  const needed = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'alias', 'headers', 'auth_openidc']
  const settings = `
    ServerRoot ${folder}
    User www-data
    Group www-data
    PidFile ${folder}/pid
    DefaultRuntimeDir ${folder}
    Listen ${new URL(site).host}
    ServerName ${new URL(site).host}
    ErrorLog ${folder}/log
    ${needed.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
    Define CLIENT_SECRET ${secret}
    Define A_LONG_RANDOM_TEXT a-text-that-is-only-used-in-tests
    AliasMatch ^ ${folder}/pages/index.html
    ${copied.write(filledIn)}
    # Beside what the console offers: each request refreshes the token, and a path needs two factors.
    <Location />
      OIDCRefreshAccessTokenBeforeExpiry 3600
      OIDCPassRefreshToken On
      Header set email "%{OIDC_CLAIM_email}e"
      Header set acr "%{OIDC_CLAIM_acr}e"
      Header set token "%{OIDC_refresh_token}e"
    </Location>
    <Location /safe>
      Require claim acr:aal2
      OIDCUnAutzAction auth
      OIDCPathAuthRequestParams acr_values=aal2
    </Location>`
  await writeFile(join(folder, 'apache.conf'), settings)
  const apache = spawn('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => apache.once('close', resolve))
  after(async () => {
    apache.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  await until(async () => {
    assert.equal(apache.exitCode, null, 'Apache has ended')
    return (await fetch(`${site}/goodbye`).catch(() => undefined))?.status === 200
  }, 'Apache to serve')
}

/** What a browser has of the site. */
class Visitor {
  readonly #cookies = new Map<string, string>()

  /** Opens an address of the site. @returns the answer, with the address to which the site sends the browser on */
  async open(address: URL | string) {
    const request = open(new URL(address, site), {
      headers: {
        accept: 'text/html',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
      },
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage] // what the event hands over
    const page = await text(response)
    for (const cookie of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      this.#cookies.set(name, value)
    }
    const { email, acr, token, location } = response.headers
    // Where more is asked of somebody who is signed in, the module answers with a page that leads on.
    const next = location ?? /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page)?.[1] ?? ''
    return { status: response.statusCode, email, acr, token, location: next.replaceAll('&amp;', '&') }
  }
}

/** A person who is signed in on the site. */
async function visit() {
  const [ann, browser, visitor] = [await world.person(), new Browser(world), new Visitor()]
  const { status, location } = await visitor.open('/notes')
  assert.equal(status, 302)
  const page = await browser.open(location)
  assert.equal(await browser.step(page), 'sign_in')
  const signedIn = await browser.signIn(ann)
  const back = await visitor.open(await browser.goOn(page))
  assert.deepEqual([back.status, back.location], [302, `${site}/notes`])
  return { ann, signedIn, browser, visitor }
}

test('a stranger signs in, and the site knows them and goes on by refresh tokens', { skip }, async () => {
  const { ann, visitor } = await visit()

  const [first, second] = [await visitor.open('/notes'), await visitor.open('/notes')]

  assert.deepEqual([first.status, first.email, first.acr], [200, ann.email, 'aal1'])
  assert.deepEqual([second.status, second.email], [200, ann.email])
  assert.match(`${first.token}`, /^ghf_/)
  assert.notEqual(second.token, first.token)
})

test('a path of the site needs a second factor', { skip }, async () => {
  const { signedIn, browser, visitor } = await visit()
  const { location } = await visitor.open('/safe')

  const page = await browser.open(location)
  assert.equal(await browser.step(page), 'second_factor')
  await enrol(world, signedIn)
  await visitor.open(await browser.goOn(page))

  const safe = await visitor.open('/safe')
  assert.deepEqual([safe.status, safe.acr], [200, 'aal2'])
})

test('the site signs its person out of itself and of Guildhall', { skip }, async () => {
  const { browser, visitor } = await visit()

  const { location } = await visitor.open(`/redirect_uri?${new URLSearchParams({ logout: `${site}/goodbye` })}`)
  const page = await browser.open(location)
  assert.equal(await browser.isAsked(page), false)
  assert.equal(`${await browser.signOut(page)}`, `${site}/goodbye`)

  assert.equal((await visitor.open('/notes')).status, 302)
  assert.equal(await browser.isSignedIn(), false)
})

test('a person who signs out at Guildhall is signed out of the site', { skip }, async () => {
  const { ann, visitor } = await visit()
  assert.equal((await visitor.open('/notes')).status, 200)

  await ann.delete('/api/users/me/devices') // all others

  await until(async () => (await visitor.open('/notes')).status === 302, 'the site to ask for a sign-in')
})
