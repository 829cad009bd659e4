/** Organizations: the shape in which one is shown, and how one is read. */
import { type Static, Type } from 'typebox'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { fieldColumns, schemasOf } from '../../platform/database/fields.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { Id, Nullable, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import type { Caller, OrganizationCaller } from '../access/actors.ts'
import { ExternalId } from '../people/external-ids.ts'
import { mostPermissions, PermissionKey } from '../permissions/access-model.ts'
import { Role, rolesOf } from '../permissions/roles.ts'
import { found } from '../problems.ts'
import { described, ofOwners, ofTenantAdmins, organizationFields } from './fields.ts'
import { membershipStatuses } from './members.ts'

const { slug, ...others } = schemasOf(described)

export type Organization = Static<typeof Organization>
export const Organization = Type.Object(
  {
    id: Id('org'),
    slug,
    ...others,
    ...schemasOf(ofOwners),
    memberCount: Type.Integer({ minimum: 0, maximum: 2_147_483_647, format: 'int32', examples: [3] }),
    ...schemasOf(ofTenantAdmins),
    membership: Nullable(
      Type.Object(
        {
          id: Id('mem'),
          status: OneOf(membershipStatuses),
          expiresAt: Nullable(Timestamp),
        },
        { description: 'The caller’s own. Null for admins of the tenant, who need not be members.' },
      ),
    ),
    role: Nullable(Role),
    roles: Type.Array(Role, { maxItems: 3, description: 'The caller’s role and every role that it includes.' }),
    permissions: Type.Optional(
      Type.Array(PermissionKey, {
        maxItems: mostPermissions,
        description:
          'All that the caller may do there now, if they are a member. Only in the answer to `getOrganization`.',
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    externalId: Type.Optional(Nullable(ExternalId)),
  },
  { $id: 'Organization', description: 'An organization, and the caller’s role in it.' },
)

/** `:orgId`: the id or the slug. */
export const OrganizationPath = Type.String({
  minLength: 3,
  maxLength: 48,
  pattern: '^(org_[0-7][0-9a-hjkmnp-tv-z]{25}|[a-z0-9][a-z0-9-]{1,46}[a-z0-9])$',
  description: 'The organization’s id, or its slug.',
  examples: ['org_01k9zq3v5hf8gs4m2y7c6t0wdn'],
})

/** Of `organizations o`. */
export const organizationColumns = statement`
  o.id, ${fieldColumns(organizationFields, statement`o`)}, o.member_count, o.created_at, o.updated_at, o.version`

/** As `organizationColumns` selects it; with its external id where admins of the tenant read it. */
export type OrganizationRow = Omit<Organization, 'roles' | 'role' | 'permissions' | 'membership'> & Versioned

/** An organization as admins of the tenant see it, who need not be in it. */
export function seenFromOutside<Row extends Omit<Organization, 'role' | 'roles' | 'membership'>>(row: Row) {
  return { ...row, membership: null, role: null, roles: [] }
}

/** Somebody's membership, as their organization shows it. */
export type OwnMembership = NonNullable<Organization['membership']> & { readonly role: Role }

/** An organization as a caller sees it whom a door has let in. A key sees it from outside. */
export function seenBy(caller: OrganizationCaller, row: OrganizationRow) {
  if (caller.type === 'key') return seenFromOutside(row)
  const { membershipId: id, role, membershipExpiresAt: expiresAt, assurance } = caller
  return toOrganization(row, { id, role, expiresAt, status: 'active' }, assurance)
}

/** @param assurance of the caller: with one factor nobody reads an organization that requires two, nor do suspended members */
export function toOrganization(
  row: OrganizationRow,
  { role, id, status, expiresAt }: OwnMembership,
  assurance: Caller['assurance'],
): Organization & Versioned {
  const isReadable = status === 'active' && (row.secondFactor !== 'required' || assurance === 2)
  const metadata = isReadable ? row.metadata : {}
  return { ...row, metadata, membership: { id, status, expiresAt }, role, roles: rolesOf(role) }
}

export function selectOrganization(tenant: string, organization: Statement | string): Statement {
  return statement`select ${organizationColumns} from organizations o where o.tenant_id = ${tenant} and o.id = ${organization}`
}

/** @throws Problem not_found */
export async function getOrganization(sql: Sql, id: string): Promise<OrganizationRow> {
  const [organization] = await sql<OrganizationRow>`${selectOrganization(sql.tenant, id)}`
  return found(organization)
}

/** An underscore is in every id and in no slug. */
export function byIdOrSlug(idOrSlug: string): Statement {
  return idOrSlug.includes('_') ? statement`o.id = ${idOrSlug}` : statement`o.slug = ${idOrSlug}`
}
