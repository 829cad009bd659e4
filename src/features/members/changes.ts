/**
 * Changes of members: their role, their grants, their suspension, and the end of their membership.
 *
 * Invariants: an organization keeps an owner (check on organizations.owner_count), and owners are neither suspended nor end (check
 * `memberships_owner_stays`); nobody gives what they do not hold, nor for longer (domain/permissions/rules.ts). The door holds the
 * organization's row.
 */
import { type Static, Type } from 'typebox'
import { type ActingCaller, isTenantAdmin, userIdOf } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { checkFresh } from '../../domain/credentials/confirmation.ts'
import { leaveKeysBeyond, selectKeysOfMember } from '../../domain/keys/endings.ts'
import { queueMembershipMail, queueRoleMail } from '../../domain/mail/queue.ts'
import { tellOwners } from '../../domain/organizations/administration.ts'
import {
  changesOfGrants,
  End,
  type GrantChanges,
  giftOf,
  namesOf,
  type OfferedGrant,
  readEnd,
  readGrants,
  WantedGrants,
  writeGrants,
} from '../../domain/organizations/grants.ts'
import {
  type HolderRow,
  heldBy,
  Member,
  membershipStatuses,
  selectHolders,
  toMember,
  userOfMember,
} from '../../domain/organizations/members.ts'
import { type MembershipState, updateMembership } from '../../domain/organizations/memberships.ts'
import { endOffersBeyond, type OfferRow, selectOffers } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { type Ended, selectEnded, settleEnded } from '../../domain/organizations/settling.ts'
import {
  type AccessModel,
  type AccessModelRows,
  selectAccessModel,
  toAccessModel,
} from '../../domain/permissions/access-model.ts'
import { isAtLeast, Role } from '../../domain/permissions/roles.ts'
import { checkCover, checkTouch, earlier, endOf, type Gift, permissionsOfRole } from '../../domain/permissions/rules.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, OneOf, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { lockCandidate } from './candidates.ts'

export type Wanted = Static<typeof Wanted>
export const Wanted = Type.Object(
  {
    role: Type.Optional(Role),
    grants: Type.Optional(WantedGrants),
    status: Type.Optional(OneOf(membershipStatuses)),
    expiresAt: Type.Optional(End),
  },
  { additionalProperties: false },
)

/** What is read with the door, as `selectBeforeChange` selects it. */
export type BeforeChange = AccessModelRows & {
  ended: Ended[]
  members: HolderRow[]
  offers: OfferRow[]
  keys: { id: string }[]
}

/** What changes can give or take. */
interface Terms extends MembershipState {
  readonly grants: readonly OfferedGrant[]
}

export async function memberChangeRoutes(app: App): Promise<void> {
  app.patch(
    '/organizations/:orgId/members/:memberId',
    {
      config: {
        access: 'members:update',
        problems: ['role_above_yours', 'last_owner', 'owner_cannot_end', 'user_suspended'],
      },
      schema: {
        operationId: 'updateMember',
        summary: 'Change a member',
        description:
          'The role, the roles of the product (`grants`, the whole list), suspension and end. You can neither change a member who holds more than you, nor give what you do not hold, nor for longer. A suspended member keeps everything but can only leave.',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath, memberId: Id('mem') }),
        body: Wanted,
        response: { 200: ref(Member) },
      },
    },
    async (request) =>
      request.inOrganization(selectBeforeChange(request.params), (sql, caller, before: BeforeChange) =>
        changeMember(sql, caller, before, request.body),
      ),
  )
}

/** Selects what a change of a member must know, after the organization was locked. */
export function selectBeforeChange({ memberId }: { readonly memberId: string }) {
  return ({ tenant, organization }: Names) => {
    const isIt = statement`m.id = ${memberId}`
    return {
      ended: selectEnded(tenant, organization),
      members: statement`${selectHolders(tenant, organization)} and ${isIt}`,
      offers: selectOffers(tenant, organization, userOfMember(tenant, organization, isIt)),
      keys: selectKeysOfMember(tenant, organization, userOfMember(tenant, organization, isIt)),
      ...selectAccessModel(tenant),
    }
  }
}

/**
 * Judges a change of a member, makes it, and commits.
 *
 * @throws Problem not_found, invalid_request, role_above_yours, user_suspended, owner_cannot_end, last_owner; confirmation_required for an
 *   admin of the tenant who gives something in a session that is not fresh, as when they add a member
 */
export async function changeMember(
  sql: Sql,
  caller: ActingCaller,
  { ended, members, offers, keys, ...rows }: BeforeChange,
  wanted: Wanted,
): Promise<Member> {
  await settleEnded(sql, caller.organizationId, ended)
  const row = found(members[0])
  const model = toAccessModel(rows)
  const before = termsOf(row)
  const isOwn = row.userId === caller.id
  const after = readTerms(before, wanted, isOwn, model)
  // A key of the person and an application hold less than they do, and would take from them as from anybody else.
  const isByProgram = caller.type === 'user' && (caller.application !== null || caller.limits !== null)
  if (!isOwn || isByProgram) checkTouch(caller, heldBy(row), model.minimumRoles)
  const gifts = giftsBetween(before, after, model)
  checkCover(caller, gifts, model.minimumRoles)
  const isReactivated = before.status === 'suspended' && after.status === 'active'
  const isGivenByAdmin = isTenantAdmin(caller) && (gifts.length > 0 || isReactivated)
  if (isGivenByAdmin) checkFresh(caller)
  if (after.role === 'owner' && before.role !== 'owner') await lockCandidate(sql, caller, row.userId)
  if (after.role === 'owner' && (after.status === 'suspended' || after.expiresAt !== null))
    throw new ApiProblem('owner_cannot_end')
  if (isGivenByAdmin) await tellOwners(sql, caller)
  const isRestedOn = offers.length > 0 || keys.length > 0
  const isSuspended = before.status === 'active' && after.status === 'suspended'
  const takes = isSuspended || giftsBetween(after, before, model).length > 0
  return toMember(await writeChange(sql, caller, { row, before, after, roles: model.roles, isRestedOn, takes }))
}

function termsOf({ role, status, expiresAt, grants }: HolderRow): Terms {
  return {
    role,
    status,
    expiresAt,
    grants: (grants ?? []).map((grant) => ({
      roleId: grant.roleId,
      expiresAt: grant.expiresAt && new Date(grant.expiresAt).toISOString(),
    })),
  }
}

/** @param isOwn whether somebody changes their own membership @throws Problem invalid_request */
function readTerms(
  before: Terms,
  { role, grants, status, expiresAt }: Wanted,
  isOwn: boolean,
  model: AccessModel,
): Terms {
  const faults: Fault[] = []
  if (isOwn && status === 'suspended')
    faults.push(faultOf('/status', 'not_allowed', 'Nobody suspends themselves. Leave instead.'))
  const after = {
    role: role ?? before.role,
    status: status ?? before.status,
    expiresAt:
      expiresAt === undefined
        ? before.expiresAt
        : readEnd('/expiresAt', expiresAt, model.now, faults, before.expiresAt),
    grants: grants === undefined ? before.grants : readGrants('/grants', grants, model, faults, before.grants),
  }
  if (faults.length > 0) throw invalidRequest(faults)
  return after
}

/** What a change newly gives: a higher role, further grants, and later ends of what stays. */
function giftsBetween(before: Terms, after: Terms, { minimumRoles, roles }: AccessModel): Gift[] {
  const isLonger = endOf(after.expiresAt) > endOf(before.expiresAt)
  const isHigher = !isAtLeast(before.role, after.role)
  const endIn = (grant: OfferedGrant | undefined, end: string | null) =>
    grant ? endOf(earlier(grant.expiresAt, end)) : Number.NEGATIVE_INFINITY
  const given = after.grants.filter((grant) => {
    const known = before.grants.find(({ roleId }) => roleId === grant.roleId)
    return endIn(grant, after.expiresAt) > endIn(known, before.expiresAt)
  })
  return [
    ...(isLonger || isHigher
      ? [{ permissions: permissionsOfRole(after.role, minimumRoles), until: after.expiresAt }]
      : []),
    ...given.map((grant) => giftOf(grant, after.expiresAt, roles)),
  ]
}

/** A change that may be made. */
interface JudgedChange {
  /** The member before it. */
  readonly row: HolderRow
  readonly before: Terms
  readonly after: Terms
  readonly roles: AccessModel['roles']
  /** Whether the member has offers or keys. */
  readonly isRestedOn: boolean
  /** Whether the member has less after it in any respect. */
  readonly takes: boolean
}

/**
 * Writes what has changed, records each kind of change, tells the member, and ends offers and keys that rested on what they have lost.
 *
 * @returns the member after it
 */
async function writeChange(
  sql: Sql,
  caller: ActingCaller,
  { row, before, after, roles, isRestedOn, takes }: JudgedChange,
): Promise<HolderRow> {
  const { organizationId } = caller
  const { id, userId, userName } = row
  const isOwn = userId === caller.id
  const grants = changesOfGrants(before.grants, after.grants)
  const details = {
    role: before.role !== after.role && { from: before.role, to: after.role },
    grants: [...grants.added, ...grants.changed, ...grants.removed].length > 0 && namesOfChanges(grants, roles),
    status: before.status !== after.status,
    expiresAt: endOf(before.expiresAt) !== endOf(after.expiresAt) && { from: before.expiresAt, to: after.expiresAt },
  }
  if (!Object.values(details).some(Boolean)) return row
  const entry = (action: Parameters<typeof record>[2], also?: object) =>
    record(sql, caller, action, {
      organizationId,
      target: { type: 'user', userId, name: userName },
      ...(also && { details: { ...also } }),
    })
  const isSuspended = after.status === 'suspended'
  const write = () =>
    pipeline([
      // The check on owner_count answers `last_owner`.
      updateMembership(
        sql,
        { id, organizationId, userId },
        before,
        { ...after, hasGrants: after.grants.length > 0 },
        userIdOf(caller),
      ),
      writeGrants(sql, id, grants, userIdOf(caller)),
      details.role &&
        !isOwn &&
        queueRoleMail(sql, { kind: 'member_role_changed', userId, organizationId, role: after.role }),
      details.status &&
        queueMembershipMail(sql, {
          kind: isSuspended ? 'membership_suspended' : 'membership_reactivated',
          userId,
          organizationId,
        }),
      details.role && entry('member.role_changed', { role: details.role }),
      details.grants && entry('member.grants_changed', details.grants),
      details.status && entry(isSuspended ? 'member.suspended' : 'member.reactivated'),
      details.expiresAt && entry('member.expiry_changed', { expiresAt: details.expiresAt }),
    ])
  // Keys and offers are judged by what their holder or maker holds after the change. Most members have none, and it goes out with the commit.
  if (isRestedOn) {
    const cause = isSuspended && details.status ? 'inviter_suspended' : 'inviter_demoted'
    const part = { organizationId, userId }
    await pipeline([
      write(),
      leaveKeysBeyond(sql, caller, part),
      // What an admin of the tenant has offered rests on more than the membership, and stays if the membership loses nothing.
      takes && endOffersBeyond(sql, caller, part, cause),
    ])
  }
  const [, [changed]] = await sql.commit([
    !isRestedOn && write(),
    sql<HolderRow>`${selectHolders(sql.tenant, organizationId)} and m.id = ${id}`,
  ])
  return found(changed) // not there if the membership has ended at this moment
}

/** Changes of grants by the roles' keys, with the ends. */
function namesOfChanges({ added, changed, removed }: GrantChanges, roles: AccessModel['roles']) {
  const lists = { added: namesOf(added, roles), changed: namesOf(changed, roles), removed: namesOf(removed, roles) }
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
}
