/**
 * Changes of webhooks, for those of the tenant and of organizations alike.
 *
 * Invariants: to change a webhook takes `events:read`, too: else a role could send away what it may not read. The URL decides where data goes,
 * so a fresh session sets it, and no key. It is judged outside of transactions, after the caller was.
 */
import {
  type Caller,
  type KeyCaller,
  type OrganizationCaller,
  personOf,
  sessionIdOf,
} from '../../domain/access/actors.ts'
import { checkFresh } from '../../domain/credentials/confirmation.ts'
import { may } from '../../domain/permissions/held.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { recheckCredential } from '../../domain/sessions/recheck.ts'
import { judgeUrl, readOwnHosts } from '../../domain/webhooks/addresses.ts'
import { changeWebhook, type OwnedWebhook } from '../../domain/webhooks/webhook-states.ts'
import type { WebhookRow } from '../../domain/webhooks/webhooks.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import type { App } from '../../platform/http/server.ts'
import { placeIn, type WebhookPatch } from './webhook-fields.ts'

/** In an organization. @throws Problem forbidden, insufficient_scope */
export function checkReader(caller: OrganizationCaller): void {
  if (caller.type === 'key') checkKey(caller)
  else if (!may(caller, 'events:read')) throw new ApiProblem('forbidden')
}

/** In the tenant, whose admins read all events. @throws Problem insufficient_scope */
export function checkKey(caller: Caller | KeyCaller): void {
  if (caller.type === 'key' && !caller.scopes.includes('events:read'))
    throw new ApiProblem('insufficient_scope', { scope: 'events:read' })
}

/** The person who decides where data goes. @throws Problem insufficient_scope, confirmation_required */
export function checkSender(caller: Caller | KeyCaller): Caller {
  const person = personOf(caller)
  sessionIdOf(person)
  checkFresh(person)
  return person
}

/**
 * Judges a URL, which may ask name servers for seconds. Only for a caller who may set it.
 *
 * @throws Problem invalid_request
 */
export async function checkUrl(
  app: App,
  { tenantId }: Pick<Caller, 'tenantId'>,
  owner: 'tenant' | 'organization',
  url: string,
): Promise<void> {
  const { config, database, outbound } = app
  const own = await database.acrossTenants((sql) => readOwnHosts(sql, config, url))
  const faults = await judgeUrl(outbound, tenantId, own, url, owner)
  if (faults.length > 0) throw invalidRequest(faults)
}

/** While the tenant does not offer webhooks to organizations, theirs are not changed. @throws Problem not_offered */
export async function checkOffered(sql: Sql): Promise<void> {
  const [tenant] = await sql<{ isOffered: boolean }>`
    select organization_webhooks as is_offered from tenants where id = ${sql.tenant}`
  if (!tenant?.isOffered) throw new ApiProblem('not_offered')
}

/** A change as it was sent. */
interface SentPatch {
  readonly body: WebhookPatch
  /** Whether `checkUrl` has judged the URL of the body, which was another one than that of the webhook. */
  readonly isJudged: boolean
}

/**
 * Applies a body to a webhook.
 *
 * @throws Problem not_found, version_mismatch, events_expired, invalid_request, insufficient_scope, confirmation_required, and those of `recheckCredential`
 */
export async function applyPatch(
  sql: Sql,
  context: RequestContext,
  caller: Caller | KeyCaller,
  which: OwnedWebhook,
  { body: { after, from, ...fields }, isJudged }: SentPatch,
): Promise<WebhookRow> {
  const place = await placeIn(sql, { after, from })
  const person = isJudged ? checkSender(caller) : undefined
  const webhook = await changeWebhook(sql, context, caller, which, {
    ...fields,
    ...(place !== undefined && { place }),
    setBy: person?.userId ?? null,
  })
  await recheckCredential(sql, caller) // the row may have been waited for
  return webhook
}
