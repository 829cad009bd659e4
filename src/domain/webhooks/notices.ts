/**
 * Notices: what the hourly task mails to the people of webhooks. It marks each webhook that it mails about, so that each notice is sent once.
 * A webhook that goes on missing events stays marked (`domain/record/missed-events.ts`).
 *
 * Webhooks that send nothing, because somebody disabled them or their tenant does not offer them, have no notices of failures and missed events.
 * Those come when the webhook sends again.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Database, pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { type ToldChange, type ToldWebhook, tellOfWebhooks } from '../mail/webhooks.ts'
import { holds, isCurrent } from '../permissions/held.ts'
import { isSending } from './schedule.ts'

/** How many webhooks are marked at a time, for each reason: each may have many people, whose mails are queued in the same transaction. */
const batch = 10

/** How long a webhook fails before its people are mailed. */
const dayOfFailures = statement`interval '24 hours'`

/**
 * Mails the people of a tenant’s webhooks that have failed for a day, that have missed events, or whose URL was set by somebody who has lost
 * the right to it.
 *
 * @returns how many notices there were
 */
export async function tellOfNotices(
  { database, keyring }: { readonly database: Database; readonly keyring: Keyring },
  tenant: string,
): Promise<number> {
  let count = 0
  for (let isMore = true; isMore; ) {
    const claimed = await database.inTenant(tenant, async (sql) => {
      const claimed = await claimNotices(sql)
      await tellOfWebhooks(sql, { keyring }, claimed.notices)
      return claimed
    })
    count += claimed.notices.length
    isMore = claimed.isMore
  }
  return count
}

/** Marks webhooks, a batch for each reason. */
async function claimNotices(sql: Sql): Promise<{ notices: ToldChange[]; isMore: boolean }> {
  const [failing, missed, left, regained] = await pipeline([
    sql<ToldWebhook>`${claim(sql.tenant, {
      which: statement`w.status = 'failing' and not w.failing_told and w.failing_since <= statement_timestamp() - ${dayOfFailures}
        and ${isSending}`,
      mark: statement`failing_told = true`,
    })}`,
    sql<ToldWebhook & { missedUntil: string }>`${claim(sql.tenant, {
      which: statement`w.missed_until is not null and not w.missed_told and ${isSending}`,
      mark: statement`missed_told = true`,
    })}`,
    // One that a person disabled is looked at again when it is enabled: its people are then mailed.
    sql<ToldWebhook>`${claim(sql.tenant, {
      which: statement`not w.setter_left and w.disabled_because is distinct from 'person' and not ${maySetterChange(sql.tenant)}`,
      mark: statement`setter_left = true`,
    })}`,
    sql<ToldWebhook>`${claim(sql.tenant, {
      which: statement`w.setter_left and ${maySetterChange(sql.tenant)}`,
      mark: statement`setter_left = false`,
    })}`,
  ])
  const notices: ToldChange[] = [
    ...failing.map((webhook) => ({ webhook, change: 'failing' as const })),
    ...missed.map(({ missedUntil, ...webhook }) => ({ webhook, change: { missedUntil } })),
    ...left.map((webhook) => ({ webhook, change: 'setter_left' as const })),
  ]
  return { notices, isMore: [failing, missed, left, regained].some((each) => each.length === batch) }
}

/** Marks a batch of webhooks, without those that somebody else changes now: they are marked an hour later. */
function claim(tenant: string, { which, mark }: { readonly which: Statement; readonly mark: Statement }): Statement {
  return statement`
    with due as (
      select w.id
      from webhooks w
      join tenants t on t.id = w.tenant_id
      where w.tenant_id = ${tenant} and ${which}
      limit ${batch}
      for no key update of w skip locked)
    update webhooks w set ${mark}
    from due
    where w.tenant_id = ${tenant} and w.id = due.id
    returning w.organization_id, w.name, w.url, w.missed_until`
}

/** Whether the person who set the URL of `webhooks w` still may set it; false if their account is deleted. */
function maySetterChange(tenant: string): Statement {
  return statement`exists (
    select from users u
    where u.tenant_id = ${tenant} and u.id = w.url_set_by and u.status = 'active'
      and case when w.organization_id is null then u.role = 'admin' else exists (
        select from memberships m
        where m.tenant_id = ${tenant} and m.organization_id = w.organization_id and m.user_id = u.id and m.status = 'active'
          and ${isCurrent} and ${holds(tenant, 'webhooks:write')} and ${holds(tenant, 'events:read')}) end)`
}
