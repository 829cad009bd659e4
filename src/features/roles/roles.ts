/** Roles: what a member can be given in an organization, for the pages on which that happens. */
import { type Static, Type } from 'typebox'
import { readInAnyOrganization } from '../../domain/organizations/administration.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import {
  isHarmless,
  mostPermissions,
  mostRoles,
  PermissionEntry,
  type ProductPermission,
  type ProductRole,
  permissionEntries,
  roleEntries,
  roleFields,
  selectProductPermissions,
  selectProductRoles,
} from '../../domain/permissions/access-model.ts'
import { type Held, may } from '../../domain/permissions/held.ts'
import { lackOf, minimumRolesWith } from '../../domain/permissions/rules.ts'
import { Nullable, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const Role = Type.Object(
  {
    ...roleFields,
    mayGrant: Type.Boolean({
      description: 'Whether the caller may give it: they hold all of it, and may invite or change members.',
    }),
    mayGrantUntil: Nullable({
      ...Timestamp,
      description:
        'The latest end with which the caller may give it: they hold it only until then. Null: it needs no end.',
    }),
    mayShare: Type.Boolean({
      description: 'Whether a link of the caller may give it: they may grant it, and it has no built-in permission.',
    }),
  },
  { $id: 'Role', description: 'A role: a bundle of permissions.' },
)

const Roles = Type.Object(
  {
    data: Type.Array(ref(Role), { maxItems: mostRoles }),
    permissions: Type.Array(ref(PermissionEntry), {
      maxItems: mostPermissions,
      description: 'The built-in ones first.',
    }),
  },
  { description: 'All roles, and all permissions.' },
)

export async function roleRoutes(app: App): Promise<void> {
  app.addSchema(Role)

  app.get(
    '/organizations/:orgId/roles',
    {
      config: { access: 'members:read' },
      schema: {
        operationId: 'listRoles',
        summary: 'List roles',
        description:
          'Every role that a member can have: `member`, `admin` and `owner`, then the roles of the product. `permissions` describes what they contain.',
        tags: ['Access'],
        params: Type.Object({ orgId: OrganizationPath }),
        response: { 200: Roles },
      },
    },
    async (request) => {
      const { caller, ...model } = await request.readInOrganization<Model>(({ tenant }) => selectModel(tenant))
      return listRoles(caller, model)
    },
  )

  app.get(
    '/admin/organizations/:orgId/roles',
    {
      config: { access: 'tenant_admin', scope: 'members:read', problems: ['not_found'] },
      schema: {
        operationId: 'listTenantOrganizationRoles',
        summary: 'Roles in an organization of the tenant',
        description:
          'As `GET /api/organizations/:orgId/roles` shows them to an owner. Of a key, what its scopes let it give.',
        tags: ['Administration'],
        params: Type.Object({ orgId: OrganizationPath }),
        response: { 200: Roles },
      },
    },
    async (request) => {
      const { caller, ...model } = await readInAnyOrganization<Model>(request, ({ tenant }) => selectModel(tenant))
      return listRoles(caller, model)
    },
  )
}

type Model = { readonly permissions: ProductPermission; readonly roles: ProductRole }

function selectModel(tenant: string) {
  return { permissions: selectProductPermissions(tenant), roles: selectProductRoles(tenant) }
}

/** @returns all roles, and which of them the caller may give */
function listRoles(
  caller: Held,
  { permissions, roles }: { [Name in keyof Model]: Model[Name][] },
): Static<typeof Roles> {
  const minimumRoles = minimumRolesWith(permissions)
  const isGiver = may(caller, 'members:update') || may(caller, 'invitations:write')
  return {
    data: roleEntries(roles, minimumRoles).map((role) => {
      const lack = lackOf(caller, [{ ...role, until: null }], minimumRoles)
      const mayGrant = isGiver && (!lack || lack.missing.length === 0)
      const mayGrantUntil = mayGrant && lack ? lack.until : null
      const mayShare = mayGrant && may(caller, 'invitations:write') && isHarmless(role)
      return { ...role, permissions: [...role.permissions], mayGrant, mayGrantUntil, mayShare }
    }),
    permissions: permissionEntries(permissions),
  }
}
