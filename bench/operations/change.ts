/**
 * Changes: the common parts of the minimal statements of writes: the session and the permission, the change, and one entry of the audit log
 * for one person. The service's mails, further entries, locks and limits are not included.
 */
import type { Population } from '../population.ts'
import { type Place, session } from './operation.ts'

export const common = { kind: 'write' as const, isOnce: true, status: 200 }

/** Begins a statement with the session and the requirements for the caller. */
export const callerWith = (more = '') => `
  with caller as (
    select s.user_id
    from sessions s
    ${more}
    where ${session})`
export const asAdmin = `join memberships c on c.tenant_id = $1 and c.organization_id = $3 and c.user_id = s.user_id and c.role in ('owner', 'admin')`

/** Appends the entry of the audit log, once for each row of `changed`. */
export const recorded = (action: string, entry: string, organizationId: string, details: string) => `,
  entry as (
    insert into audit_entries (tenant_id, id, action, actor_type, actor_subject, target_type, target_subject, organization_id, request_id)
    select $1, ${entry}, '${action}', 'user', caller.user_id, 'user', caller.user_id, ${organizationId}, ${entry}
    from caller, changed),
  detail as (
    insert into audit_details (tenant_id, entry_id, user_id, subject, action, name, ip, device, details)
    select $1, ${entry}, caller.user_id, caller.user_id, '${action}', '', '127.0.0.1', 'wrk', jsonb_build_object('to', ${details})
    from caller, changed)`

/** For pgbench: a unique id. */
export const newIdSql = (prefix: string, mark: string) =>
  `('${prefix}_7${mark}' || lpad((:i)::text, ${25 - mark.length}, '0'))`

/** Owners who change their organization: each has the number of their small organization. */
export const owners = ({ small }: Population) => Math.min(1000, small - 1)
export const owned = (i: number, population: Population) => 1 + (i % owners(population))
export const ownedSql = ({ population }: Place) => `1 + :i::int % ${owners(population)}`
