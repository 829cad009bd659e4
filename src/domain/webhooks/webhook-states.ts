/**
 * The states of webhooks: how a person makes, changes and deletes one. What sending finds out is written beside it (domain/delivery/).
 *
 * Invariants: what is judged is read after the lock of the webhook, or of what it belongs to. Each change of where or what is sent counts in
 * `moves`, so that a run that began before does not move the place.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { empty, pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { checkVersion } from '../../platform/http/preconditions.ts'
import { newId, normalizeName } from '../../platform/http/schemas.ts'
import type { Actor } from '../access/actors.ts'
import { selectLockedTenant } from '../access/tenant-lock.ts'
import { caps } from '../limits/caps.ts'
import { tellOfWebhook } from '../mail/webhooks.ts'
import { ApiProblem } from '../problems.ts'
import { actions } from '../record/actions.ts'
import { changesBetween } from '../record/changes.ts'
import { record } from '../record/record.ts'
import { isLate, queueRun, queueWakes } from './schedule.ts'
import { addWebhookSecret, newWebhookSecret } from './secrets.ts'
import {
  isTakenAway,
  selectWebhooks,
  toWebhook,
  type WebhookRow,
  webhooksOfOrganization,
  webhooksOfTenant,
} from './webhooks.ts'

/** Whose a webhook is: an organization’s; null: the tenant’s. */
export type WebhookOwner = string | null

/** Which webhook, and whose it must be. */
export interface OwnedWebhook {
  readonly owner: WebhookOwner
  readonly id: string
}

/** What a person chooses of a webhook. */
export interface WantedWebhook {
  readonly name: string
  readonly url: string
  readonly types: readonly string[]
  readonly status: 'active' | 'disabled'
  /** The sequence after which it begins. */
  readonly place: number
}

/** A webhook, and the secret that is shown once. */
export interface MadeWebhook {
  readonly webhook: WebhookRow
  readonly secret: string
}

/** A condition: which of `webhooks w` belong to an owner. */
function webhooksOf(owner: WebhookOwner): Statement {
  return owner === null ? webhooksOfTenant : webhooksOfOrganization(owner)
}

/**
 * Makes a webhook, and mails those whose it is. `setBy` sets the URL. The organization or the tenant must be locked.
 *
 * @throws Problem limit_reached
 */
export async function makeWebhook(
  sql: Sql,
  { keyring }: { readonly keyring: Keyring },
  actor: Actor,
  owner: WebhookOwner,
  { setBy, ...wanted }: WantedWebhook & { readonly setBy: string },
): Promise<MadeWebhook> {
  const [existing] = await sql<{ count: number }>`
    select count(*) from webhooks w where w.tenant_id = ${sql.tenant} and ${webhooksOf(owner)}`
  const most = owner === null ? caps.webhooks.most : caps.organizationWebhooks.most
  if ((existing?.count ?? 0) >= most) throw new ApiProblem('limit_reached')
  const id = newId('whk')
  const secret = newWebhookSecret()
  const webhook = { ...wanted, name: normalizeName(wanted.name), types: [...new Set(wanted.types)] }
  await pipeline([
    noteWebhooks(sql),
    addWebhook(sql, id, owner, setBy, webhook),
    addWebhookSecret(sql, keyring, id, secret, 0),
    record(sql, actor, 'webhook.created', {
      organizationId: owner,
      target: { type: 'webhook', id },
      details: { name: webhook.name, url: webhook.url, types: webhook.types },
    }),
    webhook.status === 'active' && queueRun(sql, id, false),
  ])
  await tellOfWebhook(sql, { keyring }, { organizationId: owner, name: webhook.name, url: webhook.url }, 'added')
  return { webhook: await getWebhook(sql, { owner, id }), secret }
}

/** @param userId who has set the URL; null: an import, which mails nobody about it */
export function addWebhook(
  sql: Sql,
  id: string,
  owner: WebhookOwner,
  userId: string | null,
  { name, url, types, status, place }: WantedWebhook,
) {
  return sql`
    insert into webhooks (tenant_id, id, organization_id, name, url, url_set_by, setter_left, types, place, status, disabled_because)
    values (${sql.tenant}, ${id}, ${owner}, ${name}, ${url}, ${userId}, ${userId === null}, ${types}, ${place}, ${status},
      ${status === 'disabled' ? 'person' : null})`
}

/** Notes that the tenant has webhooks: from then on its events are relayed at once. */
export async function noteWebhooks(sql: Sql): Promise<void> {
  const [tenant] = await sql`${selectLockedTenant(sql.tenant, statement`and not t.has_webhooks`)}`
  if (tenant) await sql`update tenants set has_webhooks = true where id = ${sql.tenant}`
}

/** A change of a webhook. Omitted fields keep their value. */
interface WebhookChange extends Partial<WantedWebhook> {
  /** Who sets the URL, which was judged; null: it is not to change. */
  readonly setBy: string | null
}

/**
 * Changes a webhook. If it sends more from then on, its run is queued.
 *
 * @throws Problem not_found, version_mismatch
 */
export async function changeWebhook(
  sql: Sql,
  context: Pick<RequestContext, 'keyring' | 'wantedTags'>,
  actor: Actor,
  which: OwnedWebhook,
  { name, types, setBy, ...sent }: WebhookChange,
): Promise<WebhookRow> {
  const { owner, id } = which
  const before = await lockWebhook(sql, which)
  checkVersion(context, before)
  // Somebody has changed the URL since it was compared: this one was not judged.
  if (setBy === null && sent.url !== undefined && sent.url !== before.url) checkVersion({ wantedTags: [] }, before)
  const wanted = {
    ...(name !== undefined && { name: normalizeName(name) }),
    ...(types && { types: [...new Set(types)] }),
    ...(sent.url !== undefined && { url: sent.url }),
  }
  const changes = changesBetween(before, wanted)
  const status = statusAfter(before, sent.status, changes?.url !== undefined)
  const place = sent.place ?? before.deliveredThrough
  const isMoved = place !== before.deliveredThrough
  const isSwitched = status !== before.status
  if (!changes && !isMoved && !isSwitched) return before

  const after = { ...before, ...wanted }
  const details = {
    ...changes,
    ...(isMoved && { deliveredThrough: { from: before.deliveredThrough, to: place } }),
    ...(isSwitched && { status: { from: before.status, to: status } }),
  }
  const isReset = isSwitched || (status === 'active' && changes?.url !== undefined)
  const takenAway = actions.filter((action) => isTakenAway(before.types, after.types, action))
  const isOtherwiseSent = isMoved || isSwitched || changes?.url !== undefined || changes?.types !== undefined
  await pipeline([
    sql`
      update webhooks
      set name = ${after.name}, url = ${after.url}, types = ${after.types}, place = ${place}, status = ${status},
        disabled_because = ${status === 'disabled' ? (before.disabledBecause ?? 'person') : null},
        moves = moves + ${isOtherwiseSent ? 1 : 0}::integer, version = version + 1, updated_at = now()
        ${isReset ? healthy : statement``} ${changes?.url ? newUrl(setBy) : statement``}
      where tenant_id = ${sql.tenant} and id = ${id}`,
    // They are sent again in their order. Else each would be sent by its own retry, too.
    place < before.deliveredThrough &&
      sql`
        delete from webhook_deliveries
        where tenant_id = ${sql.tenant} and webhook_id = ${id} and status = 'retrying' and sequence > ${place}`,
    // Others may be there because a person has sent them again by `retry`.
    takenAway.length > 0 &&
      sql`
        delete from webhook_deliveries
        where tenant_id = ${sql.tenant} and webhook_id = ${id} and status = 'retrying' and action = any(${takenAway})`,
    record(sql, actor, isSwitched && status === 'disabled' ? 'webhook.disabled' : 'webhook.updated', {
      organizationId: owner,
      target: { type: 'webhook', id },
      details,
    }),
  ])
  if (status !== 'disabled') await queueNow(sql, id)
  if (changes?.url)
    await tellOfWebhook(sql, context, { organizationId: owner, name: after.name, url: after.url }, 'url')
  return getWebhook(sql, which)
}

const healthy = statement`, failures = 0, failing_since = null, failing_told = false, trials = 0, next_at = null`

/** What was known of the former URL’s server, and the outcome of its test, do not hold for another one. */
function newUrl(setBy: string | null): Statement {
  return statement`, url_set_by = ${setBy}, url_set_at = now(), setter_left = false, slow_until = null, recovered_at = null,
    last_test = null`
}

/** A webhook with another URL is tried as a new one. */
function statusAfter(
  { status }: WebhookRow,
  wanted: WantedWebhook['status'] | undefined,
  hasOtherUrl: boolean,
): WebhookRow['status'] {
  if (wanted !== undefined) return wanted
  return hasOtherUrl && status === 'failing' ? 'active' : status
}

/**
 * Gives a webhook another secret.
 *
 * @param overlapSeconds how long the secret before signs on
 * @throws Problem not_found
 */
export async function rotateWebhook(
  sql: Sql,
  { keyring }: { readonly keyring: Keyring },
  actor: Actor,
  which: OwnedWebhook,
  overlapSeconds: number,
): Promise<MadeWebhook> {
  const { owner, id } = which
  await lockWebhook(sql, which)
  const secret = newWebhookSecret()
  await pipeline([
    addWebhookSecret(sql, keyring, id, secret, overlapSeconds),
    sql`
      update webhooks set moves = moves + 1, version = version + 1, updated_at = now()
      where tenant_id = ${sql.tenant} and id = ${id}`,
    record(sql, actor, 'webhook.rotated', {
      organizationId: owner,
      target: { type: 'webhook', id },
      details: { overlapSeconds },
    }),
  ])
  return { webhook: await getWebhook(sql, which), secret }
}

/**
 * Deletes a webhook with its secrets. Retention deletes its log.
 *
 * @returns when
 * @throws Problem not_found, version_mismatch
 */
export async function deleteWebhook(
  sql: Sql,
  context: Pick<RequestContext, 'wantedTags'>,
  actor: Actor,
  which: OwnedWebhook,
): Promise<string> {
  const { owner, id } = which
  const webhook = await lockWebhook(sql, which)
  checkVersion(context, webhook)
  const { name, url } = webhook
  const [, , [now]] = await pipeline([
    sql`delete from webhooks where tenant_id = ${sql.tenant} and id = ${id}`,
    record(sql, actor, 'webhook.deleted', {
      organizationId: owner,
      target: { type: 'webhook', id },
      details: { name, url },
    }),
    sql<{ deletedAt: string }>`select now() as deleted_at`,
  ])
  return (now as { deletedAt: string }).deletedAt // a select without a table has one row
}

/**
 * Disables webhooks whose URL somebody has set. Their row must be locked.
 *
 * @param since only those whose URL they set from then on; null: all
 */
export async function disableWebhooksOf(sql: Sql, actor: Actor, userId: string, since: string | null): Promise<void> {
  const disabled = await sql<{ id: string; organizationId: string | null; from: WebhookRow['status'] }>`
    with theirs as (
      select id, status from webhooks
      where tenant_id = ${sql.tenant} and url_set_by = ${userId} and status <> 'disabled'
        ${since === null ? empty : statement`and coalesce(url_set_at, created_at) >= ${since}`}
      order by id
      for no key update)
    update webhooks w
    set status = 'disabled', disabled_because = 'person', moves = moves + 1, version = version + 1, updated_at = now() ${healthy}
    from theirs
    where w.tenant_id = ${sql.tenant} and w.id = theirs.id
    returning w.id, w.organization_id, theirs.status as "from"`
  await pipeline(
    disabled.map(({ id, organizationId, from }) =>
      record(sql, actor, 'webhook.disabled', {
        organizationId,
        target: { type: 'webhook', id },
        details: { status: { from, to: 'disabled' } },
      }),
    ),
  )
}

/** Has a webhook sent to now, also if it is failing and would be tried later. */
export async function tryNow(sql: Sql, id: string): Promise<void> {
  await sql`
    update webhooks set next_at = statement_timestamp()
    where tenant_id = ${sql.tenant} and id = ${id} and status = 'failing'`
  await queueNow(sql, id)
}

/**
 * Has organizations’ webhooks go on after a pause. Failing ones begin to fail anew and are tried at once: in the pause nothing was sent to
 * them. What was not recorded when it began is not recorded when it ends: the hour after the last recovery goes on.
 */
export async function resumeWebhooks(sql: Sql): Promise<void> {
  const failing = statement`w.tenant_id = ${sql.tenant} and w.organization_id is not null and w.status = 'failing'`
  await pipeline([
    sql`select from webhooks w where ${failing} order by w.id for no key update`,
    sql`
      update webhooks w set recovered_at = statement_timestamp()
      where ${failing} and w.recovered_at > (w.failing_since at time zone 'UTC' - interval '1 hour') at time zone 'UTC'`,
    sql`
      update webhooks w
      set failing_since = statement_timestamp(), failing_told = false, trials = 0, next_at = statement_timestamp()
      where ${failing}`,
    queueWakes(sql),
  ])
}

/** Queues a webhook’s run now. */
async function queueNow(sql: Sql, id: string): Promise<void> {
  const [row] = await sql<{ isLate: boolean }>`
    select ${isLate} as is_late from webhooks w where w.tenant_id = ${sql.tenant} and w.id = ${id}`
  if (row) await queueRun(sql, id, row.isLate)
}

/** Locks a webhook, then reads it. @throws Problem not_found */
export async function lockWebhook(sql: Sql, { owner, id }: OwnedWebhook): Promise<WebhookRow> {
  await sql`
    select from webhooks w
    where w.tenant_id = ${sql.tenant} and w.id = ${id} and ${webhooksOf(owner)}
    for no key update`
  return getWebhook(sql, { owner, id })
}

/** @throws Problem not_found */
async function getWebhook(sql: Sql, { owner, id }: OwnedWebhook): Promise<WebhookRow> {
  const [row] = await sql<WebhookRow>`${selectWebhooks(sql.tenant)} and w.id = ${id} and ${webhooksOf(owner)}`
  if (!row) throw new ApiProblem('not_found')
  return toWebhook(row)
}
