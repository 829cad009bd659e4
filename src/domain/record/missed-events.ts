/** Missed events: those that were removed because of their age before a webhook had sent them. */
import { type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'

/** A condition: whether `webhooks w` sends events of a type. */
export const isWanted = (action: Statement) =>
  statement`(w.types = '{}' or ${action} = any(w.types) or split_part(${action}, '.', 1) || '.*' = any(w.types))`

/** An event that was removed. */
export interface RemovedEvent {
  readonly sequence: number
  readonly organizationId: string | null
  readonly action: string
}

/** Locks the webhooks that may have events still to send which are to be removed. To be called before they are. */
export function lockBehind(sql: Sql, events: readonly RemovedEvent[]): Sent<unknown> {
  return sql`
    select from webhooks w
    where ${isBehind(sql.tenant, events)}
    order by w.id
    for no key update`
}

/** A condition on `webhooks w`. */
function isBehind(tenant: string, events: readonly RemovedEvent[]): Statement {
  // An organization may have webhooks, but most have not: they are found by their organizations, and only those of the tenant by themselves.
  const organizations = [...new Set(events.map(({ organizationId }) => organizationId).filter((each) => each !== null))]
  return statement`
    w.tenant_id = ${tenant} and (w.organization_id is null or w.organization_id = any(${organizations}::text[]))
      and w.place < ${Math.max(...events.map(({ sequence }) => sequence))}`
}

/** Notes at webhooks, which `lockBehind` has locked, which of the removed events they had not sent, and moves them past these. */
export function noteMissed(sql: Sql, removed: readonly RemovedEvent[]): Sent<unknown> {
  return sql`
    with removed as materialized (
      select * from unnest(
        ${removed.map(({ sequence }) => sequence)}::bigint[],
        ${removed.map(({ organizationId }) => organizationId)}::text[],
        ${removed.map(({ action }) => action)}::text[]) removed (sequence, organization_id, action)),
    missed as (
      select w.id, (
        select max(r.sequence) from removed r
        where r.sequence > w.place and (w.organization_id is null or r.organization_id = w.organization_id)
          and ${isWanted(statement`r.action`)}) as through
      from webhooks w
      where ${isBehind(sql.tenant, removed)})
    update webhooks w set place = missed.through, ${noted(statement`missed.through`)}
    from missed
    where w.tenant_id = ${sql.tenant} and w.id = missed.id and missed.through > w.place`
}

/** The same of events that were set aside. @param through the greatest sequence of each webhook */
export function noteDropped(sql: Sql, through: ReadonlyMap<string, number>): Sent<unknown> {
  return sql`
    update webhooks w set ${noted(statement`dropped.through`)}
    from unnest(${[...through.keys()]}::text[], ${[...through.values()]}::bigint[]) dropped (id, through)
    where w.tenant_id = ${sql.tenant} and w.id = dropped.id`
}

/** In seconds: people who were mailed of missed events are mailed again if their webhook misses some after it has missed none for so long. */
const pause = 86_400

function noted(through: Statement): Statement {
  // Citus refuses a sum of a time with a time zone that reads a column, which is not immutable.
  return statement`
    missed_until = greatest(w.missed_until, to_timestamp(${through} / 1000000.0)),
    missed_told = w.missed_told and (w.missed_until > to_timestamp(${through} / 1000000.0 - ${pause}::integer)) is true`
}
