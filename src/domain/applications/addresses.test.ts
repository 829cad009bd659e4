/** Addresses of applications: which ones admins may set, by kind, and which ones people are sent to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestApplication } from '../../../test/application-requests.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { isRedirectUri } from './addresses.ts'

const world = await createWorld({ settings: { PUBLIC_URL: 'http://127.0.0.1:3000' } })
const { slug } = await world.tenant({ domains: ['accounts.shop.example'] })
await world.tenant({ domains: ['accounts.other.example'] })
const tess = await world.tenantAdmin(slug)
const kinds = ['server', 'browser', 'native'] as const
const paths = new Map<string, string>()
for (const kind of kinds)
  paths.set(kind, `/api/admin/applications/${(await requestApplication(tess, { kind })).application.id}`)

/** Sets fields of an application. @returns `ok`, or the faults */
async function set(kind: string, fields: object): Promise<string> {
  const { status, body } = await tess.patch(paths.get(kind) ?? '', fields)
  if (status === 200) return 'ok'
  assert.deepEqual([status, body.code], [400, 'invalid_request'])
  return body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`).join(', ')
}

/** What is answered for an address where people are sent, or what each kind answers: `server` and `browser`, then `native`. */
const spellings: Readonly<Record<string, string | readonly [others: string, native: string]>> = {
  'https://app.example.com/callback': 'ok',
  'https://app.example.com/callback?a=1&b=%20': 'ok',
  'https://app.example.com:8443/': 'ok',
  'https://app.example.com/caf%C3%A9': 'ok',
  'https://xn--caf-dma.example.com/': 'ok',
  'https://203.0.113.7/callback': 'ok',
  'https://[2001:db8::1]/callback': 'ok',
  'http://localhost/callback': 'ok',
  'http://localhost:4000/callback': 'ok',
  'http://127.0.0.1:4000/callback': 'ok',
  'http://[::1]:4000/callback': 'ok',
  'com.example.app:/callback': ['not_allowed', 'ok'],
  'com.example.app://callback': ['not_allowed', 'ok'],
  'http://app.example.com/callback': 'invalid_format',
  'http://localhost.example.com/': 'invalid_format',
  'http://127.0.0.1.example.com/': 'invalid_format',
  'http://127.0.0.2:4000/': 'invalid_format',
  'http://0x7f000001/callback': 'invalid_format',
  'http://2130706433/callback': 'invalid_format',
  'http://127.1:4000/callback': 'invalid_format',
  'http://[0:0:0:0:0:0:0:1]:4000/': 'invalid_format',
  'http://LOCALHOST:4000/': 'invalid_format',
  'http:localhost/callback': 'invalid_format',
  'https://app.example.com': 'invalid_format',
  'https://APP.example.com/callback': 'invalid_format',
  'HTTPS://app.example.com/callback': 'invalid_format',
  'https://app.example.com:443/callback': 'invalid_format',
  'https://app.example.com/a/../callback': 'invalid_format',
  'https://app.example.com/%2e%2e/callback': 'invalid_format',
  'https:///app.example.com/callback': 'invalid_format',
  'https://app.example.com\\@evil.example.com/': 'invalid_format',
  'https://app.example.com/call back': 'invalid_format',
  'https://app.example.com/call\tback': 'invalid_format',
  'https://café.example.com/': 'invalid_format',
  'https://ann@app.example.com/': 'invalid_format',
  'https://ann:x@app.example.com/': 'invalid_format',
  'https://@app.example.com/': 'invalid_format',
  'https://a@b@app.example.com/': 'invalid_format',
  'https://app.example.com@@evil.example/': 'invalid_format',
  'https://app.example.com/#a': 'invalid_format',
  'https://app.example.com/#': 'invalid_format',
  'com.example.app:/callback#a': 'invalid_format',
  'com.example.app://ann@callback': 'invalid_format',
  'app:/callback': 'invalid_format',
  'Com.Example.App:/callback': ['not_allowed', 'invalid_format'],
  'javascript:alert(1)': 'invalid_format',
  'JaVaScRiPt:alert(1)': 'invalid_format',
  'data:text/html,x': 'invalid_format',
  '//app.example.com/callback': 'invalid_format',
  '/callback': 'invalid_format',
  'http://localhost:3000/callback': 'not_allowed',
  'http://127.0.0.1:3000/': 'not_allowed',
  'http://[::1]:3000/api/': 'not_allowed',
  'https://accounts.shop.example/callback': 'not_allowed',
  'https://accounts.shop.example./callback': 'not_allowed',
  'https://accounts.shop.example:8443/callback': 'not_allowed',
  'https://accounts.other.example/': 'not_allowed',
  'https://www.accounts.shop.example/': 'ok',
}

for (const kind of kinds) {
  test(`where people of a ${kind} application are sent is https, or loopback, and never Guildhall itself`, async () => {
    for (const [uri, answers] of Object.entries(spellings)) {
      const answer = typeof answers === 'string' ? answers : answers[kind === 'native' ? 1 : 0]
      const at = (pointer: string) => (answer === 'ok' ? 'ok' : `${pointer} ${answer}`)
      assert.equal(await set(kind, { redirectUris: [uri] }), at('/redirectUris/0'), uri)
      assert.equal(await set(kind, { postLogoutUris: [uri] }), at('/postLogoutUris/0'), uri)
      assert.equal(await set(kind, { startUrl: uri }), at('/startUrl'), uri)
    }
  })

  test(`a ${kind} application is told of an end by https or loopback, and at no URL with placeholders`, async () => {
    const refused = ['{', '}', '?sid={sid}', '$%7Bsid}'].map((end) => `https://app.example.com/?${end}`)
    const tell = (uri: string) => set(kind, { backChannelLogoutUri: uri })
    for (const [uri, answer] of Object.entries(spellings)) {
      if (typeof answer !== 'string') continue
      assert.equal(await tell(uri), answer === 'ok' ? 'ok' : `/backChannelLogoutUri ${answer}`, uri)
    }
    for (const uri of [...refused, 'com.example.app:/logout'])
      assert.equal(await tell(uri), '/backChannelLogoutUri not_allowed', uri)
    assert.equal(await tell('https://app.example.com/%7Bsid%7D'), 'ok', 'an escaped one is a text like others')
  })
}

test('all faults of addresses are told at once, and one that is listed twice is a fault', async () => {
  const redirectUris = ['https://app.example.com/', 'https://app.example.com', 'https://app.example.com/', 'a.b:/c']
  const sent = { redirectUris, startUrl: 'https://accounts.shop.example/', backChannelLogoutUri: 'a.b:/c' }
  assert.equal(
    await set('server', sent),
    [
      ...['/redirectUris/1 invalid_format', '/redirectUris/2 not_allowed', '/redirectUris/3 not_allowed'],
      ...['/startUrl not_allowed', '/backChannelLogoutUri not_allowed'],
    ].join(', '),
  )
})

test('the query of an address has no parameter that Guildhall adds to it, and one that was stored before keeps working', async () => {
  const inQuery = (name: string) => `https://app.example.com/?a=1&${name}=2`
  for (const name of ['code', 'state', 'iss', 'error', 'error_description', '%63ode'])
    assert.equal(await set('server', { redirectUris: [inQuery(name)] }), '/redirectUris/0 not_allowed', name)
  assert.equal(await set('native', { redirectUris: ['com.example.app:/?code'] }), '/redirectUris/0 not_allowed')
  assert.equal(await set('server', { postLogoutUris: [inQuery('state')] }), '/postLogoutUris/0 not_allowed')

  const others = { redirectUris: [inQuery('codes')], postLogoutUris: [inQuery('code')], startUrl: inQuery('iss') }
  assert.equal(await set('server', { ...others, backChannelLogoutUri: inQuery('state') }), 'ok')
  const { application } = await requestApplication(tess)
  const stored = [inQuery('code')]
  await world.postgres.query('update applications set redirect_uris = $2 where id = $1', [application.id, stored])
  assert.equal((await tess.patch(`/api/admin/applications/${application.id}`, { name: 'Renamed' })).status, 200)
  assert.ok(isRedirectUri({ kind: 'server', redirectUris: stored }, inQuery('code')))
})

test('addresses that an application has already are not judged again when a list is sent, and those beside them are', async () => {
  const [old, other, fine] = ['code', 'state', 'a'].map((name) => `https://app.example.com/?${name}=1`) as [
    string,
    string,
    string,
  ]
  const { application } = await requestApplication(tess)
  const path = `/api/admin/applications/${application.id}`
  paths.set('old', path)
  await world.postgres.query(
    'update applications set redirect_uris = $2, post_logout_uris = $3, start_url = $4 where id = $1',
    [application.id, [old], [other], 'https://accounts.shop.example/'],
  )
  const { body } = await tess.get(path)
  const sent = { redirectUris: body.redirectUris, postLogoutUris: body.postLogoutUris, startUrl: body.startUrl }

  assert.equal(await set('old', sent), 'ok')
  assert.equal(await set('old', { ...sent, redirectUris: [fine, old] }), 'ok')
  assert.equal(
    await set('old', { redirectUris: [old, other, old] }),
    '/redirectUris/1 not_allowed, /redirectUris/2 not_allowed',
  )
  assert.equal(await set('old', { redirectUris: [fine] }), 'ok')
  assert.equal(await set('old', { redirectUris: [old] }), '/redirectUris/0 not_allowed', 'it was taken away before')
})

test('a native application may listen at any port of loopback, and every other address is compared letter by letter', () => {
  const redirectUris = [
    'http://127.0.0.1/callback',
    'http://[::1]:4000/callback',
    'http://localhost/callback',
    'https://app.example.com/callback',
    'com.example.app:/callback',
  ]
  const isTaken = (kind: (typeof kinds)[number], uri: string) => isRedirectUri({ kind, redirectUris }, uri)
  for (const uri of redirectUris) for (const kind of kinds) assert.ok(isTaken(kind, uri), uri)
  for (const uri of [
    'http://127.0.0.1:51004/callback',
    'http://127.0.0.1:80/callback',
    'http://[::1]/callback',
    'http://[::1]:65535/callback',
  ])
    assert.deepEqual(
      kinds.map((kind) => isTaken(kind, uri)),
      [false, false, true],
      uri,
    )
  for (const uri of [
    'http://localhost:4000/callback',
    'https://app.example.com:8443/callback',
    'https://app.example.com/callback/',
    'https://app.example.com/callback?a=1',
    'https://APP.example.com/callback',
    'http://127.0.0.1:51004/Callback',
    'http://127.0.0.1:51004/callback/../callback',
    'http://127.0.0.1:51004/callback#a',
    'http://127.0.0.1:080/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:80/callback/../callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:51004@evil.example.com/callback',
    'http://127.0.0.1:51004.evil.example.com/callback',
    'https://127.0.0.1:51004/callback',
    'com.example.app:/callback/x',
  ])
    assert.ok(!isTaken('native', uri), uri)
})
