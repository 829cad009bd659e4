/** The caller: the statements by which a door finds them, and locks what they work on. */
import type { FastifyRequest } from 'fastify'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { type Access, isOfOrganization } from '../permissions/access.ts'
import { type HeldRole, heldGrants, isCurrent } from '../permissions/held.ts'
import type { Role, TenantRole } from '../permissions/roles.ts'
import type { OwnerType } from '../permissions/scopes.ts'
import { ApiProblem } from '../problems.ts'
import type { KnownToken } from './authentication.ts'
import type { CredentialKind } from './credential-kinds.ts'
import { selectLockedTenant } from './tenant-lock.ts'

/** What `findCaller` selects. */
export interface Found {
  /** The index of the first rule that fails; null if all hold. */
  readonly failing: number | null
  /** The same of the rules for an answer that was given before; selected if the route has some, and the request an idempotency key. */
  readonly failingAgain?: number | null
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
  readonly organizationId: string | null
  readonly membershipId: string | null
  readonly role: Role | null
  readonly membershipExpiresAt: string | null
  /** Null if there are none. */
  readonly grants: readonly HeldRole[] | null
  /** Whether the membership's last activity was noted longer ago than an hour. */
  readonly isMembershipStale: boolean | null
  /** These are selected for keys alone, but scopes for access tokens of applications, too. */
  readonly keyId?: string | null
  readonly ownerType?: OwnerType | null
  readonly keyOrganizationId?: string | null
  readonly scopes?: readonly string[] | null
  readonly keyExpiresAt?: string | null
  /** These are selected for access tokens of applications alone. */
  readonly grantId?: string | null
  readonly applicationId?: string | null
  readonly applicationName?: string | null
  /** In seconds since 1970. */
  readonly tokenEnd?: number | null
}

/** Whose credential is looked up, and what for. */
export interface Inquiry {
  readonly credential: KnownToken
  /** The id of the organization, as an expression; undefined: it is about none. */
  readonly organization: Statement | undefined
}

export function inquiryOf(request: FastifyRequest): Inquiry {
  const credential = credentialOf(request)
  return { credential, organization: isInOrganization(request) ? organizationOf(request) : undefined }
}

/**
 * Finds session or key, user and membership of the caller; a row of nulls where there is none. The key of an organization or of the
 * tenant has no user: in an organization where it may act, its row has the columns of a membership without a role.
 *
 * @param judged columns that judge `tenants t`, the credential `c`, `users u` and the membership `m`
 * @param also more columns, which may name those of `judged` as columns of `r`
 */
export function findCaller(
  { credential, organization }: Inquiry,
  judged: Statement,
  also: Statement = empty,
): Statement {
  const { tenant, kind } = credential
  const isKey = kind.name === 'key'
  const member = organization
    ? statement`left join lateral (
        select m.organization_id, m.id, m.role, m.status, m.expires_at, m.has_grants, o.second_factor,
          (m.last_active_at is null or m.last_active_at < now() - interval '1 hour') as is_stale
        from memberships m
        join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
        where m.tenant_id = ${tenant} and m.organization_id = ${organization} and m.user_id = u.id
          and ${isCurrent} ${isKey ? withinKey : empty}
        ${isKey ? withoutMembership(tenant, organization) : empty}) m on true`
    : statement`left join lateral (
        select null as organization_id, null as id, null as role, null as status, null::timestamptz as expires_at,
          false as has_grants, null as second_factor, null as is_stale) m on true`
  // Without `offset 0`, PostgreSQL would judge once more for each column that names a judgement.
  return statement`
    select r.*, c.session_id, u.id as user_id, u.email, u.email_verified, u.role as tenant_role, u.name, c.device,
      c.is_stale, c.assurance, c.is_fresh, m.organization_id, m.id as membership_id, m.role,
      m.expires_at as membership_expires_at,
      ${organization ? heldGrants(tenant) : statement`null`} as grants,
      m.is_stale as is_membership_stale
      ${columnsOf[kind.name]} ${also}
    from tenants t
    ${withUser(credential)}
    ${member}
    cross join lateral (select ${judged} offset 0) r
    where t.id = ${tenant}`
}

/** What each kind of credential selects beside what all select. */
const columnsOf = {
  session: empty,
  key: statement`, c.key_id, c.owner_type, c.key_organization_id, c.scopes, c.key_expires_at`,
  application: statement`, c.grant_id, c.application_id, c.application_name, c.token_end, c.scopes`,
} satisfies Record<CredentialKind['name'], Statement>

/** A person’s key may be limited to one organization. */
const withinKey = statement`and (c.key_organization_id is null or c.key_organization_id = m.organization_id)`

/** The key of an organization acts in it, and the tenant’s in each. */
function withoutMembership(tenant: string, organization: Statement): Statement {
  return statement`
    union all
    select o.id, null, null, 'active', null, false, null, false
    from organizations o
    where o.tenant_id = ${tenant} and o.id = ${organization} and ${actsIn}`
}

/** Whether the key `c` of an organization or of the tenant acts in `organizations o`. */
const actsIn = statement`(c.owner_type = 'tenant' or c.owner_type = 'organization' and c.key_organization_id = o.id)`

/**
 * Joins a credential `c` and its active user `u` to `tenants t`: nulls if it has ended, or the tenant is being deleted. Without `offset 0`,
 * PostgreSQL might read all users of the tenant first: where it has no statistics yet, it takes them for few.
 */
function withUser(credential: KnownToken): Statement {
  return statement`
    left join lateral (${credential.kind.find(credential)}) c on t.deleted_at is null
    left join lateral (
      select * from users u where u.tenant_id = ${credential.tenant} and u.id = c.user_id and u.status = 'active' offset 0) u on true`
}

/**
 * Locks the organization in the path for a member, or for a key that acts in it; for anybody else, or with a credential that has ended, it
 * waits for nothing and locks nothing.
 */
export function lockForMember(request: FastifyRequest): Statement {
  const credential = credentialOf(request)
  const { tenant, kind } = credential
  const isMember = (user: Statement) => statement`exists (
    select from memberships m
    where m.tenant_id = ${tenant} and m.organization_id = o.id and m.user_id = ${user} and ${isCurrent})`
  const may =
    kind.name === 'key'
      ? statement`exists (
          select from tenants t ${withUser(credential)}
          where t.id = ${tenant} and (${actsIn} or ${isMember(statement`u.id`)}))`
      : isMember(activeUserOf(request))
  return statement`
    select id
    from organizations o
    where tenant_id = ${tenant}
      and id = ${organizationOf(request)}
      and ${may}
    for no key update`
}

/** Locks the tenant for one of its admins, so that of two who demote each other only one does; else like `lockForMember`. */
export function lockForTenantAdmin(request: FastifyRequest): Statement {
  const { tenant } = credentialOf(request)
  return selectLockedTenant(
    tenant,
    statement`and exists (
      select from users u
      where u.tenant_id = ${tenant} and u.id = ${activeUserOf(request)} and u.role = 'admin')`,
  )
}

/** The id of the caller, as an expression: null if the credential has ended or its user is not active. */
function activeUserOf(request: FastifyRequest): Statement {
  const credential = credentialOf(request)
  return statement`(select u.id from tenants t ${withUser(credential)} where t.id = ${credential.tenant})`
}

/** A route with `organizationIn` is one of the organization that its request names, if it names one; its members may use it. */
export function accessOf(request: FastifyRequest): Access {
  if (organizationIn(request) !== undefined) return 'organization:read'
  return request.routeOptions.config.access as Access // openDoors refuses routes without one
}

function organizationIn(request: FastifyRequest): string | undefined {
  const { organizationIn: part } = request.routeOptions.config
  return part && (request[part] as { organization?: string }).organization // its schema has the field
}

export function isInOrganization(request: FastifyRequest): boolean {
  return isOfOrganization(accessOf(request))
}

export function credentialOf(request: FastifyRequest) {
  if (!request.credential) throw new ApiProblem('unauthenticated')
  return request.credential
}

/** How the request names its organization: by the id or the slug. */
export function nameOf(request: FastifyRequest): string {
  const { orgId } = request.params as { orgId: string } // every route with a permission has it in its path
  return organizationIn(request) ?? orgId
}

/** The id of the organization that the request names. */
function organizationOf(request: FastifyRequest): Statement {
  return organizationNamed(credentialOf(request).tenant, nameOf(request))
}

/** @param name an id or a slug: an underscore is in every id and in no slug @returns the id, as an expression */
export function organizationNamed(tenant: string, name: string): Statement {
  if (name.includes('_')) return statement`${name}`
  return statement`(select id from organizations where tenant_id = ${tenant} and slug = ${name})`
}
