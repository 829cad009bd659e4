/**
 * Import of webhooks: a row makes a new webhook, and never changes an existing one.
 *
 * Invariant: an imported webhook has a secret that nobody has seen, and it is disabled. So nothing is sent to the product before somebody
 * rotates the secret, gives it to the product, and enables the webhook.
 *
 * Webhooks have no external ids: a row is about the webhook of its name and URL, in its organization or in the tenant.
 */
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { caps } from '../../domain/limits/caps.ts'
import { record } from '../../domain/record/record.ts'
import { judgeForm, readOwnHosts } from '../../domain/webhooks/addresses.ts'
import { addWebhookSecret, newWebhookSecret } from '../../domain/webhooks/secrets.ts'
import { addWebhook, noteWebhooks, type WebhookOwner } from '../../domain/webhooks/webhook-states.ts'
import { operator } from '../../features/tenants/tenants.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { newId, normalizeName } from '../../platform/http/schemas.ts'
import type { Config } from '../../platform/settings/config.ts'
import { findOrganizations } from './external-ids.ts'
import { columnOf, type Outcome, type Row, type WebhookRow } from './rows.ts'

interface Stored {
  readonly organizationId: WebhookOwner
  readonly name: string
  readonly url: string
}

/**
 * Imports a batch. The addresses of hosts are judged when something is sent, and not here.
 *
 * @returns the outcome of each row, in the order of `rows`
 */
export async function importWebhooks(
  sql: Sql,
  { config, keyring }: { readonly config: Pick<Config, 'publicUrl'>; readonly keyring: Keyring },
  rows: readonly Row<WebhookRow>[],
  isTrial: boolean,
): Promise<Outcome[]> {
  if (!isTrial) await lockTenant(sql)
  const named = rows.flatMap(({ content }) => content.organization ?? [])
  const organizations = await lockOrganizations(sql, await findOrganizations(sql, named))
  const existing = await sql<Stored>`
    select organization_id, name, url from webhooks
    where tenant_id = ${sql.tenant}
      and (organization_id is null or organization_id = any(${[...organizations.values()]}::text[]))`
  const known = new Set(existing.map(keyOf))
  const earlier = new Set<string>()
  const counts = new Map<WebhookOwner, number>()
  for (const { organizationId } of existing) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1)
  const [feed] = await sql<{ head: number }>`select head from feeds where tenant_id = ${sql.tenant}`
  const fixed = { status: 'disabled', place: feed?.head ?? 0 } as const
  let made = 0
  const importRow = async ({ organization, name, url, types }: WebhookRow): Promise<Outcome> => {
    const organizationId = organization === undefined ? null : organizations.get(organization)
    if (organizationId === undefined) return { reason: 'unknown_organization' }
    const webhook = { ...fixed, name: normalizeName(name), url, types: [...new Set(types)] }
    const key = keyOf({ ...webhook, organizationId })
    if (earlier.has(key)) return { reason: 'name_taken' }
    earlier.add(key)
    if (known.has(key)) return 'unchanged'
    const { most } = organizationId === null ? caps.webhooks : caps.organizationWebhooks
    const count = counts.get(organizationId) ?? 0
    if (count >= most) return { reason: 'too_many_webhooks' }
    const faults = judgeForm(
      await readOwnHosts(sql, config, url),
      url,
      organizationId === null ? 'tenant' : 'organization',
    )
    if (faults.length > 0) return { reason: 'invalid', faults: faults.map(columnOf) }
    const id = newId('whk')
    await pipeline([
      addWebhook(sql, id, organizationId, null, webhook),
      addWebhookSecret(sql, keyring, id, newWebhookSecret(), 0),
    ])
    counts.set(organizationId, count + 1)
    made++
    return 'made'
  }
  const outcomes: Outcome[] = []
  for (const { content } of rows) outcomes.push(await importRow(content))
  if (made > 0) {
    if (!isTrial) await noteWebhooks(sql)
    const target = { type: 'tenant', id: sql.tenant } as const
    await record(sql, operator, 'tenant.imported', { target, details: { webhooks: made } })
  }
  return outcomes
}

/** Locks organizations against deletion until the transaction ends. @returns those that exist, by the names in `found` */
async function lockOrganizations(sql: Sql, found: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const existing = await sql<{ id: string }>`
    select id from organizations
    where tenant_id = ${sql.tenant} and id = any(${[...found.values()]}::text[])
    order by id
    for key share`
  const ids = new Set(existing.map(({ id }) => id))
  return new Map([...found].filter(([, id]) => ids.has(id)))
}

function keyOf({ organizationId, name, url }: Stored): string {
  return `${organizationId ?? ''} ${url} ${name}`
}
