/** The proxy of docs/security/openid.md: nginx gives PKCE to the requests of OpenID's suite, which mostly have none. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { challenge } from './authorizations.ts'
import { readDocument } from './documents.ts'
import { verifier } from './grants.ts'
import { freePort } from './ports.ts'
import { Browser, callback, register } from './relying-party.ts'
import { until } from './smtp.ts'
import { createWorld } from './world.ts'

const missing = spawnSync('nginx', ['-v']).error && 'nginx is missing (Debian: apt-get install nginx)'
const skip = process.env.CI === 'true' ? false : (missing ?? false)

test('the proxy adds PKCE to requests that have none, and leaves others as they are', { skip }, async (t) => {
  assert.ok(!missing, String(missing))
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const world = await createWorld({ settings: { PUBLIC_URL: publicUrl } })
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-openid-'))
  mkdirSync(join(folder, 'nginx'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${folder}/nginx;`,
  )
  const [block] = readDocument('docs/security/openid.md').blocks.filter(({ language }) => language === 'nginx')
  const server = `${block?.text}`
    .replace('listen 9443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/ssl_certificate.*/g, '')
    .replaceAll('http://127.0.0.1:3000', world.url)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; error_log stderr; daemon off; master_process off; events {} http { access_log off; ${temporary.join(' ')} ${server} }`,
  )
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  const ended = once(nginx, 'close')
  t.after(async () => {
    nginx.kill()
    await ended
    rmSync(folder, { recursive: true })
  })
  await until(() => fetch(`${publicUrl}/livez`).catch(() => undefined), 'nginx to answer')
  const { id, secret, issuer } = await register(world)
  const browser = new Browser(world)
  await browser.signIn(await world.person())
  const usual = { client_id: id, redirect_uri: callback, response_type: 'code', scope: 'openid' }
  const signIn = async (asked: Record<string, string>, proof: Record<string, string>) => {
    const back = await browser.open(`${issuer}/authorize?${new URLSearchParams({ ...usual, ...asked })}`)
    const form = { grant_type: 'authorization_code', code: `${back.searchParams.get('code')}`, redirect_uri: callback }
    const client = { client_id: id, client_secret: `${secret}` }
    const body = new URLSearchParams({ ...form, ...client, ...proof })
    return (await fetch(`${issuer}/token`, { method: 'POST', body })).status
  }

  assert.equal(await signIn({}, {}), 200)
  assert.equal(
    await signIn({ code_challenge: challenge, code_challenge_method: 'S256' }, { code_verifier: verifier }),
    200,
  )
})
