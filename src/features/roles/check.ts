/**
 * Checks: whether somebody may do something in an organization, in one request.
 *
 * Each line asks for one permission, and there is no "any of": combined checks have failed open elsewhere (CVE-2026-42349).
 */
import { Type } from 'typebox'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { PermissionKey, type ProductPermission } from '../../domain/permissions/access-model.ts'
import { type Held, heldGrants, isCurrent } from '../../domain/permissions/held.ts'
import { holdingsOf, minimumRolesWith } from '../../domain/permissions/rules.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { checked } from '../../platform/channels.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
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

export async function checkRoutes(app: App): Promise<void> {
  app.get(
    '/organizations/:orgId/check/:permission',
    {
      config: { access: 'organization:read' },
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
      const isAllowed = holdingsOf(caller, minimumRoles).has(permission)
      const reason = minimumRoles.has(permission) ? 'not_granted' : 'unknown_permission'
      checked.publish({ answer: isAllowed ? 'allowed' : reason })
      if (!isAllowed) throw new ApiProblem('forbidden')
      return reply.status(204).send(null)
    },
  )

  app.post(
    '/check',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'checkPermissions',
        summary: 'Check permissions',
        description:
          'Whether the caller has permissions in organizations, in the order of `checks`. Nothing of another line changes a line.',
        tags: ['Access'],
        body: Type.Object(
          {
            checks: Type.Array(
              Type.Object({ organizationId: Id('org'), permission: PermissionKey }, { additionalProperties: false }),
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
      const { caller, found } = await request.readAsUser<{ found: Found }>(({ tenant, user }) => ({
        found: selectFound(
          tenant,
          user,
          checks.map(({ organizationId }) => organizationId),
          checks.map(({ permission }) => permission),
        ),
      }))
      const { permissions, memberships } = found[0] as Found // a select without a table has one row
      const minimumRoles = minimumRolesWith(permissions)
      const holdings = new Map(memberships.map((each) => [each.organizationId, holdingsOf(asHeld(each), minimumRoles)]))
      const results = checks.map(({ organizationId, permission }) => {
        const membership = memberships.find((each) => each.organizationId === organizationId)
        const refuse = (reason: (typeof reasons)[number]) => ({ allowed: false, reason })
        if (!minimumRoles.has(permission)) return refuse('unknown_permission')
        if (!membership) return refuse('not_a_member')
        if (membership.status !== 'active') return refuse('membership_suspended')
        if (membership.secondFactor === 'required' && caller.assurance < 2) return refuse('second_factor_required')
        const until = holdings.get(organizationId)?.get(permission)
        if (until === undefined) return refuse('not_granted')
        return { allowed: true, ...(until !== null && { until: new Date(until).toISOString() }) }
      })
      for (const result of results) checked.publish({ answer: 'reason' in result ? result.reason : 'allowed' })
      return { results }
    },
  )
}

interface Found {
  readonly permissions: readonly ProductPermission[]
  readonly memberships: readonly (Omit<Held, 'grants'> & {
    readonly organizationId: string
    readonly status: 'active' | 'suspended'
    readonly secondFactor: 'optional' | 'required'
    readonly grants: Held['grants'] | null
  })[]
}

function asHeld({ role, expiresAt, grants }: Found['memberships'][number]): Held {
  return { role, expiresAt, grants: grants ?? [] }
}

/** One row: the product's permissions among `keys`, and the user's memberships of the organizations. */
function selectFound(
  tenant: string,
  user: Statement,
  organizationIds: readonly string[],
  keys: readonly string[],
): Statement {
  return statement`
    select
      (select coalesce(json_agg(json_build_object('key', p.key, 'minimumRole', p.minimum_role)), '[]')
        from permissions p
        where p.tenant_id = ${tenant} and p.key = any(${keys})) as permissions,
      (select coalesce(json_agg(json_build_object('organizationId', m.organization_id, 'role', m.role, 'status', m.status,
          'expiresAt', m.expires_at, 'secondFactor', o.second_factor, 'grants', ${heldGrants(tenant)})), '[]')
        from memberships m
        join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
        where m.tenant_id = ${tenant} and m.user_id = ${user} and m.organization_id = any(${organizationIds})
          and ${isCurrent}) as memberships`
}
