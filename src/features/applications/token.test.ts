import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { callback } from '../../../test/authorizations.ts'
import { errorOf, grantsOf, makeProduct, postForm, verifier } from '../../../test/grants.ts'
import { holdRow } from '../../../test/holding.ts'
import { partsOf } from '../../../test/jwt.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Json, password } from '../../../test/world.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const acme = await makeProduct(world)

/** Moves the newest refresh token of an application into the past. */
const pass = (seconds: number, { id } = acme) =>
  query('update grants set rotated_at = now() - make_interval(secs => $2) where application_id = $1', [id, seconds])

test('a code is exchanged for tokens that say who has signed in', async () => {
  const ann = await world.person()
  await ann.patch('/api/users/me', {
    avatarUrl: 'https://example.com/ann.png',
    locale: 'de',
    timeZone: 'Europe/Berlin',
  })

  const answer = await acme.exchange(await acme.code(ann, { nonce: 'the nonce' }))

  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { access_token, refresh_token, id_token, ...rest } = answer.body
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email offline_access' })
  assert.match(access_token, /^ght_/)
  assert.match(refresh_token, /^ghf_.*\.0\./)
  const { header, claims } = partsOf(id_token)
  const { data } = (await ann.get('/api/users/me/devices')).body
  const { iat, exp, auth_time, updated_at, ...told } = claims
  assert.deepEqual(told, {
    iss: `${world.app.config.publicUrl}${acme.path}`,
    sub: ann.id,
    aud: acme.id,
    nonce: 'the nonce',
    acr: 'aal1',
    amr: ['pwd'],
    sid: data[0].id,
    email: ann.email,
    email_verified: true,
    name: 'Ann',
    picture: 'https://example.com/ann.png',
    locale: 'de',
    zoneinfo: 'Europe/Berlin',
  })
  assert.equal(exp - iat, 300)
  assert.equal(auth_time, Math.floor(Date.parse(data[0].authenticatedAt) / 1000))
  assert.ok(updated_at <= iat)
  const { keys } = (await world.nobody.get(`${acme.path}/jwks.json`)).body
  const jwk = keys.find(({ kid }: Json) => kid === header.kid)
  const [signed, signature] = [id_token.slice(0, id_token.lastIndexOf('.')), id_token.split('.')[2]]
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  assert.ok(verify('sha256', Buffer.from(signed), key, Buffer.from(signature, 'base64url')))
  assert.deepEqual([header.alg, header.typ], ['RS256', 'JWT'])
})

test('scopes decide what the tokens are and say', async () => {
  const ann = await world.person()

  const tokens = await acme.signIn(ann, { scopes: ['openid'] })

  assert.deepEqual(['refresh_token' in tokens, tokens.scope], [false, 'openid'])
  const { claims } = partsOf(tokens.id_token)
  assert.deepEqual(Object.keys(claims).sort(), ['acr', 'amr', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub'])
})

test('an ID token names how somebody has signed in', async () => {
  const ann = await world.person()
  const claimsOf = async () => {
    const { acr, amr } = partsOf((await acme.signIn(ann)).id_token).claims
    return [acr, amr]
  }
  const methods = (list: string[], assurance: number) =>
    query('update sessions set methods = $2, assurance = $3 where user_id = $1', [ann.id, list, assurance])
  await methods(['password', 'totp'], 2)
  assert.deepEqual(await claimsOf(), ['aal2', ['pwd', 'otp', 'mfa']])
  await methods(['provider'], 1)
  assert.deepEqual(await claimsOf(), ['aal1', undefined])
  await methods(['passkey'], 2)
  assert.deepEqual(await claimsOf(), ['aal2', ['swk', 'mfa']])
  await query(
    `insert into factors (tenant_id, id, user_id, type, name, credential_id, public_key, sign_count, is_synced, rp_id)
     values ($1, 'fac_01k9zq3v5hf8gs4m2y7c6t0wdn', $2, 'passkey', 'Key', '\\x01', '\\x01', 0, false, 'localhost')`,
    [world.tenantId, ann.id],
  )
  assert.deepEqual(await claimsOf(), ['aal2', ['hwk', 'mfa']])
})

test('what is not the code’s own refuses it, and ends nothing', async () => {
  const ann = await world.person()
  const [other, stranger] = [await makeProduct(world), await makeProduct(world, { kind: 'browser' })]
  const tokens = await acme.signIn(ann)
  const code = await acme.code(ann)
  const sent = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }
  for (const answer of [
    await acme.exchange(code, { redirect_uri: `${callback}/` }),
    await acme.exchange(code, { code_verifier: `${verifier}x` }),
    await acme.exchange(`${code}x`),
    await acme.exchange('ghc_'),
    await other.post('token', sent),
    await stranger.post('token', sent),
    await acme.exchange(await acme.code(ann, { expires: -1 })),
  ])
    assert.deepEqual(errorOf(answer), [400, 'invalid_grant'])
  assert.equal((await acme.exchange(code)).status, 200)
  assert.equal((await acme.userinfo(tokens.access_token)).status, 200)
})

test('a code that comes again ends the grant that it made, and no other one', async () => {
  const ann = await world.person()
  const kept = await acme.signIn(ann)
  const code = await acme.code(ann)
  const { body } = await acme.exchange(code)

  assert.deepEqual(errorOf(await acme.exchange(code)), [400, 'invalid_grant'])

  assert.deepEqual(errorOf(await acme.userinfo(body.access_token)), [401, 'invalid_token'])
  assert.deepEqual(errorOf(await acme.refresh(body.refresh_token)), [400, 'invalid_grant'])
  assert.equal((await acme.userinfo(kept.access_token)).status, 200)
  const { data } = (await ann.get('/api/users/me/audit?action=application.*')).body
  assert.deepEqual(
    data.map(({ action }: Json) => action),
    ['application.token_reused', 'application.signed_in', 'application.signed_in'],
  )
})

test('a refresh token is replaced at each use, and tells what is true then', async () => {
  const ann = await world.person()
  const { refresh_token: first } = await acme.signIn(ann, { nonce: 'the nonce' })
  await ann.patch('/api/users/me', { name: 'Anna' })

  const { status, body } = await acme.refresh(first)

  assert.equal(status, 200)
  assert.match(body.refresh_token, /\.1\./)
  const { claims } = partsOf(body.id_token)
  assert.deepEqual([claims.name, claims.nonce], ['Anna', undefined])
  assert.equal((await acme.refresh(body.refresh_token)).status, 200)
})

test('a refreshed ID token says when its grant’s user had signed in, whatever was confirmed since', async () => {
  const ann = await world.person()
  const timeOf = (tokens: Json) => partsOf(tokens.id_token).claims.auth_time
  const before = await acme.signIn(ann)
  await query(`update sessions set authenticated_at = created_at + interval '1 hour' where user_id = $1`, [ann.id])

  const { body: refreshed } = await acme.refresh(before.refresh_token)
  const after = await acme.signIn(ann)

  assert.deepEqual([timeOf(refreshed), timeOf(after)], [timeOf(before), timeOf(before) + 3_600])
  const { body: retried } = await acme.refresh(before.refresh_token)
  const { body: next } = await acme.refresh(refreshed.refresh_token)
  assert.deepEqual([timeOf(retried), timeOf(next)], [timeOf(before), timeOf(before)])
  // Of a grant from before this was kept.
  await query('update grants set authenticated_at = null where application_id = $1', [acme.id])
  const { body: unknown } = await acme.refresh(next.refresh_token)
  assert.equal(timeOf(unknown), undefined)
})

test('the refresh token before the newest gives the same successor for 30 seconds', async () => {
  const ann = await world.person()
  const app = await makeProduct(world)
  const { refresh_token: first } = await app.signIn(ann)
  const { body } = await app.refresh(first)

  const again = await app.refresh(first)

  assert.deepEqual([again.status, again.body.refresh_token], [200, body.refresh_token])
  await pass(31, app)
  assert.deepEqual(errorOf(await app.refresh(first)), [400, 'invalid_grant'])
  assert.deepEqual(errorOf(await app.refresh(body.refresh_token)), [400, 'invalid_grant'], 'the grant has ended')
})

test('an older refresh token ends the grant, and the audit log tells it', async () => {
  const ann = await world.person()
  const app = await makeProduct(world)
  const { refresh_token: first, access_token } = await app.signIn(ann)
  const { body } = await app.refresh(first)
  const { body: newest } = await app.refresh(body.refresh_token)

  assert.deepEqual(errorOf(await app.refresh(first)), [400, 'invalid_grant'])

  assert.deepEqual(errorOf(await app.refresh(newest.refresh_token)), [400, 'invalid_grant'])
  assert.deepEqual(errorOf(await app.userinfo(access_token)), [401, 'invalid_token'])
  const [entry] = (await ann.get('/api/users/me/audit')).body.data
  assert.deepEqual(
    [entry.action, entry.actor.type, entry.target.id, entry.details],
    ['application.token_reused', 'anonymous', ann.id, { applicationId: app.id, what: 'refresh_token' }],
  )
  assert.equal((await ann.get('/api/users/me')).status, 200, 'the session stays')
})

test('a refresh waits for its person before it locks the grant, as the deletion of their account does', async (t) => {
  const ann = await world.person()
  const app = await makeProduct(world)
  const { refresh_token: first } = await app.signIn(ann)
  const release = await holdRow(t, world.postgres, 'users', ann.id)
  const refreshed = app.refresh(first)
  await world.postgres.awaitLine(1)
  await query('select from grants where application_id = $1 for update nowait', [app.id]) // would be a deadlock
  await release()
  assert.equal((await refreshed).status, 200)
})

test('an application that no longer has offline_access refreshes nothing, and the grant stays', async () => {
  const ann = await world.person()
  const app = await makeProduct(world)
  const { refresh_token: token, access_token } = await app.signIn(ann)
  const allow = (scopes: string[]) => query('update applications set scopes = $2 where id = $1', [app.id, scopes])

  await allow(['openid', 'profile', 'email'])

  assert.deepEqual(errorOf(await app.refresh(token)), [400, 'invalid_grant'])
  assert.equal((await app.userinfo(access_token)).status, 200)
  await allow(['openid', 'offline_access'])
  const { status, body } = await app.refresh(token)
  assert.deepEqual([status, body.scope], [200, 'openid offline_access'])
})

test('a refresh token of another application, or made up, changes nothing', async () => {
  const ann = await world.person()
  const other = await makeProduct(world)
  const { refresh_token: token } = await acme.signIn(ann)
  for (const sent of [
    token.replace(/\.0\./, '.1.'),
    `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`,
    token.replace('ghf_', 'ght_'),
    'ghf_',
  ])
    assert.deepEqual(errorOf(await acme.refresh(sent)), [400, 'invalid_grant'])
  assert.deepEqual(errorOf(await other.refresh(token)), [400, 'invalid_grant'])
  assert.equal((await acme.refresh(token)).status, 200)
})

test('a token of somebody else is not valid here, however long it is, and who sends it must prove who they are', async () => {
  const foreign = `eyJhbGciOiJSUzI1NiJ9.${'x'.repeat(8_500)}.${'x'.repeat(342)}`
  for (const sent of [foreign, 'x'.repeat(16_384), `ghf_${'0'.repeat(16_380)}`, `ghc_${'A'.repeat(16_380)}`]) {
    for (const answer of [await acme.refresh(sent), await acme.exchange(sent)])
      assert.deepEqual(errorOf(answer), [400, 'invalid_grant'], sent.slice(0, 10))
    const form = { grant_type: 'refresh_token', refresh_token: sent, client_secret: 'x' }
    assert.deepEqual(errorOf(await acme.post('token', form)), [401, 'invalid_client'])
  }
})

test('a refresh names an organization of the person, and the grant does not change', async () => {
  const { ann, ben, id, slug } = await world.organization()
  const other = await world.organization()
  const { refresh_token: first } = await acme.signIn(ann)

  const { body } = await acme.refresh(first, { organization: slug })

  const { org } = partsOf(body.id_token).claims
  assert.deepEqual([org.id, org.slug, org.role, org.roles], [id, slug, 'owner', ['owner', 'admin', 'member']])
  assert.deepEqual(errorOf(await acme.refresh(body.refresh_token, { organization: other.id })), [400, 'invalid_target'])
  const { body: next } = await acme.refresh(body.refresh_token)
  assert.equal(partsOf(next.id_token).claims.org, undefined)
  assert.ok(ben)
})

test('who has left the chosen organization is sent to a new authorization, and the grant stays', async () => {
  const { ben, id, path } = await world.organization()
  const app = await makeProduct(world)
  const { refresh_token: token, id_token } = await app.signIn(ben, { organizationId: id })
  assert.equal(partsOf(id_token).claims.org.role, 'admin')
  const code = await app.code(ben, { organizationId: id })
  await ben.delete(`${path}/members/me`)

  const answer = await app.refresh(token)

  assert.deepEqual(errorOf(answer), [400, 'invalid_grant'])
  assert.match(answer.body.error_description, /organization/)
  assert.deepEqual(errorOf(await app.exchange(code)), [400, 'invalid_grant'])
  assert.deepEqual(
    (await grantsOf(world, app)).map((grant) => [grant.generation, grant.ended_at]),
    [[0, null]],
  )
})

test('a refresh is judged as a sign-in is: second factor, verified address, application', async () => {
  const { slug, id: tenant } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const app = await makeProduct(world, { tenant })
  const { refresh_token: token } = await app.signIn(ann)
  const described = async () => {
    const { status, body } = await app.refresh(token)
    return [status, body.error, body.error_description]
  }
  await query(`update tenants set second_factor = 'required' where id = $1`, [tenant])
  assert.deepEqual(await described(), [
    400,
    'invalid_grant',
    'A second factor is required of the user. Begin a new authorization.',
  ])
  await query(`update tenants set second_factor = 'optional' where id = $1`, [tenant])
  await query('update users set email_verified = false where id = $1', [ann.id])
  assert.deepEqual(await described(), [
    400,
    'invalid_grant',
    'The user must verify the email address. Begin a new authorization.',
  ])
  await query('update users set email_verified = true where id = $1', [ann.id])
  await query('update applications set is_enabled = false where id = $1', [app.id])
  assert.deepEqual(await described(), [400, 'unauthorized_client', 'The application is switched off.'])
  await query('update applications set is_enabled = true where id = $1', [app.id])
  assert.equal((await app.refresh(token)).status, 200, 'the grant has stayed')
})

test('a refresh counts as use of the session, and names no scope that the grant lacks', async () => {
  const ann = await world.person()
  const { refresh_token: token } = await acme.signIn(ann)
  assert.deepEqual(errorOf(await acme.refresh(token, { scope: 'openid api' })), [400, 'invalid_scope'])
  await query(`update sessions set last_active_at = now() - interval '2 minutes' where user_id = $1`, [ann.id])
  const [before] = await query<{ at: Date }>('select last_active_at as at from sessions where user_id = $1', [ann.id])

  const { body } = await acme.refresh(token, { scope: 'openid' })

  assert.equal(body.scope, 'openid profile email offline_access')
  const used = async () => {
    const [row] = await query<{ at: Date }>('select last_active_at as at from sessions where user_id = $1', [ann.id])
    return (row?.at ?? 0) > (before?.at ?? 0)
  }
  await until(used, 'the session to be used')
})

test('the end of the session ends its grants: what they hold is refused at once', async () => {
  const end: Readonly<Record<string, (person: Json) => Promise<unknown>>> = {
    'sign-out': (person) => person.post('/api/auth/sign-out'),
    expiry: ({ id }) => query(`update sessions set created_at = now() - interval '31 days' where user_id = $1`, [id]),
    suspension: async ({ id }) => {
      const tess = await world.tenantAdmin()
      return tess.patch(`/api/admin/users/${id}`, { status: 'suspended' })
    },
    deletion: (person) => person.delete('/api/users/me', { password }),
  }
  for (const [what, ending] of Object.entries(end)) {
    const ann = await world.person()
    const { refresh_token, access_token } = await acme.signIn(ann)
    const code = await acme.code(ann)
    await ending(ann)
    assert.deepEqual(errorOf(await acme.refresh(refresh_token)), [400, 'invalid_grant'], what)
    assert.deepEqual(errorOf(await acme.userinfo(access_token)), [401, 'invalid_token'], what)
    assert.deepEqual(errorOf(await acme.exchange(code)), [400, 'invalid_grant'], what)
  }
})

test('a session has ten grants for an application: the least used one ends', async () => {
  const ann = await world.person()
  const app = await makeProduct(world)
  const tokens = []
  for (let times = 0; times < 10; times++) tokens.push(await app.signIn(ann))
  await query(`update grants set last_used_at = now() - interval '1 hour' where application_id = $1`, [app.id])
  await app.refresh(tokens[0]?.refresh_token)

  await app.signIn(ann)

  assert.deepEqual(
    (await grantsOf(world, app)).map(({ ended_at }) => ended_at !== null),
    [false, true, ...Array.from({ length: 9 }, () => false)],
  )
})

test('an exchange is an entry of the audit log, with the device of the session', async () => {
  const ann = await world.person()
  await acme.signIn(ann)

  const [entry] = (await ann.get('/api/users/me/audit')).body.data

  const { data } = (await ann.get('/api/users/me/devices')).body
  assert.deepEqual(
    [entry.action, entry.actor.id, entry.target.type, entry.target.id, entry.device],
    ['application.signed_in', ann.id, 'application', acme.id, data[0].name],
  )
  assert.deepEqual(entry.details, { deviceId: data[0].id, organizationId: null })
})

test('what is missing or unknown is named', async () => {
  for (const [form, error, named] of [
    [{}, 'invalid_request', 'grant_type'],
    [{ grant_type: 'password' }, 'unsupported_grant_type', 'grant_type'],
    [{ grant_type: 'authorization_code' }, 'invalid_request', 'code'],
    [{ grant_type: 'authorization_code', code: 'x' }, 'invalid_request', 'redirect_uri'],
    [{ grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }, 'invalid_request', 'code_verifier'],
    [{ grant_type: 'refresh_token', refresh_token: '' }, 'invalid_request', 'refresh_token'],
    [{ grant_type: 'refresh_token', refresh_token: 'x', organization: 'X!' }, 'invalid_request', 'organization'],
  ] as const) {
    const answer = await acme.post('token', form)
    assert.deepEqual(errorOf(answer), [400, error], JSON.stringify(form))
    assert.ok(answer.body.error_description.includes(named), answer.body.error_description)
  }
})

test('a verifier of PKCE that could be guessed from its challenge is no verifier', async () => {
  const ann = await world.person()
  for (const wrong of ['x', 'x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(42)} `, 'ä'.repeat(43)]) {
    const answer = await acme.exchange(await acme.code(ann, { verifier: wrong }), { code_verifier: wrong })
    assert.deepEqual(errorOf(answer), [400, 'invalid_request'], wrong)
    assert.match(answer.body.error_description, /code_verifier/)
  }
  for (const right of ['x'.repeat(43), '-._~'.repeat(32)])
    assert.equal((await acme.exchange(await acme.code(ann, { verifier: right }), { code_verifier: right })).status, 200)
})

test('an answer to what is no form, or no request of ours, has the form of OAuth', async () => {
  const path = `${acme.path}/token`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [raw, headers, status] of [
    ['{}', { 'content-type': 'application/json' }, 415],
    ['a=1', { 'content-type': 'text/plain' }, 415],
    ['grant_type=a&grant_type=a', form, 400],
    ['other=1&other=2', form, 400],
    ['grant_type=%ff', form, 400],
    ['grant_type=%', form, 400],
    ['grant_type=%00', form, 400],
    [`grant_type=${'x'.repeat(70_000)}`, form, 413],
  ] as const) {
    const answer = await world.nobody.request(path, { method: 'POST', raw, headers })
    assert.deepEqual(errorOf(answer), [status, 'invalid_request'], raw.slice(0, 40))
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.body.error_description, /^[ !#-[\]-~]+$/)
  }
  const malformed = await world.nobody.request('/api/tenants/default/token', { method: 'POST', raw: '', headers: form })
  assert.deepEqual(errorOf(malformed), [400, 'invalid_request'])
})

test('unknown parameters are ignored, and so is a query', async () => {
  const ann = await world.person()
  const queried = await acme.post('token?grant_type=refresh_token&refresh_token=x', {})
  assert.deepEqual(
    [...errorOf(queried), queried.body.error_description],
    [400, 'invalid_request', '/grant_type: `grant_type` is needed.'],
  )
  const code = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier }
  const named = await acme.post('token?tenant=acme&tenant=other', { ...code, code: await acme.code(ann) })
  assert.equal(named.status, 200)
  const answer = await acme.exchange(await acme.code(ann), { resource: 'https://example.com', audience: '' })
  assert.equal(answer.status, 200)
})

test('a tenant without an application has no token endpoint', async () => {
  const { id } = await world.tenant()
  for (const tenant of [id, '00000000-0000-0000-0000-000000000000'])
    for (const place of ['token', 'revoke']) {
      const path = `/api/tenants/${uuidToTenantId(tenant)}/${place}`
      const answer = await postForm(world.nobody, path, { grant_type: 'refresh_token', token: 'x', client_id: acme.id })
      assert.equal(answer.status, 404)
    }
})
