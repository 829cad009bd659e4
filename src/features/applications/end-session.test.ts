import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cookieOf,
  goodbye,
  makeScene,
  queryOf,
  readVisit,
  type Scene,
  storeApplication,
  type Visit,
} from '../../../test/authorizations.ts'
import { codeOf, createWorld, type Person } from '../../../test/world.ts'
import { openRequest, sealRequest } from '../../domain/applications/sealed-requests.ts'
import { newId, uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const preview = '/api/auth/sign-out/preview'
const signOut = '/api/auth/sign-out'

async function sessionOf(person: Person): Promise<string> {
  const { body } = await person.get('/api/users/me/devices')
  return body.data[0].id
}

function pathOf({ tenant }: Scene): string {
  return `/api/tenants/${uuidToTenantId(tenant)}/end-session`
}

async function visit(
  scene: Scene,
  parameters: Parameters<typeof queryOf>[0],
  person: Person | null = scene.ann,
  headers: Record<string, string> = {},
): Promise<Visit> {
  return readVisit(
    await world.nobody.get(`${pathOf(scene)}?${queryOf(parameters)}`, { ...cookieOf(person), ...headers }),
  )
}

/** A scene, and an ID token of the session in it. */
async function makeSignedIn() {
  const scene = await makeScene(world)
  const hint = await scene.idToken({ sub: scene.ann.id, sid: await sessionOf(scene.ann) })
  const asked = { id_token_hint: hint, post_logout_redirect_uri: goodbye, state: 'a b' }
  return { scene, hint, asked }
}

test('an application that shows an ID token of the session signs its person out, and gets them back', async () => {
  const { scene, asked } = await makeSignedIn()

  const { status, location, request } = await visit(scene, asked)
  assert.equal(status, 303)
  assert.ok(location.startsWith(`${scene.base}/signed-out?request=ghr_`), location)
  assert.equal((await scene.ann.get('/api/users/me')).status, 200, 'the GET ends nothing')
  const { body } = await scene.post(preview, { request })
  assert.deepEqual(body, { application: { id: scene.applicationId, name: 'Acme', logoUrl: null }, mustAsk: false })

  const done = await scene.post(signOut, { request })
  assert.deepEqual([done.status, done.body], [200, { url: `${goodbye}?state=a+b` }])
  assert.match(`${done.headers.get('set-cookie')}`, /^guildhall=;/)
  assert.equal((await scene.ann.get('/api/users/me')).status, 401)
})

test('without a session the browser goes straight back, and without an address it stays with us', async () => {
  const { scene, hint, asked } = await makeSignedIn()
  await scene.ann.post(signOut)
  for (const person of [scene.ann, null]) {
    assert.equal((await visit(scene, asked, person)).location, `${goodbye}?state=a+b`)
    const stays = await visit(scene, { id_token_hint: hint }, person)
    assert.ok(stays.location.startsWith(`${scene.base}/signed-out?request=`))
    assert.equal((await scene.post(preview, { request: stays.request }, person)).body.mustAsk, false)
    assert.deepEqual((await scene.post(signOut, { request: stays.request }, person)).body, { url: null })
  }
})

test('the page asks first if the application has not shown an ID token of this very session', async () => {
  const { scene, asked } = await makeSignedIn()
  const { applicationId } = scene
  const later = await world.signIn(scene.ann, { 'guildhall-tenant': scene.slug })
  const byId = { client_id: applicationId, post_logout_redirect_uri: goodbye }
  for (const [parameters, person] of [
    [asked, later],
    [byId, scene.ann],
    [{}, scene.ann],
  ] as const) {
    const { request } = await visit(scene, parameters, person)
    assert.equal((await scene.post(preview, { request }, person)).body.mustAsk, true)
  }
  const { request } = await visit(scene, byId)
  assert.deepEqual((await scene.post(signOut, { request })).body, { url: goodbye })
})

test('a hint may have expired, and is none if we have not signed it as an ID token of the application', async () => {
  const { scene, hint, asked } = await makeSignedIn()
  const { tenant, issuer, applicationId, ann } = scene
  const other = await makeScene(world)
  const another = await storeApplication(world, tenant)
  const claims = { iss: issuer, aud: applicationId, sub: ann.id, sid: await sessionOf(ann) }
  const [header, payload, signature] = hint.split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  const wrong: Record<string, string> = {
    'of another tenant': await other.idToken({ ...claims, iss: issuer }),
    'of another issuer': await scene.idToken({ iss: other.issuer, sub: ann.id, sid: claims.sid }),
    'of another type': await world.app.signer.sign(tenant, undefined, 'at+jwt', claims),
    'a logout token': await world.app.signer.sign(tenant, undefined, 'logout+jwt', claims),
    'without a session': await scene.idToken({ sub: ann.id }),
    'not signed': `${none}.${payload}.`,
    'signed otherwise': `${header}.${payload}.${signature?.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))}`,
    'no token': 'x',
  }
  for (const [what, id_token_hint] of Object.entries(wrong)) {
    for (const more of [{}, { client_id: applicationId }]) {
      const { location, request } = await visit(scene, { ...asked, ...more, id_token_hint }, null)
      assert.ok(location.startsWith(`${scene.base}/signed-out?request=`), what)
      assert.deepEqual((await scene.post(signOut, { request }, null)).body, { url: null }, what)
    }
  }
  const mixed = await visit(scene, { ...asked, client_id: another }, null)
  assert.ok(mixed.location.startsWith(`${scene.base}/signed-out?request=`), 'of another application')
  assert.equal((await visit(scene, { ...asked, client_id: applicationId }, null)).location, `${goodbye}?state=a+b`)
})

test('a hint may be as long as what the person and the organization say of themselves', async () => {
  const { scene, asked } = await makeSignedIn()
  const name = '🏛'.repeat(100)
  const id_token_hint = await scene.idToken({
    ...{ sub: scene.ann.id, sid: await sessionOf(scene.ann), name, org: { name } },
    picture: `https://example.com/${'a'.repeat(2_028)}`,
  })
  assert.ok(id_token_hint.length > 4_096, `${id_token_hint.length}`)

  const { request } = await visit(scene, { ...asked, id_token_hint })

  assert.equal((await scene.post(preview, { request })).body.mustAsk, false)
  assert.deepEqual((await scene.post(signOut, { request })).body, { url: `${goodbye}?state=a+b` })
})

test('only exact addresses of the application are opened, also if they change on the way', async () => {
  const { scene, asked } = await makeSignedIn()
  for (const post_logout_redirect_uri of [
    `${goodbye}/`,
    `${goodbye}?a`,
    'https://app.example.com/callback',
    'https://evil.example/',
    '//evil.example',
    'javascript:alert(1)',
    `${goodbye}\0`,
    'x'.repeat(5_000),
    [goodbye, goodbye],
    [goodbye, 'https://evil.example/'],
  ])
    for (const person of [scene.ann, null]) {
      const { status, location, request } = await visit(scene, { ...asked, post_logout_redirect_uri }, person)
      assert.equal(status, 303)
      assert.ok(location.startsWith(`${scene.base}/signed-out?request=`), `${post_logout_redirect_uri}`)
      assert.deepEqual((await scene.post(signOut, { request }, null)).body, { url: null })
    }

  const { request } = await visit(scene, asked)
  await query(`update applications set post_logout_uris = '{}' where id = $1`, [scene.applicationId])
  assert.deepEqual((await scene.post(signOut, { request })).body, { url: null })
})

test('whoever signs out is never refused: a request that is over or was changed leads nowhere', async () => {
  const { scene, asked } = await makeSignedIn()
  const { request } = await visit(scene, asked)
  const sealed = openRequest<{ requestedAt: string }>(world.keyring, scene.tenant, 'sign-out', request) ?? assert.fail()
  const requestedAt = new Date(Date.parse(sealed.requestedAt) - 61 * 60_000).toISOString()
  const over = sealRequest(world.keyring, scene.tenant, 'sign-out', { ...sealed, requestedAt })
  const authorization = await scene.requestOf({}, null)
  for (const text of [over, authorization]) {
    assert.equal((await scene.post(preview, { request: text })).body.mustAsk, true)
    assert.deepEqual((await scene.post(signOut, { request: text }, null)).body, { url: null })
  }
  assert.deepEqual((await scene.post(signOut, { request: over })).body, { url: null })
  assert.equal((await scene.ann.get('/api/users/me')).status, 401)
})

test('a request of one tenant ends no session of another', async () => {
  const { scene, asked } = await makeSignedIn()
  const other = await makeScene(world)
  const { request } = await visit(scene, asked)
  assert.equal((await scene.post(preview, { request }, other.ann)).body.mustAsk, false)
  assert.equal((await scene.post(signOut, { request }, other.ann)).status, 200)
  assert.equal((await other.ann.get('/api/users/me')).status, 200)
  const mismatched = await scene.post(signOut, { request }, null, { 'guildhall-tenant': other.slug })
  assert.deepEqual(codeOf(mismatched), [400, 'tenant_mismatch'])
})

test('frames count as nobody, other sites can sign nobody out, and a form becomes a GET', async () => {
  const { scene, asked } = await makeSignedIn()
  assert.equal((await visit(scene, asked, scene.ann, { 'sec-fetch-dest': 'iframe' })).location, `${goodbye}?state=a+b`)
  const { request } = await visit(scene, asked)
  const crossed = await scene.post(signOut, { request }, scene.ann, { 'sec-fetch-site': 'cross-site' })
  assert.deepEqual(codeOf(crossed), [403, 'cross_site'])
  const form = await world.nobody.request(pathOf(scene), {
    method: 'POST',
    raw: queryOf(asked),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
      ...cookieOf(scene.ann),
    },
  })
  assert.deepEqual([form.status, form.headers.get('location')], [303, `${pathOf(scene)}?${queryOf(asked)}`])
  const { id } = await world.tenant()
  for (const tenantId of [uuidToTenantId(id), newId('ten')])
    assert.deepEqual(codeOf(await world.nobody.get(`/api/tenants/${tenantId}/end-session`)), [404, 'not_found'])
})
