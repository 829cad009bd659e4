/**
 * The crawler: reads everything that each person may read, and stores each id, slug, token and cursor in it. Then everybody sends the
 * values of others, in every place of every operation that takes such a value: nobody learns or changes anything.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeMailedToken, newToken } from '../src/domain/access/tokens.ts'
import { mailReset, mailToken } from '../src/domain/credentials/mailed-tokens.ts'
import { linkedMails } from '../src/domain/mail/account.ts'
import { getTenantBySlug, type TenantRecord } from '../src/features/tenants/tenants.ts'
import { newId, uuidToTenantId } from '../src/platform/http/schemas.ts'
import { unfold } from './contract.ts'
import { keepFresh } from './freshness.ts'
import { keyNameIn, makeKeys, offerKeys } from './key-requests.ts'
import { addPasskey } from './sign-in.ts'
import { makeWebhooks, offerWebhooks } from './webhook-requests.ts'
import { type Answer, createWorld, type Json, type Person, password } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const document = unfold(world.app.swagger())

/** People of a tenant and their data. */
interface Inventory {
  readonly tenant: TenantRecord
  readonly people: readonly Person[]
  readonly ids: Readonly<Record<string, string>>
  /** The values in it, by kind: `org`, `slug`, `ghm`… */
  readonly seen: Map<string, Set<string>>
  /** Cursors, with the operation whose list they continue, and their owners. */
  readonly cursors: { readonly path: string; readonly cursor: string }[]
}

const home = await getTenantBySlug(world.database, 'default')
const abroad = await world.tenant()
const own = await makeInventory(home)
const neighbour = await makeInventory(home)
const foreign = await makeInventory(abroad)
/** Tenant admins see the whole tenant, so they are in no inventory. */
const [admin, foreignAdmin] = [await world.tenantAdmin(), await world.tenantAdmin(abroad.slug)]
await keepFresh(world.postgres)

async function makeInventory(tenant: TenantRecord): Promise<Inventory> {
  const { ann, ben, cleo, dan, id, slug, path, members } = await world.organization({ tenant: tenant.slug })
  const people = [ann, ben, cleo, dan]
  const invitation = await ann.post(`${path}/invites`, { email: dan.email })
  for (const name of ['one', 'two']) {
    const { body } = await cleo.post('/api/organizations', { name: `${name} of ${slug}` })
    await cleo.post(`/api/organizations/${body.id}/invites`, { email: dan.email })
  }
  await ann.post(`${path}/invites`, { email: `nobody-${slug}@example.com` })
  await dan.patch('/api/users/me', { name: 'Daniel' })
  const devices = await ben.get('/api/users/me/devices')
  const links = [await ann.post(`${path}/links`, {}), await ann.post(`${path}/links`, {})] // two, so that their list has a cursor
  await offerKeys(world, tenant.slug)
  const owners = { owner: ann, orgId: id, admin: await world.tenantAdmin(tenant.slug) }
  await offerWebhooks(world, tenant.slug)
  await makeWebhooks(owners)
  await makeKeys(ben, owners) // and others, so that their lists have a cursor
  const ids = {
    tenantId: uuidToTenantId(tenant.id),
    orgId: id,
    memberId: members.cleo.id,
    inviteId: invitation.body.id,
    userId: ben.id,
    deviceId: devices.body.data[0].id,
    providerId: newId('idp'),
    appId: newId('app'),
    factorId: (await addPasskey(ben)).answer.body.factor.id,
    identityId: newId('idn'),
    linkId: links[0]?.body.id,
    ...(await makeKeys(ben, owners)),
    ...(await makeWebhooks(owners)),
    permission: 'organization:update', // it says nothing of anybody
  }
  await query(
    `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds)
     select tenant_id, id, n, 'aud_0' || right(id, 24) || n, 'member.joined', 'delivered', 1, now(), 5
     from webhooks, generate_series(1, 2) n
     where tenant_id = $1
     on conflict do nothing`,
    [tenant.id],
  )
  await query(
    `insert into providers (tenant_id, id, type, name, client_id) values ($1, $2, 'github', 'GitHub of ' || $2, 'x')`,
    [tenant.id, ids.providerId],
  )
  for (const appId of [ids.appId, newId('app')])
    await query(
      `insert into applications (tenant_id, id, name, kind, redirect_uris, scopes, is_home)
       select $1, $2, 'Acme of ' || $2, 'browser', '{https://app.example.com/}', '{openid}',
         not exists (select from applications where tenant_id = $1 and is_home)`,
      [tenant.id, appId],
    )
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, $2, $3, $4, 'x', $2)`,
    [tenant.id, ids.identityId, ben.id, ids.providerId],
  )
  const seen = new Map<string, Set<string>>([['slug', new Set([slug])]])
  note(seen, people.map(({ email, token }) => `${email} ${token}`).join(' '))
  note(seen, await linksTo(tenant, dan, ids.inviteId))
  // Attempts that only the session that began them may use.
  const { body: confirming } = await ben.post('/api/auth/confirm', {})
  const { body: linking } = await ben.post('/api/users/me/identities/start', { providerId: ids.providerId })
  note(seen, `${confirming.attempt.token} ${linking.attempt.token}`)
  return { tenant, people, ids, seen, cursors: [] }
}

/** A live link of each kind, as in the mails. */
async function linksTo({ id: tenant }: TenantRecord, { id, email }: Person, inviteId: string): Promise<string> {
  const tokens = [makeMailedToken(world.keyring, 'invitation', { tenant, id: inviteId, generation: 1 })]
  for (const kind of ['verify_email', 'change_email', 'reset_password', 'set_password', 'email_changed'] as const) {
    await world.database.inTenant(tenant, (sql) =>
      kind === 'reset_password'
        ? mailReset(sql, world.app.config, kind, { id, email })
        : mailToken(sql, kind, id, email),
    )
    const [row] = await query<{ generation: number }>(
      'select generation from mailed_tokens where user_id = $1 and purpose = $2',
      [id, linkedMails[kind].purpose],
    )
    tokens.push(
      makeMailedToken(world.keyring, linkedMails[kind].purpose, { tenant, id, generation: row?.generation ?? 0 }),
    )
  }
  const [session] = await query<{ id: string }>('select id from sessions where user_id = $1', [id])
  tokens.push(makeMailedToken(world.keyring, 'end_session', { tenant, id: session?.id ?? '', generation: 1 }))
  const { token, hash } = newToken('ghu', tenant)
  await query(
    `insert into set_up_links values ($1, $2, now() + interval '1 hour') on conflict (tenant_id) do update set token_hash = $2`,
    [tenant, hash],
  )
  return [...tokens, token].join(' ')
}

/** Stores the ids, tokens and addresses in a text. Request ids belong to nobody. */
function note(seen: Map<string, Set<string>>, text: string): void {
  const things =
    /\b(user|org|mem|inv|dev|aud|mail|idp|app|fac|idn|lnk|key|whk)_[0-7][0-9a-z]{25}\b|\b(gh[asuml])_[\w.-]+|[\w.-]+(@)example\.com/g
  for (const [thing, id, token, address] of text.matchAll(things)) {
    const kind = id ?? token ?? address ?? ''
    seen.set(kind, (seen.get(kind) ?? new Set()).add(thing))
  }
}

/** A place in a request that takes an id, a token or a cursor. */
interface Place {
  readonly method: string
  readonly path: string
  readonly where: 'path' | 'query' | 'body'
  readonly name: string
  /** A kind of value that `note` stores. */
  readonly kinds: readonly string[]
}

const operations: { method: string; path: string; operation: Json }[] = Object.entries<Json>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const lists = operations.filter(({ operation }) => operation.parameters?.some(({ name }: Json) => name === 'cursor'))

const places = operations.flatMap(({ method, path, operation }): Place[] => {
  const fields = Object.entries<Json>(operation.requestBody?.content['application/json']?.schema.properties ?? {})
  return [
    ...(operation.parameters ?? []).map(({ in: where, name, schema }: Json) => ({ where, name, schema })),
    ...fields.map(([name, schema]) => ({ where: 'body', name, schema })),
  ]
    .filter(({ where }) => where !== 'header')
    .map(({ where, name, schema }) => ({ method, path, where, name, kinds: kindsOf(name, schema) }))
    .filter(({ kinds }) => kinds.length > 0)
})

/** Of the token of a link only its example says which it is. */
function kindsOf(name: string, { pattern = '', examples = [] }: Json): string[] {
  const kinds = [
    ...new Set(
      `${pattern} ${examples}`.match(/(user|org|mem|inv|dev|aud|idp|app|fac|idn|lnk|key|whk|gh[aslum])(?=_)/g),
    ),
  ]
  return name === 'orgId' ? [...kinds, 'slug'] : kinds
}

/** Operations that need only a mailed link, from anybody: the answer cannot show whose mail it came from. */
const opens = [
  'POST /api/auth/reset-password',
  'POST /api/auth/undo-email-change',
  'POST /api/auth/end-session',
  'POST /api/auth/end-session/preview',
  'POST /api/setup',
  'POST /api/invites/{inviteId}/preview',
  'POST /api/links/preview',
  'POST /api/links/join',
]

/** A path with the ids of an inventory in it. */
function fill(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => ids[keyNameIn(path, name)] ?? assert.fail(`${path}: which ${name}?`),
  )
}

function exampleOf(schema: Json): Json {
  const { examples, enum: words, type, items, minItems = 0, minimum = 1, properties = {}, required = [] } = schema
  const known = examples?.[0] ?? words?.[0]
  if (known !== undefined) return known
  if (type === 'boolean') return true
  if ([type].flat().includes('integer')) return minimum
  if (type === 'array') return Array.from({ length: minItems }, () => exampleOf(items))
  if (type === 'object') return Object.fromEntries(required.map((name: string) => [name, exampleOf(properties[name])]))
  return 'text'
}

/** A valid body with a value in its place: the required fields, or else the first one. */
function bodyOf({ method, path, where, name: place }: Place, value: string): Json {
  const schema = document.paths[path][method.toLowerCase()].requestBody?.content['application/json']?.schema
  if (!schema) return undefined
  const sent = where === 'body' ? { [place]: value } : {}
  const names: string[] = schema.required ?? (where === 'body' ? [] : Object.keys(schema.properties).slice(0, 1))
  const required = Object.fromEntries(names.map((name) => [name, exampleOf(schema.properties[name])]))
  return { ...required, ...sent, ...(path === '/api/auth/sign-in/continue' && { password }) }
}

/** Everybody reads all their lists and things, with lists in pages of one, so that there are cursors. */
async function crawl(inventory: Inventory, people: readonly Person[]): Promise<void> {
  for (const { method, path } of operations.filter((each) => each.method === 'GET' && each.path !== '/readyz')) {
    const isList = lists.some((list) => list.path === path)
    for (const person of people) {
      const filled = fill(path, inventory.ids)
      const { status, body } = await person.request(isList ? `${filled}?limit=100` : filled, { method })
      if (status === 200) note(inventory.seen, JSON.stringify(body))
      if (status !== 200 || !isList) continue
      const first = await person.get(`${filled}?limit=1`)
      if (first.body.nextCursor) inventory.cursors.push({ path, cursor: first.body.nextCursor })
    }
  }
}

/** Every row, without the times of use of the reader. */
async function remember(): Promise<Json> {
  const kept: Json = {}
  for (const table of [
    'organizations',
    'memberships',
    'invitations',
    'users',
    'mailed_tokens',
    'audit_entries',
    'sessions',
    'providers',
    'factors',
    'identities',
    'attempts',
    'links',
    'api_keys',
    'applications',
    'webhooks',
    'webhook_secrets',
    'role_grants',
    'exclusions',
    'roles',
    'permissions',
  ])
    kept[table] = await query(`select to_jsonb(t) - 'last_active_at' as row from ${table} t order by t::text`)
  return kept
}

function foreignTo(inventory: Inventory, other: Inventory): string[] {
  const mine = new Set([...inventory.seen.values()].flatMap((things) => [...things]))
  return [...other.seen.values()].flatMap((things) => [...things]).filter((thing) => !mine.has(thing))
}

/** @throws AssertionError if an answer has values of the others besides those sent */
function checkAnswer(answer: Answer, what: string, others: readonly string[], sent: string): void {
  const text = `${JSON.stringify(answer.body)} ${[...answer.headers].join(' ')}`
  const told = others.filter((thing) => !sent.includes(thing) && text.includes(thing))
  assert.deepEqual(told, [], what)
}

/** Sends all values of the other inventory, as everybody of this one, in every place. @returns the number of requests */
async function send(inventory: Inventory, people: readonly Person[], other: Inventory): Promise<number> {
  const others = foreignTo(inventory, other)
  const isOther = new Set(others)
  let count = 0
  const isSameTenant = inventory.tenant === other.tenant
  const attempt = async (person: Person, place: Place, value: string, ids: Readonly<Record<string, string>>) => {
    const path = fill(place.path, place.where === 'path' ? { ...ids, [keyNameIn(place.path, place.name)]: value } : ids)
    const answer = await person.request(place.where === 'query' ? `${path}?${place.name}=${value}` : path, {
      method: place.method,
      body: bodyOf(place, value),
      // A mailed link works wherever it is opened; this header says that its tenant is another one.
      headers: /^gh[amul]_/.test(value) ? { 'guildhall-tenant': inventory.tenant.slug } : {},
    })
    count++
    const what = `${place.method} ${path} with ${place.name} ${value} in the ${place.where} as ${person.email}: ${answer.status} ${JSON.stringify(answer.body)}`
    checkAnswer(answer, what, others, `${path} ${value}`)
    if (place.where === 'query' && answer.status === 200) assert.deepEqual(answer.body.data, [], what)
    else assert.ok(isRefusal(answer, place, value), what)
  }

  for (const place of places) {
    if (isSameTenant && opens.includes(`${place.method} ${place.path}`) && place.where === 'body') continue
    const values = place.kinds.flatMap((kind) =>
      [...(other.seen.get(kind) ?? [])].filter((thing) => isOther.has(thing)),
    )
    for (const value of values) {
      for (const person of people) {
        await attempt(person, place, value, inventory.ids)
        // Also in a path with their own other ids.
        if (person === people[0] && place.path.split('{').length > 2) await attempt(person, place, value, other.ids)
      }
    }
  }
  return count
}

/** The contract's answers for unknown, foreign and forbidden things. Only its owner can use up a link in the same tenant. */
function isRefusal({ status, body }: Answer, { where, path, name }: Place, value: string): boolean {
  // A body names a user as it names anything else: one that is not there is a fault at its place.
  if (where === 'body' && ['userId', 'ownerId'].includes(name) && status === 400)
    return body.errors.some(({ pointer, code }: Json) => pointer === `/${name}` && code === 'not_allowed')
  // It takes keys alone.
  if (path === '/api/credentials/verify') return body.code === 'insufficient_scope'
  // Without the request of an application, an organization is not looked at.
  if (path === '/api/auth/authorize') return body.code === 'request_expired'
  if (value.startsWith('gh')) return [400, 401, 403, 404, 410].includes(status)
  if (where === 'path' && path.startsWith('/api/invites/'))
    return status === 404 || body.code === 'invitation_for_another_email'
  return status === 404 || body.code === 'forbidden'
}

/** Everybody in a tenant sees the providers of its sign-in page, and its home application. */
function isOfTenant(kind: string, { tenant }: Inventory): boolean {
  return (kind === 'idp' || kind === 'app') && tenant === home
}

await crawl(own, own.people)
await crawl(neighbour, neighbour.people)
await crawl(foreign, [...foreign.people, foreignAdmin])

test('the requests cover every place in the document that takes an id, a token or a cursor', () => {
  for (const kind of [
    'user',
    'org',
    'slug',
    'mem',
    'inv',
    'dev',
    'aud',
    'idp',
    'app',
    'fac',
    'idn',
    'lnk',
    'key',
    'whk',
    'gha',
    'ghs',
    'ghm',
    'ghu',
    'ghl',
    '@',
  ])
    for (const inventory of [own, neighbour, foreign]) assert.ok(inventory.seen.get(kind)?.size, `no ${kind} was seen`)
  for (const place of places)
    assert.ok(
      place.kinds.some((kind) => foreign.seen.get(kind)?.size),
      `nothing is sent as ${place.name} to ${place.path}`,
    )
  const named = operations.flatMap(({ method, path }) =>
    [...path.matchAll(/\{(\w+)\}/g)]
      .filter(([, name = '']) => !['permission', 'tenantId'].includes(name)) // what they name is public
      .map(([, name]) => `${method} ${path} ${name}`),
  )
  assert.deepEqual(
    places.filter(({ where }) => where === 'path').map(({ method, path, name }) => `${method} ${path} ${name}`),
    named,
  )
  assert.ok(places.length > named.length + 8, 'fields and filters are places, too')
  const listed = lists.map(({ path }) => path).filter((path) => path !== '/api/mailbox')
  assert.deepEqual([...new Set(foreign.cursors.map(({ path }) => path))].sort(), listed.sort())
})

for (const [what, from, people, other] of [
  ['another tenant', own, [...own.people, admin], foreign],
  ['others in the same tenant', own, own.people, neighbour],
] as const) {
  test(`no value seen by ${what} gives access, information or a change`, async () => {
    const before = await remember()
    assert.ok((await send(from, people, other)) > 500)
    assert.deepEqual(await remember(), before)
  })

  test(`no cursor of ${what} works`, async () => {
    for (const { path, cursor } of other.cursors) {
      for (const person of people) {
        for (const ids of [from.ids, other.ids]) {
          const answer = await person.get(`${fill(path, ids)}?cursor=${cursor}`)
          assert.ok([400, 403, 404].includes(answer.status), `${path} by ${person.email}: ${answer.status}`)
          if (answer.status === 400) assert.equal(answer.body.code, 'invalid_cursor')
        }
      }
    }
  })

  test(`nobody sees anything of ${what} among their own data`, () => {
    const mine = from.people.flatMap(({ id, email }) => [id, email])
    for (const [kind, things] of other.seen)
      for (const thing of things)
        assert.ok(!from.seen.get(kind)?.has(thing) || mine.includes(thing) || isOfTenant(kind, other), thing)
  })
}
