/** The caller: the statements by which a door finds them, and locks what they work on. */
import type { FastifyRequest } from 'fastify'
import { empty, join, type Statement, statement } from '../../platform/database/database.ts'
import { type Access, isOfOrganization, permissionOf } from '../permissions/access.ts'
import { type HeldGrant, heldGrants, holds, isCurrent } from '../permissions/held.ts'
import type { Role, TenantRole } from '../permissions/roles.ts'
import { ApiProblem } from '../problems.ts'
import type { Credential } from './authentication.ts'
import { slugOfHost } from './tenancy.ts'

/** What `findCaller` selects. */
export interface Found {
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
  /** 2 if the session has proven two factors. */
  readonly assurance: 1 | 2
  readonly isFresh: boolean
  /** Whose second factor the tenant requires. */
  readonly tenantPolicy: 'optional' | 'admins' | 'required'
  readonly organizationPolicy: 'optional' | 'required' | null
  readonly organizationId: string | null
  readonly membershipId: string | null
  readonly role: Role | null
  readonly membershipStatus: 'active' | 'suspended' | null
  readonly membershipExpiresAt: string | null
  /** Null if there are none. */
  readonly grants: readonly HeldGrant[] | null
  /** Whether the membership's last activity was noted longer ago than an hour. */
  readonly isMembershipStale: boolean | null
}

/** Whether the route is for the caller that `findCaller` finds: the same rules as those of `judge`, in SQL. */
export function isAllowed(request: FastifyRequest): Statement {
  const { proof, withoutSecondFactor } = request.routeOptions.config
  const rules = [hasAccess(request)]
  if (!withoutSecondFactor) rules.push(statement`(c.assurance = 2 or ${asksNoSecondFactor(request)})`)
  if (proof === 'fresh') rules.push(statement`c.is_fresh`)
  return statement`(${join(rules, ' and ')})`
}

/** Of a route whose access is not split: a reading door has no other. */
function hasAccess(request: FastifyRequest): Statement {
  const access = accessOf(request)
  if (isOfOrganization(access))
    return statement`(m.status = 'active' and ${holds(credentialOf(request).tenant, permissionOf(access, false))})`
  return access === 'tenant_admin' ? statement`u.role = 'admin'` : statement`u.id is not null`
}

function asksNoSecondFactor(request: FastifyRequest): Statement {
  if (isInOrganization(request)) return statement`t.second_factor <> 'required' and m.second_factor = 'optional'`
  return accessOf(request) === 'tenant_admin'
    ? statement`t.second_factor = 'optional'`
    : statement`t.second_factor <> 'required'`
}

/** Finds session, user and membership of the caller; a row of nulls where there is none. @param also more columns */
export function findCaller(request: FastifyRequest, also: Statement = empty): Statement {
  const credential = credentialOf(request)
  const { tenant } = credential
  const member = isInOrganization(request)
    ? statement`left join lateral (
        select m.organization_id, m.id, m.role, m.status, m.expires_at, m.has_grants, o.second_factor,
          (m.last_active_at is null or m.last_active_at < now() - interval '1 hour') as is_stale
        from memberships m
        join organizations o on o.tenant_id = t.id and o.id = m.organization_id
        where m.tenant_id = t.id and m.organization_id = ${organizationOf(request)} and m.user_id = u.id
          and ${isCurrent}) m on true`
    : statement`left join lateral (
        select null as organization_id, null as id, null as role, null as status, null::timestamptz as expires_at,
          false as has_grants, null as second_factor, null as is_stale) m on true`
  return statement`
    select t.slug as tenant_slug, ${slugOfHost(request)} as host_slug, c.session_id, u.id as user_id, u.email,
      u.email_verified, u.role as tenant_role, u.name, c.device, c.is_stale, c.assurance, c.is_fresh,
      t.second_factor as tenant_policy, m.second_factor as organization_policy,
      m.organization_id, m.id as membership_id, m.role, m.status as membership_status,
      m.expires_at as membership_expires_at, ${isInOrganization(request) ? heldGrants(tenant) : statement`null`} as grants, m.is_stale as is_membership_stale ${also}
    from tenants t
    ${withUser(credential)}
    ${member}
    where t.id = ${tenant}`
}

/** Joins a credential `c` and its active user `u` to `tenants t`: nulls if it has ended, or the tenant is being deleted. */
function withUser(credential: Credential): Statement {
  return statement`
    left join lateral (${credential.kind.find(credential)}) c on t.deleted_at is null
    left join users u on u.tenant_id = t.id and u.id = c.user_id and u.status = 'active'`
}

/** Locks the organization in the path for a member; for anybody else, or with a credential that has ended, it waits for nothing and locks nothing. */
export function lockOrganization(request: FastifyRequest): Statement {
  const { tenant } = credentialOf(request)
  return statement`
    select id
    from organizations o
    where tenant_id = ${tenant}
      and id = ${organizationOf(request)}
      and exists (
        select from memberships m
        where m.tenant_id = ${tenant} and m.organization_id = o.id and m.user_id = ${activeUserOf(request)} and ${isCurrent})
    for no key update`
}

/** Locks the tenant for one of its admins, so that of two who demote each other only one does; else like `lockOrganization`. */
export function lockTenant(request: FastifyRequest): Statement {
  const { tenant } = credentialOf(request)
  return statement`
    select from tenants t
    where t.id = ${tenant}
      and exists (
        select from users u
        where u.tenant_id = ${tenant} and u.id = ${activeUserOf(request)} and u.role = 'admin')
    for no key update`
}

/** The id of the caller, as an expression: null if the credential has ended or its user is not active. */
function activeUserOf(request: FastifyRequest): Statement {
  const credential = credentialOf(request)
  return statement`(select u.id from tenants t ${withUser(credential)} where t.id = ${credential.tenant})`
}

export function accessOf(request: FastifyRequest): Access {
  return request.routeOptions.config.access as Access // openDoors refuses routes without one
}

export function isInOrganization(request: FastifyRequest): boolean {
  return isOfOrganization(accessOf(request))
}

export function credentialOf(request: FastifyRequest) {
  if (!request.credential) throw new ApiProblem('unauthenticated')
  return request.credential
}

/** How the path names its organization: by the id or the slug. */
export function nameOf(request: FastifyRequest): string {
  const { orgId } = request.params as { orgId: string } // every route with a permission has it in its path
  return orgId
}

/** The id of the organization in the path: an underscore is in every id and in no slug. */
export function organizationOf(request: FastifyRequest): Statement {
  const orgId = nameOf(request)
  if (orgId.includes('_')) return statement`${orgId}`
  return statement`(select id from organizations where tenant_id = ${credentialOf(request).tenant} and slug = ${orgId})`
}
