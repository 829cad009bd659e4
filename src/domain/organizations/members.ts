/** Members: the shape in which a membership is shown, and how one is read. */
import { type Static, Type } from 'typebox'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { HttpsUrl, Id, Name, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { hasFactor, Person, userStatuses } from '../people/users.ts'
import { may, Role, rolesOf } from '../permissions/roles.ts'
import { ApiProblem } from '../problems.ts'

export type Member = Static<typeof Member>
export const Member = Type.Object(
  {
    id: Id('mem'),
    user: Type.Object({
      id: Id('user'),
      name: Nullable(Name),
      email: Type.String({ maxLength: 254, examples: ['ann@example.com'] }),
      avatarUrl: Nullable(HttpsUrl),
      status: OneOf(userStatuses),
      hasSecondFactor: Nullable(Type.Boolean({ description: 'For owners and admins; null for others.' })),
    }),
    role: Role,
    roles: Type.Array(Role, { maxItems: 3, description: 'The role and every role that it includes.' }),
    joinedAt: Timestamp,
    invitedBy: Nullable(ref(Person)),
  },
  { $id: 'Member', description: 'A membership: a user in an organization, with a role.' },
)

/** `:memberId` where the caller may name themselves. */
export const MembershipPath = Type.String({
  pattern: '^(me|mem_[0-7][0-9a-hjkmnp-tv-z]{25})$',
  minLength: 2,
  maxLength: 30,
  description: 'The id of a membership, or `me` for the caller’s own.',
  examples: ['me'],
})

export interface MemberRow extends Omit<Member, 'roles'> {
  readonly nameKey: string | null
}

/** @param role the one they have now, where another one was read */
export function toMember(row: Omit<Member, 'roles'>, role = row.role): Member {
  return { ...row, role, roles: rolesOf(role) }
}

/** A member as somebody with a role sees it: only owners and admins learn who has a second factor. */
export function shownTo(role: Role, member: Member): Member {
  if (may({ role }, 'members:update')) return member
  return { ...member, user: { ...member.user, hasSecondFactor: null } }
}

/** Members of an organization, in the shape of `Member`; more conditions may follow. */
export function selectMembers(tenant: string, organization: Statement | string): Statement {
  return statement`
    select m.id, m.role, m.joined_at, u.name_key,
      json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'avatarUrl', u.avatar_url, 'status', u.status,
        'hasSecondFactor', ${hasFactor(statement`u`)}) as user,
      case when i.id is not null then json_build_object('id', i.id, 'name', i.name) end as invited_by
    from memberships m
    join users u on u.tenant_id = ${tenant} and u.id = m.user_id
    left join users i on i.tenant_id = ${tenant} and i.id = m.invited_by
    where m.tenant_id = ${tenant} and m.organization_id = ${organization}`
}

/** @throws Problem not_found */
export async function getMember(sql: Sql, organizationId: string, memberId: string): Promise<Member> {
  const [member] = await sql<MemberRow>`${selectMembers(sql.tenant, organizationId)} and m.id = ${memberId}`
  if (!member) throw new ApiProblem('not_found')
  return toMember(member)
}
