/**
 * Ownership: handing an organization on, by its owner or by a tenant admin.
 *
 * Invariant: one becomes an owner and one an admin in the same statement, so there are as many owners as before at every moment.
 */
import { type Static, Type } from 'typebox'
import type { Actor } from '../../domain/access/authorization.ts'
import { revokeInvitationsBeyond } from '../../domain/organizations/revocation.ts'
import type { Role } from '../../domain/permissions/roles.ts'
import { type Action, recordEvent } from '../../domain/record/record.ts'
import { type Sql, type Statement, statement, together } from '../../platform/database/database.ts'
import { Problem } from '../../platform/http/problems.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { queueMail } from '../../platform/jobs/queue.ts'
import { lockOrganization } from '../administration/organizations.ts'
import { OrganizationPath } from '../organizations/organizations.ts'
import { getMember, Member, selectMembers, toMember } from './members.ts'

type Transfer = Static<typeof Transfer>
const Transfer = Type.Object(
  { from: ref(Member), to: ref(Member) },
  { description: 'Both as they are now: `from` is an admin, `to` an owner.' },
)
const path = Type.Object({ orgId: OrganizationPath })
const body = Type.Object({ memberId: Id('mem') }, { additionalProperties: false })

export async function ownershipRoutes(app: App): Promise<void> {
  app.post(
    '/organizations/:orgId/transfer',
    {
      config: {
        access: 'ownership:transfer',
        problems: ['already_owner', 'user_suspended'],
        takesIdempotencyKey: true,
        replayAccess: 'organization:read',
      },
      schema: {
        operationId: 'transferOwnership',
        summary: 'Transfer ownership',
        description: 'The member becomes an owner and the caller an admin, in one step. Both get a mail.',
        tags: ['Members'],
        params: path,
        body,
        response: { 200: Transfer },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        const { organizationId, membershipId } = caller
        const [to, from] = await together(
          getCandidate(sql, organizationId, request.body.memberId),
          getMember(sql, organizationId, membershipId),
        )
        return transfer(sql, caller, organizationId, { from, to })
      }),
  )

  app.post(
    '/admin/organizations/:orgId/transfer',
    {
      config: {
        access: 'tenant_admin',
        problems: ['not_found', 'already_owner', 'user_suspended'],
        takesIdempotencyKey: true,
      },
      schema: {
        operationId: 'transferTenantOrganization',
        summary: 'Transfer an organization’s ownership',
        description:
          'For tenant admins, whether or not they are in it. The member becomes an owner; of the owners, the one who joined first becomes an admin, even if suspended. Both get a mail.',
        tags: ['Administration'],
        params: path,
        body,
        response: { 200: Transfer },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const organizationId = await lockOrganization(sql, request.params.orgId)
        const to = await getCandidate(sql, organizationId, request.body.memberId)
        const from = await getMember(sql, organizationId, await findFirstOwner(sql, organizationId))
        return transfer(sql, caller, organizationId, { from, to })
      }),
  )
}

/**
 * Whoever suspends the candidate at this moment waits, and leaves an owner who is suspended; nobody becomes one while they are.
 *
 * @throws Problem not_found, user_suspended, already_owner
 */
async function getCandidate(sql: Sql, organizationId: string, memberId: string): Promise<Member> {
  const candidate = await getMember(sql, organizationId, memberId)
  const [user] = await sql<{ status: string }>`
    select status from users where tenant_id = ${sql.tenant} and id = ${candidate.user.id} for share`
  if (user?.status !== 'active') throw new Problem('user_suspended')
  if (candidate.role === 'owner') throw new Problem('already_owner')
  return candidate
}

/** @returns the membership of the owner who joined first */
async function findFirstOwner(sql: Sql, organizationId: string): Promise<string> {
  const [first] = await sql<{ id: string }>`
    select id
    from memberships
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and role = 'owner'
    order by joined_at, id
    limit 1`
  if (!first) throw new Error('An organization without an owner: the check on owner_count has failed.')
  return first.id
}

/** Selects up to 20 active members who could own an organization in another's place: admins first, then whoever joined first. */
export function selectCandidates(tenant: string, organization: Statement): Statement {
  return statement`
    ${selectMembers(tenant, organization)} and m.role <> 'owner' and u.status = 'active'
    order by m.role = 'admin' desc, m.joined_at, m.id
    limit 20`
}

/** Swaps the two; the number of owners stays. The organization's row must be locked. */
async function transfer(sql: Sql, actor: Actor, organizationId: string, { from, to }: Transfer): Promise<Transfer> {
  const isByAdmin = actor.type !== 'user' || actor.userId !== from.user.id
  const mail = { kind: 'ownership_transferred', organizationId, isByAdmin } as const
  const told = (action: Action, { user, role }: Member, now: Role) =>
    recordEvent(sql, actor, action, {
      organizationId,
      target: { type: 'user', userId: user.id, name: user.name },
      details: { role: { from: role, to: now } },
    })
  await Promise.all([
    sql`
      update memberships
      set role = case id when ${to.id} then 'owner' else 'admin' end
      where tenant_id = ${sql.tenant} and id in (${from.id}, ${to.id})`,
    queueMail(sql, { ...mail, userId: from.user.id, role: 'admin' }),
    queueMail(sql, { ...mail, userId: to.user.id, role: 'owner' }),
    // An entry for each: what is told of a person goes when that person goes.
    told('organization.ownership_transferred', to, 'owner'),
    told('member.role_changed', from, 'admin'),
    revokeInvitationsBeyond(sql, actor, { organizationId, userId: from.user.id, role: 'admin' }),
  ])
  return { from: toMember(from, 'admin'), to: toMember(to, 'owner') }
}
