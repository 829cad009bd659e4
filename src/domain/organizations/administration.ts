/**
 * Administration of organizations: the doors by which an admin or a key of the tenant acts in any organization of the tenant as its owner
 * could. They need not be members.
 *
 * Invariant: a change holds the tenant (a key does not) and then the organization, and the caller is judged after both: who is no admin any
 * more, or whose session or key has ended while they waited, changes nothing, and a key that was narrowed does what it still may.
 */
import { pipeline, type ReadOptions, type Sql, statement } from '../../platform/database/database.ts'
import {
  type ActingCaller,
  actingIn,
  type Caller,
  isTenantAdmin,
  type KeyCaller,
  type OrganizationKeyCaller,
  type TenantAdminCaller,
  userIdOf,
} from '../access/actors.ts'
import type { Doors, Names, Read, Reading, Selected } from '../access/authorization.ts'
import { organizationNamed } from '../access/caller.ts'
import { organizationTurn } from '../access/turns.ts'
import { recheckKey } from '../keys/recheck.ts'
import { queueAccessMail } from '../mail/queue.ts'
import { ApiProblem, found } from '../problems.ts'
import { recheckCaller, recheckCredential } from '../sessions/recheck.ts'
import { isAdminOfTenant } from './memberships.ts'
import { byIdOrSlug } from './organizations.ts'
import { selectOwners } from './ownership.ts'

/** A request of an administration route whose path names an organization. */
interface InOrganization extends Pick<Doors, 'asTenantAdmin' | 'readAsTenantAdmin'> {
  readonly params: { readonly orgId: string }
}

/**
 * Reads in an organization.
 *
 * @throws Problem not_found, and those of `readAsTenantAdmin`
 */
export async function readInAnyOrganization<Rows extends Selected>(
  request: InOrganization,
  reading: Reading<Rows>,
  options?: ReadOptions,
): Promise<Read<ActingCaller, Rows>> {
  const { orgId } = request.params
  const { caller, organizations, ...rows } = await request.readAsTenantAdmin<{ organizations: { id: string } }>(
    (names) => ({
      organizations: statement`select o.id from organizations o where o.tenant_id = ${names.tenant} and ${byIdOrSlug(orgId)}`,
      ...reading({ ...names, organization: organizationNamed(names.tenant, orgId) }),
    }),
    options,
  )
  const { id } = found(organizations[0])
  return { ...rows, caller: actingIn(id, caller) } as unknown as Read<ActingCaller, Rows> // of the statements of `reading`
}

/**
 * Changes something in an organization.
 *
 * @param reading selects what the change must know, after the organization was locked
 * @throws Problem not_found; unauthenticated or forbidden if the caller has lost the right meanwhile; and those of `asTenantAdmin`
 */
export async function inAnyOrganization<Rows extends Selected, T>(
  request: InOrganization,
  reading: Reading<Rows>,
  work: (sql: Sql, caller: ActingCaller, read: Rows) => Promise<T>,
): Promise<T> {
  return request.asTenantAdmin(async (sql, admin) => {
    const caller = await lockAnyOrganization(sql, admin, request.params.orgId)
    const statements = Object.entries(reading(namesOf(sql, caller)))
    const rows = await pipeline(statements.map(([, each]) => sql`${each}`))
    const read = Object.fromEntries(statements.map(([name], index) => [name, rows[index]])) as Rows // as `reading` selects them
    return work(sql, caller, read)
  })
}

/**
 * Locks an organization, then judges the caller again.
 *
 * @param named by its id or slug
 * @returns the caller, as they act in it
 * @throws Problem not_found; unauthenticated or forbidden if the caller has lost the right meanwhile
 */
export async function lockAnyOrganization(
  sql: Sql,
  caller: Caller | KeyCaller,
  named: string,
): Promise<OrganizationKeyCaller | TenantAdminCaller> {
  // A key has no other turn, and would wait for the row with a connection.
  sql.claimTurn(organizationTurn(named))
  const [locked] = await sql<{ id: string }>`
    select o.id from organizations o where o.tenant_id = ${sql.tenant} and ${byIdOrSlug(named)} for no key update`
  if (!locked) throw new ApiProblem('not_found')
  await recheckAdmin(sql, caller)
  return actingIn(locked.id, caller)
}

/**
 * Mails the owners of an organization, but for the caller, that an admin of the tenant gives access to it.
 *
 * @param former an owner who gets another mail about it
 */
export async function tellOwners(sql: Sql, { organizationId, id }: TenantAdminCaller, former?: string): Promise<void> {
  const owners = await sql<{ userId: string }>`
    ${selectOwners(sql.tenant, organizationId)} and user_id <> all(${[id, former ?? id]}) limit 100`
  await pipeline(owners.map(({ userId }) => queueAccessMail(sql, userId, organizationId)))
}

function namesOf(sql: Sql, caller: OrganizationKeyCaller | TenantAdminCaller): Names {
  return {
    tenant: sql.tenant,
    user: statement`${userIdOf(caller)}`,
    session: statement`${caller.type === 'user' ? caller.sessionId : null}`,
    key: caller.keyId === null ? undefined : statement`${caller.keyId}`,
    secretHash: caller.type === 'key' ? caller.secretHash : caller.limits?.secretHash,
    organization: statement`${caller.organizationId}`,
  }
}

/**
 * Judges an admin or a key of the tenant again, after a lock was waited for.
 *
 * @throws Problem unauthenticated, forbidden; OvertakenError if the key has lost something
 */
export async function recheckAdmin(sql: Sql, caller: Caller | KeyCaller): Promise<void> {
  if (caller.type === 'user') {
    const [, isAdmin] = await pipeline([recheckCaller(sql, caller), isAdminOfTenant(sql, caller.userId)])
    if (!isAdmin) throw new ApiProblem('forbidden')
    return
  }
  await recheckKey(sql, caller)
}

/**
 * Judges again who changes something in an organization, after a lock besides that of the organization was waited for. The membership of a
 * member is as the door saw it, since the organization is locked.
 *
 * @throws Problem unauthenticated, forbidden; OvertakenError, as `recheckAdmin`
 */
export async function recheckActing(sql: Sql, caller: ActingCaller): Promise<void> {
  if (isTenantAdmin(caller)) return recheckAdmin(sql, caller)
  await recheckCredential(sql, caller) // nothing that a member does needs a fresh session
}
