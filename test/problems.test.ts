/** Problems: provokes every code of the closed list. A code that nothing provokes does not belong in the list. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { buildApp } from '../src/app.ts'
import { makeMailedToken, newToken } from '../src/domain/access/tokens.ts'
import { type ProblemCode, problems } from '../src/domain/problems.ts'
import { exampleOf } from '../src/features/pages/openapi-problems.ts'
import { Database } from '../src/platform/database/database.ts'
import { faultCodes } from '../src/platform/http/faults.ts'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { requestApplication } from './application-requests.ts'
import { sealRequests } from './authorizations.ts'
import { createDatabase } from './database.ts'
import { fillLine } from './hashing.ts'
import { holdHeaders } from './headers.ts'
import { holdRow } from './holding.ts'
import { offerKeys, requestKey } from './key-requests.ts'
import { membershipProvocations } from './membership-provocations.ts'
import { startProviderDouble } from './provider-double.ts'
import {
  addPasskey,
  addProvider,
  answerOf,
  beginSignIn,
  continueWith,
  enrol,
  link,
  signInWith,
  visit,
} from './sign-in.ts'
import { openPatient } from './timeout.ts'
import { requestWebhook } from './webhook-requests.ts'
import { type Answer, createWorld, type Json, type Person, password } from './world.ts'

const world = await createWorld({
  settings: {
    MAX_ORGANIZATIONS: '2',
    MAX_PENDING_INVITES: '5',
    LIMITS: 'on',
    OUTBOUND_PRIVATE: '127.0.0.1',
    LIMIT_SIGN_IN_NETWORK: '1000/60',
  },
})
const double = await startProviderDouble()
const provider = addProvider(world, double.origin)
const { query, awaitLine } = world.postgres
const { tenantId: tenant } = world
const { ann, ben, cleo, dan, path: acme, members } = await world.organization()

function newEmail(): string {
  return `new-${randomBytes(6).toString('hex')}@example.com`
}

function tokenOf(id: string, generation = 1): string {
  return makeMailedToken(world.keyring, 'invitation', { tenant, id, generation })
}

/** An invitation to a new person, in an organization of its own. */
async function invite(): Promise<{ owner: Person; invited: Person; organization: string; id: string; path: string }> {
  const [owner, invited] = await Promise.all([world.person('Olga'), world.person('Ina')])
  const created = await owner.post('/api/organizations', { name: 'Inviting' })
  const organization = `/api/organizations/${created.body.id}`
  const { body } = await owner.post(`${organization}/invites`, { email: invited.email })
  return { owner, invited, organization, id: body.id, path: `/api/invites/${body.id}` }
}

/** Signs up in a tenant with a policy of its own. */
async function signUpUnder(policy: string): Promise<Answer> {
  const { slug, id } = await world.tenant()
  await query(`update tenants set ${policy} where id = $1`, [id])
  return world.nobody.post('/api/auth/sign-up', { email: newEmail(), password }, { 'guildhall-tenant': slug })
}

/** Sends a request to an app without a network, so that its host can be any. */
async function inject(
  app: typeof world.app,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Answer> {
  const answer = await app.inject({ method, url: path, headers, ...(body && { payload: body }) })
  const plain = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  const known = { status: answer.statusCode, body: answer.json<Json>(), headers: new Headers(plain) }
  world.contract.check(method, path, known)
  return known
}

async function injectInto(database: Database, path: string): Promise<Answer> {
  const app = await buildApp(
    { config: readConfig({}), database, keyring: world.keyring },
    { log: false, mailboxKey: undefined },
  )
  try {
    return await inject(app, 'GET', path, { authorization: `Bearer ${newToken('ghs', tenant).token}` })
  } finally {
    await app.close()
    await database.close()
  }
}

/** Each code, and a request that gets it. */
const provocations: Record<ProblemCode, (t: TestContext) => Promise<Answer>> = {
  invalid_request: () => ann.post('/api/organizations', { name: 5, surplus: true }),
  malformed_json: () => ann.request('/api/organizations', { method: 'POST', raw: '{"name": "Acme"' }),
  invalid_id: () => ann.get('/api/organizations/user_01k9zq3v5hf8gs4m2y7c6t0wdn'),
  invalid_cursor: () => ann.get('/api/organizations?cursor=abc'),
  tenant_mismatch: () => ann.get('/api/users/me', { 'guildhall-tenant': 'no-such-tenant' }),
  confirmation_mismatch: () => ann.delete(acme, { confirm: 'another-slug' }),
  https_required: () =>
    inject(
      world.app,
      'POST',
      '/api/auth/sign-in',
      { host: 'accounts.example.com', 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' },
      { email: ann.email, password },
    ),
  ambiguous_credentials: () => ann.get('/api/users/me', { cookie: `guildhall=${ann.token}` }),
  unauthenticated: () => world.nobody.get('/api/users/me'),
  invalid_credentials: () => world.nobody.post('/api/auth/sign-in', { email: newEmail(), password }),
  forbidden: () => cleo.patch(acme, { name: 'Mine' }),
  role_above_yours: () => ben.patch(`${acme}/members/${members.ann.id}`, { role: 'member' }),
  webhook_disabled: async () => {
    const tess = await world.tenantAdmin()
    const { webhook } = await requestWebhook(tess, '/api/admin/webhooks', { status: 'disabled' })
    return tess.post(`/api/admin/webhooks/${webhook.id}/retry`, {})
  },
  events_expired: async () => {
    await query(
      'insert into feeds (tenant_id, trimmed) values ($1, 2) on conflict (tenant_id) do update set trimmed = 2',
      [tenant],
    )
    return ann.get(`${acme}/events?after=1`)
  },
  insufficient_scope: async () => (await world.key(['users:read'])).get('/api/admin/audit'),
  wrong_password: () => dan.delete('/api/users/me', { password: 'not this one' }),
  user_suspended: async () => {
    const person = await world.person()
    await query(`update users set status = 'suspended' where id = $1`, [person.id])
    return world.nobody.post('/api/auth/sign-in', { email: person.email, password })
  },
  unknown_passkey: async () => {
    const { key } = await addPasskey(await world.person())
    await query('delete from factors')
    return world.nobody.post('/api/auth/sign-in/passkey', { credential: await answerOf(world, key) })
  },
  sign_in_incomplete: async () => signInWith(world, (await enrol(world)).person),
  confirmation_required: async () => {
    const person = await world.person()
    await query(`update sessions set created_at = now() - interval '11 minutes' where user_id = $1`, [person.id])
    return person.post('/api/users/me/factors/setup', { type: 'totp' })
  },
  second_factor_required: async () => {
    const { ann, path } = await world.organization()
    await query(`update organizations set second_factor = 'required' where id = $1`, [path.split('/').at(-1)])
    return ann.get(path)
  },
  wrong_proof: async () => {
    const attempt = await beginSignIn(world, (await enrol(world)).person)
    return continueWith(world, attempt, { recoveryCode: '0'.repeat(24) })
  },
  authorization_incomplete: async () => {
    const { authorization: request } = await sealRequests(world, tenant)
    return world.nobody.post('/api/auth/authorize', { request })
  },
  request_expired: () =>
    world.nobody.post('/api/auth/authorize', { request: `ghr_${uuidToTenantId(tenant).slice(4)}.${'x'.repeat(60)}` }),
  attempt_spent: () => continueWith(world, newToken('gha', tenant).token, { totp: '000000' }),
  no_factor: () => ann.post('/api/users/me/recovery-codes'),
  last_way_in: async () => (await world.person()).delete('/api/users/me/password'),
  second_factor_in_use: async () => {
    const { person } = await enrol(world)
    const { body } = await person.post('/api/organizations', { name: 'Strict' })
    await query(`update organizations set second_factor = 'required' where id = $1`, [body.id])
    const { data } = (await person.get('/api/users/me/factors')).body
    return person.delete(`/api/users/me/factors/${data[0].id}`)
  },
  passkey_taken: async () => {
    const { key } = await addPasskey(await world.person())
    return (await addPasskey(await world.person(), key)).answer
  },
  sign_in_method_off: () => world.nobody.post('/api/auth/sign-in/mail-code', { email: ann.email }),
  provider_refused: async () =>
    link(double, await world.person(), await provider, { sub: newEmail() }, ({ state }) => ({
      state,
      error: 'access_denied',
    })),
  provider_without_email: async () => {
    const sent = await visit(world, double, await provider, { sub: newEmail() })
    return world.nobody.post('/api/auth/sign-in/continue', sent)
  },
  identity_taken: async () => {
    const sub = newEmail()
    await link(double, await world.person(), await provider, { sub })
    return link(double, await world.person(), await provider, { sub })
  },
  provider_unavailable: async () =>
    world.nobody.post('/api/auth/sign-in/provider', { providerId: await addProvider(world, 'https://127.0.0.1:1') }),
  sign_up_closed: () => signUpUnder(`sign_up = 'closed'`),
  email_domain_not_allowed: () => signUpUnder(`allowed_email_domains = '{example.org}'`),
  invitation_for_another_email: async () => dan.post(`${(await invite()).path}/accept`),
  email_not_verified: async () => {
    const { invited, path } = await invite()
    await query('update users set email_verified = false where id = $1', [invited.id])
    return invited.post(`${path}/accept`)
  },
  sign_in_required: async () => {
    const token = makeMailedToken(world.keyring, 'verify_email', { tenant, id: ann.id, generation: 1 })
    return ben.post('/api/auth/verify-email', { token })
  },
  cross_site: () =>
    world.nobody.post(
      '/api/auth/sign-in',
      { email: ann.email, password },
      { 'guildhall-session': 'cookie', 'sec-fetch-site': 'cross-site' },
    ),
  not_found: () => dan.get(acme),
  method_not_allowed: () => ann.request('/api/users/me', { method: 'PUT' }),
  email_taken: () => world.nobody.post('/api/auth/sign-up', { email: ann.email, password }),
  slug_taken: async () => {
    const { body } = await ann.get(acme)
    return cleo.post('/api/organizations', { name: 'Acme', slug: body.slug })
  },
  already_a_member: () => ann.post(`${acme}/invites`, { email: cleo.email }),
  already_invited: async () => {
    const { owner, invited, organization } = await invite()
    return owner.post(`${organization}/invites`, { email: invited.email })
  },
  already_owner: () => ann.post(`${acme}/transfer`, { memberId: members.ann.id }),
  already_verified: () => ann.post('/api/auth/verify-email/resend'),
  invitation_not_pending: async () => {
    const { owner, organization, id } = await invite()
    await owner.delete(`${organization}/invites/${id}`)
    return owner.delete(`${organization}/invites/${id}`)
  },
  ...membershipProvocations(world),
  last_owner: () => ann.delete(`${acme}/members/me`),
  last_admin: async () => {
    const { slug } = await world.tenant()
    return (await world.tenantAdmin(slug)).delete('/api/users/me', { password })
  },
  sole_owner: () => ann.delete('/api/users/me', { password }),
  limit_reached: async () => {
    const person = await world.person()
    await person.post('/api/organizations', { name: 'One' })
    await person.post('/api/organizations', { name: 'Two' })
    return person.post('/api/organizations', { name: 'Three' })
  },
  request_in_progress: async (t) => {
    const release = await holdRow(t, world.postgres, 'users', dan.id, 'for no key update')
    const send = () => dan.post('/api/organizations', { name: 'Slow' }, { 'idempotency-key': '"slow"' })
    const first = send() // has the key, and waits for its sender's row
    await awaitLine(1)
    const second = await send()
    await release()
    await first
    return second
  },
  idempotency_key_reused: async () => {
    const send = (name: string) => dan.post('/api/organizations', { name }, { 'idempotency-key': '"again"' })
    await send('One')
    return send('Another')
  },
  version_mismatch: () => ann.patch(acme, { name: 'Late' }, { 'if-match': '"0"' }),
  key_ended: async () => {
    await offerKeys(world)
    const { key } = await requestKey(ann, '/api/users/me/keys')
    await ann.delete(`/api/users/me/keys/${key.id}`)
    return ann.post(`/api/users/me/keys/${key.id}/rotate`, {})
  },
  no_secret: async () => {
    const tess = await world.tenantAdmin()
    const { application } = await requestApplication(tess, { kind: 'browser' })
    return tess.post(`/api/admin/applications/${application.id}/rotate-secret`)
  },
  invitation_expired: async () => {
    const { invited, id, path } = await invite()
    await query('update invitations set expires_at = now() where id = $1', [id])
    return invited.post(`${path}/accept`)
  },
  invitation_revoked: async () => {
    const { owner, invited, organization, id, path } = await invite()
    await owner.delete(`${organization}/invites/${id}`)
    return invited.post(`${path}/accept`)
  },
  invitation_declined: async () => {
    const { invited, path } = await invite()
    await invited.post(`${path}/decline`)
    return invited.post(`${path}/accept`)
  },
  invitation_used: async () => {
    const { invited, organization, path } = await invite()
    await invited.post(`${path}/accept`)
    await invited.delete(`${organization}/members/me`)
    return invited.post(`${path}/accept`)
  },
  token_spent: async () => {
    const { id } = await invite()
    const invitationToken = tokenOf(id, 2)
    return world.nobody.post('/api/auth/sign-up', { email: newEmail(), password, invitationToken })
  },
  too_large: () => ann.patch('/api/users/me', { metadata: { text: 'x'.repeat(70_000) } }),
  unsupported_media_type: () => ann.patch('/api/users/me', { name: 'Ann' }, { 'content-type': 'text/plain' }),
  rate_limited: async () => {
    const { owner, organization, id } = await invite()
    const resend = () => owner.post(`${organization}/invites/${id}/resend`)
    for (let mails = 1; mails < 5; mails++) assert.equal((await resend()).status, 200)
    return resend()
  },
  too_many_attempts: async () => {
    const email = newEmail()
    for (let attempt = 0; attempt < 5; attempt++) {
      await world.nobody.post('/api/auth/sign-in', { email, password: 'not this one' })
    }
    await query(`update password_attempts set next_at = now() + interval '15 minutes' where next_at > to_timestamp(0)`)
    return world.nobody.post('/api/auth/sign-in', { email, password })
  },
  internal: async () => {
    const own = await createDatabase()
    try {
      await own.query('drop table sessions cascade')
      return await injectInto(openPatient(own.url), '/api/users/me')
    } finally {
      await own.drop()
    }
  },
  overloaded: whileHashing,
  unavailable: () => injectInto(new Database('postgresql://nobody@127.0.0.1:1/none'), '/api/users/me'),
}

async function whileHashing(t: TestContext): Promise<Answer> {
  fillLine(t)
  return world.nobody.post('/api/auth/sign-in', { email: ann.email, password })
}

test('every code of the list is provoked here, and no other', () => {
  assert.deepEqual(Object.keys(provocations).sort(), Object.keys(problems).sort())
})

for (const [code, provoke] of Object.entries(provocations)) {
  test(`${code} is answered as the contract says`, async (t) => {
    const { status, body, headers } = await provoke(t)

    assert.deepEqual([status, body.code], [problems[code as ProblemCode].status, code]) // a key of `provocations`
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json(; charset=utf-8)?$/)
    const { type, title, status: inBody, detail, instance, requestId, code: _code, ...extra } = body
    assert.equal(type, `http://localhost:3000/docs/problems#${code}`)
    assert.equal(title, problems[code as ProblemCode].title) // a key of `provocations`
    assert.equal(inBody, status)
    assert.ok(detail.length > 20 && detail !== title, 'it says what to do')
    assert.match(instance, /^\/api\/[^?#]+$/)
    assert.match(requestId, /^req_[0-7][0-9a-z]{25}$/)
    assert.equal(headers.get('x-request-id'), requestId)
    assert.equal(headers.get('cache-control'), 'no-store')
    holdHeaders(headers, code)

    const { value } = exampleOf(world.app.config, code as ProblemCode) // a key of `provocations`
    const common = ['type', 'title', 'status', 'code', 'detail', 'instance', 'requestId']
    assert.deepEqual(
      Object.keys(extra),
      Object.keys(value).filter((member) => !common.includes(member)),
      'it says what the example in the OpenAPI document says',
    )
    assert.equal(headers.has('www-authenticate'), status === 401)
    assert.equal(headers.has('allow'), status === 405)
    assert.equal(headers.has('retry-after'), status === 429 || status === 503 || code === 'request_in_progress')
    assert.doesNotMatch(JSON.stringify(body), /select|node_modules|\.ts:|relation|ECONN|at .*\(/i)
  })
}

test('all faults of a body are reported at once, each with its field, a code of the list and a sentence', async (t) => {
  const { body } = await provocations.invalid_request(t)

  assert.deepEqual(
    body.errors.map(({ pointer, code }: Json) => [pointer, code]).sort(),
    [
      ['/name', 'wrong_type'],
      ['/surplus', 'unknown_field'],
    ].sort(),
  )
  for (const { code, detail } of body.errors) assert.ok(faultCodes.includes(code) && detail.length > 5)
})

test('faults of a password are reported like any other', async () => {
  const email = newEmail()
  for (const [chosen, code] of [
    ['password123', 'common_password'],
    [email, 'contains_identity'],
    [email.split('@')[0], 'contains_identity'],
    ['short', 'too_short'],
  ] as const) {
    const { status, body } = await world.nobody.post('/api/auth/sign-up', { email, password: chosen })
    assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [400, '/password', code])
  }
})

test('each problem is explained at the URL in its type', async () => {
  const page = await fetch(`${world.url}/docs/problems`).then((answer) => answer.text())
  for (const [code, { title, detail }] of Object.entries(problems)) {
    const [, text = ''] = new RegExp(`id="${code}"(.*?)</article>`, 's').exec(page) ?? []
    const shown = text.replace(/<[^>]+>/g, '')
    for (const sentence of [title, detail.replaceAll('`', '')]) assert.ok(shown.includes(sentence), `${code}: ${shown}`)
  }
})
