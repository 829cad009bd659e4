/** Addresses of webhooks: which URLs may be set for a tenant, and which for an organization. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/world.ts'
import type { Fault } from '../../platform/http/faults.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'
import { judgeUrl, longestUrl, readOwnHosts, type WebhookKind } from './addresses.ts'

const world = await createWorld()
const tenant = await world.tenant({ domains: ['accounts.shop.example'] })
await world.tenant({ domains: ['accounts.other.example'] })
await world.postgres.query('update tenants set base_url = $2 where slug = $1', [
  tenant.slug,
  'https://app.shop.example',
])

const addresses: Readonly<Record<string, string>> = {
  'hooks.example': '93.184.215.14',
  'private.example': '10.9.9.9',
  'loopback.example': '127.0.0.1',
  'mapped.example': '::ffff:10.9.9.9',
  'hooks.internal': '10.9.9.9',
  'us.internal': '127.0.0.1',
  localhost: '127.0.0.1',
}
const asked: string[] = []
const resolve = async (host: string) => {
  asked.push(host)
  const address = host.endsWith('shop.example') ? '93.184.215.14' : addresses[host]
  return address ? [{ address, family: address.includes(':') ? 6 : 4 }] : []
}
const outbound = new Outbound(['hooks.internal', 'unknown.internal', 'us.internal', '10.1.0.0/16'], { resolve })

async function judge(url: string, kind: WebhookKind, publicUrl = 'https://accounts.example'): Promise<Fault[]> {
  const own = await world.database.inTenant(tenant.id, (sql) => readOwnHosts(sql, { publicUrl }, url))
  return judgeUrl(outbound, tenant.id, own, url, kind)
}

/** @returns what is said of a tenant's webhook, and of an organization's: `ok`, or the faults */
async function say(url: string, publicUrl?: string): Promise<string> {
  const said: string[] = []
  for (const kind of ['tenant', 'organization'] as const) {
    const faults = await judge(url, kind, publicUrl)
    said.push(faults.map(({ pointer, code }) => `${pointer} ${code}`).join(', ') || 'ok')
  }
  return said.join(' | ')
}

const accepted = 'ok | ok'
const refused = '/url not_allowed | /url not_allowed'
const malformed = '/url invalid_format | /url invalid_format'
const ofTenantsAlone = 'ok | /url not_allowed'

const spellings: Readonly<Record<string, string>> = {
  'https://hooks.example/': accepted,
  'https://hooks.example': accepted,
  'https://HOOKS.example.:8443/a?b=c&d=%20': accepted,
  'https://93.184.215.14/': accepted,
  'https://[2606:4700::1111]/': accepted,
  'https://hooks.internal/': ofTenantsAlone,
  'http://hooks.internal/': ofTenantsAlone,
  'http://HOOKS.internal.:8080/': ofTenantsAlone,
  'http://10.1.2.3/': ofTenantsAlone,
  'https://0xa010203/': ofTenantsAlone,
  'http://hooks.example/': refused,
  'http://93.184.215.14/': refused,
  'https://private.example/': refused,
  'https://loopback.example/': refused,
  'https://mapped.example/': refused,
  'https://10.9.9.9/': refused,
  'https://169.254.169.254/latest/meta-data': refused,
  'https://127.0.0.1/': refused,
  'https://127.0.0.1./': refused,
  'https://127.1/': refused,
  'https://2130706433/': refused,
  'https://017700000001/': refused,
  'https://0x7f.0.0.1/': refused,
  'https://%31%32%37.0.0.1/': refused,
  'https://[::1]/': refused,
  'https://[::ffff:127.0.0.1]/': refused,
  'https://[::ffff:a09:909]/': refused,
  'https://[::ffff:10.1.2.3]/': ofTenantsAlone,
  'https://0.0.0.0/': refused,
  'https://0/': refused,
  'https://100.64.0.1/': refused,
  'https://[fe80::1]/': refused,
  'https://[fd00:ec2::254]/': refused,
  'https://[64:ff9b::7f00:1]/': refused,
  'https://[2002:7f00:1::]/': refused,
  'https://localhost/': refused,
  'https://localhost./': refused,
  [`https://ann:${'x'}@hooks.example/`]: refused,
  'https://ann@hooks.example/': refused,
  'https://hooks.example/#a': refused,
  'https://hooks.example/#': refused,
  'ftp://hooks.example/': refused,
  'com.example.app://callback': refused,
  'javascript:alert(1)': malformed,
  'hooks.example/a': malformed,
  '/a': malformed,
  '//hooks.example/': malformed,
  '': malformed,
  'https://': malformed,
  'https://hooks.example\\@private.example/': malformed,
  'https://hooks.example/a b': malformed,
  'https://hooks.example/a\n': malformed,
  'https://hooks.example/\u202e': malformed,
  'https://hooks.example:99999/': malformed,
}

for (const [url, expected] of Object.entries(spellings))
  test(`the URL ${JSON.stringify(url)} is ${expected}`, async () => {
    assert.equal(await say(url), expected)
  })

test('our own hosts are refused, with the port of PUBLIC_URL: its host, and the domains of all tenants', async () => {
  for (const host of [
    'accounts.example',
    'accounts.shop.example',
    'accounts.other.example',
    'ACCOUNTS.Shop.example.',
  ]) {
    const [own, port] = [`https://${host}/api/events`, `https://${host}:8443/`]
    assert.equal(await say(own), refused, own)
    assert.deepEqual(await judge(own, 'tenant'), [
      { pointer: '/url', code: 'not_allowed', detail: 'This is a URL of Guildhall itself.' },
    ])
    assert.equal(await say(port), accepted, port)
    assert.equal(await say(port, 'https://accounts.example:8443'), refused, port)
  }
  assert.equal(await say('https://sub.accounts.shop.example/'), accepted)
})

test('on the machine itself, our own host has all names of the loopback interface', async () => {
  const local = 'http://localhost:3000'
  assert.equal(await say('http://us.internal:3001/', local), ofTenantsAlone)
  for (const host of ['us.internal', 'localhost', '127.0.0.1', '127.9.9.9', '[::1]'])
    assert.equal(await say(`http://${host}:3000/`, local), refused, host)
})

test('a webhook may lead to the product, where links in mails begin', async () => {
  assert.equal(await say('https://app.shop.example/webhooks'), accepted)
})

test('a name without addresses may have https, because it may get some, and no http', async () => {
  assert.equal(await say('https://unknown.example/'), accepted)
  assert.equal(await say('http://unknown.internal/'), refused)
})

test('a URL has 2,048 characters at most, as it is called too', async () => {
  const ofLength = (length: number, filler = 'a') => 'https://hooks.example/'.padEnd(length, filler)
  assert.equal(await say(ofLength(longestUrl)), accepted)
  for (const url of [ofLength(longestUrl + 1), ofLength(longestUrl, '"')])
    assert.equal(await say(url), '/url too_long | /url too_long')
})

test('each fault says what is needed', async () => {
  const said = async (url: string, kind: WebhookKind = 'tenant') => (await judge(url, kind)).map(({ detail }) => detail)
  const noUser = ['A URL without a user name and password is needed.']
  for (const user of ['ann', `:${'x'}`, `ann:${'x'}`])
    assert.deepEqual(await said(`https://${user}@hooks.example/`), noUser)
  assert.deepEqual(await said('http://hooks.internal/', 'organization'), ['A URL with https is needed.'])
  assert.deepEqual(await said('http://hooks.example/'), [
    'A URL with https is needed. Only hosts that the operator names in `OUTBOUND_PRIVATE` may have http.',
  ])
  assert.deepEqual(await said('https://private.example/'), [
    'The host has an address that cannot be called. A public one is needed, or one that the operator names in `OUTBOUND_PRIVATE`.',
  ])
  assert.deepEqual(await said('https://private.example/', 'organization'), [
    'The host has an address that cannot be called. A public address is needed.',
  ])
})

test('names of a tenant that are never resolved keep no URL of another tenant from being judged', async () => {
  const held: (() => void)[] = []
  const slow = (host: string) =>
    new Promise<[]>((done) => (host.endsWith('.slow.example') ? held.push(() => done([])) : done([])))
  const out = new Outbound([], {
    all: 60_000,
    connect: 60_000,
    resolve: async (host) => (host === 'private.example' ? [{ address: '10.9.9.9', family: 4 }] : slow(host)),
  })
  const set = (whose: string, host: string) => judgeUrl(out, whose, new Set(), `https://${host}/`, 'organization')
  let isOver = false
  const waiting = Array.from({ length: 40 }, (_, n) => set('ten_slow', `${n}.slow.example`))
  try {
    const faults = await set('ten_other', 'private.example')
    assert.deepEqual(
      faults.map(({ code }) => code),
      ['not_allowed'],
    )
    assert.equal(held.length, 4)
  } finally {
    const over = Promise.all(waiting).then(() => {
      isOver = true
    })
    while (!isOver) {
      for (const end of held.splice(0)) end()
      await new Promise((done) => setImmediate(done))
    }
    await over
  }
})

test('no sentence repeats the URL, and nobody is asked for a host that may not be called anyhow', async () => {
  asked.length = 0
  for (const url of [
    'http://secret.internal/',
    `https://ann:${'x'}@secret.example/`,
    'https://secret.example/#a',
    'secret',
  ])
    for (const { detail } of await judge(url, 'organization')) assert.doesNotMatch(detail, /secret/)
  assert.deepEqual(asked, [])
  for (const { detail } of await judge('https://private.example/', 'tenant'))
    assert.doesNotMatch(detail, /private\.example|10\./)
  assert.deepEqual(asked, ['private.example'])
})
