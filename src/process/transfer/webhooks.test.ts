/** Export and import of webhooks. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { bring, counts, file, take } from '../../../test/transfers.ts'
import { createWorld, type Json, type Person } from '../../../test/world.ts'
import { addWebhookSecret, newWebhookSecret, openWebhookSecret } from '../../domain/webhooks/secrets.ts'
import { addWebhook as storeWebhook } from '../../domain/webhooks/webhook-states.ts'
import { selectWebhooks, toWebhook, type WebhookRow } from '../../domain/webhooks/webhooks.ts'
import type { TenantRecord } from '../../features/tenants/tenants.ts'
import { statement } from '../../platform/database/database.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const secret = newWebhookSecret()

async function makeTenant() {
  const tenant = await world.tenant()
  return { tenant, tess: await world.tenantAdmin(tenant.slug) }
}

function addWebhook({ id: tenant }: TenantRecord, setter: Person, fields: Json = {}): Promise<string> {
  const { organizationId = null, ...others } = fields
  const url = 'https://billing.example.com/in?from=guildhall'
  const webhook = { name: 'Billing', url, types: [], status: 'active', place: 0, ...others } as const
  return world.database.inTenant(tenant, async (sql) => {
    const id = newId('whk')
    await storeWebhook(sql, id, organizationId, setter.id, webhook)
    await addWebhookSecret(sql, world.keyring, id, secret, 0)
    return id
  })
}

/** Of a tenant and its organizations, by name. */
async function webhooksOf({ id }: TenantRecord): Promise<WebhookRow[]> {
  const { rows } = await world.database.read(id, {
    rows: statement`${selectWebhooks(id)} order by w.name, w.organization_id nulls first`,
  })
  return (rows as unknown as WebhookRow[]).map(toWebhook)
}

async function secretsOf({ id: tenant }: TenantRecord) {
  const rows = await query<{ id: string; secret: string }>(
    'select id, secret from webhook_secrets where tenant_id = $1',
    [tenant],
  )
  return rows.map((row) => openWebhookSecret(world.keyring, tenant, row.id, row.secret))
}

const skippedIn = (report: readonly Json[]) =>
  report
    .filter((line) => 'row' in line)
    .sort((one, other) => one.row - other.row)
    .map(({ row, reason, faults }) => [row, reason, ...(faults ?? [])])

for (const ending of ['ndjson', 'csv'])
  test(`webhooks go to another tenant by ${ending} without their secrets, and wait there until somebody enables them`, async () => {
    const [home, abroad] = [await makeTenant(), await makeTenant()]
    const { ann, id: organizationId, path } = await world.organization({ tenant: home.tenant.slug })
    await ann.patch(path, { name: 'Acme, here', slug: 'acme-here' })
    await addWebhook(home.tenant, home.tess)
    await addWebhook(home.tenant, ann, { organizationId, name: 'Acme', types: ['member.*', 'organization.updated'] })
    const files = await take(world, home.tenant, ending)
    const text = await readFile(files.webhooks, 'utf8')
    assert.doesNotMatch(text, new RegExp(`secret|whsec_|whk_|${ann.id}|${home.tess.id}`))

    const report = await bring(world, abroad.tenant, files)
    assert.deepEqual(counts(report).at(-1), ['webhooks', 2, 0, 0])

    const of = await webhooksOf(abroad.tenant)
    const shown = of.map(({ name, url, types, organizationId: id }) => ({ name, url, types, isOfTenant: id === null }))
    const url = 'https://billing.example.com/in?from=guildhall'
    assert.deepEqual(shown, [
      { name: 'Acme', url, types: ['member.*', 'organization.updated'], isOfTenant: false },
      { name: 'Billing', url, types: [], isOfTenant: true },
    ])
    const [acme] = await query('select id from organizations where tenant_id = $1 and slug = $2', [
      abroad.tenant.id,
      'acme-here',
    ])
    assert.equal(of[0]?.organizationId, acme?.id)
    assert.deepEqual(
      await query('select distinct setter_left from webhooks where tenant_id = $1', [abroad.tenant.id]),
      [
        { setter_left: true }, // so that nobody is mailed that a person has left
      ],
    )
    for (const { status, disabledBecause, urlSetBy, secrets } of of)
      assert.deepEqual([status, disabledBecause, urlSetBy, secrets.length], ['disabled', 'person', null, 1])
    const secrets = await secretsOf(abroad.tenant)
    assert.equal(new Set([secret, ...secrets]).size, 3, 'each has a secret of its own, and none that was known before')
    assert.ok(secrets.every((each) => each?.startsWith('whsec_')))
    assert.deepEqual(await query('select has_webhooks from tenants where id = $1', [abroad.tenant.id]), [
      { has_webhooks: true },
    ])

    assert.deepEqual(counts(await bring(world, abroad.tenant, files)).at(-1), ['webhooks', 0, 2, 0])
    assert.equal((await webhooksOf(abroad.tenant)).length, 2)
    const { body: log } = await abroad.tess.get('/api/admin/audit?action=tenant.imported')
    const imported = log.data.map(({ details }: Json) => details)
    assert.deepEqual(
      imported.filter((details: Json) => 'webhooks' in details),
      [{ webhooks: 2 }],
    )
  })

test('an imported webhook sends what happens after the import', async () => {
  const { tenant } = await makeTenant()
  await world.organization({ tenant: tenant.slug })
  await world.database.relay.drain(tenant.id)
  const [feeds] = await query<{ head: string }>('select head from feeds where tenant_id = $1', [tenant.id])
  await bring(world, tenant, { webhooks: await file({ name: 'Billing', url: 'https://billing.example.com/' }) })
  const [webhook] = await webhooksOf(tenant)
  assert.equal(webhook?.deliveredThrough, Number(feeds?.head))
})

test('a webhook that exists stays as it is, and what the tenant may not have is skipped', async () => {
  const { tenant, tess } = await makeTenant()
  const { id } = await world.organization({ tenant: tenant.slug })
  await addWebhook(tenant, tess, { name: 'Here', url: 'https://here.example.com/' })
  const before = await webhooksOf(tenant)
  const row = (name: string, more: object = {}) => ({ name, url: 'https://here.example.com/', ...more })
  const report = await bring(world, tenant, {
    webhooks: await file(
      row(' Here ', { types: ['user.*'] }),
      row('Here', { types: [] }),
      row('Here', { organization: id }),
      row('Ours', { url: `${world.app.config.publicUrl}/api` }),
      row('Plain', { url: 'http://here.example.com/', organization: id }),
      row('User', { url: `https://ann${':'}secret@here.example.com/` }),
      row('No organization', { organization: 'org_00000000000000000000000000' }),
      row('Types', { types: ['member.danced'] }),
      row('Secret', { secret: 'whsec_x' }),
      row('None', { url: '' }),
    ),
  })
  assert.deepEqual(skippedIn(report), [
    [2, 'name_taken'],
    [4, 'invalid', { column: 'url', code: 'not_allowed' }],
    [5, 'invalid', { column: 'url', code: 'not_allowed' }],
    [6, 'invalid', { column: 'url', code: 'not_allowed' }],
    [7, 'unknown_organization'],
    [8, 'invalid', { column: 'types', code: 'not_allowed' }],
    [9, 'invalid', { column: 'secret', code: 'unknown_field' }],
    [10, 'invalid', { column: 'url', code: 'too_short' }],
  ])
  assert.doesNotMatch(JSON.stringify(report), /here\.example\.com/)
  const [here, theirs, ...others] = await webhooksOf(tenant)
  assert.deepEqual([here, theirs?.organizationId, others], [before[0], id, []])

  const many = (most: number, more: object) => Array.from({ length: most }, (_, n) => row(`Webhook ${n}`, more))
  assert.deepEqual(skippedIn(await bring(world, tenant, { webhooks: await file(...many(20, {})) })), [
    [20, 'too_many_webhooks'],
  ])
  assert.deepEqual(skippedIn(await bring(world, tenant, { webhooks: await file(...many(5, { organization: id })) })), [
    [5, 'too_many_webhooks'],
  ])
})

test('a trial makes no webhook', async () => {
  const { tenant } = await makeTenant()
  const webhooks = await file({ name: 'Billing', url: 'https://billing.example.com/' })
  const report = await bring(world, tenant, { webhooks }, { isTrial: true })
  assert.deepEqual(counts(report), [['webhooks', 1, 0, 0]])
  assert.deepEqual(await webhooksOf(tenant), [])
})
