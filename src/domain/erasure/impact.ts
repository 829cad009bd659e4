/** Deletion impact: what deleting an account would take along, and what prevents it. */
import { type Static, Type } from 'typebox'
import { type Statement, statement } from '../../platform/database/database.ts'
import { Id, OrganizationName, ref } from '../../platform/http/schemas.ts'
import type { Caller } from '../access/actors.ts'
import { awaits, isInvitationPending } from '../organizations/invitations.ts'
import { Member, type MemberRow, toMember } from '../organizations/members.ts'
import { selectCandidates } from '../organizations/ownership.ts'
import { Slug } from '../organizations/slugs.ts'
import { selectOtherAdmin } from '../people/admins.ts'
import type { TenantRole } from '../permissions/roles.ts'
import { isSessionLive } from '../sessions/lifetime.ts'
import { type Membership, selectMemberships } from './erasure.ts'

const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647, format: 'int32', examples: [3] })
const organization = { id: Id('org'), name: OrganizationName, slug: Slug }

export const DeletionImpact = Type.Object(
  {
    counts: Type.Object(
      { sessions: Count, memberships: Count, invitationsSent: Count, invitationsReceived: Count },
      { description: 'What would be deleted: live sessions, memberships and pending invitations.' },
    ),
    deletedOrganizations: Type.Array(Type.Object(organization), {
      maxItems: 1000,
      description: 'Deleted with the account, because nobody else is a member.',
    }),
    blockingOrganizations: Type.Array(
      Type.Object({
        ...organization,
        memberCount: Count,
        candidates: Type.Array(ref(Member), {
          maxItems: 20,
          description:
            'Active members who could become the owner: admins first, then by date of joining. At most 20. In one’s own, empty if the session lacks a second factor that the organization or the tenant requires.',
        }),
      }),
      {
        maxItems: 1000,
        description: 'They prevent the deletion: the user is their only owner, and they have other members.',
      },
    ),
    isLastAdmin: Type.Boolean({
      description: 'True if the tenant has no other active admin. This prevents the deletion.',
    }),
  },
  { description: 'What would be deleted, and what prevents the deletion.' },
)

/** What `toDeletionImpact` is made of: a row of each. */
export type ImpactRows = {
  readonly memberships: Membership
  readonly candidates: Candidate
  readonly counts: Counts
  readonly otherAdmins: unknown
}

interface Candidate extends MemberRow {
  readonly organizationId: string
  /** Whether its members need two factors to see each other. */
  readonly isTwoRequired: boolean
}

interface Counts {
  readonly sessions: number
  readonly invitationsSent: number
  readonly invitationsReceived: number
}

/** @param user the id of whose account it is */
export function selectDeletionImpact(
  tenant: string,
  user: Statement,
): { readonly [Name in keyof ImpactRows]: Statement } {
  return {
    memberships: selectMemberships(tenant, user),
    candidates: statement`
      select c.*, b.id as organization_id, (o.second_factor = 'required' or t.second_factor = 'required') as is_two_required
      from (${selectMemberships(tenant, user)}) b
      join organizations o on o.tenant_id = ${tenant} and o.id = b.id
      join tenants t on t.id = o.tenant_id
      cross join lateral (${selectCandidates(tenant, statement`b.id`)}) c
      where b.fate = 'blocks'`,
    counts: statement`
      select
        (select count(*)
          from sessions s
          join tenants t on t.id = s.tenant_id
          where s.tenant_id = ${tenant} and s.user_id = ${user} and ${isSessionLive}) as sessions,
        (select count(*)
          from invitations i
          where i.tenant_id = ${tenant} and i.invited_by = ${user} and ${isInvitationPending}) as invitations_sent,
        (select count(*) from invitations i where i.tenant_id = ${tenant} and ${awaits(tenant, user)}) as invitations_received`,
    otherAdmins: selectOtherAdmin(tenant, user),
  }
}

/**
 * @param role      of the user in the tenant
 * @param assurance of the caller if they are the user: with one factor they see nobody of an organization that requires two
 */
export function toDeletionImpact(
  role: TenantRole,
  {
    memberships,
    candidates,
    counts,
    otherAdmins,
  }: { readonly [Name in keyof ImpactRows]: readonly ImpactRows[Name][] },
  assurance: Caller['assurance'] = 2,
): Static<typeof DeletionImpact> {
  const ofFate = (fate: Membership['fate']) => memberships.filter((each) => each.fate === fate)
  return {
    counts: { ...(counts[0] as Counts), memberships: memberships.length }, // a select without a table has one row
    deletedOrganizations: ofFate('goes'),
    blockingOrganizations: ofFate('blocks').map((each) => ({
      ...each,
      candidates: candidates
        .filter(
          ({ organizationId, isTwoRequired }) => organizationId === each.id && (assurance === 2 || !isTwoRequired),
        )
        .map((candidate) => toMember(candidate)),
    })),
    isLastAdmin: role === 'admin' && otherAdmins.length === 0,
  }
}
