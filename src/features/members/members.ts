/**
 * Members: the users who belong to an organization, each with one role. changes.ts changes them.
 *
 * Invariant: an organization always keeps at least one owner (check on organizations.owner_count). Every change happens under the
 * organization's row lock, which the door takes.
 */
import { Type } from 'typebox'
import { type ActingCaller, userIdOf } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { endKeysOfMember, selectKeysOfMember } from '../../domain/keys/endings.ts'
import { beginExport, exportRates, type Named, selectSlug } from '../../domain/limits/exports.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { exclude, revokeAwaiting, selectAwaiting } from '../../domain/organizations/exclusions.ts'
import { Grant } from '../../domain/organizations/grants.ts'
import {
  type HolderRow,
  heldBy,
  isNamed,
  Member,
  MemberDetails,
  type MemberRow,
  MembershipPath,
  selectHolders,
  shownTo,
  toMember,
  userOfMember,
} from '../../domain/organizations/members.ts'
import { dropMembership } from '../../domain/organizations/memberships.ts'
import { endOffersBeyond, type OfferRow, selectOffers } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { Person } from '../../domain/people/users.ts'
import { selectMinimumRoles } from '../../domain/permissions/access-model.ts'
import { may } from '../../domain/permissions/held.ts'
import { checkTouch, minimumRolesWith, type OwnMinimumRole, permissionsHeldBy } from '../../domain/permissions/rules.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { answerList } from '../../platform/http/exports.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { isForUpdaters, MemberQuery, memberPosition, readMembers } from './list.ts'
import { memberColumns } from './member-columns.ts'

export async function memberRoutes(app: App): Promise<void> {
  app.addSchema(Person)
  app.addSchema(Grant)
  app.addSchema(Member)
  app.addSchema(MemberDetails)

  app.get(
    '/organizations/:orgId/members',
    {
      config: { access: 'members:read', problems: ['invalid_cursor'], answersCsv: true, rates: exportRates },
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Every member of the organization. Sorted by date of joining by default.',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: MemberQuery,
        response: { 200: Page(Member) },
      },
    },
    async (request, reply) => {
      const { query } = request
      const read = async (page: PageRequest) => {
        const { caller, members } = await readMembers(query, page, (reading) => request.readInOrganization(reading))
        if (isForUpdaters(query) && !may(caller, 'members:update')) throw new ApiProblem('forbidden')
        return { caller, rows: members, show: (row: MemberRow) => shownTo(caller, toMember(row)) }
      }
      const begin = async () =>
        beginExport(request.context, 'members', await request.readInOrganization<Named>(selectSlug, { byKey: true }))
      return answerList(request, reply, { columns: memberColumns, begin, read, position: memberPosition(query) })
    },
  )

  app.get(
    '/organizations/:orgId/members/:memberId',
    {
      config: { access: 'members:read' },
      schema: {
        operationId: 'getMember',
        summary: 'Get member',
        description:
          'A member of the organization, by the id of the membership. `me` names the caller’s own membership. Suspended members are for callers with `members:update`; `permissions` is for them and for the member.',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath, memberId: MembershipPath }),
        response: { 200: ref(MemberDetails) },
      },
    },
    async (request) => {
      const { memberId } = request.params
      const { caller, members, permissions } = await request.readInOrganization<{
        members: HolderRow
        permissions: OwnMinimumRole
      }>(
        ({ tenant, organization, user }) => ({
          members: statement`${selectHolders(tenant, organization)} and ${isNamed(memberId, user)}`,
          permissions: selectMinimumRoles(tenant),
        }),
        { byKey: true },
      )
      const [row] = members
      const mayUpdate = may(caller, 'members:update')
      // The list hides suspended members, too. Those who are suspended themselves are refused by the door.
      if (!row || (row.status === 'suspended' && !mayUpdate)) throw new ApiProblem('not_found')
      const member = shownTo(caller, toMember(row))
      if (row.id !== caller.membershipId && !mayUpdate) return member
      return { ...member, permissions: permissionsOf(row, permissions) }
    },
  )

  app.delete(
    '/organizations/:orgId/members/:memberId',
    {
      config: {
        access: { self: 'members:leave', others: 'members:remove' },
        whileSuspended: true,
        problems: ['role_above_yours', 'last_owner'],
      },
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member',
        description: 'An admin removes others. Every member may leave (`me` names the caller’s own membership).',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath, memberId: MembershipPath }),
        response: { 200: ref(Member) },
      },
    },
    async (request) => request.inOrganization(selectBeforeRemoval(request.params), removeMember),
  )
}

/** All that a member may do now, sorted. */
export function permissionsOf(row: HolderRow, own: readonly OwnMinimumRole[]): string[] {
  const isActive = row.status === 'active' && row.userStatus === 'active'
  return isActive ? permissionsHeldBy(heldBy(row), own) : []
}

/** Selects what the removal of a member must know, after the organization was locked. */
export function selectBeforeRemoval({ memberId }: { readonly memberId: string }) {
  return ({ tenant, organization, user }: Names) => {
    const isIt = isNamed(memberId, user)
    const themselves = userOfMember(tenant, organization, isIt)
    return {
      members: statement`${selectHolders(tenant, organization)} and ${isIt}`,
      permissions: selectMinimumRoles(tenant),
      offers: selectOffers(tenant, organization, themselves),
      keys: selectKeysOfMember(tenant, organization, themselves),
      awaiting: selectAwaiting(tenant, organization, themselves),
    }
  }
}

/** Ends a membership that the caller may end. @returns it @throws Problem not_found, role_above_yours, last_owner */
export async function removeMember(sql: Sql, caller: ActingCaller, before: BeforeRemoval): Promise<Member> {
  const row = found(before.members[0])
  if (row.userId !== caller.id) checkTouch(caller, heldBy(row), minimumRolesWith(before.permissions))
  const member = toMember(row)
  await writeRemoval(sql, caller, member, before)
  return shownTo(caller, member)
}

/** What is read with the door before a member is removed. */
type BeforeRemoval = {
  members: HolderRow[]
  permissions: OwnMinimumRole[]
  /** What they offer. */
  offers: OfferRow[]
  /** Keys that rest on their membership. */
  keys: { id: string }[]
  /** Invitations that wait for them. */
  awaiting: { id: string }[]
}

/** Ends a membership, and with it what it gave the right to. The organization's row must be locked. */
async function writeRemoval(
  sql: Sql,
  caller: ActingCaller,
  { id, user, role, status }: Member,
  { offers, keys, awaiting }: Pick<BeforeRemoval, 'offers' | 'keys' | 'awaiting'>,
): Promise<void> {
  const { organizationId } = caller
  const userId = user.id
  const isLeaving = userId === caller.id
  // Leaving lifts no suspension: no link lets them in again.
  const isPutOut = !isLeaving || status === 'suspended'
  const write = () =>
    pipeline([
      dropMembership(sql, { organizationId, userId, role }),
      isPutOut && exclude(sql, organizationId, userId, isLeaving ? null : userIdOf(caller)),
      !isLeaving && queueMail(sql, { kind: 'member_removed', userId, organizationId }),
      record(sql, caller, isLeaving ? 'member.left' : 'member.removed', {
        organizationId,
        target: { type: 'user', userId, name: user.name },
        details: { memberId: id, role },
      }),
    ])
  if (keys.length > 0) await endKeysOfMember(sql, caller, { organizationId, userId }, isLeaving ? 'left' : 'removed')
  const cause = isLeaving ? 'inviter_left' : 'inviter_removed'
  if (offers.length === 0 && awaiting.length === 0) await sql.commit([write()])
  else
    await pipeline([
      write(),
      endOffersBeyond(sql, caller, { organizationId, userId }, cause),
      isPutOut && revokeAwaiting(sql, caller, organizationId, userId),
    ])
}
