/**
 * The access model: the product's own permissions and roles, as its admins define them for the tenant, beside the built-in ones.
 *
 * It changes as a whole, under the tenant's row (features/roles/access-model.ts). Here is its shape, and how it is read.
 */
import { type Static, Type } from 'typebox'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Id, Nullable, OneOf } from '../../platform/http/schemas.ts'
import { builtInPermissions, grantablePermissions, isPermission } from './permissions.ts'
import { Role } from './roles.ts'
import { type MinimumRoles, minimumRolesWith, type OwnMinimumRole, permissionsOfRole } from './rules.ts'

export const PermissionKey = Type.String({
  minLength: 3,
  maxLength: 64,
  pattern: '^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$',
  description: 'A noun and a verb, such as `invoices:write`.',
  examples: ['invoices:write'],
})
export const RoleKey = Type.String({
  minLength: 2,
  maxLength: 48,
  pattern: '^[a-z][a-z0-9-]{1,47}$',
  description: 'Lowercase letters, digits and hyphens, starting with a letter.',
  examples: ['billing'],
})
/** The most permissions and roles of a list: the built-in ones, those of a product, and room for built-in ones that are yet to come. */
export const mostPermissions = 300
export const mostRoles = 60

export const ModelName = Type.String({ minLength: 1, maxLength: 100, format: 'name', examples: ['Change invoices'] })
export const modelFields = {
  name: ModelName,
  description: Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'line',
    examples: ['Write, send and void invoices.'],
  }),
  minimumRole: { ...Role, description: 'This role and those above it have the permission without a grant.' },
}

export type PermissionEntry = Static<typeof PermissionEntry>
export const PermissionEntry = Type.Object(
  {
    key: PermissionKey,
    name: ModelName,
    description: Nullable(modelFields.description),
    minimumRole: modelFields.minimumRole,
    builtIn: Type.Boolean(),
    grantable: Type.Boolean({ description: 'Whether roles of the product may contain it.' }),
  },
  { $id: 'Permission', description: 'What may be done in an organization.' },
)

export const roleFields = {
  id: Nullable({ ...Id('rol'), description: 'Null for the roles `member`, `admin` and `owner`.' }),
  key: RoleKey,
  name: ModelName,
  description: Nullable(modelFields.description),
  permissions: Type.Array(PermissionKey, { maxItems: mostPermissions }),
  source: OneOf(['builtIn', 'tenant']),
}

/** A role of the product, as the tenant's admins define it. */
export interface ProductRole {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly permissions: readonly string[]
}

/** Whether a role has no built-in permission, so that everybody who has a link may be given it. */
export function isHarmless({ permissions }: Pick<ProductRole, 'permissions'>): boolean {
  return !permissions.some(isPermission)
}

/** The product's permissions; the built-in ones are not among them. */
export interface ProductPermission {
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly minimumRole: Role
}

export function selectProductPermissions(tenant: string): Statement {
  return statement`select key, name, description, minimum_role from permissions where tenant_id = ${tenant} order by key`
}

export function selectProductRoles(tenant: string): Statement {
  return statement`select id, key, name, description, permissions from roles where tenant_id = ${tenant} order by key`
}

/** What `minimumRolesWith` needs of the product's permissions. */
export function selectMinimumRoles(tenant: string): Statement {
  return statement`select key, minimum_role from permissions where tenant_id = ${tenant}`
}

/** What offers are judged by. */
export interface AccessModel {
  readonly minimumRoles: MinimumRoles
  readonly roles: readonly ProductRole[]
  /** When it was read, by the database’s clock. */
  readonly now: number
}

/** The statements of an access model. They belong after a lock, in the same transaction. */
export function selectAccessModel(tenant: string) {
  return {
    permissions: selectProductPermissions(tenant),
    roles: selectProductRoles(tenant),
    clock: statement`select statement_timestamp() as now`,
  }
}

/** As `selectAccessModel` selects it. */
export type AccessModelRows = {
  readonly permissions: ProductPermission[]
  readonly roles: ProductRole[]
  readonly clock: { readonly now: string }[]
}

export function toAccessModel({ permissions, roles, clock }: AccessModelRows): AccessModel {
  const [{ now }] = clock as [{ now: string }] // a select without a table has one row
  return { minimumRoles: minimumRolesWith(permissions), roles, now: Date.parse(now) }
}

/** Reads it in the transaction at hand. */
export async function getAccessModel(sql: Sql): Promise<AccessModel> {
  const select = selectAccessModel(sql.tenant)
  const [permissions, roles, clock] = await pipeline([
    sql<ProductPermission>`${select.permissions}`,
    sql<ProductRole>`${select.roles}`,
    sql<{ now: string }>`${select.clock}`,
  ])
  return toAccessModel({ permissions, roles, clock })
}

/** Reads the least role of each permission. */
export async function getMinimumRoles(sql: Sql): Promise<MinimumRoles> {
  return minimumRolesWith(await sql<OwnMinimumRole>`${selectMinimumRoles(sql.tenant)}`)
}

export function getProductRoles(sql: Sql): Promise<ProductRole[]> {
  return sql<ProductRole>`${selectProductRoles(sql.tenant)}`
}

/** Every permission as it is shown, the built-in ones first. */
export function permissionEntries(own: readonly ProductPermission[]): PermissionEntry[] {
  const isGrantable = (key: string) => (grantablePermissions as readonly string[]).includes(key)
  return [
    ...builtInPermissions.map((each) => ({ ...each, builtIn: true, grantable: isGrantable(each.key) })),
    ...own.map((each) => ({ ...each, builtIn: false, grantable: true })),
  ]
}

const builtInRoles: readonly { readonly key: Role; readonly name: string; readonly description: string }[] = [
  { key: 'member', name: 'Member', description: 'Sees the organization and its members.' },
  { key: 'admin', name: 'Admin', description: 'Also changes the organization, and invites and manages members.' },
  { key: 'owner', name: 'Owner', description: 'Does everything, and may delete the organization.' },
]

/** A role as it is shown, before it is said who may grant it. */
export type RoleEntry = Omit<ProductRole, 'id'> & {
  readonly id: string | null
  readonly source: 'builtIn' | 'tenant'
}

/** Every role as it is shown, the built-in ones first, least first. */
export function roleEntries(own: readonly ProductRole[], minimumRoles: MinimumRoles): RoleEntry[] {
  return [
    ...builtInRoles.map((each) => ({
      ...each,
      id: null,
      permissions: permissionsOfRole(each.key, minimumRoles),
      source: 'builtIn' as const,
    })),
    ...own.map((each) => ({ ...each, source: 'tenant' as const })),
  ]
}
