/**
 * The audit log: one entry for each change, written in the transaction of the change. Each entry is also an event: with it goes a row of
 * the outbox, from which it gets its place in the tenant's feed after the commit (platform/jobs/batch.ts).
 *
 * Invariants: an entry is written after the locks of its transaction, so that the events of what is locked are in order. An entry itself is
 * insert-only and never personal. It speaks of people by a random subject, one for each person and organization; names, addresses and old
 * and new values are in `audit_details`, a row for each person spoken of, and go with that person (domain/erasure/erasure.ts). What is left
 * then reads `{ type: "deleted_user", id: <subject> }`.
 */
import { TypeID } from 'typeid-js'
import { randomBytes } from '../../platform/cryptography.ts'
import { empty, join, type Purge, pipeline, type Sent, type Sql, statement } from '../../platform/database/database.ts'
import { newId } from '../../platform/http/schemas.ts'
import type { Actor } from '../access/actors.ts'
import type { Action } from './actions.ts'
import { cutDetails, type Details } from './details.ts'

/** What an event happened to. */
export type Target =
  | { readonly type: 'user'; readonly userId: string; readonly name: string | null }
  | {
      readonly type: 'organization' | 'invitation' | 'link' | 'key' | 'provider' | 'application' | 'webhook' | 'tenant'
      readonly id: string
    }

export interface Event {
  readonly target: Target
  /** The person to whom the target belongs, if it is a key of theirs: the entry is in their log, too. */
  readonly ownerId?: string | null
  /** Whose log it belongs to, beside the tenant's; null: nobody's. */
  readonly organizationId?: string | null
  /** Old and new values of what changed; never a secret. They go with the target if it is a person, else with an actor who is one. */
  readonly details?: Details
  /** Where an anonymous actor came from; it goes with the target. */
  readonly origin?: { readonly ip: string | null; readonly device: string | null }
  /** An event with the same key was recorded already: nothing is written. */
  readonly onceKey?: Buffer
  /** Seals the id of the person whom the event erases (tombstones.ts). */
  readonly tombstone?: (entryId: string) => string
}

/** Writes an entry, after the locks of its transaction. */
export function record(sql: Sql, actor: Actor, action: Action, event: Event): Sent<unknown> {
  const { target, ownerId = null, organizationId = null, origin, onceKey = null, tombstone } = event
  const told = organizationId !== null && isByAdmin(actor) ? { ...event.details, via: 'admin' } : event.details
  const details = told ? cutDetails(told) : null
  const id = newId('aud')
  const organization = organizationId ?? ''
  const actorId = actor.type === 'user' ? actor.userId : null
  const targetId = target.type === 'user' ? target.userId : null
  const people = [...new Set([actorId, targetId, ownerId])].filter((each) => each !== null)
  /** With whom the details go. */
  const teller = targetId ?? actorId
  const entry = statement`
    ${id}, ${action}, ${actor.type}, ${actor.type === 'key' ? actor.keyId : null}, ${target.type},
    ${target.type === 'user' ? null : target.id}, ${organizationId}, ${actor.requestId}, ${teller === null ? details : null}, ${onceKey}`
  const waiting = statement`
    statement_timestamp(), ${TypeID.fromString(id).toUUID()}::uuid, ${id}, ${action}, ${organizationId}, ${tombstone?.(id) ?? null}`

  sql.wakeRelay('events')
  return pipeline([
    people.length > 0 &&
      sql`
        insert into subjects (tenant_id, user_id, organization_id, id)
        values ${join(people.map((userId) => statement`(${sql.tenant}, ${userId}, ${organization}, ${newSubject()})`))}
        on conflict do nothing`,
    // The people whom an entry names are locked, so their subjects stay. A refused sign-in of somebody who is erased meanwhile leaves no entry.
    sql`
      insert into audit_entries (tenant_id, id, action, actor_type, actor_key_id, target_type, target_id, organization_id, request_id,
        details, once_key, actor_subject, target_subject)
      ${
        people.length > 0
          ? statement`
            select tenant_id, ${entry}, max(id) filter (where user_id = ${actorId}), max(id) filter (where user_id = ${targetId})
            from subjects
            where tenant_id = ${sql.tenant} and user_id = any(${people}) and organization_id = ${organization}
            group by tenant_id`
          : statement`values (${sql.tenant}, ${entry}, null, null)`
      }
      ${onceKey ? statement`on conflict (tenant_id, once_key) do nothing` : empty}`,
    people.length > 0 &&
      sql`
        insert into audit_details (tenant_id, entry_id, occurred_at, user_id, subject, action, name, ip, device, via, details)
        select e.tenant_id, e.id, e.occurred_at, s.user_id, s.id, e.action, told.name, told.ip, told.device, told.via, told.details
        from audit_entries e
        cross join (values ${join(people.map(tell))}) told (user_id, name, ip, device, via, details)
        join subjects s on s.tenant_id = ${sql.tenant} and s.user_id = told.user_id and s.organization_id = ${organization}
        where e.tenant_id = ${sql.tenant} and e.id = ${id}`,
    sql`
      insert into outbox (tenant_id, written_at, id, entry_id, action, organization_id, tombstone)
      ${
        onceKey
          ? statement`select tenant_id, ${waiting} from audit_entries where tenant_id = ${sql.tenant} and id = ${id}`
          : statement`values (${sql.tenant}, ${waiting})`
      }`,
  ])

  /** What the entry holds of a person. */
  function tell(userId: string) {
    const isActor = actor.type === 'user' && userId === actorId
    const name = isActor ? actor.name : target.type === 'user' ? target.name : null
    const from = isActor ? actor : origin
    const theirs = userId === teller ? details : null
    const via = isActor ? (actor.keyId ?? actor.application?.id ?? null) : null
    return statement`(${userId}, ${name}, ${from?.ip ?? null}, ${from?.device ?? null}, ${via}::text, ${theirs}::jsonb)`
  }
}

/** Whether an admin of the tenant acts in an organization, whose log says so. */
function isByAdmin(actor: Actor): boolean {
  return actor.type === 'user' && actor.isTenantAdmin === true
}

/** Random, and not a UUIDv7: it must not even tell when its person came. */
function newSubject(): string {
  return TypeID.fromUUIDBytes('sub', randomBytes(16)).toString()
}

/** Deletes entries past the tenant’s retention; their details go with them. */
export const purgeEntries: Purge = (sql, batch) => sql`
  with over as (
    select e.id
    from audit_entries e
    where e.tenant_id = ${sql.tenant}
      and e.occurred_at < now() - make_interval(secs => (
        select audit_retention_seconds from tenants where id = ${sql.tenant}))
    order by e.occurred_at
    limit ${batch}
    for update of e skip locked)
  delete from audit_entries e
  using over
  where e.tenant_id = ${sql.tenant} and e.id = over.id
  returning e.id`
