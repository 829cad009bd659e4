import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  callback,
  challenge,
  cookieOf,
  makeScene,
  queryOf,
  readVisit,
  type Scene,
  storeApplication,
} from '../../../test/authorizations.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { codeOf, createWorld, type Person } from '../../../test/world.ts'
import { openCode } from '../../domain/applications/codes.ts'
import { parameters } from '../../domain/applications/requests.ts'
import { newId, uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const scene = await makeScene(world)

async function sessionOf(person: Person): Promise<string> {
  const { body } = await person.get('/api/users/me/devices')
  return body.data[0].id
}

test('somebody who is signed in goes back at once, with a code, the state and the issuer', async () => {
  const { status, location, answer } = await scene.visit()

  assert.equal(status, 303)
  assert.ok(location.startsWith(`${callback}?`), location)
  const { code = '', ...others } = answer
  assert.deepEqual(others, { state: 'the state', iss: scene.issuer })
  assert.match(code, /^ghc_[\w-]+$/)
  const { expiresAt, ...said } = openCode(world.keyring, scene.tenant, code) ?? assert.fail('the code opens')
  assert.deepEqual(
    { ...said, id: undefined },
    {
      id: undefined,
      sessionId: await sessionOf(scene.ann),
      applicationId: scene.applicationId,
      redirectUri: callback,
      challenge,
      nonce: 'the nonce',
      scopes: ['openid', 'email'],
      organizationId: null,
    },
  )
  const [clock] = await query<{ left: number }>('select extract(epoch from $1::timestamptz - now())::float8 as left', [
    expiresAt,
  ])
  assert.ok(clock && clock.left <= 60)
})

test('each visit gets another code, and a redirect URI keeps its own query', async () => {
  const { applicationId, tenant } = scene
  await query(
    'update applications set redirect_uris = array_append(redirect_uris, $3) where tenant_id = $1 and id = $2',
    [tenant, applicationId, `${callback}?a=%20b`],
  )
  const [one, other] = [await scene.visit(), await scene.visit({ redirect_uri: `${callback}?a=%20b` })]
  assert.notEqual(one.answer.code, other.answer.code)
  assert.ok(other.location.startsWith(`${callback}?a=%20b&code=`), other.location)
})

test('somebody who is not signed in goes to our page, and nothing is answered to prompt=none but login_required', async () => {
  const { location, status } = await scene.visit({}, null)
  assert.equal(status, 303)
  assert.match(location, new RegExp(`^${scene.base}/authorize\\?request=ghr_[0-9a-z]{26}\\.[\\w-]+$`))

  const silent = await scene.visit({ prompt: 'none' }, null)
  assert.ok(silent.location.startsWith(`${callback}?`))
  const { error_description: _description, ...told } = silent.answer
  assert.deepEqual(told, { error: 'login_required', state: 'the state', iss: scene.issuer })
})

test('neither frames nor scripts learn whether somebody is signed in, and cookies of other tenants count as none', async () => {
  const { location: seen } = await scene.visit({ prompt: 'none' }, null)
  for (const destination of ['iframe', 'frame', 'empty', 'image', 'script', 'object', '']) {
    const { location } = await scene.visit({ prompt: 'none' }, scene.ann, { 'sec-fetch-dest': destination })
    assert.equal(location, seen, destination)
  }
  const { answer } = await scene.visit({}, scene.ann, { 'sec-fetch-dest': 'document' })
  assert.ok(answer.code)

  const elsewhere = await makeScene(world)
  assert.equal((await scene.visit({ prompt: 'none' }, elsewhere.ann)).location, seen)
  const byToken = await world.nobody.get(scene.address({ prompt: 'none' }), scene.ann.headers)
  assert.equal(byToken.headers.get('location'), seen)
})

test('sessions that have ended, and people who are suspended, count as nobody', async () => {
  const { ann, ...place } = await makeScene(world)
  const ben = await world.person('Ben', { tenant: place.slug })
  assert.ok((await place.visit({}, ann)).answer.code)
  await ann.post('/api/auth/sign-out')
  await query(`update users set status = 'suspended' where id = $1`, [ben.id])
  for (const person of [ann, ben])
    assert.equal((await place.visit({ prompt: 'none' }, person)).answer.error, 'login_required')
})

test('until application and redirect URI are right, nothing is redirected', async () => {
  const other = await makeScene(world)
  const off = await storeApplication(world, scene.tenant)
  await query('update applications set is_enabled = false where id = $1', [off])
  const wrong = [
    [{ client_id: undefined }, '?client_id', 'required'],
    [{ client_id: '' }, '?client_id', 'required'],
    [{ client_id: [scene.applicationId, scene.applicationId] }, '?client_id', 'not_allowed'],
    [{ client_id: newId('app') }, '?client_id', 'not_allowed'],
    [{ client_id: other.applicationId }, '?client_id', 'not_allowed'],
    [{ client_id: off }, '?client_id', 'not_allowed'],
    [{ client_id: 'acme\0' }, '?client_id', 'not_allowed'],
    [{ redirect_uri: undefined }, '?redirect_uri', 'required'],
    [{ redirect_uri: [callback, callback] }, '?redirect_uri', 'not_allowed'],
    ...[
      `${callback}/`,
      `${callback}?a=b`,
      `${callback}#`,
      callback.toUpperCase(),
      'https://app.example.com@evil.example/callback',
      'https://app.example.com.evil.example/callback',
      'https://app.example.com/callback/../evil',
      'https://app.example.com/%63allback',
      'https://app.example.com:443/callback',
      ' https://app.example.com/callback',
      'https://app.example.com/callback\0',
      'javascript:alert(1)',
      '//evil.example/callback',
      '/callback',
    ].map((redirect_uri) => [{ redirect_uri }, '?redirect_uri', 'not_allowed'] as const),
  ] as const
  for (const [changed, pointer, code] of wrong) {
    const { response, status, location } = await scene.visit({ ...changed, response_type: 'token' })
    assert.deepEqual([status, location], [400, ''], JSON.stringify(changed))
    assert.deepEqual([response.body.errors[0].pointer, response.body.errors[0].code], [pointer, code])
  }
})

test('a browser gets an error page without a script that names what the developer must mend', async () => {
  const script = '<script>alert(1)</script>'
  const { response, status } = await scene.visit({ client_id: script, state: script }, null, {
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  })
  assert.equal(status, 400)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(`${response.headers.get('content-security-policy')}`, /^default-src 'none'; style-src 'self'; /)
  assert.match(`${response.body}`, /<code>client_id<\/code>: No application has this id/)
  assert.match(`${response.body}`, /Request <code>req_/)
  assert.doesNotMatch(`${response.body}`, /<script|alert/)

  const unknown = await world.nobody.get(`/api/tenants/${newId('ten')}/authorize`, { accept: 'text/html' })
  assert.deepEqual([unknown.status, unknown.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
  assert.match(`${unknown.body}`, /<h1>The product has sent a request that we cannot answer<\/h1>/)
})

test('HEAD has what GET has, but no body', async () => {
  const asked = async (method: string, address: string) => {
    const answer = await fetch(world.url + address, { method, redirect: 'manual', headers: { accept: 'text/html' } })
    const headers = ['content-type', 'content-length'].map((name) => answer.headers.get(name))
    return { answered: [answer.status, ...headers], body: await answer.text() }
  }
  for (const [address, status] of [
    [scene.address(), 303],
    [scene.address({ client_id: undefined }), 400],
  ] as const) {
    const [get, head] = [await asked('GET', address), await asked('HEAD', address)]
    assert.deepEqual([get.answered[0], get.answered[2]], [status, `${Buffer.byteLength(get.body)}`])
    assert.deepEqual(head, { ...get, body: '' })
  }
})

test('a tenant without an application, an unknown tenant and a wrong id have no endpoint', async () => {
  const { id } = await world.tenant()
  for (const tenantId of [uuidToTenantId(id), newId('ten')])
    assert.deepEqual(codeOf(await world.nobody.get(`/api/tenants/${tenantId}/authorize`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await world.nobody.get('/api/tenants/default/authorize')), [400, 'invalid_id'])
})

const refusals = [
  ['unsupported_response_type', { response_type: 'token' }],
  ['unsupported_response_type', { response_type: 'code id_token' }],
  ['unsupported_response_type', { response_type: undefined }],
  ['invalid_scope', { scope: undefined }],
  ['invalid_scope', { scope: 'email' }],
  ['invalid_scope', { scope: 'openid api' }],
  ['invalid_scope', { scope: 'openid root' }],
  ['invalid_request', { code_challenge: undefined }],
  ['invalid_request', { code_challenge: 'short' }],
  ['invalid_request', { code_challenge_method: undefined }],
  ['invalid_request', { code_challenge_method: 'plain' }],
  ['invalid_request', { response_mode: 'fragment' }],
  ['invalid_request', { response_mode: 'form_post' }],
  ['invalid_request', { nonce: 'n'.repeat(513) }],
  ['invalid_request', { nonce: 'n\0' }],
  ['invalid_request', { prompt: 'none login' }],
  ['invalid_request', { prompt: 'none select_account' }],
  ['invalid_request', { prompt: 'please' }],
  ['invalid_request', { max_age: '-1' }],
  ['invalid_request', { max_age: '1e3' }],
  ['invalid_request', { max_age: 'soon' }],
  ['invalid_request', { organization: 'Not a slug' }],
  ['invalid_request', { organization: 'acme\0' }],
  ['invalid_request', { id_token_hint: 'no.token.ofours' }],
  ['request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.', code_challenge: undefined, scope: undefined }],
  ['request_uri_not_supported', { request_uri: 'https://app.example.com/request' }],
] as const

test('what is wrong beyond that is told to the application, with state and issuer', async () => {
  for (const [error, changed] of refusals)
    for (const person of [scene.ann, null]) {
      const { status, location, answer } = await scene.visit(changed, person)
      assert.ok(status === 303 && location.startsWith(`${callback}?`), JSON.stringify(changed))
      const { error_description: description = '', ...told } = answer
      assert.deepEqual(told, { error, state: 'the state', iss: scene.issuer }, JSON.stringify(changed))
      assert.match(description, /^[ !#-[\]-~]+$/) // RFC 6749, 4.1.2.1
    }
  for (const state of ['s'.repeat(2_049), 'a\nb', ['one', 'two']]) {
    const { answer } = await scene.visit({ state })
    assert.deepEqual([answer.error, answer.state, answer.iss], ['invalid_request', undefined, scene.issuer])
  }
})

test('what fits is taken: long states, Unicode, scopes in any order, empty and unknown parameters', async () => {
  for (const state of ['s'.repeat(2_048), '{"to":"/päge?a=b&c=d#e"}', '+ %20']) {
    const { answer } = await scene.visit({ state, nonce: 'n'.repeat(512) })
    assert.ok(answer.code)
    assert.equal(answer.state, state)
  }
  const ignored = {
    display: 'popup',
    claims: '{}',
    resource: ['https://a.example', 'https://b.example'],
    ui_locales: 'de',
  }
  const { answer } = await scene.visit({
    ...ignored,
    scope: 'email  openid',
    prompt: 'consent',
    request: '',
    nonce: undefined,
  })
  assert.deepEqual(openCode(world.keyring, scene.tenant, answer.code ?? '')?.scopes, ['openid', 'email'])
})

test('a hint may be as long as what the person and the organization say of themselves', async () => {
  const name = '🏛'.repeat(100)
  const claims = { name, org: { name }, picture: `https://example.com/${'a'.repeat(2_028)}` }
  const hintOf = (person: Person) => scene.idToken({ ...claims, sub: person.id, sid: newId('dev') })
  const [own, others] = [await hintOf(scene.ann), await hintOf(await world.person('Ben', { tenant: scene.slug }))]
  assert.ok(own.length > 4_096, `${own.length}`)

  const { answer } = await scene.visit({ id_token_hint: own, prompt: 'none' })
  assert.match(answer.code ?? '', /^ghc_/)
  const refused = await scene.visit({ id_token_hint: others, prompt: 'none' })
  assert.equal(refused.answer.error, 'login_required')
  assert.equal((await scene.visit({ id_token_hint: own, login_hint: 'x'.repeat(4_096) })).status, 400)
})

test('a login_hint of somebody else is a hint: who is signed in goes back as who they are', async () => {
  const ben = await world.person('Ben', { tenant: scene.slug })
  for (const prompt of [undefined, 'none']) {
    const { answer } = await scene.visit({ login_hint: ben.email, prompt })
    assert.equal(openCode(world.keyring, scene.tenant, answer.code ?? '')?.sessionId, await sessionOf(scene.ann))
  }
})

test('whatever a parameter is, the browser goes only to our page or back to the application', async () => {
  const other = await makeScene(world)
  const others: Partial<Record<string, string>> = {
    client_id: other.applicationId,
    id_token_hint: await other.idToken({ sub: other.ann.id, sid: newId('dev') }),
  }
  const base = { ...Object.fromEntries(new URL(scene.address(), 'http://a.example').searchParams) }
  for (const name of parameters) {
    const usual = base[name] ?? 'x'
    for (const values of [
      [usual, usual],
      [usual, 'https://evil.example'],
      [],
      ['x'.repeat(3_000)],
      ['x'.repeat(5_000)],
      [`${usual}\0`],
      ['\r\nset-cookie: a=b'],
      ['https://evil.example'],
      [others[name] ?? 'ü'],
    ])
      for (const person of [scene.ann, null]) {
        const path = `/api/tenants/${uuidToTenantId(scene.tenant)}/authorize?${queryOf({ ...base, [name]: values })}`
        const { status, location } = readVisit(await world.nobody.get(path, cookieOf(person)))
        const isKnown = [`${callback}?`, `${scene.base}/authorize?request=`].some((start) => location.startsWith(start))
        assert.ok(
          status === 400 ? location === '' : status === 303 && isKnown,
          `${name}=${values}: ${status} ${location}`,
        )
      }
  }
})

test('a native application may listen at any port of the loopback interface, and others at none', async () => {
  const native = await makeScene(world, {
    kind: 'native',
    redirectUris: ['http://127.0.0.1/cb', 'com.example.app:/cb'],
  })
  for (const redirect_uri of ['http://127.0.0.1:4711/cb', 'com.example.app:/cb'])
    assert.ok((await native.visit({ redirect_uri }, null)).request)
  for (const redirect_uri of ['http://127.0.0.1:4711/other', 'http://localhost:4711/cb', 'http://127.0.0.2:4711/cb'])
    assert.equal((await native.visit({ redirect_uri })).status, 400)
  const server = await makeScene(world, { redirectUris: ['http://localhost:4000/cb'] })
  assert.equal((await server.visit({ redirect_uri: 'http://localhost:4001/cb' })).status, 400)
})

test('a form is answered with the same request as GET, wherever it comes from', async () => {
  const query = scene.address().split('?')[1] ?? ''
  const path = `/api/tenants/${uuidToTenantId(scene.tenant)}/authorize`
  const send = (raw: string, type = 'application/x-www-form-urlencoded') =>
    world.nobody.request(path, {
      method: 'POST',
      raw,
      headers: { ...cookieOf(scene.ann), 'content-type': type, 'sec-fetch-site': 'cross-site' },
    })
  const { status, location } = readVisit(await send(query))
  assert.deepEqual([status, location], [303, `${path}?${query}`])
  assert.ok(readVisit(await world.nobody.get(location, cookieOf(scene.ann))).answer.code)

  const twice = await send('state=a&state=%0d%0ab')
  assert.equal(twice.headers.get('location'), `${path}?state=a&state=%0D%0Ab`)
  assert.equal((await send('')).headers.get('location'), path)
  for (const tenantId of ['ten_x', 'default', '%0d%0aset-cookie:a', '..%2f..%2fevil']) {
    const wrong = await world.nobody.request(`/api/tenants/${tenantId}/authorize`, { method: 'POST' })
    assert.deepEqual([...codeOf(wrong), wrong.headers.get('location')], [400, 'invalid_id', null])
  }
  assert.deepEqual(codeOf(await send('{}', 'application/json')), [415, 'unsupported_media_type'])
  const hint = `id_token_hint=${'x'.repeat(8_192)}`
  assert.equal((await send(`${hint}&state=${'s'.repeat(2_000)}`)).status, 303)
  assert.deepEqual(codeOf(await send(`${hint}&state=${'s'.repeat(5_000)}`)), [413, 'too_large'])
})

test('another host of ours leads to the tenant’s own, and a domain of another tenant knows nothing', async () => {
  const domain = `login.${newId('ten').slice(-8)}.example`
  const own = await world.tenant({ domains: [domain] })
  const other = await world.tenant({ domains: [`other.${domain}`] })
  const applicationId = await storeApplication(world, own.id)
  const path = `/api/tenants/${uuidToTenantId(own.id)}/authorize?client_id=${applicationId}&state=a%20b`
  const at = async (host: string) => {
    const { statusCode, headers } = await world.app.inject({ method: 'GET', url: path, headers: { host } })
    return [statusCode, headers.location]
  }
  const { port } = new URL(world.app.config.publicUrl)
  assert.deepEqual(await at('127.0.0.1'), [303, `http://${domain}:${port}${path}`])
  assert.deepEqual(await at('evil.example'), [303, `http://${domain}:${port}${path}`])
  assert.deepEqual(await at(`${domain}.`), [400, undefined], 'the host, where redirect_uri is missed')
  assert.deepEqual(await at(`other.${domain}`), [404, undefined])
  assert.ok(other.id)
})

test('crawling it with a session changes nothing', async () => {
  const { ann, ...place } = await makeScene(world, { chooseOrganization: true })
  await ann.post('/api/organizations', { name: 'Acme' })
  await outboxIsEmpty(world) // else its events come into the feed meanwhile
  const before = await rowsOf(place.tenant)

  for (const changed of [{}, { prompt: 'login' }, { prompt: 'none' }, { scope: 'x' }, { client_id: 'x' }])
    for (const person of [ann, null]) await place.visit(changed, person)
  await world.nobody.get(place.address().replace('authorize', 'end-session'), cookieOf(ann))

  assert.deepEqual(await rowsOf(place.tenant), before)
})

/** All rows of a tenant, by table. */
async function rowsOf(tenant: Scene['tenant']): Promise<Record<string, unknown>> {
  const tables = await query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
  )
  const rows: Record<string, unknown> = {}
  for (const { name } of tables)
    rows[name] = await query(
      `select to_jsonb(t) - 'last_active_at' as row from ${name} t where tenant_id = $1 order by 1`,
      [tenant],
    )
  return rows
}
