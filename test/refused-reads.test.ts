/** Refused reads: if a caller may not read or change something, PostgreSQL reads nothing of it, on any route. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { Pipeline } from '../src/platform/database/pipeline.ts'
import { requestApplication } from './application-requests.ts'
import { rowsRead } from './explain.ts'
import { keyNameIn, makeKeys, offerKeys } from './key-requests.ts'
import { makeLink } from './membership-requests.ts'
import { makeWebhooks, offerWebhooks } from './webhook-requests.ts'
import { type Answer, type Client, createWorld } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const walled = new Set(
  (
    await query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity`,
    )
  ).map(({ name }) => name),
)
const { ann, cleo, dan, id, slug, path, members } = await world.organization()
const tess = await world.tenantAdmin()
const ended = await world.signIn(ann)
await ended.post('/api/auth/sign-out')
const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email })

const aProvider = { type: 'github', name: 'GitHub', clientId: 'guildhall' }
const { body: provider } = await tess.post('/api/admin/providers', aProvider)
const { application } = await requestApplication(tess)
const link = await makeLink(ann, id)
await offerKeys(world)
const keys = await makeKeys(ann, { owner: ann, orgId: id, admin: tess })
await offerWebhooks(world)
const webhooks = await makeWebhooks({ owner: ann, orgId: id, admin: tess })
await tess.put('/api/admin/access', { permissions: [{ key: 'notes:write', name: 'Write' }], roles: [] })

const explainer = new pg.Client({ connectionString: world.postgres.url })
await explainer.connect()
explainer.on('error', () => {}) // it lasts until the database is dropped
const driver = mock.method(pg.Client.prototype, 'query')

/** Sends a request, and sends its door's pipeline again. @returns the number of rows that the handler's statements read */
async function read(caller: Client, request: string): Promise<Answer & { rows: number }> {
  driver.mock.resetCalls()
  const answer = await caller.get(request)
  const sent = driver.mock.calls.map((call) => (call.arguments as unknown[])[0])
  const pipelines = sent.filter((each): each is Pipeline => each instanceof Pipeline && isReading(each))
  // A page of events takes more trips, for what they are about, and so does a search, which counts first.
  if (answer.status >= 300 || !/\/events|[?&]query=/.test(request))
    assert.equal(pipelines.length, 1, `${request} makes one trip`)
  return { ...answer, rows: await replay(pipelines[0] as Pipeline) } // counted a line above
}

function isReading({ items }: Pipeline): boolean {
  return items.some((each) => typeof each === 'object' && /^begin .* read only$/.test(each.text))
}

/** Sends a pipeline again, and lets PostgreSQL explain the statements after the one that finds the caller. */
async function replay({ items }: Pipeline): Promise<number> {
  const caller = items.findIndex((each) => typeof each === 'object' && each.text.includes(' as failing'))
  assert.ok(caller > 0)
  for (const each of items.slice(0, caller + 1))
    await (typeof each === 'string' ? explainer.query(each) : explainer.query(each.text, [...each.values]))
  let rows = 0
  for (const each of items.slice(caller + 1)) {
    assert.ok(typeof each === 'object')
    if (each.text === 'commit') continue
    const explained = await explainer.query(`explain (analyze, format json) ${each.text}`, [...each.values])
    rows += rowsRead(explained.rows[0]['QUERY PLAN'][0].Plan, walled)
  }
  await explainer.query('rollback')
  return rows
}

const queries: Readonly<Record<string, string>> = {
  'GET /api/admin/users': '?query=a&includeTotal=true',
  'GET /api/admin/organizations': '?query=a&includeTotal=true',
  'GET /api/admin/audit': `?userId=${ann.id}&action=member.*,organization.*`,
  'GET /api/organizations/{orgId}/audit': '?action=member.*',
  'GET /api/admin/events': '?types=member.*',
  'GET /api/organizations/{orgId}/events': '?types=member.*',
  'GET /api/organizations/{orgId}/members': '?query=a',
}
/** They need no session, or read only the one row of their tenant, from which a refusal reveals nothing. */
const others = [
  'GET /api/tenant',
  'GET /api/tenants/{tenantId}/.well-known/openid-configuration',
  'GET /api/tenants/{tenantId}/jwks.json',
  'GET /api/tenants/{tenantId}/userinfo', // for access tokens, which no caller here has
  'GET /api/tenants/{tenantId}/authorize',
  'GET /api/tenants/{tenantId}/end-session',
  'GET /api/mailbox',
  'GET /api/admin/tenant',
  'GET /api/organizations/{orgId}/check/{permission}', // a refusal is its answer
  'GET /api/users/me/keys/{keyId}', // its door lets everybody in; its statement finds one's own keys alone
]
const operations = world.contract.operations.filter((each) => each.startsWith('GET /api/') && !others.includes(each))

for (const operation of operations) {
  test(`${operation} reads nothing for callers who are not allowed`, async () => {
    for (const organization of operation.includes('{orgId}') ? [id, slug] : ['']) {
      const filled = operation
        .replace('GET ', '')
        .replace('{orgId}', organization)
        .replace('{memberId}', members.ben.id)
        .replace('{inviteId}', invitation.id)
        .replace('{linkId}', link.id)
        .replace('{keyId}', keys[keyNameIn(operation.slice('GET '.length), 'keyId')] ?? '')
        .replace('{webhookId}', webhooks[keyNameIn(operation.slice('GET '.length), 'webhookId')] ?? '')
        .replace('{permission}', 'notes:write')
        .replace('{userId}', ann.id)
        .replace('{providerId}', provider.id)
        .replace('{appId}', application.id)
      const request = filled + (queries[operation] ?? '')
      const refused: number[] = []
      const allowed: number[] = []
      for (const caller of [ann, cleo, dan, tess, ended]) {
        const { status, rows } = await read(caller, request)
        if (status < 300) allowed.push(rows)
        else refused.push(rows)
      }
      assert.ok(Math.max(...allowed) > 0, `${request} reads something for those who may`)
      assert.ok(refused.length > 0)
      assert.deepEqual(
        refused,
        refused.map(() => 0),
        request,
      )
    }
  })
}

/** Changes whose doors read for them, with their bodies. Those that end something come last. */
const changes: Readonly<Record<string, object | undefined>> = {
  [`PATCH ${path}`]: { name: 'Renamed' },
  [`POST ${path}/invites`]: { email: 'guest@example.com' },
  [`POST ${path}/invites/bulk`]: { invites: [{ email: 'another@example.com' }] },
  [`POST ${path}/invites/${invitation.id}/resend`]: {},
  [`POST ${path}/links`]: {},
  [`PATCH ${path}/members/${members.ben.id}`]: { role: 'member' },
  [`DELETE ${path}/invites/${invitation.id}`]: undefined,
  [`DELETE ${path}/members/${members.ben.id}`]: undefined,
}

for (const [change, body] of Object.entries(changes)) {
  const [method = '', request = ''] = change.split(' ')
  test(`${change.replaceAll(/\w+_\w+/g, '…')} reads nothing for callers who are not allowed`, async () => {
    const rows: Record<string, number> = {}
    for (const [who, caller, status] of [
      ['whose session has ended', ended, 401],
      ['a stranger', dan, 404],
      ['a plain member', cleo, 403],
      ['the owner', ann, 200],
    ] as const) {
      driver.mock.resetCalls()
      const answer = await caller.request(request, { method: method as 'POST', ...(body && { body }) })
      assert.equal(answer.status === 201 ? 200 : answer.status, status, who)
      const sent = driver.mock.calls.map((call) => (call.arguments as unknown[])[0])
      const door = sent.find((each) => each instanceof Pipeline && isLocking(each))
      rows[who] = await replay(door as Pipeline) // it locks the organization
    }
    const { 'the owner': allowed = 0, ...refused } = rows
    assert.ok(allowed > 0, 'reads something for somebody who may')
    assert.deepEqual(Object.values(refused), [0, 0, 0])
  })
}

function isLocking({ items }: Pipeline): boolean {
  return (
    items.some((each) => typeof each === 'object' && each.text.includes(' as failing')) &&
    !isReading({ items } as Pipeline)
  )
}

test('a refusal gives the same reason as if everything had been read', async () => {
  for (const [caller, request, status, code] of [
    [ended, path, 401, 'unauthenticated'],
    [dan, path, 404, 'not_found'],
    [dan, '/api/organizations/no-such-slug', 404, 'not_found'],
    [cleo, `${path}/invites`, 403, 'forbidden'],
    [ann, '/api/admin/users?query=a&includeTotal=true', 403, 'forbidden'],
  ] as const) {
    const answer = await caller.get(request)
    assert.deepEqual([answer.status, answer.body.code], [status, code], request)
  }
})
