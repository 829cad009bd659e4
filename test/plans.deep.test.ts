/**
 * Plans: how PostgreSQL executes the service's statements in a large tenant, behind the wall. No request scans a whole table, neither with
 * a plan for its values nor with a generic plan that PostgreSQL would keep.
 */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { makeMailedToken } from '../src/domain/access/tokens.ts'
import { wakeDue } from '../src/domain/webhooks/schedule.ts'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { anApplication } from './application-requests.ts'
import { newAuthenticator } from './authenticator.ts'
import { callback, goodbye, queryOf, sealRequests, storeApplication } from './authorizations.ts'
import { readContract } from './contract.ts'
import { connectExplainer, matchingOf, planner, type Statement, scannedTables, statementsOf } from './explain.ts'
import { makeProduct } from './grants.ts'
import { makeKeys, offerKeys } from './key-requests.ts'
import { acme, fillTenant, small } from './large-tenant.ts'
import { makeLink } from './membership-requests.ts'
import { answerOf, beginSignIn, enrol, passkeyOrigin } from './sign-in.ts'
import { type Answer, Client, createWorld, type Json, password, type RequestOptions } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const { tenantId: tenant } = world
const [tess, ann] = [await world.tenantAdmin(), await world.person()]

await fillTenant(world, ann)

const inPublic = await query<{ name: string }>(
  `select relname as name from pg_class where relnamespace = 'public'::regnamespace`,
)
const tables = new Set(inPublic.map(({ name }) => name))
const driver = mock.method(pg.Client.prototype, 'query')

const contract = readContract(world.app.swagger())
/** The operations of the requests that were sent. */
const looked = new Set<string | undefined>()
const explained = new Set<string>()
const { plansOf, rowsOf } = planner(await connectExplainer(world), tables)

/** Sends a request, and checks the plans of all its statements. @returns its answer */
async function look(caller: Client, path: string, request: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET' } = request
  driver.mock.resetCalls()
  const answer = await caller.request(path, request)
  assert.ok(answer.status < 400, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  looked.add(contract.operationOf(method, path.replace(/\?.*/, '')))
  for (const each of statementsOf(driver)) await check(each, `${method} ${path}`)
  return answer
}

async function check({ text, values }: Statement, request: string): Promise<void> {
  const key = JSON.stringify([text, values])
  if (explained.has(key)) return
  explained.add(key)
  const { custom, generic, keepsGeneric } = await plansOf({ text, values })
  assert.deepEqual(wholeTables(custom), [], `${request}: ${text}`)
  if (keepsGeneric) assert.deepEqual(wholeTables(generic), [], `${request}, for all values: ${text}`)
}

/** Checks how many rows a statement reads, with a plan for its values, and with a generic plan that PostgreSQL would keep. */
async function checkRows(each: Statement, most: number, request: string): Promise<void> {
  const { keepsGeneric } = await plansOf(each)
  for (const kind of keepsGeneric ? (['custom', 'generic'] as const) : (['custom'] as const)) {
    const read = await rowsOf(each, kind)
    assert.ok(read <= most, `${request}: ${read} rows are read by the ${kind} plan of ${each.text}`)
  }
}

/** Every index in a plan. */
const used = new Set<string>()

const wholeTables = (plan: Json) => scannedTables(plan, tables, used)

/** Checks the first and the second page of a list. */
async function lookThrough(caller: Client, path: string, query: Readonly<Record<string, string>>): Promise<void> {
  const { body } = await look(caller, `${path}?${new URLSearchParams(query)}`)
  if (body.nextCursor === null) return
  await look(caller, `${path}?${new URLSearchParams({ ...query, cursor: body.nextCursor })}`)
}

const none: Readonly<Record<string, string>> = {}
const year = { createdAfter: '2025-02-01T00:00:00Z', createdBefore: '2025-02-02T00:00:00Z' }

test('users of a tenant are listed by an index, in every order, with every filter and prefix', async () => {
  const ids = (await tess.get('/api/admin/users')).body.data.map(({ id }: Json) => id)
  const filters = [
    none,
    ...['a', 'abc', 'abcdef1', 'nobody', 'anna', 'anna smith', '@example', 'abc@', '---'].map((query) => ({ query })),
    { email: 'nobody@example.com,somebody@example.com' },
    { id: ids.join() },
    { status: 'active' },
    { status: 'suspended' },
    { role: 'user' },
    { role: 'admin' },
    { emailVerified: 'true' },
    { emailVerified: 'false' },
    { hasSecondFactor: 'true' },
    { hasSecondFactor: 'false' },
    { organizationId: small },
    { organizationId: acme },
    { createdAfter: '2025-03-10T00:00:00Z' },
    { createdBefore: '2025-01-02T00:00:00Z' },
    year,
    { query: 'ab', status: 'suspended' },
    { query: 'ab', emailVerified: 'false', role: 'user' },
    { status: 'suspended', emailVerified: 'false' },
    { organizationId: acme, status: 'suspended' },
    { organizationId: acme, query: 'ab' },
    { organizationId: acme, query: 'smith' },
    { organizationId: acme, hasSecondFactor: 'true' },
    { ...year, status: 'suspended', role: 'admin', emailVerified: 'false' },
  ]
  for (const filter of filters) {
    for (const sort of ['createdAt', '-createdAt', 'email', '-email', 'name', '-name']) {
      await lookThrough(tess, '/api/admin/users', { ...filter, sort })
    }
    // Ten thousand of forty thousand, which all match, are as soon counted in the table.
    if (!('query' in filter && filter.query === '@example'))
      await lookThrough(tess, '/api/admin/users', { ...filter, includeTotal: 'true' })
  }
})

test('organizations of a tenant are listed by an index, in every order, by user and prefix', async () => {
  const searches = ['a', 'abc', 'slug a', 'nothing'].map((query) => ({ query }))
  for (const filter of [none, ...searches, { userId: ann.id }, { id: acme }, { id: `${acme},${small}` }]) {
    for (const sort of ['name', '-name', 'createdAt', '-createdAt']) {
      await lookThrough(tess, '/api/admin/organizations', { ...filter, sort })
    }
    await lookThrough(tess, '/api/admin/organizations', { ...filter, includeTotal: 'true' })
  }
  await look(tess, `/api/admin/organizations/${acme}`)
  await look(tess, '/api/admin/organizations/slug-5')
  const { body: invites } = await look(tess, `/api/admin/organizations/${acme}/invites?limit=1`)
  await look(tess, `/api/admin/organizations/${acme}/invites/${invites.data[0].id}`)
  for (const organization of [acme, 'slug-5']) {
    for (const sort of ['joinedAt', '-name', 'email']) {
      await lookThrough(tess, `/api/admin/organizations/${organization}/members`, { query: 'a', sort, limit: '5' })
    }
    for (const filter of [none, { status: 'pending' }, { status: 'revoked' }])
      await lookThrough(tess, `/api/admin/organizations/${organization}/invites`, { ...filter, limit: '1' })
    await look(tess, `/api/admin/organizations/${organization}/roles`)
    const { body: members } = await look(tess, `/api/admin/organizations/${organization}/members?limit=1`)
    await look(tess, `/api/admin/organizations/${organization}/members/${members.data[0].id}`)
  }
})

test('members and invitations are listed by an index, in a small organization and a large one', async () => {
  for (const path of [`/api/organizations/${acme}`, '/api/organizations/slug-2']) {
    await look(ann, path)
    const filters = [
      none,
      ...['ab', 'abc1', 'smith anna'].map((query) => ({ query })),
      { role: 'owner' },
      { role: 'member', query: 'a' },
      { hasSecondFactor: 'false' },
    ]
    for (const filter of filters) {
      for (const sort of ['joinedAt', '-joinedAt', 'name', '-name', 'email', '-email']) {
        await lookThrough(ann, `${path}/members`, { ...filter, sort, limit: '5' })
      }
    }
    for (const filter of [none, { status: 'pending' }, { status: 'revoked' }, { query: 'invited example' }]) {
      await lookThrough(ann, `${path}/invites`, { ...filter, limit: '1' })
    }
    for (const one of ['/members/me', '/roles', '/check/members:read']) await look(ann, `${path}${one}`)
  }
  const { body: invites } = await look(ann, `/api/organizations/${acme}/invites?limit=1`)
  await look(ann, `/api/organizations/${acme}/invites/${invites.data[0].id}`)
  const link = await makeLink(ann, acme)
  for (const each of ['', '?status=live', '?status=ended', `/${link.id}`])
    await look(ann, `/api/organizations/${acme}/links${each}`)
})

test('keys are found by an index', async () => {
  await offerKeys(world)
  await makeKeys(ann, { owner: ann, orgId: acme, admin: tess })
  for (const [caller, path] of [
    [ann, '/api/users/me/keys'],
    [ann, `/api/organizations/${acme}/keys`],
    [tess, '/api/admin/keys'],
    [tess, `/api/admin/users/${ann.id}/keys`],
  ] as const) {
    const { body } = await look(caller, `${path}?limit=1`)
    for (const filter of [{}, { status: 'active' }, { status: 'ended' }])
      await look(caller, `${path}?${new URLSearchParams(filter)}`)
    if (body.nextCursor) await look(caller, `${path}?limit=1&cursor=${body.nextCursor}`)
    if (path.includes('/users/user_')) continue
    const { id } = body.data[0]
    await look(caller, `${path}/${id}`)
    await look(caller, `${path}/${id}`, { method: 'PATCH', body: { name: 'Renamed' } })
    await look(caller, `${path}/${id}/rotate`, { method: 'POST', body: {} })
    await look(caller, path, { method: 'POST', body: { name: 'Import', scopes: ['members:read'] } })
    await look(caller, `${path}/${id}`, { method: 'DELETE' })
  }
})

test('what webhooks are to send, and what failed, is looked up by an index, however many events there are', async () => {
  const [{ id }] = (await tess.get('/api/admin/webhooks?limit=1')).body.data
  const path = `/api/admin/webhooks/${id}`
  const sent = (text: RegExp) => statementsOf(driver).filter((each) => text.test(each.text))
  await query('update webhooks w set place = (select max(sequence) from feed f where f.tenant_id = w.tenant_id)')
  await query(
    `update webhook_deliveries set status = 'failed' where webhook_id = $1 and sequence % 2 = 0 and status = 'delivered'`,
    [id],
  )
  await query('vacuum analyze webhooks, webhook_deliveries')

  driver.mock.resetCalls()
  await wakeDue(world.database, tenant)
  const sweeps = sent(/from webhooks w\s+join tenants t/)
  await look(tess, `${path}/retry`, { method: 'POST', body: {} })
  const retries = sent(/update webhook_deliveries/)
  await look(tess, `${path}/deliveries?status=retrying&types=member.*,user.*,organization.*,key.*,session.*&limit=1`)
  const lists = sent(/from webhook_deliveries d\s+where/)

  // Each of ten thousand webhooks is read with its tenant.
  assert.deepEqual([sweeps.length > 0, retries.length, lists.length > 0], [true, 1, true])
  for (const each of sweeps) await checkRows(each, 50_000, 'sweep')
  for (const each of retries) await checkRows(each, 2_500, 'retry')
  for (const each of lists) await checkRows(each, 1_000, 'deliveries')
})

test('webhooks and their log are found by an index', async () => {
  for (const [caller, path] of [
    [ann, `/api/organizations/${acme}/webhooks`],
    [tess, '/api/admin/webhooks'],
  ] as const) {
    const one = `${path}/${(await look(caller, `${path}?limit=1`)).body.data[0].id}`
    for (const log of [
      '',
      '/deliveries',
      ...['status=failed', 'types=member.joined'].map((each) => `/deliveries?${each}`),
    ])
      await look(caller, `${one}${log}`)
    await look(caller, one, { method: 'PATCH', body: { name: 'Renamed' } })
    await look(caller, `${one}/retry`, { method: 'POST', body: { sequences: [1] } })
    await look(caller, one, { method: 'DELETE' })
  }
})

test('checks, and previews of links, invitations and sessions, look up their rows by an index', async () => {
  const post = (caller: Client, path: string, body: Json) => look(caller, path, { method: 'POST', body })
  const gus = await world.person('Gus')
  const { id } = await world.join(ann, acme, gus)
  const grants = [{ role: 'role-1' }]
  await look(ann, `/api/organizations/${acme}/members/${id}`, { method: 'PATCH', body: { grants } })
  const checks = [acme, small].flatMap((organizationId) =>
    ['members:read', 'noun-1:write', 'no-such:noun'].map((permission) => ({ organizationId, permission })),
  )
  const many = Array.from({ length: 100 }, (_, n) => ({
    organizationId: `org_${String(n + 1).padStart(26, '0')}`,
    permission: `noun-${n}:write`,
  }))
  for (const caller of [ann, gus]) {
    for (const each of [checks, checks.slice(0, 1), many]) await post(caller, '/api/check', { checks: each })
    await look(caller, `/api/organizations/${acme}/check/noun-1:write`)
  }
  const { token } = await makeLink(ann, acme, { grants })
  await post(world.nobody, '/api/links/preview', { token })
  const { body: sent } = await ann.post(`/api/organizations/${acme}/invites`, {
    email: 'previewed@example.com',
    grants,
  })
  const mailed = makeMailedToken(world.keyring, 'invitation', { tenant, id: sent.id, generation: 1 })
  await post(world.nobody, `/api/invites/${sent.id}/preview`, { token: mailed })
  const [session] = (await ann.get('/api/users/me/devices')).body.data
  const ending = makeMailedToken(world.keyring, 'end_session', { tenant, id: session.id, generation: 1 })
  await post(world.nobody, '/api/auth/end-session/preview', { token: ending })
})

test("a user's own rows are found by an index", async () => {
  for (const filter of [none, { query: 'a' }, { role: 'owner' }]) {
    await lookThrough(ann, '/api/organizations', { ...filter, limit: '1' })
  }
  for (const path of ['', '/devices', '/factors', '/identities', '/invites', '/deletion-impact'])
    await look(ann, `/api/users/me${path}`)
  for (const path of ['', '/devices', '/factors', '/identities', '/deletion-impact'])
    await look(tess, `/api/admin/users/${ann.id}${path}`)
  const { body } = await look(tess, '/api/admin/providers')
  await look(tess, `/api/admin/providers/${body.data[0].id}`)
  await look(tess, '/api/admin/tenant')
})

test('applications are found by an index', async () => {
  const list = '/api/admin/applications'
  const { body } = await look(tess, `${list}?limit=1`)
  await look(tess, `${list}?limit=1&cursor=${body.nextCursor}`)
  const [{ id, name }] = body.data
  await look(tess, `${list}/${id}`, { method: 'DELETE', body: { confirm: name } }) // there is room for fifty
  const made = await look(tess, list, { method: 'POST', body: { ...anApplication, isHome: true } })
  const path = `${list}/${made.body.application.id}`
  await look(tess, path)
  await look(tess, path, { method: 'PATCH', body: { name: 'Renamed', redirectUris: ['https://new.example.com/'] } })
  await look(tess, `${path}/rotate-secret`, { method: 'POST', body: {} })
})

test('who calls, tokens and their keys are found by an index', async () => {
  for (const organization of [acme, 'slug-1']) {
    await look(ann, `/api/caller?organization=${organization}`)
    await look(ann, '/api/tokens', { method: 'POST', body: { organization } })
  }
  await look(ann, '/api/caller')
  await look(ann, '/api/tokens', { method: 'POST' })
  const keys = [
    await world.key(['credentials:verify', 'tokens:create']),
    await world.key(['me:read', 'tokens:create'], { person: ann }),
    await world.key(['members:read', 'tokens:create'], { organization: acme }),
  ]
  const [backend] = keys
  assert.ok(backend)
  for (const each of [ann, ...keys])
    for (const organization of [acme, 'slug-1', undefined]) {
      const body = { credential: each.token, ...(organization && { organization, permissions: ['noun-1:write'] }) }
      await look(backend, '/api/credentials/verify', { method: 'POST', body })
      await look(each, `/api/caller${organization ? `?organization=${organization}` : ''}`)
      await look(each, '/api/tokens', { method: 'POST', body: organization ? { organization } : {} })
    }
  const tenantId = uuidToTenantId(tenant)
  for (const place of ['.well-known/openid-configuration', 'jwks.json'])
    await look(world.nobody, `/api/tenants/${tenantId}/${place}`)
  const app = await makeProduct(world, { tenant })
  const { access_token: token } = await app.signIn(ann)
  await look(new Client(world, { authorization: `Bearer ${token}` }), `/api/tenants/${tenantId}/userinfo`)
})

test('sign-ins to applications, and sign-outs, look up their rows by an index', async () => {
  const client_id = await storeApplication(world, tenant, { chooseOrganization: true })
  const path = `/api/tenants/${uuidToTenantId(tenant)}`
  const browser = new Client(world, { cookie: `guildhall=${ann.token}`, 'sec-fetch-site': 'same-origin' })
  for (const organization of [acme, 'slug-1', ''])
    await look(browser, `${path}/authorize?${queryOf({ client_id, redirect_uri: callback, organization })}`)
  await look(browser, `${path}/end-session?${queryOf({ client_id, post_logout_redirect_uri: goodbye })}`)
  const { authorization, signOut } = await sealRequests(world, tenant)
  await look(browser, '/api/auth/authorize/preview', { method: 'POST', body: { request: authorization } })
  await look(browser, '/api/auth/sign-out/preview', { method: 'POST', body: { request: signOut } })
})

test('every log is read by an index, with every filter', async () => {
  const times = { from: '2025-01-10T00:00:00Z', to: '2025-01-11T00:00:00Z' }
  const actions = [none, { action: 'session.started' }, { action: 'user.suspended' }, { action: 'member.*,user.*' }]
  const user = 'user_00000000000000000000000007'
  for (const filter of [...actions, times, ...actions.map((action) => ({ ...action, ...times }))]) {
    for (const more of [none, { organizationId: acme }]) {
      for (const whose of [none, { userId: user }]) {
        await lookThrough(tess, '/api/admin/audit', { ...filter, ...more, ...whose, limit: '1' })
      }
      await lookThrough(ann, '/api/users/me/audit', { ...filter, ...more, limit: '1' })
    }
    await lookThrough(ann, '/api/organizations/slug-2/audit', { ...filter, limit: '1' })
  }
})

test('a log reads one page of each requested action, however many other entries exist', async () => {
  const times = { from: '2025-01-01T00:00:00Z', to: '2025-12-31T00:00:00Z' }
  const actions = [none, { action: 'session.started' }, { action: 'user.suspended' }, { action: 'member.*,user.*' }]
  const logs = [
    [ann, '/api/users/me/audit', [none, { organizationId: acme }, { organizationId: small }]],
    [tess, '/api/admin/audit', [none, { organizationId: acme }, { userId: ann.id }]],
    [
      tess,
      '/api/admin/audit',
      [
        { organizationId: acme, userId: ann.id },
        { organizationId: small, userId: ann.id },
      ],
    ],
    [ann, `/api/organizations/${acme}/audit`, [none]],
  ] as const
  for (const [reader, path, selections] of logs) {
    for (const filter of selections.flatMap((each) => actions.map((action) => ({ ...each, ...action })))) {
      for (const time of [none, times]) {
        const query = `${path}?${new URLSearchParams({ ...filter, ...time, limit: '1' })}`
        await look(reader, query)
        const [list] = matchingOf(driver, /order by/)
        assert.ok(list, query)
        await checkRows(list, 200, query)
      }
    }
  }
})

test('the feed is read from a place on, however many events are before and after it', async () => {
  const places = [none, { after: '250000' }, { after: 'latest' }, { from: '1970-01-01T00:00:00.250Z' }]
  const feeds = [
    [tess, '/api/admin/events?'],
    [tess, `/api/admin/events?organizationId=${small}&`],
    [ann, `/api/organizations/${acme}/events?`],
  ] as const
  const isOfFeed = ({ text }: Statement) => /\bfeed\b/.test(text) && !/for update|insert|delete/.test(text)
  for (const [reader, feed] of feeds)
    for (const types of [none, { types: 'member.*' }, { types: 'tenant.updated' }])
      for (const place of places) {
        const query = `${feed}${new URLSearchParams({ ...types, ...place, limit: '10' })}`
        await look(reader, query)
        for (const each of statementsOf(driver).filter(isOfFeed))
          await checkRows(each, types === none ? 200 : 11_000, query)
      }
})

test('what events are about is looked up by keys', async () => {
  for (const { type } of (await tess.get('/api/admin/events?after=500000&limit=100')).body.data)
    await look(tess, `/api/admin/events?types=${type}&after=500000`)
})

test('signing in and look-ups without a session use an index', async () => {
  const { email } = ann
  await look(world.nobody, '/api/tenant')
  await look(world.nobody, '/api/auth/sign-in', { method: 'POST', body: { email, password } })
  await look(world.nobody, '/api/auth/forgot-password', { method: 'POST', body: { email } })
  await look(world.nobody, '/api/auth/sign-up', { method: 'POST', body: { email: `new-${email}`, password } })
  await look(ann, '/api/users/me', { headers: { 'guildhall-tenant': 'default' } })
})

test('the steps of sign-in, and changes of factors, use an index', async () => {
  const cleo = await world.person('Cleo')
  const post = (caller: Client, path: string, body: Json = {}) => look(caller, path, { method: 'POST', body })
  const key = newAuthenticator(-7, { origin: passkeyOrigin })
  const { body } = await post(cleo, '/api/users/me/factors/setup', { type: 'passkey' })
  const credential = key.create(body.options)
  const { body: added } = await post(cleo, '/api/users/me/factors', { type: 'passkey', credential })
  await post(world.nobody, '/api/auth/sign-in/passkey', { credential: await answerOf(world, key) })
  const { recoveryCodes } = await enrol(world, cleo)
  const attempt = await beginSignIn(world, cleo)
  await post(world.nobody, '/api/auth/passkey-options', { attempt })
  await post(world.nobody, '/api/auth/sign-in/continue', { attempt, recoveryCode: recoveryCodes[0] })
  await post(cleo, '/api/users/me/recovery-codes')
  await look(cleo, `/api/users/me/factors/${added.factor.id}`, { method: 'DELETE' })
  await look(tess, `/api/admin/users/${cleo.id}/factors`, { method: 'DELETE' })
})

test('writes use an index, from a change of a profile to the deletion of an account', async () => {
  const ben = await world.person('Ben')
  const path = `/api/admin/users/${ben.id}`
  await look(ben, '/api/users/me', { method: 'PATCH', body: { name: 'Benn' } })
  await look(ann, `/api/organizations/${acme}/invites`, { method: 'POST', body: { email: ben.email } })
  const cleo = await world.join(ann, acme, await world.person('Cleo'))
  await look(ann, `/api/organizations/${acme}/members/${cleo.id}`, { method: 'PATCH', body: { role: 'admin' } })
  await look(ann, `/api/organizations/${acme}/members/${cleo.id}`, { method: 'DELETE' })
  const dora = await world.join(ann, acme, await world.person('Dora'))
  const ofAdmin = `/api/admin/organizations/${acme}`
  await look(tess, `${ofAdmin}/members/${dora.id}`, { method: 'PATCH', body: { role: 'admin' } })
  await look(tess, `${ofAdmin}/members/${dora.id}`, { method: 'DELETE' })
  const { body: sent } = await look(tess, `${ofAdmin}/invites`, {
    method: 'POST',
    body: { email: 'invited-by-tess@example.com' },
  })
  await look(tess, `${ofAdmin}/invites/${sent.id}`, { method: 'DELETE' })
  const { body: own } = await look(ben, '/api/organizations', { method: 'POST', body: { name: 'Of Ben' } })
  await look(ben, `/api/organizations/${own.id}/invites`, { method: 'POST', body: { email: 'of-ben@example.com' } })
  await look(ben, `/api/organizations/${own.id}`, { method: 'DELETE', body: { confirm: own.slug } })
  await look(tess, path, { method: 'PATCH', body: { role: 'admin', currentPassword: password } })
  await query(
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
     select s.tenant_id, 'gra_ben', s.id, a.id, '', '{openid}'
     from sessions s join applications a on a.tenant_id = s.tenant_id where s.user_id = $1 limit 1`,
    [ben.id],
  )
  await query(`update applications set back_channel_logout_uri = 'https://a.example.com' where tenant_id = '${tenant}'`)
  await look(tess, path, { method: 'PATCH', body: { status: 'suspended' } })
  await look(tess, `${path}/devices`, { method: 'DELETE' })
  await look(tess, path, { method: 'DELETE' })
})

test('a filtered list is planned for its values, and an unfiltered list reuses its plan', async () => {
  const keepsPlan = async (path: string) => {
    driver.mock.resetCalls()
    assert.equal((await tess.get(path)).status, 200)
    const [list] = matchingOf(driver, /order by/)
    assert.ok(list, path)
    return (await plansOf(list)).keepsGeneric
  }
  for (const path of ['/api/admin/users', '/api/admin/users?sort=email', '/api/admin/organizations'])
    assert.equal(await keepsPlan(path), true, path)
  // A generic plan would follow the order, to the end of a large tenant if nobody matches.
  for (const filter of ['role=admin', 'emailVerified=false'])
    assert.equal(await keepsPlan(`/api/admin/users?${filter}`), false, filter)
})

/** Routes that read and are not looked at, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'GET /api/admin/access': 'counts who has each role, in all memberships of the tenant',
  'GET /api/mailbox': 'is for development',
}

/** Routes that read by a POST, because what they are asked for is long or secret. */
const readByPost = [
  'POST /api/check',
  'POST /api/credentials/verify',
  'POST /api/links/preview',
  'POST /api/invites/{inviteId}/preview',
  'POST /api/auth/authorize/preview',
  'POST /api/auth/sign-out/preview',
  'POST /api/auth/end-session/preview',
]

test('every route that reads is looked at here', () => {
  const got = contract.operations.filter((name) => name.startsWith('GET /api/') && !(name in exceptions))
  const reading = [...got, ...readByPost]

  assert.ok(reading.length > 20)
  assert.deepEqual(
    reading.filter((name) => !looked.has(name)),
    [],
    'request it above',
  )
})

test('all indexes for orders and filters are used', () => {
  const made = [
    'users_by_created_at',
    'users_email_key',
    'users_by_name',
    'users_by_status',
    'users_by_verification',
    'users_admins',
    'users_without_password',
    'organizations_by_name',
    'organizations_by_created_at',
    'memberships_by_joined_at',
    'audit_entries_by_occurred_at',
    'audit_entries_by_action',
    'audit_entries_by_organization_and_action',
    'audit_details_by_user',
    'audit_details_by_subject_and_action',
    'audit_details_by_wanted_email',
    'mailed_tokens_by_wanted_email',
    'sessions_token_hash_key',
    'tenant_domains_pkey',
  ]
  assert.deepEqual(
    made.filter((name) => !used.has(name)),
    [],
  )
})

test('before PostgreSQL has statistics, as after a restore, a log is read by the keys of its entries', async () => {
  for (const table of ['audit_entries', 'audit_details']) {
    await query(`alter table ${table} set (autovacuum_enabled = off)`)
    await query(`delete from pg_statistic where starelid = '${table}'::regclass`)
    await query(`update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where oid = '${table}'::regclass`)
  }
  for (const path of ['/api/users/me/audit', `/api/organizations/${acme}/audit`]) {
    await look(ann, `${path}?limit=10`)
    const [list] = matchingOf(driver, /order by/) as [Statement]
    const read = await rowsOf(list, 'custom')
    assert.ok(read <= 200, `${path}: ${read} rows are read by ${list.text}`)
  }
})
