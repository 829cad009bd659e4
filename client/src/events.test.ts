/** Following events: what is yielded, where to go on, and what ends it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGuildhall } from '../../test/patient-client.ts'
import { outboxIsEmpty } from '../../test/queue.ts'
import { createWorld, type Json } from '../../test/world.ts'
import type { Event, Following } from './index.ts'

const world = await createWorld()

/** @returns the next events, each with the place at that moment */
async function take(events: Following, count: number): Promise<(readonly [Event, number | undefined])[]> {
  const taken: [Event, number | undefined][] = []
  for await (const event of events) {
    taken.push([event, events.place])
    if (taken.length === count) break
  }
  return taken
}

const typesOf = (taken: readonly (readonly [Event, unknown])[]) => taken.map(([{ type }]) => type)

test('events are followed from a place on, also those that come later', async () => {
  const { ann, path, id } = await world.organization()
  const { events } = createGuildhall({ url: world.url, token: ann.token }).organizations
  await outboxIsEmpty(world)
  const latest = await events.read(id, { after: 'latest' })
  assert.deepEqual(latest.data, [])
  const following = events.follow(id, { after: latest.nextAfter, types: ['organization.*'] })
  await ann.patch(path, { name: 'First' })
  const taking = take(following, 2)
  await ann.post(`${path}/invites`, { email: 'somebody@example.com' })
  await ann.patch(path, { name: 'Second' })

  const taken = await taking

  assert.deepEqual(typesOf(taken), ['organization.updated', 'organization.updated'])
  const [[first, before] = [], [second, between] = []] = taken
  assert.deepEqual([before, between], [latest.nextAfter, between])
  assert.ok(first && second && between !== undefined && between >= first.sequence && between < second.sequence)
  // The loop was left in the middle of the second one: it comes again.
  assert.equal(following.place, between)
  assert.deepEqual(
    (await take(events.follow(id, { after: between, types: ['organization.*'] }), 1))[0]?.[0].id,
    second.id,
  )
})

test('an admin of the tenant follows one organization, with all that is kept', async () => {
  const { id } = await world.organization()
  const tess = await world.tenantAdmin()
  const { events } = createGuildhall({ url: world.url, token: tess.token }).admin
  const taken = await take(events.follow({ organizationId: id, types: ['organization.created', 'member.*'] }), 3)
  assert.deepEqual(typesOf(taken), ['organization.created', 'member.joined', 'member.joined'])
  assert.ok(taken.every(([{ organizationId }]) => organizationId === id))
})

test('following goes on when the service could not be reached for a while, and ends with every other refusal', async () => {
  const { ann, id } = await world.organization()
  await outboxIsEmpty(world)
  let sent = 0
  const fetchLate = (request: Request, init?: RequestInit) =>
    ++sent <= 2 ? Promise.reject(new TypeError('lost')) : fetch(request, init)
  const { organizations } = createGuildhall({ url: world.url, token: ann.token, retries: 0, fetch: fetchLate })
  assert.deepEqual(typesOf(await take(organizations.events.follow(id), 1)), ['organization.created'])
  assert.equal(sent, 3)

  const other = createGuildhall({ url: world.url, token: ann.token })
  await assert.rejects(take(other.admin.events.follow(), 1), { code: 'forbidden' })
  await world.postgres.query('update feeds set trimmed = head where tenant_id = $1', [world.tenantId])
  await assert.rejects(take(other.organizations.events.follow(id, { after: 1 }), 1), (error: Json) => {
    assert.deepEqual([error.code, typeof error.problem.earliest], ['events_expired', 'number'])
    assert.match(error.message, /were removed because of their age\. .*after=latest/)
    return true
  })
  const strange = createGuildhall({ url: world.url, token: ann.token, fetch: async () => Response.json({ data: [] }) })
  await assert.rejects(take(strange.organizations.events.follow(id), 1), { code: 'unexpected' })
})

test('following goes on after the answers of a proxy that reaches no service, and ends with its other ones', async () => {
  const { ann, id } = await world.organization()
  await outboxIsEmpty(world)
  const followAfter = async (response: Response) => {
    let sent = 0
    const fetchLate = async (request: Request, init?: RequestInit) => (++sent === 1 ? response : fetch(request, init))
    const { organizations } = createGuildhall({ url: world.url, token: ann.token, retries: 0, fetch: fetchLate })
    return [...typesOf(await take(organizations.events.follow(id), 1)), sent]
  }
  const page = (status: number) => new Response('<h1>Wait</h1>', { status, headers: { 'content-type': 'text/html' } })
  const notReady = { 'content-type': 'text/plain', 'retry-after': '1' } // as docs/operate/haproxy.cfg answers
  const passing = [
    new Response('No node is ready. Try again.', { status: 503, headers: notReady }),
    ...[429, 502, 504].map(page),
  ]

  const followed = await Promise.all(passing.map(followAfter))

  for (const [at, { status }] of passing.entries())
    assert.deepEqual(followed[at], ['organization.created', 2], `${status}`)
  for (const status of [200, 403, 404, 500]) await assert.rejects(followAfter(page(status)), { code: 'unexpected' })
})

test('a wait that no timer can count is the longest one, and the signal ends it', async (t) => {
  const stop = new AbortController()
  const longest = 2 ** 31 - 1
  const headers = { 'retry-after': '99999999999' }
  const fetch = async () => new Response('', { status: 503, headers })
  const { events } = createGuildhall({ url: world.url, token: 'ghs_1', retries: 0, fetch }).organizations
  const delays: number[] = []
  const { setTimeout } = globalThis
  t.mock.method(globalThis, 'setTimeout', (end: () => void, delay = 0) => {
    delays.push(delay)
    if (delay >= longest) queueMicrotask(() => stop.abort(new Error('enough')))
    return setTimeout(end, delay)
  })

  await assert.rejects(take(events.follow('acme', { signal: stop.signal }), 1), /enough/)

  assert.equal(Math.max(...delays), longest)
})

test('after the signal, no more events of a page come', async () => {
  const { ann, id } = await world.organization()
  await ann.patch(`/organizations/${id}`, { name: 'Acme Two' })
  await outboxIsEmpty(world)
  const stop = new AbortController()
  const following = createGuildhall({ url: world.url, token: ann.token }).organizations.events.follow(id, stop)
  const seen: number[] = []

  const followed = (async () => {
    for await (const { sequence } of following) {
      seen.push(sequence)
      stop.abort(new Error('enough'))
    }
  })()

  await assert.rejects(followed, /enough/)
  assert.deepEqual([seen.length, following.place], [1, seen[0]])
})

test('the signal ends following, while it waits, too', async () => {
  const { ann, id } = await world.organization()
  const { events } = createGuildhall({ url: world.url, token: ann.token }).organizations
  const stop = new AbortController()
  let pages = 0
  const fetchAndStop = async (request: Request, init?: RequestInit) => {
    const response = await fetch(request, init)
    if (++pages === 2) setImmediate(() => stop.abort(new Error('enough')))
    return response
  }
  const following = createGuildhall({ url: world.url, token: ann.token, fetch: fetchAndStop }).organizations.events
  await outboxIsEmpty(world)
  const { nextAfter } = await events.read(id, { after: 'latest' })
  await assert.rejects(take(following.follow(id, { after: nextAfter, signal: stop.signal }), 1), /enough/)
  assert.equal(pages, 2)
})
