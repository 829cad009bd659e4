import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tenantWithEvents } from '../../../test/events.ts'
import { holdTenant } from '../../../test/holding.ts'
import { requestWebhook, webhookUrl } from '../../../test/webhook-requests.ts'
import { codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
const elsewhere = 'https://93.184.215.15/events'

async function organizationWithWebhooks() {
  const acme = await tenantWithEvents(world)
  const offer = (isOffered: boolean) =>
    query('update tenants set organization_webhooks = $1 where id = $2', [isOffered, acme.tenantId])
  await offer(true)
  await acme.tess.put('/api/admin/access', {
    permissions: [],
    roles: [
      { key: 'blind', name: 'Blind', permissions: ['webhooks:read', 'webhooks:write'] },
      { key: 'reader', name: 'Reader', permissions: ['webhooks:read'] },
      { key: 'writer', name: 'Writer', permissions: ['webhooks:write'] },
      { key: 'sender', name: 'Sender', permissions: ['webhooks:write', 'events:read'] },
      { key: 'sighted', name: 'Sighted', permissions: ['webhooks:read', 'webhooks:write', 'events:read'] },
    ],
  })
  return { ...acme, offer, list: `${acme.path}/webhooks` }
}

const idsOf = ({ body }: { body: Json }) => body.data.map(({ id }: Json) => id)

/** All that changes a webhook, and what makes one. */
const changesOf = (person: Person, list: string, id: string) => ({
  make: () => person.post(list, { name: 'Billing', url: webhookUrl }),
  change: () => person.patch(`${list}/${id}`, { name: 'Renamed' }),
  rotate: () => person.post(`${list}/${id}/rotate`),
  test: () => person.post(`${list}/${id}/test`),
  retry: () => person.post(`${list}/${id}/retry`, {}),
  delete: () => person.delete(`${list}/${id}`),
})

test('an admin makes a webhook of the organization, whose log says so', async () => {
  const { ann, ben, cleo, dan, id, list, path, slug } = await organizationWithWebhooks()

  const made = await ben.post(`/api/organizations/${slug}/webhooks`, { name: 'Billing', url: webhookUrl })

  assert.equal(made.status, 201)
  const { webhook } = made.body
  assert.equal(made.headers.get('location'), `${list}/${webhook.id}`)
  assert.deepEqual([webhook.organizationId, webhook.urlSetBy.id], [id, ben.id])
  assert.deepEqual(idsOf(await ann.get(list)), [webhook.id])
  const [entry] = (await ann.get(`${path}/audit?action=webhook.created`)).body.data
  assert.deepEqual([entry.actor.id, entry.target.id, entry.organizationId], [ben.id, webhook.id, id])
  assert.deepEqual(codeOf(await cleo.get(list)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await dan.get(list)), [404, 'not_found'])
})

test('the first webhook of a tenant waits for the tenant before the organization is locked', async (t) => {
  const { ann, id, list, tenantId } = await organizationWithWebhooks()
  const release = await holdTenant(t, world.postgres, tenantId)
  const making = ann.post(list, { name: 'Billing', url: webhookUrl })
  await awaitLine(1)
  const free = await query('select from organizations where tenant_id = $1 and id = $2 for no key update skip locked', [
    tenantId,
    id,
  ])
  await release()

  assert.equal(free.length, 1)
  assert.equal((await making).status, 201)
})

test('a role reads webhooks by one permission, and changes them by another one if it may read events, too', async () => {
  const { ann, cleo, list, path, members } = await organizationWithWebhooks()
  for (const [role, mayRead, mayChange] of [
    ['reader', true, false],
    ['writer', false, false],
    ['blind', true, false],
    ['sender', false, true],
    ['sighted', true, true],
  ] as const) {
    const { webhook } = await requestWebhook(ann, list)
    const one = `${list}/${webhook.id}`
    await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role }] })
    for (const read of [list, one, `${one}/deliveries`])
      assert.equal((await cleo.get(read)).status, mayRead ? 200 : 403, `${role} ${read}`)

    const { delete: remove, ...changes } = changesOf(cleo, list, webhook.id)
    const answers: (number | string)[] = []
    for (const send of [
      ...Object.values(changes),
      () => cleo.patch(one, { after: '0' }),
      () => cleo.patch(one, { url: elsewhere }),
      remove,
    ]) {
      const { status, body } = await send()
      answers.push(status < 300 ? status : `${status} ${body.code}`)
    }
    const codes = mayChange ? [201, 200, 200, 202, 202, 200, 200, 200] : Array(8).fill('403 forbidden')
    assert.deepEqual(answers, codes, role)
    for (const { id } of (await ann.get(list)).body.data) await ann.delete(`${list}/${id}`)
  }
})

test('while the tenant offers no webhooks, those of organizations are read and deleted alone', async () => {
  const { ann, list, offer } = await organizationWithWebhooks()
  const { webhook } = await requestWebhook(ann, list)
  await offer(false)
  const { delete: remove, ...others } = changesOf(ann, list, webhook.id)
  for (const [name, send] of Object.entries(others)) assert.deepEqual(codeOf(await send()), [403, 'not_offered'], name)
  assert.deepEqual(codeOf(await ann.patch(`${list}/${webhook.id}`, { url: elsewhere })), [403, 'not_offered'])
  assert.deepEqual(idsOf(await ann.get(list)), [webhook.id])
  assert.equal((await ann.get(`${list}/${webhook.id}/deliveries`)).status, 200)
  assert.equal((await remove()).status, 200)
})

test('webhooks of the tenant and of other organizations are not there', async () => {
  const { ann, tess, list, tenant } = await organizationWithWebhooks()
  const other = await world.organization({ tenant })
  const { webhook: ofTenant } = await requestWebhook(tess, '/api/admin/webhooks')
  const { webhook: ofOther } = await requestWebhook(other.ann, `${other.path}/webhooks`)
  const { webhook: own } = await requestWebhook(ann, list)
  for (const { id } of [ofTenant, ofOther]) {
    assert.deepEqual(codeOf(await ann.get(`${list}/${id}`)), [404, 'not_found'])
    assert.deepEqual(codeOf(await ann.get(`${list}/${id}/deliveries`)), [404, 'not_found'])
    const { make: _, ...changes } = changesOf(ann, list, id)
    for (const [name, send] of Object.entries(changes)) assert.deepEqual(codeOf(await send()), [404, 'not_found'], name)
  }
  assert.deepEqual(codeOf(await tess.get(`/api/admin/webhooks/${own.id}`)), [404, 'not_found'])
  assert.deepEqual(idsOf(await ann.get(list)), [own.id])
})

test('a key of the organization changes webhooks, but neither says where they send nor sees a secret', async () => {
  const { ann, list, id, tenant, tenantId } = await organizationWithWebhooks()
  await query('update tenants set organization_keys = true where id = $1', [tenantId])
  const { webhook } = await requestWebhook(ann, list)
  const options = { tenant, organization: id, holder: ann.id }
  const key = await world.key(['webhooks:write', 'events:read'], options)
  const blind = await world.key(['webhooks:write'], options)
  const path = `${list}/${webhook.id}`
  for (const refused of [
    await key.post(list, { name: 'Billing', url: webhookUrl }),
    await key.patch(path, { url: elsewhere }),
    await key.post(`${path}/rotate`),
    await blind.patch(path, { name: 'Other' }),
    await blind.delete(path),
  ])
    assert.deepEqual(codeOf(refused), [403, 'insufficient_scope'])
  const changed = await key.patch(path, { name: 'Invoices', url: webhookUrl })
  assert.deepEqual([changed.status, changed.body.name], [200, 'Invoices'])
})

test('a webhook of an organization calls neither private hosts nor http', async () => {
  const { ann, list } = await organizationWithWebhooks()
  for (const url of ['https://127.0.0.1/', 'https://[::1]/', 'http://93.184.215.14/'])
    assert.deepEqual(
      (await ann.post(list, { name: 'Billing', url })).body.errors.map(
        ({ pointer, code }: Json) => `${pointer} ${code}`,
      ),
      ['/url not_allowed'],
      url,
    )
})

test('only those who may set a URL have one judged', async () => {
  const { cleo, ben, list } = await organizationWithWebhooks()
  const inside = { name: 'Billing', url: 'https://10.0.0.1/' }
  assert.deepEqual(codeOf(await cleo.post(list, inside)), [403, 'forbidden'])
  await query(`update sessions set authenticated_at = now() - interval '601 seconds' where user_id = $1`, [ben.id])
  assert.deepEqual(codeOf(await ben.post(list, inside)), [403, 'confirmation_required'])
})
