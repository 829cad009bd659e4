import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { holdRelay, holdRow } from '../../../test/holding.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { requestWebhook, webhookUrl } from '../../../test/webhook-requests.ts'
import { type Answer, type Client, codeOf, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
const { follow } = feedsOf(world)

const list = '/api/admin/webhooks'
const elsewhere = 'https://93.184.215.15/events'
const age = () => query(`update sessions set authenticated_at = now() - interval '601 seconds'`)
const faultsOf = ({ body }: { body: Json }) => body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`)

test('an admin makes a webhook, which begins at the end of the feed, and sees its secret once', async () => {
  const { tess } = await tenantWithEvents(world)
  const end = (await follow(tess, '/api/admin/events')).at(-1)?.sequence

  const made = await tess.post(list, {
    name: ' Billing ',
    url: webhookUrl,
    types: ['member.*', 'user.created', 'member.*'],
  })

  assert.equal(made.status, 201)
  const { webhook, secret } = made.body
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(made.headers.get('location'), `${list}/${webhook.id}`)
  assert.deepEqual(
    [webhook.name, webhook.url, webhook.types, webhook.organizationId, webhook.status, webhook.deliveredThrough],
    ['Billing', webhookUrl, ['member.*', 'user.created'], null, 'active', end],
  )
  assert.deepEqual(webhook.urlSetBy, { id: tess.id, name: tess.name, hasLostRight: false })
  assert.deepEqual(
    webhook.secrets.map(({ expiresAt }: Json) => expiresAt),
    [null],
  )
  const read = await tess.get(`${list}/${webhook.id}`)
  assert.equal(read.headers.get('etag'), made.headers.get('etag'))
  assert.equal(JSON.stringify(read.body).includes(secret), false)
  const [listed] = (await tess.get(list)).body.data
  assert.deepEqual({ ...listed, oldestUnsentAt: null }, { ...webhook, oldestUnsentAt: null })
  const [entry] = (await tess.get('/api/admin/audit?action=webhook.created')).body.data
  assert.deepEqual(
    [entry.actor.id, entry.target, entry.details],
    [
      tess.id,
      { type: 'webhook', id: webhook.id, name: 'Billing' },
      { name: 'Billing', url: webhookUrl, types: webhook.types },
    ],
  )
})

test('webhooks are listed oldest first, page by page, without those of organizations', async () => {
  const { tess, ann, path, tenantId } = await tenantWithEvents(world)
  await query('update tenants set organization_webhooks = true where id = $1', [tenantId])
  const ids: string[] = []
  for (const name of ['A', 'B', 'C']) ids.push((await requestWebhook(tess, list, { name })).webhook.id)
  await requestWebhook(ann, `${path}/webhooks`)

  const first = (await tess.get(`${list}?limit=2`)).body
  const second = (await tess.get(`${list}?limit=2&cursor=${first.nextCursor}`)).body

  assert.deepEqual(
    [...first.data, ...second.data].map(({ id }: Json) => id),
    ids,
  )
  assert.equal(second.nextCursor, null)
})

test('a change needs a fresh session only for another URL', async () => {
  const { tess } = await tenantWithEvents(world)
  const { webhook } = await requestWebhook(tess, list)
  await age()

  const renamed = await tess.patch(`${list}/${webhook.id}`, { name: 'Invoices', url: webhookUrl })
  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.url], [200, 'Invoices', webhookUrl])
  const refused = [
    await tess.patch(`${list}/${webhook.id}`, { url: elsewhere }),
    await tess.post(list, { name: 'Billing', url: webhookUrl }),
    await tess.post(`${list}/${webhook.id}/rotate`),
  ]
  for (const answer of refused) assert.deepEqual(codeOf(answer), [403, 'confirmation_required'])
  assert.equal((await tess.get(`${list}/${webhook.id}`)).body.url, webhookUrl)
})

test('a key changes webhooks, but neither says where they send nor sees a secret', async () => {
  const { tess, tenant } = await tenantWithEvents(world)
  const { webhook } = await requestWebhook(tess, list)
  const path = `${list}/${webhook.id}`
  const key = await world.key(['webhooks:read', 'webhooks:write', 'events:read'], { tenant })
  const blind = await world.key(['webhooks:write'], { tenant })

  const changed = await key.patch(path, { name: 'Invoices', status: 'disabled' })
  assert.deepEqual([changed.body.name, changed.body.status], ['Invoices', 'disabled'])
  for (const refused of [
    await key.patch(path, { url: elsewhere }),
    await key.post(list, { name: 'Billing', url: webhookUrl }),
    await key.post(`${path}/rotate`),
  ])
    assert.deepEqual(codeOf(refused), [403, 'insufficient_scope'])
  for (const refused of [
    await blind.patch(path, { name: 'Other' }),
    await blind.post(`${path}/test`),
    await blind.post(`${path}/retry`, {}),
    await blind.delete(path),
  ])
    assert.deepEqual([...codeOf(refused), refused.body.scope], [403, 'insufficient_scope', 'events:read'])
  assert.equal((await tess.get(path)).body.name, 'Invoices')
  assert.equal((await key.delete(path)).status, 200)
})

test('a URL that may not be called is refused', async () => {
  const { tess } = await tenantWithEvents(world)
  const { webhook } = await requestWebhook(tess, list)
  for (const url of [
    'https://10.0.0.1/',
    'http://93.184.215.14/',
    `https://me${':'}secret@93.184.215.14/`,
    `${world.url}/x`,
  ]) {
    assert.deepEqual(faultsOf(await tess.post(list, { name: 'Billing', url })), ['/url not_allowed'], url)
    assert.deepEqual(faultsOf(await tess.patch(`${list}/${webhook.id}`, { url })), ['/url not_allowed'], url)
  }
})

test('a place is named by a sequence or by a time, not by both, and neither ahead of the feed nor before what is kept', async () => {
  const { tess, tenantId } = await tenantWithEvents(world)
  const events = await follow(tess, '/api/admin/events')
  const [first, second] = events
  const end = events.at(-1)?.sequence
  const placeAt = async (body: Json) => (await requestWebhook(tess, list, body)).webhook.deliveredThrough

  const path = `${list}/${(await requestWebhook(tess, list)).webhook.id}`
  assert.equal(await placeAt({ after: first?.sequence }), first?.sequence)
  assert.equal(await placeAt({ after: String(first?.sequence) }), first?.sequence)
  assert.equal(await placeAt({ from: '2020-01-01T00:00:00.000Z' }), Date.parse('2020-01-01T00:00:00.000Z') * 1_000 - 1)
  assert.ok((await placeAt({ after: 'latest' })) >= end)
  const ahead = await placeAt({ after: '8999999999999999' })
  assert.ok(ahead < 8_999_999_999_999_999)
  for (const after of [-1, 0.5, 9_000_000_000_000_000, true, 'first'])
    for (const answer of [
      await tess.post(list, { name: 'Billing', url: webhookUrl, after }),
      await tess.patch(path, { after }),
    ])
      assert.match(String(faultsOf(answer)), /^\/after (out_of_range|wrong_type|invalid_format)$/, String(after))
  const moved = await tess.patch(path, { after: first?.sequence })
  assert.deepEqual([moved.status, moved.body.deliveredThrough], [200, first?.sequence])
  const both = await tess.post(list, { name: 'Billing', url: webhookUrl, after: '0', from: '2020-01-01T00:00:00.000Z' })
  assert.deepEqual(faultsOf(both), ['/from not_allowed'])

  await query('update feeds set trimmed = $1 where tenant_id = $2', [second?.sequence, tenantId])
  const expired = await tess.post(list, { name: 'Billing', url: webhookUrl, after: String(first?.sequence) })
  assert.deepEqual([...codeOf(expired), expired.body.earliest], [410, 'events_expired', second?.sequence])
})

test('after a rotation two secrets sign, and an older one no longer', async () => {
  const { tess } = await tenantWithEvents(world)
  const { webhook, secret } = await requestWebhook(tess, list)
  const rotate = `${list}/${webhook.id}/rotate`

  const second = (await tess.post(rotate)).body
  const third = (await tess.post(rotate, { overlapSeconds: 604_800 })).body

  assert.equal(new Set([secret, second.secret, third.secret]).size, 3)
  const [now, before] = third.webhook.secrets
  assert.deepEqual([third.webhook.secrets.length, now.expiresAt], [2, null])
  assert.equal(before.createdAt, second.webhook.secrets[0].createdAt)
  const alone = (await tess.post(rotate, { overlapSeconds: 0 })).body
  assert.equal(alone.webhook.secrets.length, 1)
  assert.deepEqual(faultsOf(await tess.post(rotate, { overlapSeconds: 604_801 })), ['/overlapSeconds out_of_range'])
  const { data } = (await tess.get('/api/admin/audit?action=webhook.rotated')).body
  assert.deepEqual(
    data.map(({ details }: Json) => details.overlapSeconds),
    [0, 604_800, 86_400],
  )
})

test('a webhook is changed and deleted only in the version that was seen', async () => {
  const { tess } = await tenantWithEvents(world)
  const { webhook } = await requestWebhook(tess, list)
  const path = `${list}/${webhook.id}`
  const seen = { 'if-match': (await tess.get(path)).headers.get('etag') ?? '' }
  assert.equal((await tess.patch(path, { name: 'Invoices' }, seen)).status, 200)
  assert.deepEqual(codeOf(await tess.patch(path, { name: 'Other' }, seen)), [412, 'version_mismatch'])
  assert.deepEqual(codeOf(await tess.delete(path, undefined, seen)), [412, 'version_mismatch'])

  const deleted = await tess.delete(path)

  assert.deepEqual([deleted.status, deleted.body.deleted], [200, true])
  assert.deepEqual(codeOf(await tess.get(path)), [404, 'not_found'])
  assert.deepEqual(await query('select from webhook_secrets where webhook_id = $1', [webhook.id]), [])
})

test('a change that changes nothing writes nothing', async () => {
  const { tess } = await tenantWithEvents(world)
  const { webhook } = await requestWebhook(tess, list, { types: ['member.*'] })
  const path = `${list}/${webhook.id}`
  const { headers } = await tess.get(path)
  const same = { name: 'Billing', url: webhookUrl, types: ['member.*', 'member.*'], status: 'active' }

  assert.equal((await tess.patch(path, same)).headers.get('etag'), headers.get('etag'))

  assert.deepEqual((await tess.get('/api/admin/audit?action=webhook.updated')).body.data, [])
})

for (const [what, act] of [
  ['is not changed', (key, path) => key.patch(path, { status: 'disabled' })],
  ['is not deleted', (key, path) => key.delete(path)],
  ['sends nothing again', (key, path) => key.post(`${path}/retry`, {})],
  ['sends no test', (key, path) => key.post(`${path}/test`)],
] satisfies [string, (key: Client, path: string) => Promise<Answer>][])
  test(`a webhook ${what} by a key that has ended while its request waited`, async (t) => {
    const { tess, tenant } = await tenantWithEvents(world)
    const key = await world.key(['webhooks:write', 'events:read'], { holder: tess.id, tenant })
    const { webhook } = await requestWebhook(tess, list)
    const path = `${list}/${webhook.id}`
    const { headers } = await tess.get(path)
    const release = await holdRow(t, world.postgres, 'webhooks', webhook.id)
    const sent = act(key, path)
    await awaitLine(1)
    assert.equal((await tess.delete(`/api/admin/keys/${key.id}`)).status, 200)
    await release()

    assert.deepEqual(codeOf(await sent), [401, 'unauthenticated'])
    assert.equal((await tess.get(path)).headers.get('etag'), headers.get('etag'))
  })

for (const whose of ['the tenant', 'an organization'] as const)
  test(`no webhook of ${whose} is made by a session that has ended while its request waited`, async (t) => {
    const { tess, ann, path, tenant, tenantId } = await tenantWithEvents(world)
    await query('update tenants set organization_webhooks = true where id = $1', [tenantId])
    const [maker, at] = whose === 'the tenant' ? [tess, list] : [ann, `${path}/webhooks`]
    const other = await world.signIn(maker, { 'guildhall-tenant': tenant })
    const device = (await other.get('/api/users/me/devices')).body.data.find(({ current }: Json) => !current)
    await outboxIsEmpty(world)
    const release = await holdRelay(t, { postgres: world.postgres, tenantId })
    const sent = maker.post(at, { name: 'Billing', url: webhookUrl })
    await awaitLine(1)
    assert.equal((await other.delete(`/api/users/me/devices/${device.id}`)).status, 200)
    await release()

    assert.deepEqual(codeOf(await sent), [401, 'unauthenticated'])
    assert.deepEqual(await query('select from webhooks where tenant_id = $1', [tenantId]), [])
  })
