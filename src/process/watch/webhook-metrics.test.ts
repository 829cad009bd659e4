/** Metrics of webhooks: their attempts, and how many there are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { until } from '../../../test/smtp.ts'
import { onStoredWebhooks } from '../../../test/stored-webhooks.ts'
import { createWorld } from '../../../test/world.ts'
import { webhookAttempt } from '../../platform/channels.ts'
import { countRows } from './figures.ts'
import { countWebhookAttempts } from './webhook-metrics.ts'

const world = await createWorld()

test('attempts are counted by outcome, and the first ones by their delay', async (t) => {
  const registry = new Registry()
  const stop = countWebhookAttempts(registry)
  t.after(stop)
  for (const [outcome, seconds] of [
    ['delivered', 0.2],
    ['timeout', 40],
    ['delivered', undefined],
  ] as const)
    webhookAttempt.publish({ outcome, seconds })
  stop()
  webhookAttempt.publish({ outcome: 'delivered', seconds: 1 })

  const valuesOf = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? []
  const attempts = await valuesOf('guildhall_webhook_attempts_total')
  const counts = Object.fromEntries(attempts.map(({ labels, value }) => [labels.outcome, value]))
  assert.deepEqual([counts.delivered, counts.timeout, counts.dns], [2, 1, 0])
  const delays = await valuesOf('guildhall_webhook_delay_seconds')
  const within = (le: number | string) => delays.find(({ labels }) => labels.le === le)?.value
  assert.deepEqual([within(0.1), within(0.25), within(30), within(60), within('+Inf')], [0, 1, 1, 2, 2])
})

test('webhooks of all tenants are counted by status, and those that their tenant does not offer as paused', async (t) => {
  const offers = await world.tenant()
  await world.postgres.query('update tenants set organization_webhooks = id = $1', [offers.id])
  const { id: paused } = await world.organization()
  const { id: sending } = await world.organization({ tenant: offers.slug })
  const { add } = onStoredWebhooks(world)
  const elsewhere = { tenant_id: offers.id, organization_id: sending }
  for (const columns of [
    {},
    elsewhere,
    elsewhere,
    { ...elsewhere, status: 'failing' },
    { organization_id: paused },
    { organization_id: paused, status: 'failing' },
    { organization_id: paused, status: 'disabled' },
  ])
    await add(columns)

  const registry = new Registry()
  t.after(countRows(registry, world.database))
  const counted = await until(async () => {
    const { values = [] } = (await registry.getSingleMetric('guildhall_webhooks')?.get()) ?? {}
    return values.length > 0 && Object.fromEntries(values.map(({ labels, value }) => [labels.status, value]))
  }, 'the count of webhooks')
  assert.deepEqual(counted, { active: 3, failing: 1, disabled: 1, paused: 2 })
})
