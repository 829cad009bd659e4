/** The proxies of docs/operate on port 80: they send browsers to HTTPS, and refuse the API, whose clients would not notice a redirect. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readDocument, root } from './documents.ts'
import { freePort } from './ports.ts'
import { until } from './smtp.ts'
import { speak } from './sockets.ts'

/** A proxy: its name and arguments, and its configuration from the documents, with plain HTTP on a port of ours. */
interface Proxy {
  readonly program: string
  readonly version: string
  readonly args: readonly string[]
  readonly configure: (port: number, folder: string, httpsPort: number) => string
}

const blockIn = (language: string) =>
  readDocument('docs/operate/proxy.md').blocks.find((block) => block.language === language)?.text ?? assert.fail()

const proxies: readonly Proxy[] = [
  {
    program: 'nginx',
    version: '-v',
    args: ['-e', 'stderr', '-c'],
    configure: (port, folder) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const servers = blockIn('nginx')
        .replace(/^ *ssl_certificate.*$/gm, '')
        .replace('listen 80;', `listen 127.0.0.1:${port};`)
        .replace('listen 443 ssl http2;', `listen unix:${folder}/https.sock;`)
      return `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
        http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')} ${servers} }`
    },
  },
  {
    program: 'haproxy',
    version: '-v',
    args: ['-db', '-f'],
    configure: (port) => {
      const text = readFileSync(join(root, 'docs/operate/haproxy.cfg'), 'utf8')
      const withCertificate = text.replaceAll(/^ {2}#( {3}(?:bind|http-request) )/gm, '$1')
      assert.notEqual(withCertificate, text)
      return withCertificate
        .replace(/bind "\$\{LISTEN\}"/, '')
        .replace('bind :80', `bind 127.0.0.1:${port}`)
        .replace(/bind :443 .*/, '')
        .replaceAll(/"\$\{GUILDHALL_\d\}"/g, '127.0.0.1:9')
    },
  },
  {
    program: 'caddy',
    version: 'version',
    args: ['run', '--adapter', 'caddyfile', '--config'],
    configure: (port, folder, httpsPort) =>
      `{
        admin off
        http_port ${port}
        https_port ${httpsPort}
        default_bind 127.0.0.1
        auto_https disable_certs
        storage file_system ${folder}
      }
      ${blockIn('caddyfile')}`,
  },
]

const env = { PATH: `${process.env.PATH}:/usr/sbin` }

for (const proxy of proxies) {
  const isMissing = spawnSync(proxy.program, [proxy.version], { env }).error !== undefined
  const skip =
    isMissing && process.env.CI !== 'true' && `${proxy.program} is missing (Debian: apt-get install ${proxy.program})`
  test(`over plain HTTP, ${proxy.program} sends browsers to HTTPS and refuses requests of the API`, {
    skip,
  }, async (t) => {
    const ask = await start(t, proxy)
    assert.deepEqual(await ask('/organizations?sort=name'), [
      308,
      'https://accounts.example.com/organizations?sort=name',
    ])
    assert.deepEqual(await ask('/apis'), [308, 'https://accounts.example.com/apis'])
    assert.deepEqual(await ask('/api/users/me'), [403, undefined])
  })
}

/** @returns what asks it for a path, as a client does that was given `http://` */
async function start(t: TestContext, { program, args, configure }: Proxy) {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-proxy-'))
  const [port, httpsPort] = [await freePort(), await freePort()]
  const file = join(folder, 'configuration')
  writeFileSync(file, configure(port, folder, httpsPort))
  const proxy = spawn(program, [...args, file], { env: { ...env, HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(proxy, 'close')
  let said = ''
  for (const stream of [proxy.stdout, proxy.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  t.after(async () => {
    proxy.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })

  const ask = async (path: string) => {
    const request = `GET ${path} HTTP/1.1\r\nhost: accounts.example.com\r\nconnection: close\r\n\r\n`
    const answer = await speak(`http://127.0.0.1:${port}`, request)
    return [Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]), /^location: (\S+)/im.exec(answer)?.[1]]
  }
  await until(async () => {
    assert.equal(proxy.exitCode, null, said)
    return (await ask('/').catch(() => undefined))?.[0]
  }, `${program} to answer`)
  return ask
}
