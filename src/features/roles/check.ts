/**
 * Checks: whether somebody may do something in an organization, in one request.
 *
 * Each line asks for one permission, and there is no "any of": combined checks have failed open elsewhere (CVE-2026-42349).
 */

import { Type } from 'typebox'
import { type Caller, isShutTo, type KeyCaller, userIdOf } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { PermissionKey, type ProductPermission } from '../../domain/permissions/access-model.ts'
import { type Held, heldByKey, heldGrants, isCurrent } from '../../domain/permissions/held.ts'
import { earlier, holdingsOf, type MinimumRoles, minimumRolesWith } from '../../domain/permissions/rules.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { checked } from '../../platform/channels.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

/** Why a check is answered with no. */
export const reasons = [
  'not_granted',
  'not_a_member',
  'membership_suspended',
  'second_factor_required',
  'unknown_permission',
] as const

/** How many checks at most share a trip with other look-ups. These would wait for more, which may be in as many organizations. */
const few = 10

export async function checkRoutes(app: App): Promise<void> {
  app.get(
    '/organizations/:orgId/check/:permission',
    {
      config: { access: 'organization:read', scope: 'any' },
      schema: {
        operationId: 'checkPermission',
        summary: 'Check a permission',
        description:
          'Whether the caller has the permission in the organization: 204, or 403. For proxies that ask before they forward a request.',
        tags: ['Access'],
        params: Type.Object({ orgId: OrganizationPath, permission: PermissionKey }),
        response: { 204: Type.Null({ description: 'The caller has the permission.' }) },
      },
    },
    async (request, reply) => {
      const { permission } = request.params
      const { caller, permissions } = await request.readInOrganization<{ permissions: ProductPermission }>(
        ({ tenant }) => ({
          permissions: statement`select key, minimum_role from permissions where tenant_id = ${tenant} and key = ${permission}`,
        }),
        { byKey: true },
      )
      const minimumRoles = minimumRolesWith(permissions)
      const isAllowed = holdingsOf(caller, minimumRoles).has(permission) && !isShutTo(caller, permission)
      const reason = minimumRoles.has(permission) ? 'not_granted' : 'unknown_permission'
      checked.publish({ answer: isAllowed ? 'allowed' : reason })
      if (!isAllowed) throw new ApiProblem('forbidden')
      return reply.status(204).send(null)
    },
  )

  app.post(
    '/check',
    {
      config: { access: 'caller', scope: 'any' },
      schema: {
        operationId: 'checkPermissions',
        summary: 'Check permissions',
        description:
          'Whether the caller has permissions in organizations, in the order of `checks`. Nothing of another line changes a line. A key of the tenant with `users:read` may ask about a user.',
        tags: ['Access'],
        body: Type.Object(
          {
            checks: Type.Array(
              Type.Object(
                {
                  organizationId: Id('org'),
                  permission: PermissionKey,
                  userId: Type.Optional({
                    ...Id('user'),
                    description: 'Whom a key of the tenant asks about, instead of itself.',
                  }),
                },
                { additionalProperties: false },
              ),
              { minItems: 1, maxItems: 100 },
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object(
            {
              results: Type.Array(
                Type.Object({
                  allowed: Type.Boolean(),
                  reason: Type.Optional(OneOf(reasons, { description: 'Why not.' })),
                  until: Type.Optional({ ...Timestamp, description: 'When time alone may end it.' }),
                }),
                { maxItems: 100 },
              ),
            },
            { description: 'A result for each check.' },
          ),
        },
      },
    },
    async (request) => {
      const { checks } = request.body
      const { caller, found } = await request.readAsCaller<{ found: Found }>(
        (names) => ({ found: selectFound(names, checks) }),
        { byKey: checks.length <= few },
      )
      checkMayAsk(caller, checks)
      const minimumRoles = minimumRolesWith((found[0] as Found).permissions) // a select without a table has one row
      const standingOf = standingsOf(caller, found[0] as Found, minimumRoles)
      const results = checks.map((check) => {
        const { permission } = check
        const refuse = (reason: (typeof reasons)[number]) => ({ allowed: false, reason })
        if (!minimumRoles.has(permission)) return refuse('unknown_permission')
        const standing = standingOf(check)
        if (!standing) return refuse('not_a_member')
        if (standing.status !== 'active') return refuse('membership_suspended')
        if (standing.secondFactor === 'required' && caller.type === 'user' && caller.assurance < 2)
          return refuse('second_factor_required')
        const until = standing.holdings.get(permission)
        if (until === undefined || isShutTo(caller, permission)) return refuse('not_granted')
        return { allowed: true, ...(until !== null && { until: new Date(until).toISOString() }) }
      })
      for (const result of results) checked.publish({ answer: 'reason' in result ? result.reason : 'allowed' })
      return { results }
    },
  )
}

interface Check {
  readonly organizationId: string
  readonly permission: string
  readonly userId?: string
}

interface Part extends Omit<Held, 'grants'> {
  readonly status: 'active' | 'suspended'
  readonly userStatus: 'active' | 'suspended'
  readonly secondFactor: 'optional' | 'required'
  readonly grants: Held['grants'] | null
}

interface Found {
  readonly permissions: readonly ProductPermission[]
  readonly memberships: readonly (Part & { readonly organizationId: string; readonly userId: string })[]
  /** Those of the checks that there are; selected for keys of organizations and of the tenant. */
  readonly organizationIds: readonly string[] | null
}

/** Keys of the tenant alone ask about others. @throws Problem insufficient_scope, invalid_request */
function checkMayAsk(caller: Caller | KeyCaller, checks: readonly Check[]): void {
  const named = checks.flatMap(({ userId }, index) => (userId === undefined ? [] : [index]))
  if (named.length === 0) return
  if (caller.type === 'user' || caller.owner !== 'tenant')
    throw invalidRequest(named.map((index) => faultOf(`/checks/${index}/userId`, 'not_allowed')))
  if (!caller.scopes.includes('users:read')) throw new ApiProblem('insufficient_scope', { scope: 'users:read' })
}

/**
 * Finds the part that the subject of a check has in its organization, and what they hold there, which is nothing while their account is
 * suspended; undefined if none. Many checks of a request are about the same organization, so this is worked out once for each.
 */
function standingsOf(caller: Caller | KeyCaller, found: Found, minimumRoles: MinimumRoles) {
  const standings = new Map<string, (Part & { readonly holdings: Holdings }) | undefined>()
  return ({ organizationId, userId }: Check) => {
    const key = `${organizationId} ${userId}`
    if (!standings.has(key)) {
      const part = partOf(caller, organizationId, userId, found)
      const holdings: Holdings =
        part?.userStatus === 'active' ? holdingsOf({ ...part, grants: part.grants ?? [] }, minimumRoles) : new Map()
      standings.set(key, part && { ...part, holdings })
    }
    return standings.get(key)
  }
}

type Holdings = ReturnType<typeof holdingsOf>

const ofKeys = { status: 'active', userStatus: 'active', secondFactor: 'optional' } as const

function partOf(
  caller: Caller | KeyCaller,
  organizationId: string,
  userId: string | undefined,
  { memberships, organizationIds }: Found,
): Part | undefined {
  const whose = userId ?? userIdOf(caller)
  if (caller.type === 'key' && whose === null)
    return organizationIds?.includes(organizationId)
      ? { ...heldByKey(caller.scopes, caller.expiresAt), ...ofKeys }
      : undefined
  const membership = memberships.find((each) => each.organizationId === organizationId && each.userId === whose)
  if (!membership || caller.type === 'key' || !caller.limits) return membership
  const { organizationId: limit, scopes, expiresAt } = caller.limits
  if (limit !== null && limit !== organizationId) return undefined
  return { ...membership, scopes, expiresAt: earlier(membership.expiresAt, expiresAt) }
}

/** One row: the product's permissions among those of the checks, and the memberships of whom they are about in the organizations. */
function selectFound({ tenant, user, key }: Names, checks: readonly Check[]): Statement {
  const organizationIds = checks.map(({ organizationId }) => organizationId)
  const userIds = checks.map(({ userId }) => userId).filter((id) => id !== undefined)
  const isAsked =
    userIds.length > 0
      ? statement`(m.user_id = ${user} or m.user_id = any(${userIds}))`
      : statement`m.user_id = ${user}`
  // The key of an organization is asked about that one, the tenant’s about each.
  const ofKey = key
    ? statement`(
        select json_agg(o.id)
        from organizations o
        join api_keys k on k.tenant_id = o.tenant_id and k.id = ${key}
        where o.tenant_id = ${tenant} and o.id = any(${organizationIds})
          and (k.owner_type = 'tenant' or k.owner_type = 'organization' and k.organization_id = o.id))`
    : statement`null`
  return statement`
    select
      (select coalesce(json_agg(json_build_object('key', p.key, 'minimumRole', p.minimum_role)), '[]')
        from permissions p
        where p.tenant_id = ${tenant} and p.key = any(${checks.map(({ permission }) => permission)})) as permissions,
      (select coalesce(json_agg(json_build_object('organizationId', m.organization_id, 'userId', m.user_id, 'role', m.role,
          'status', m.status, 'userStatus', u.status, 'expiresAt', m.expires_at, 'secondFactor', o.second_factor,
          'grants', ${heldGrants(tenant)})), '[]')
        from memberships m
        join users u on u.tenant_id = ${tenant} and u.id = m.user_id
        join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
        where m.tenant_id = ${tenant} and ${isAsked} and m.organization_id = any(${organizationIds})
          and ${isCurrent}) as memberships,
      ${ofKey} as organization_ids`
}
