/**
 * Authorization: whether the caller may, and the doors, which are a handler's only way to data.
 *
 * A door raises the tenant's wall, finds the caller's session, user and (for an organization's route) membership, and compares the
 * role with the route's `access`: 401, 404 or 403.
 *
 * A reading door sends all of that, the handler's statements and the commit in one flight. The statements find nothing unless the
 * caller may: the look-up of the caller shuts the wall for everybody else (`shut`), before the next statement begins. Nothing is
 * read for them, so neither the load nor the time of a refusal depends on what there is. The answer to the look-up then says why.
 *
 * A writing door locks the organization first, or for tenant admins the tenant, so that what it decides by stays true until it is
 * done.
 */
import type { FastifyRequest } from 'fastify'
import { doors } from '../../platform/channels.ts'
import { empty, type Row, type Sql, type Statement, shut, statement } from '../../platform/database/database.ts'
import { addressOf } from '../../platform/http/address.ts'
import { awaitFirst, claimKey, onlyOnce } from '../../platform/http/idempotency.ts'
import { Problem } from '../../platform/http/problems.ts'
import type { App } from '../../platform/http/server.ts'
import { type Access, isPermission, type Role, rolesWith, type TenantRole } from '../permissions/roles.ts'
import { isLive, noteActivity } from '../sessions/lifetime.ts'
import { namedTenant, slugOfHost, type Tenant } from './tenancy.ts'

/** Who does something, as the audit log tells it. */
export type Actor =
  | {
      readonly type: 'user'
      readonly userId: string
      readonly name: string | null
      readonly ip: string | null
      readonly device: string | null
      readonly requestId: string | null
    }
  | { readonly type: 'operator' | 'system' | 'anonymous'; readonly requestId: string | null }

/** A signed-in user. */
export interface Caller {
  readonly type: 'user'
  readonly tenantId: string
  readonly userId: string
  readonly sessionId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly tenantRole: TenantRole
  readonly name: string | null
  readonly ip: string | null
  readonly device: string | null
  readonly requestId: string
}

/** A signed-in member of the organization in the path. */
export interface MemberCaller extends Caller {
  readonly organizationId: string
  readonly membershipId: string
  readonly role: Role
}

/** What a reading statement may name before anybody has been found: fragments that the database fills in. */
export interface Names {
  readonly tenant: string
  /** The caller's user id. */
  readonly user: Statement
  /** The caller's session id. */
  readonly session: Statement
  /** The id of the organization in the path. */
  readonly organization: Statement
}

/** Rows of each statement of a reading door, in order. */
type RowsOf<Rows extends readonly unknown[]> = { [Index in keyof Rows]: Rows[Index][] }
/** Builds the statements of a reading door. */
type Reading = (names: Names) => readonly Statement[]

declare module 'fastify' {
  interface FastifyRequest {
    /** Without a session: inside the tenant that `findTenant` found for the request. */
    asAnyone<T>(tenant: Pick<Tenant, 'id'>, work: (sql: Sql) => Promise<T>): Promise<T>
    asUser<T>(work: (sql: Sql, caller: Caller) => Promise<T>): Promise<T>
    asTenantAdmin<T>(work: (sql: Sql, caller: Caller) => Promise<T>): Promise<T>
    inOrganization<T>(work: (sql: Sql, caller: MemberCaller) => Promise<T>): Promise<T>
    readAsUser<Rows extends readonly unknown[]>(reading: Reading): Promise<[Caller, ...RowsOf<Rows>]>
    readAsTenantAdmin<Rows extends readonly unknown[]>(reading: Reading): Promise<[Caller, ...RowsOf<Rows>]>
    readInOrganization<Rows extends readonly unknown[]>(reading: Reading): Promise<[MemberCaller, ...RowsOf<Rows>]>
  }
  interface FastifyContextConfig {
    /** Who may use the route. A route without it stops the boot. */
    access?: Access
    /** Whether members need no permission where `:memberId` is their own membership, by its id or as `me`. */
    exemptsSelf?: boolean
    /** Who may have an answer again that was given before, where the change takes away what it needs. */
    replayAccess?: Access
    /** Whether the route starts a session, so that `Guildhall-Session: cookie` means something on it. */
    startsSession?: boolean
  }
}

/** What a door finds of the caller. */
interface Found {
  readonly tenantSlug: string
  /** Of the tenant whose domain the request's host is; looked up when a header names a tenant. */
  readonly hostSlug: string | null
  readonly sessionId: string | null
  readonly userId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly tenantRole: TenantRole
  readonly name: string | null
  readonly device: string
  readonly isStale: boolean
  readonly organizationId: string | null
  readonly membershipId: string | null
  readonly role: Role | null
}

export function openDoors(app: App): void {
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} does not say who may use it: set config.access.`)
  })

  app.decorateRequest('asAnyone', function <
    T,
  >(this: FastifyRequest, tenant: Pick<Tenant, 'id'>, work: (sql: Sql) => Promise<T>) {
    return doors.tracePromise(() => this.server.database.inTenant(tenant.id, work), { door: 'asAnyone' })
  })
  for (const door of ['asUser', 'asTenantAdmin', 'inOrganization'] as const) {
    app.decorateRequest(door, function <T>(this: FastifyRequest, work: (sql: Sql, caller: MemberCaller) => Promise<T>) {
      return doors.tracePromise(() => write(this, work), { door })
    })
  }
  for (const door of ['readAsUser', 'readAsTenantAdmin', 'readInOrganization'] as const) {
    app.decorateRequest(door, function (this: FastifyRequest, reading: Reading) {
      return doors.tracePromise(() => read(this, reading), { door }) as Promise<never> // the caller names its rows' types beside its statements
    })
  }
  noteActivity(app)
}

async function write<T>(request: FastifyRequest, work: (sql: Sql, caller: MemberCaller) => Promise<T>): Promise<T> {
  const { idempotencyKey: key, server } = request
  const { tenant, hash } = credentialOf(request)
  const claim = key ? claimKey(key, server.keyring, tenant, hash) : []
  // The caller is read by a statement of its own after the lock was waited for: one statement would read them as they were before.
  const first = [...claim, ...locksOf(request), findCaller(request)]
  const change = () =>
    server.database.inTenant(
      tenant,
      (sql, rows) => {
        const claimed = key && rows.at(claim.length - 2)
        const caller = judge(request, rows.at(-1)?.[0], claimed?.length === 0 ? replayAccessOf(request) : undefined)
        // A slug that moved to another organization in between: that one is not locked.
        if (isInOrganization(request) && rows.at(-2)?.[0]?.id !== caller.organizationId) throw new Problem('not_found')
        return key ? onlyOnce(request, sql, caller, claimed, () => work(sql, caller)) : work(sql, caller)
      },
      first,
    )
  return key ? awaitFirst(change) : change()
}

/** What a writing door locks: the organization in the path, or for tenant admins the tenant. */
function locksOf(request: FastifyRequest): Statement[] {
  if (isInOrganization(request)) return [lockOrganization(request)]
  return accessOf(request) === 'tenant_admin' ? [lockTenant(request)] : []
}

async function read(request: FastifyRequest, reading: Reading): Promise<unknown[]> {
  const { tenant, hash } = credentialOf(request)
  const statements = reading({
    tenant,
    user: statement`(select user_id from sessions where tenant_id = ${tenant} and token_hash = ${hash})`,
    session: statement`(select id from sessions where tenant_id = ${tenant} and token_hash = ${hash})`,
    organization: isInOrganization(request) ? organizationOf(request) : statement`null`,
  })
  const opening = findCaller(
    request,
    statement`, case when ${isAllowed(accessOf(request))} then true else ${shut} end as may`,
  )
  const [found, ...rows] = await request.server.database.flight(tenant, [opening, ...statements])
  const caller = judge(request, found?.[0])
  if (!found?.[0]?.may) throw new Error('The wall was shut for a caller who may.') // what was read is nothing, and not the answer
  return [caller, ...rows]
}

/** Whether the caller whom `findCaller` finds may use a route: as `judge` has it. */
function isAllowed(access: Access): Statement {
  if (isPermission(access)) return statement`m.role = any(${rolesWith(access)})`
  return access === 'tenant_admin' ? statement`u.role = 'admin'` : statement`u.id is not null`
}

/** Finds session, user and membership of the caller; a row of nulls where there is none. @param also more columns */
function findCaller(request: FastifyRequest, also: Statement = empty): Statement {
  const { tenant, hash } = credentialOf(request)
  const member = isInOrganization(request)
    ? statement`left join memberships m
      on m.tenant_id = t.id and m.organization_id = ${organizationOf(request)} and m.user_id = u.id`
    : statement`left join lateral (select null as organization_id, null as id, null as role) m on true`
  return statement`
    select t.slug as tenant_slug, ${slugOfHost(request)} as host_slug, s.id as session_id, u.id as user_id, u.email, u.email_verified, u.role as tenant_role, u.name,
      s.name as device, s.last_active_at < now() - interval '1 minute' as is_stale,
      m.organization_id, m.id as membership_id, m.role ${also}
    from tenants t
    left join sessions s
      on s.tenant_id = t.id and s.token_hash = ${hash} and ${isLive}
    left join users u on u.tenant_id = t.id and u.id = s.user_id and u.status = 'active'
    ${member}
    where t.id = ${tenant}`
}

/** Locks the organization in the path for a member; for anybody else it locks nothing. */
function lockOrganization(request: FastifyRequest): Statement {
  const { tenant, hash } = credentialOf(request)
  return statement`
    select id
    from organizations o
    where tenant_id = ${tenant}
      and id = ${organizationOf(request)}
      and exists (
        select from memberships m
        join sessions s on s.tenant_id = ${tenant} and s.user_id = m.user_id and s.token_hash = ${hash}
        where m.tenant_id = ${tenant} and m.organization_id = o.id)
    for no key update`
}

/** Locks the tenant for one of its admins, so that of two who demote each other only one does; for anybody else it locks nothing. */
function lockTenant(request: FastifyRequest): Statement {
  const { tenant, hash } = credentialOf(request)
  return statement`
    select from tenants t
    where t.id = ${tenant}
      and exists (
        select from sessions s
        join users u on u.tenant_id = ${tenant} and u.id = s.user_id and u.role = 'admin'
        where s.tenant_id = ${tenant} and s.token_hash = ${hash})
    for no key update`
}

/** @throws Problem unauthenticated, tenant_mismatch, not_found, forbidden */
function judge(request: FastifyRequest, row: Row | undefined, access = accessOf(request)): MemberCaller {
  const found = row as Found | undefined // as findCaller selects it
  const named = namedTenant(request)
  if (found && named !== undefined && (named !== found.tenantSlug || named !== (found.hostSlug ?? named)))
    throw new Problem('tenant_mismatch')
  const lives = found?.sessionId && found.userId
  request.noteSession(Boolean(lives))
  if (!lives) throw new Problem('unauthenticated')

  if (access === 'tenant_admin' && found.tenantRole !== 'admin') throw new Problem('forbidden')
  if (isPermission(access)) {
    if (!found.role) throw new Problem('not_found')
    const isExempt = request.routeOptions.config.exemptsSelf && namesMember(request, found.membershipId)
    if (!isExempt && !rolesWith(access).includes(found.role)) throw new Problem('forbidden')
  }
  if (found.isStale) request.staleSession = { sessionId: found.sessionId, userId: found.userId }
  return {
    type: 'user',
    tenantId: credentialOf(request).tenant,
    userId: found.userId,
    sessionId: found.sessionId,
    email: found.email,
    emailVerified: found.emailVerified,
    tenantRole: found.tenantRole,
    name: found.name,
    ip: addressOf(request),
    device: found.device,
    requestId: request.id,
    // Present on an organization's route, where the checks above have seen them; nobody else's type shows them.
    organizationId: found.organizationId as string,
    membershipId: found.membershipId as string,
    role: found.role as Role,
  }
}

/** Whether a membership is the one in the path. */
function namesMember(request: FastifyRequest, membershipId: string | null): boolean {
  const { memberId } = request.params as { memberId?: string }
  return memberId === 'me' || memberId === membershipId
}

function accessOf(request: FastifyRequest): Access {
  return request.routeOptions.config.access as Access // openDoors refuses routes without one
}

function replayAccessOf(request: FastifyRequest): Access {
  return request.routeOptions.config.replayAccess ?? accessOf(request)
}

function isInOrganization(request: FastifyRequest): boolean {
  return isPermission(accessOf(request))
}

function credentialOf(request: FastifyRequest) {
  if (!request.credential) throw new Problem('unauthenticated')
  return request.credential
}

/** `:orgId` may be the id or the slug: an underscore is in every id and in no slug. */
function organizationOf(request: FastifyRequest): Statement {
  const { orgId } = request.params as { orgId: string } // every route with a permission has it in its path
  if (orgId.includes('_')) return statement`${orgId}`
  return statement`(select id from organizations where tenant_id = ${credentialOf(request).tenant} and slug = ${orgId})`
}
