/**
 * The caller: who sends a request, what they are in an organization, and what they may do there now.
 *
 * A product's server asks this in one request, for each request that it gets.
 */
import { type Static, Type } from 'typebox'
import { type Caller, type MemberCaller, sessionIdOf } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { AllRoles } from '../../domain/organizations/members.ts'
import { Organization, OrganizationPath } from '../../domain/organizations/organizations.ts'
import { User } from '../../domain/people/users.ts'
import { PermissionKey } from '../../domain/permissions/access-model.ts'
import { allRolesOf } from '../../domain/permissions/held.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { holdingsOf, minimumRolesWith, type OwnMinimumRole } from '../../domain/permissions/rules.ts'
import { expiry } from '../../domain/sessions/lifetime.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { Id, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const CallerShown = Type.Object(
  {
    type: OneOf(['user'], { description: 'The kind of caller.' }),
    user: Type.Pick(User, ['id', 'email', 'emailVerified', 'name', 'avatarUrl', 'role']),
    session: Type.Object({ id: Id('dev'), expiresAt: Timestamp }),
    key: Type.Null({ description: 'The caller is no key.' }),
    application: Type.Null({ description: 'The caller uses no application’s token.' }),
    organization: Nullable(
      Type.Object(
        {
          ...Type.Pick(Organization, ['id', 'slug', 'name']).properties,
          role: Role,
          roles: AllRoles,
        },
        { description: 'The organization that the request names. Null if it names none.' },
      ),
    ),
    permissions: Type.Array(PermissionKey, {
      maxItems: 300,
      description: 'What the caller may do in the organization now, sorted. Empty without an organization.',
    }),
  },
  { $id: 'Caller', description: 'Who sends a request, and what they may do.' },
)

export async function callerRoutes(app: App): Promise<void> {
  app.addSchema(CallerShown)

  app.get(
    '/caller',
    {
      config: { access: 'user', organizationIn: 'query', problems: ['not_found', 'membership_suspended'] },
      schema: {
        operationId: 'getCaller',
        summary: 'Who is calling',
        description:
          'The user of the session, and what they may do in an organization now. For the server of a product, which asks this with the token of a request that it got.',
        tags: ['Access'],
        querystring: Type.Object({ organization: Type.Optional(OrganizationPath) }, { additionalProperties: false }),
        response: { 200: ref(CallerShown) },
      },
    },
    async (request) => {
      const { caller, users, organizations } = await request.readAsUser<{
        users: Pick<Static<typeof User>, 'avatarUrl'> & { sessionExpiresAt: string }
        organizations: OrganizationRow
      }>(
        (names) => ({
          users: statement`
            select u.avatar_url, ${expiry} as session_expires_at
            from tenants t
            join sessions s on s.tenant_id = t.id and s.id = ${names.session}
            join users u on u.tenant_id = t.id and u.id = s.user_id
            where t.id = ${names.tenant}`,
          organizations: selectOrganization(names),
        }),
        { byKey: true },
      )
      const [user] = users
      if (!user) throw new Error('The caller’s session is not there.')
      const { userId: id, email, emailVerified, name, tenantRole: role } = caller
      const member = memberOf(caller, organizations)
      return {
        type: 'user' as const,
        user: { id, email, emailVerified, name, avatarUrl: user.avatarUrl, role },
        session: { id: sessionIdOf(caller), expiresAt: user.sessionExpiresAt },
        key: null,
        application: null,
        organization: member?.organization ?? null,
        permissions: [...(member?.holdings.keys() ?? [])].sort(),
      }
    },
  )
}

/** The organization that a request names, with the product's permissions. */
export interface OrganizationRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly productPermissions: readonly OwnMinimumRole[]
}

/** @returns no row if the request names no organization */
export function selectOrganization({ tenant, organization }: Names): Statement {
  return statement`
    select o.id, o.slug, o.name,
      (select coalesce(json_agg(json_build_object('key', p.key, 'minimumRole', p.minimum_role)), '[]')
        from permissions p where p.tenant_id = ${tenant}) as product_permissions
    from organizations o
    where o.tenant_id = ${tenant} and o.id = ${organization}`
}

/** What the caller is and holds in the organization that the request names; undefined if it names none. */
export function memberOf(caller: Caller, [row]: readonly OrganizationRow[]) {
  if (!row) return undefined
  const { id, slug, name, productPermissions } = row
  const member = caller as MemberCaller // the door has found the membership, else it had thrown
  const { role, grants } = member
  return {
    organization: { id, slug, name, role, roles: allRolesOf(role, grants) },
    holdings: holdingsOf(member, minimumRolesWith(productPermissions)),
    expiresAt: member.expiresAt,
  }
}
