/** The access model: the permissions and roles that a product adds to the built-in ones, for admins of the tenant. */
import { Type } from 'typebox'
import {
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
import { isCurrent, isHeld } from '../../domain/permissions/held.ts'
import { roles } from '../../domain/permissions/roles.ts'
import { minimumRolesWith } from '../../domain/permissions/rules.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { checkVersion, type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { changeModel, ModelChanges } from './model-changes.ts'
import { WantedModel } from './wanted-model.ts'

const model = {
  permissions: Type.Array(ref(PermissionEntry), { maxItems: mostPermissions, description: 'The built-in ones first.' }),
  roles: Type.Array(
    Type.Object({
      ...roleFields,
      memberCount: Type.Integer({
        minimum: 0,
        maximum: 10_000,
        format: 'int32',
        description: 'Members who have it, in all organizations. Exact to 10,000.',
      }),
    }),
    { maxItems: mostRoles, description: 'The built-in ones first.' },
  ),
}
const AccessModel = Type.Object(model, {
  $id: 'AccessModel',
  description: 'What may be done in an organization, and the roles that bundle it.',
})

export async function accessModelRoutes(app: App): Promise<void> {
  app.addSchema(PermissionEntry)
  app.addSchema(AccessModel)

  app.get(
    '/admin/access',
    {
      config: { access: 'tenant_admin', scope: 'tenant:read' },
      schema: {
        operationId: 'getAccessModel',
        summary: 'Permissions and roles',
        description: 'The built-in permissions and roles, and those of the product.',
        tags: ['Access'],
        response: { 200: ref(AccessModel) },
      },
    },
    async (request, reply) => {
      const rows = await request.readAsTenantAdmin<Rows>(({ tenant }) => ({
        versions: statement`select id::text as id, access_version as version from tenants where id = ${tenant}`,
        permissions: selectProductPermissions(tenant),
        roles: selectProductRoles(tenant),
        counts: selectCounts(tenant),
      }))
      return withTag(reply, shown(rows))
    },
  )

  app.put(
    '/admin/access',
    {
      bodyLimit: 512 * 1024,
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['role_in_use'], takesIfMatch: true },
      schema: {
        operationId: 'replaceAccessModel',
        summary: 'Replace permissions and roles',
        description:
          'Replaces all permissions and roles of the product by those of the body. What somebody or a key has goes only if `drop` names it. `was` renames a role; it is ignored once no role has the old key. The built-in part of the answer and its counts are not sent back.',
        tags: ['Access'],
        querystring: Type.Object(
          {
            dryRun: Type.Optional(Type.Boolean({ description: 'Whether to change nothing, and only say what would.' })),
            drop: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 10_000,
                description:
                  'Keys of roles and permissions, separated by commas, that go although somebody or a key has them.',
                examples: ['billing,invoices:void'],
              }),
            ),
          },
          { additionalProperties: false },
        ),
        body: WantedModel,
        response: {
          200: Type.Object({ ...model, changes: ModelChanges }, { description: 'The model, and what has changed.' }),
        },
      },
    },
    async (request, reply) => {
      const { dryRun: isDry = false, drop = '' } = request.query
      const { changes, ...now } = await request.asTenantAdmin(async (sql, caller) => {
        checkVersion(request.context, await getVersion(sql))
        const changes = await changeModel(sql, caller, request.body, { drop: drop.split(','), isDry })
        return { ...(await getShown(sql)), changes }
      })
      return { ...withTag(reply, now), changes }
    },
  )
}

interface Rows {
  versions: Versioned
  permissions: ProductPermission
  roles: ProductRole
  counts: { key: string; count: number }
  readonly [name: string]: unknown
  readonly caller?: never
}

function shown({
  versions,
  permissions,
  roles: known,
  counts,
}: { [Name in 'versions' | 'permissions' | 'roles' | 'counts']: Rows[Name][] }) {
  const countOf = (key: string) => counts.find((each) => each.key === key)?.count ?? 0
  return {
    ...(versions[0] as Versioned), // the tenant is there
    permissions: permissionEntries(permissions),
    roles: roleEntries(known, minimumRolesWith(permissions)).map((role) => ({
      ...role,
      permissions: [...role.permissions],
      memberCount: countOf(role.key),
    })),
  }
}

async function getVersion(sql: Sql): Promise<Versioned> {
  const [version] =
    await sql<Versioned>`select id::text as id, access_version as version from tenants where id = ${sql.tenant}`
  return version as Versioned // the door has locked the tenant
}

async function getShown(sql: Sql) {
  const [version, permissions, known, counts] = await pipeline([
    getVersion(sql),
    sql<ProductPermission>`${selectProductPermissions(sql.tenant)}`,
    sql<ProductRole>`${selectProductRoles(sql.tenant)}`,
    sql<Rows['counts']>`${selectCounts(sql.tenant)}`,
  ])
  return shown({ versions: [version], permissions, roles: known, counts })
}

/** How many members have each role, built-in ones too; each count ends at 10,000. */
function selectCounts(tenant: string): Statement {
  return statement`
    select r.key, (
      select count(*) from (
        select from memberships m where m.tenant_id = ${tenant} and m.role = r.key and ${isCurrent} limit 10000) c) as count
    from unnest(${[...roles]}::text[]) r (key)
    union all
    select r.key, (
      select count(*) from (
        select from role_grants g where g.tenant_id = ${tenant} and g.role_id = r.id and ${isHeld} limit 10000) c)
    from roles r
    where r.tenant_id = ${tenant}`
}
