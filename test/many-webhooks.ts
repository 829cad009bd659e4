/** Very many webhooks at one address, in many tenants. */
import { addWebhookSecret, newWebhookSecret } from '../src/domain/webhooks/secrets.ts'
import type { World } from './world.ts'

interface Many {
  readonly tenants: number
  /** How many each tenant has. */
  readonly each: number
  readonly url: string
  readonly isFailing: boolean
}

/**
 * Adds webhooks, past the API, that have something to send: a failing one any event, an active one the last event of its tenant.
 *
 * @returns when they are stored; nothing is queued
 */
export async function addManyWebhooks(world: World, { tenants, each, url, isFailing }: Many): Promise<void> {
  const { query } = world.postgres
  for (let count = 0; count < tenants; count++) {
    const { id: tenantId, slug } = await world.tenant()
    await world.tenantAdmin(slug)
    await query('update tenants set has_webhooks = true where id = $1', [tenantId])
    await world.database.relay.drain(tenantId)
    const rows = await query<{ id: string }>(
      `insert into webhooks (tenant_id, id, name, url, place, status, failing_since, next_at)
       select $1, 'whk_' || lpad(($2 * $4 + n)::text, 26, '0'), 'Dead', $3,
         case when $5 then 0 else (select max(sequence) - 1 from feed where tenant_id = $1) end,
         case when $5 then 'failing' else 'active' end, case when $5 then now() end, case when $5 then now() end
       from generate_series(1, $4::integer) n
       returning id`,
      [tenantId, count, url, each, isFailing],
    )
    await world.database.inTenant(tenantId, async (sql) => {
      for (const { id } of rows) await addWebhookSecret(sql, world.keyring, id, newWebhookSecret(), 0)
    })
  }
}

/** Prints how long events have waited, in milliseconds. */
export function printDelays(delays: readonly number[]): void {
  const sorted = delays.toSorted((one, other) => one - other)
  const [half, most] = [0.5, 0.95].map((part) => Math.round(sorted[Math.floor(part * sorted.length)] ?? 0))
  console.log(
    `from a request to the event: ${half} ms (half), ${most} ms (95 %), ${Math.round(sorted.at(-1) ?? 0)} ms (all)`,
  )
}
