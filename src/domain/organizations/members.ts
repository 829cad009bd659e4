/** Members: the shape in which a membership is shown, and how one is read. */
import { type Static, Type } from 'typebox'
import { empty, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Id, inUtc, Name, Nullable, OneOf, PictureUrl, ref, Timestamp } from '../../platform/http/schemas.ts'
import { caps } from '../limits/caps.ts'
import { userStatuses } from '../people/fields.ts'
import { hasFactor, Person } from '../people/users.ts'
import { mostPermissions, PermissionKey, RoleKey } from '../permissions/access-model.ts'
import { allRolesOf, type Held, isCurrent, isHeld, may } from '../permissions/held.ts'
import { Role, roles } from '../permissions/roles.ts'
import { found } from '../problems.ts'
import { Grant } from './grants.ts'

export const membershipStatuses = ['active', 'suspended'] as const

export const AllRoles = Type.Array(RoleKey, {
  maxItems: roles.length + caps.grants.most,
  description: 'The role, every role that it includes, and the roles that are granted.',
})

export type Member = Static<typeof Member>
export const Member = Type.Object(
  {
    id: Id('mem'),
    user: Type.Object({
      id: Id('user'),
      name: Nullable(Name),
      email: Type.String({ maxLength: 254, examples: ['ann@example.com'] }),
      avatarUrl: Nullable(PictureUrl),
      status: OneOf(userStatuses),
      hasSecondFactor: Nullable(Type.Boolean({ description: 'For callers with `members:update`; null for others.' })),
    }),
    role: Role,
    roles: AllRoles,
    grants: Type.Array(ref(Grant), {
      maxItems: caps.grants.most,
      description: 'Roles of the product that the member has.',
    }),
    status: OneOf(membershipStatuses, { description: 'Of the membership; `user.status` is that of the account.' }),
    expiresAt: Nullable({ ...Timestamp, description: 'When the membership ends. Null: no end.' }),
    lastActiveAt: Nullable({
      ...Timestamp,
      description: 'To the hour, but not before `joinedAt`. Null for callers without `members:update`.',
    }),
    joinedAt: Timestamp,
    invitedBy: Nullable(ref(Person)),
  },
  { $id: 'Member', description: 'A membership: a user in an organization, with a role.' },
)

export const MemberDetails = Type.Object(
  {
    ...Member.properties,
    permissions: Type.Optional(
      Type.Array(PermissionKey, {
        maxItems: mostPermissions,
        description: 'All that the member may do now. Only for the member and for callers with `members:update`.',
      }),
    ),
  },
  { $id: 'MemberDetails', description: 'A member, with everything that they may do.' },
)

/** `:memberId` where the caller may name themselves. */
export const MembershipPath = Type.String({
  pattern: '^(me|mem_[0-7][0-9a-hjkmnp-tv-z]{25})$',
  minLength: 2,
  maxLength: 30,
  description: 'The id of a membership, or `me` for the caller’s own.',
  examples: ['me'],
})

/** A grant as `selectMembers` selects it. */
interface GrantRow extends Omit<Grant, 'grantedBy'> {
  /** Null: nobody, or an account that was deleted. */
  readonly giverId: string | null
  readonly giverName: string | null
}

/** A member as `selectMembers` selects it: its user and inviter are columns, which cost less than JSON in each row. */
export interface MemberRow extends Omit<Member, 'user' | 'roles' | 'grants' | 'invitedBy'> {
  readonly userId: string
  readonly userName: string | null
  readonly userEmail: string
  readonly userAvatarUrl: string | null
  readonly userStatus: Member['user']['status']
  readonly userHasSecondFactor: boolean
  readonly nameKey: string | null
  /** Null: none, or an account that was deleted. */
  readonly inviterId: string | null
  readonly inviterName: string | null
  /** Null: none. */
  readonly grants: readonly GrantRow[] | null
}

/** A member as `selectHolders` selects it: each grant with what it gives. */
export interface HolderRow extends MemberRow {
  readonly grants: readonly (GrantRow & { readonly roleId: string; readonly permissions: readonly string[] })[] | null
}

export function toMember(row: MemberRow): Member {
  const { id, role, status, expiresAt, lastActiveAt, joinedAt, inviterId } = row
  const user = {
    id: row.userId,
    name: row.userName,
    email: row.userEmail,
    avatarUrl: row.userAvatarUrl,
    status: row.userStatus,
    hasSecondFactor: row.userHasSecondFactor,
  }
  const grants = (row.grants ?? []).map(({ role, expiresAt, grantedAt, giverId, giverName }) => ({
    role,
    expiresAt: expiresAt && inUtc(expiresAt),
    grantedBy: giverId === null ? null : { id: giverId, name: giverName },
    grantedAt: inUtc(grantedAt),
  }))
  const invitedBy = inviterId === null ? null : { id: inviterId, name: row.inviterName }
  return {
    id,
    user,
    role,
    roles: allRolesOf(role, grants),
    grants,
    status,
    expiresAt,
    lastActiveAt,
    joinedAt,
    invitedBy,
  }
}

/** @param role the one they have now, where another one was read */
export function withRole(member: Member, role: Role): Member {
  return { ...member, role, roles: allRolesOf(role, member.grants) }
}

/** What a member holds, as if neither they nor their account were suspended. */
export function heldBy({ role, expiresAt, grants }: HolderRow): Held {
  return { role, expiresAt, grants: grants ?? [] }
}

/** A member as somebody sees it: only those who may change members learn who has a second factor, and who was active when. */
export function shownTo(caller: Pick<Held, 'role' | 'grants'>, member: Member): Member {
  if (may(caller, 'members:update')) return member
  return { ...member, user: { ...member.user, hasSecondFactor: null }, lastActiveAt: null }
}

/** Members of an organization, in the shape of `MemberRow`, without those whose time has ended; more conditions may follow. */
export function selectMembers(
  tenant: string,
  organization: Statement | string,
  memberships: Statement = statement`memberships`,
): Statement {
  return selectWith(empty, tenant, organization, memberships)
}

/** The same in the shape of `HolderRow`. A list needs no permissions, which are a seventh of its cost. */
export function selectHolders(tenant: string, organization: Statement | string): Statement {
  return selectWith(statement`, r.id as "roleId", r.permissions`, tenant, organization, statement`memberships`)
}

/** @param ofGrants more columns of each grant */
function selectWith(
  ofGrants: Statement,
  tenant: string,
  organization: Statement | string,
  memberships: Statement,
): Statement {
  return statement`
    select m.id, m.role, m.status, m.expires_at, m.last_active_at, m.joined_at,
      u.id as user_id, u.name as user_name, u.email as user_email, u.avatar_url as user_avatar_url, u.status as user_status,
      ${hasFactor(tenant, statement`u`)} as user_has_second_factor, u.name_key, i.id as inviter_id, i.name as inviter_name,
      case when m.has_grants then (
        select json_agg(each)
        from (
          select r.key as role, g.expires_at as "expiresAt", g.granted_at as "grantedAt", b.id as "giverId",
            b.name as "giverName" ${ofGrants}
          from role_grants g
          join roles r on r.tenant_id = ${tenant} and r.id = g.role_id
          left join users b on b.tenant_id = ${tenant} and b.id = g.granted_by
          where g.tenant_id = ${tenant} and g.membership_id = m.id and ${isHeld}
          order by r.key) each) end as grants
    from ${memberships} m
    join users u on u.tenant_id = ${tenant} and u.id = m.user_id
    left join users i on i.tenant_id = ${tenant} and i.id = m.invited_by
    where m.tenant_id = ${tenant} and m.organization_id = ${organization} and ${isCurrent}`
}

/** The member whom a path names: a condition on `memberships m`. @param caller their user id, for `me` */
export function isNamed(memberId: string, caller: Statement): Statement {
  return memberId === 'me' ? statement`m.user_id = ${caller}` : statement`m.id = ${memberId}`
}

/** The user of a member, as an expression. @param isIt a condition on `memberships m` */
export function userOfMember(tenant: string, organization: Statement, isIt: Statement): Statement {
  return statement`(
    select m.user_id from memberships m
    where m.tenant_id = ${tenant} and m.organization_id = ${organization} and ${isIt})`
}

/** @throws Problem not_found */
export async function getMember(sql: Sql, organizationId: string, memberId: string): Promise<Member> {
  const [member] = await sql<HolderRow>`${selectHolders(sql.tenant, organizationId)} and m.id = ${memberId}`
  return toMember(found(member))
}
