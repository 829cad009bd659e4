/** Tests of webhooks: an event that is in no feed, sent once. Its outcome is shown, and changes nothing else. */
import { webhookAttempt } from '../../platform/channels.ts'
import { newId, uuidToTenantId } from '../../platform/http/schemas.ts'
import { ownHostsOf, selectOwnDomains } from '../webhooks/addresses.ts'
import type { WebhookJob } from '../webhooks/schedule.ts'
import { readTarget } from './reading.ts'
import { maySign, type Sender, send } from './sending.ts'

/**
 * Sends `webhook.test`, also to a webhook that is failing. One that was disabled or paused since sends nothing. What came of it is not kept
 * if the URL was changed meanwhile.
 */
export async function testWebhook(sender: Sender, job: WebhookJob): Promise<void> {
  const { database, keyring, config, log } = sender
  const { tenantId: tenant, webhookId: id } = job
  const target = await readTarget(sender, job)
  if (!target?.isSending) return
  const { domains } = await database.read(tenant, { domains: selectOwnDomains(target.url) })
  const addressee = { ...target, ownHosts: ownHostsOf(config, domains as unknown as { domain: string }[]) } // as it selects them
  if (!maySign(keyring, addressee)) {
    log.warn({ webhook: id }, 'no secret of the webhook opens, so nothing is sent')
    return
  }
  const event = {
    id: newId('aud'),
    type: 'webhook.test',
    timestamp: new Date().toISOString(),
    sequence: 0,
    tenantId: uuidToTenantId(tenant),
    organizationId: target.organizationId,
    actor: { type: 'system', id: null, via: null },
    details: null,
    data: {},
  }
  const { at, status, error, milliseconds } = await send(sender, addressee, event)
  webhookAttempt.publish({ outcome: error ?? 'delivered' })
  const attempt = { at, status, error, milliseconds }
  await database.inTenant(
    tenant,
    (sql) => sql`
    update webhooks set last_test = ${JSON.stringify(attempt)}::jsonb
    where tenant_id = ${sql.tenant} and id = ${id} and url = ${target.url}`,
  )
}
