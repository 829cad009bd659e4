import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, makeProduct, postForm } from '../../../test/grants.ts'
import { type Answer, Client, createWorld } from '../../../test/world.ts'
import { makeAccessToken } from '../../domain/applications/grant-tokens.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const acme = await makeProduct(world)

test('user information is what the scopes open, as it is now, by GET and by POST', async () => {
  const ann = await world.person()
  const { access_token: token } = await acme.signIn(ann, { scopes: ['openid', 'email', 'profile'] })
  await ann.patch('/api/users/me', { name: 'Anna', locale: 'de' })

  const { status, body, headers } = await acme.userinfo(token)

  const { updated_at, ...told } = body
  assert.deepEqual(told, { sub: ann.id, email: ann.email, email_verified: true, name: 'Anna', locale: 'de' })
  assert.deepEqual([status, headers.get('cache-control'), typeof updated_at], [200, 'no-store', 'number'])
  const authorization = `Bearer ${token}`
  assert.deepEqual((await postForm(world.nobody, `${acme.path}/userinfo`, {}, { authorization })).body, body)
  assert.deepEqual((await world.nobody.post(`${acme.path}/userinfo`, undefined, { authorization })).body, body)
  const bare = await acme.signIn(ann, { scopes: ['openid'] })
  assert.deepEqual((await acme.userinfo(bare.access_token)).body, { sub: ann.id })
})

test('a query is ignored, so that an access token in it opens nothing', async () => {
  const { access_token: token } = await acme.signIn(await world.person(), { scopes: ['openid'] })
  const path = `${acme.path}/userinfo`
  const bearer = { authorization: `Bearer ${token}` }
  // As jumbojett/OpenID-Connect-PHP asked until its version 1.0.2.
  assert.equal((await world.nobody.get(`${path}?schema=openid`, bearer)).status, 200)
  assert.equal((await postForm(world.nobody, `${path}?schema=openid`, {}, bearer)).status, 200)

  const answer = await world.nobody.get(`${path}?access_token=${token}`)

  assert.deepEqual([...errorOf(answer), answer.headers.get('www-authenticate')], [401, 'invalid_token', 'Bearer'])
})

test('the organization of the grant is told while the person is in it', async () => {
  const { cleo, id, slug, path } = await world.organization()
  const { access_token: token } = await acme.signIn(cleo, { organizationId: id })
  const { org } = (await acme.userinfo(token)).body
  assert.deepEqual([org.id, org.slug, org.role, org.roles], [id, slug, 'member', ['member']])
  await cleo.delete(`${path}/members/me`)
  assert.equal((await acme.userinfo(token)).body.org, undefined)
})

test('what an application has lost opens nothing', async () => {
  const ann = await world.person()
  const app = await makeProduct(world)
  const { access_token: token } = await app.signIn(ann)
  await query(`update applications set scopes = '{openid}' where id = $1`, [app.id])
  assert.deepEqual((await app.userinfo(token)).body, { sub: ann.id })
  await query(`update applications set scopes = '{email}' where id = $1`, [app.id])
  const answer = await app.userinfo(token)
  assert.deepEqual(errorOf(answer), [403, 'insufficient_scope'])
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="insufficient_scope", error_description="/)
  await query(`update applications set scopes = '{openid}', is_enabled = false where id = $1`, [app.id])
  assert.deepEqual(errorOf(await app.userinfo(token)), [401, 'invalid_token'])
})

/** The answer that asks an application for a second factor of its user (RFC 9470, 3). */
function assertAsksForFactor(answer: Answer): void {
  const description = 'A second factor is required of the user. Begin a new authorization with acr_values=aal2.'
  const error = 'insufficient_user_authentication'
  assert.deepEqual([answer.status, answer.body], [401, { error, error_description: description }])
  assert.equal(
    answer.headers.get('www-authenticate'),
    `Bearer error="${error}", error_description="${description}", acr_values="aal2"`,
  )
}

test('where the tenant requires a second factor of everybody, one who has not proven it is asked for it, as by the API', async () => {
  const { id: tenant, slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const scopes = ['openid', 'email', 'api'] as const
  const app = await makeProduct(world, { tenant, scopes })
  const { access_token: token } = await app.signIn(tess, { scopes })
  const bearer = { authorization: `Bearer ${token}` }
  const callApi = async () => (await new Client(world, bearer).get('/api/organizations')).status
  for (const policy of ['optional', 'admins']) {
    await query('update tenants set second_factor = $2 where id = $1', [tenant, policy])
    assert.deepEqual([(await app.userinfo(token)).status, await callApi()], [200, 200], policy)
  }

  await query(`update tenants set second_factor = 'required' where id = $1`, [tenant])

  assertAsksForFactor(await app.userinfo(token))
  assertAsksForFactor(await postForm(world.nobody, `${app.path}/userinfo`, {}, bearer))
  assert.equal(await callApi(), 403)
  await query('update sessions set assurance = 2 where user_id = $1', [tess.id])
  assert.deepEqual((await app.userinfo(token)).body, { sub: tess.id, email: tess.email, email_verified: true })
  assert.equal(await callApi(), 200)
})

test('where the organization of the grant requires a second factor, its members are asked for it, as at a refresh', async () => {
  const { ann, cleo, id, slug, path } = await world.organization()
  const { access_token: bare } = await acme.signIn(cleo)
  const { access_token: token, refresh_token } = await acme.signIn(cleo, { organizationId: id })
  const { access_token: anns } = await acme.signIn(ann, { organizationId: id })
  await query('update sessions set assurance = 2 where user_id = $1', [ann.id])

  await query(`update organizations set second_factor = 'required' where id = $1`, [id])

  assertAsksForFactor(await acme.userinfo(token))
  assert.deepEqual(errorOf(await acme.refresh(refresh_token)), [400, 'invalid_grant'])
  assert.equal((await acme.userinfo(bare)).status, 200, 'a grant without an organization')
  assert.equal((await acme.userinfo(anns)).body.org.slug, slug)
  assert.equal((await cleo.delete(`${path}/members/me`)).status, 200)
  const left = await acme.userinfo(token)
  assert.deepEqual([left.status, left.body.org], [200, undefined])
})

test('no other text opens it, and a cookie beside the token is refused', async () => {
  const ann = await world.person()
  const tokens = await acme.signIn(ann)
  const { id: other } = await world.tenant()
  await makeProduct(world, { tenant: other })
  const [grant] = await query<{ id: string }>('select id from grants where application_id = $1 limit 1', [acme.id])
  const over = Math.floor(Date.now() / 1000) - 1
  for (const token of [
    ann.token,
    tokens.refresh_token,
    tokens.id_token,
    `${tokens.access_token}x`,
    tokens.access_token.replace(/\.(\d+)\./, (_: string, end: string) => `.${Number(end) + 1}.`),
    makeAccessToken(world.keyring, { tenant: world.tenantId, grantId: `${grant?.id}`, end: over }),
    makeAccessToken(world.keyring, { tenant: other, grantId: `${grant?.id}`, end: over + 3600 }),
  ]) {
    const answer = await acme.userinfo(token)
    assert.deepEqual(errorOf(answer), [401, 'invalid_token'], token)
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token", error_description="/)
  }
  const bare = await world.nobody.get(`${acme.path}/userinfo`)
  assert.deepEqual([...errorOf(bare), bare.headers.get('www-authenticate')], [401, 'invalid_token', 'Bearer'])
  const elsewhere = await new Client(world, { authorization: `Bearer ${tokens.access_token}` }).get(
    `/api/tenants/${uuidToTenantId(other)}/userinfo`,
  )
  assert.deepEqual(errorOf(elsewhere), [401, 'invalid_token'])
  const cookie = `guildhall=${ann.token}`
  const both = await world.nobody.get(`${acme.path}/userinfo`, {
    authorization: `Bearer ${tokens.access_token}`,
    cookie,
  })
  assert.deepEqual(errorOf(both), [400, 'invalid_request'])
})

test('a page may ask from an origin of the tenant in the path, and from no other', async () => {
  const { id, slug } = await world.tenant()
  const app = await makeProduct(world, { tenant: id, kind: 'browser' })
  const origin = 'https://app.example.com'
  await world.updateTenant(slug, { allowedOrigins: [origin] })
  for (const place of ['token', 'revoke', 'userinfo']) {
    const path = `${app.path}/${place}`
    const allowed = async (path: string, from: string) =>
      (await postForm(world.nobody, path, {}, { origin: from })).headers.get('access-control-allow-origin')
    assert.equal(await allowed(path, origin), origin)
    assert.equal(await allowed(path, 'https://evil.example.com'), null)
    assert.equal(await allowed(`${acme.path}/${place}`, origin), null)
    const asked = await fetch(world.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [204, origin])
  }
})
