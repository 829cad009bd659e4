/** A real nginx that compresses, in front of the service: it makes every ETag weak, and may read a request differently. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createConsoleWorld } from './browser.ts'
import { freePort } from './ports.ts'
import { until } from './smtp.ts'
import { smuggleThrough } from './smuggling.ts'
import { Client } from './world.ts'

const world = await createConsoleWorld({
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' },
})
const missing = spawnSync('nginx', ['-v']).error && 'nginx is missing (Debian: apt-get install nginx)'
const skip = process.env.CI === 'true' ? false : (missing ?? false)
const url = skip ? '' : await startNginx(new URL(world.url).port)

/** @returns its URL @param port of the service */
async function startNginx(port: string): Promise<string> {
  assert.ok(!missing, String(missing))
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-nginx-'))
  const own = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const settings = `
    daemon off;
    master_process off;
    pid ${folder}/pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      gzip on;
      gzip_types application/json;
      gzip_min_length 1;
      upstream guildhall {
        server 127.0.0.1:${port};
        keepalive 32;
      }
      server {
        listen 127.0.0.1:${own};
        location / {
          proxy_pass http://guildhall;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $remote_addr;
          proxy_set_header X-Forwarded-Host $http_host;
          proxy_set_header X-Forwarded-Proto $scheme;
        }
      }
    }`
  await writeFile(join(folder, 'nginx.conf'), settings)
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  nginx.stderr.setEncoding('utf8').on('data', (text) => (said += text))
  const ended = new Promise((resolve) => nginx.once('close', resolve))
  after(async () => {
    nginx.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  const address = `http://127.0.0.1:${own}`
  await until(async () => {
    assert.equal(nginx.exitCode, null, said)
    return (await fetch(`${address}/livez`).catch(() => undefined))?.status === 200
  }, 'nginx to pass requests on')
  return address
}

test('behind a proxy that compresses, a change is saved with the weak tag that was read, and a stale one is refused', {
  skip,
}, async () => {
  const ann = await world.person('Ann')
  const client = new Client({ ...world, url }, { authorization: `Bearer ${ann.token}` })
  const read = await client.get('/api/users/me')
  const tag = read.headers.get('etag') ?? ''
  assert.match(tag, /^W\/"/, 'this nginx makes tags weak')
  const saved = await client.patch('/api/users/me', { name: 'Ann Archer' }, { 'if-match': tag })
  assert.deepEqual([saved.status, saved.body.name], [200, 'Ann Archer'])
  const stale = await client.patch('/api/users/me', { name: 'Ann Baker' }, { 'if-match': tag })
  assert.deepEqual([stale.status, stale.body.code], [412, 'version_mismatch'])
})

test('behind a proxy that compresses, the console saves', { skip }, async (t) => {
  const { ann, slug } = await world.organization()
  const { page } = await world.tab(t, { person: ann, visits: url })
  const sent: (string | undefined)[] = []
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.headers()['if-match']))
  await page.goto(`${url}/me`)
  await page.getByLabel('Name', { exact: true }).fill('Ann Archer')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Ann Archer' }).waitFor()
  await page.goto(`${url}/organizations/${slug}/settings`)
  await page.getByLabel('Name').fill('Acme & Co.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings of Acme & Co. were saved.').waitFor()
  assert.equal((await ann.get(`/api/organizations/${slug}`)).body.name, 'Acme & Co.')
  assert.equal(sent.length, 2)
  for (const tag of sent) assert.match(tag ?? '', /^W\/"/)
})

test('behind nginx no request is taken for two, and each is answered as its own', { skip }, () =>
  smuggleThrough(world, url),
)
