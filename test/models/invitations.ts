/** Invitations: the effect of each step on a population, and the service's expected answer. */
import { arrive } from './memberships.ts'
import {
  callerIn,
  type Invitation,
  invitationOf,
  isAtLeast,
  limits,
  type Membership,
  type Name,
  type Organization,
  organizationAt,
  type Population,
  type Role,
  rolesOf,
  signedIn,
} from './population.ts'
import { type Foreseen, Refusal } from './steps.ts'

const closed = {
  pending: '',
  accepted: 'invitation_used',
  declined: 'invitation_declined',
  revoked: 'invitation_revoked',
  expired: 'invitation_expired',
}

export function invite(population: Population, by: Name, at: number, email: string, role: Role): Foreseen {
  const caller = callerIn(population, by, at, 'admin')
  const organization = organizationAt(population, at)
  if (!isAtLeast(caller.role, role)) throw new Refusal(403, 'role_above_yours')
  checkInvitee(population, organization, email)
  checkPending(population, organization)
  const sentAt = ++population.clock
  const sent = { at, organization, role, email, sentAt, status: 'pending', invitedBy: by, isTokenSpent: false } as const
  population.invitations.push({ ...sent })
  return { status: 201, body: { role, status: 'pending', invitedBy: { name: by } } }
}

export function resend(population: Population, by: Name, at: number, number: number): Foreseen {
  const invitation = managed(population, by, at, number)
  const isOpen = invitation.status === 'pending' || invitation.status === 'expired'
  if (!isOpen || invitation.email === null) throw new Refusal(409, 'invitation_not_pending')
  checkInvitee(population, invitation.organization, invitation.email, invitation)
  if (invitation.status === 'expired') checkPending(population, invitation.organization)
  Object.assign(invitation, { status: 'pending', invitedBy: by, isTokenSpent: false })
  return { status: 200, body: { status: 'pending', invitedBy: { name: by } } }
}

export function revoke(population: Population, by: Name, at: number, number: number): Foreseen {
  const invitation = managed(population, by, at, number)
  if (invitation.status !== 'pending') throw new Refusal(409, 'invitation_not_pending')
  invitation.status = 'revoked'
  return { status: 200, body: { status: 'revoked' } }
}

/** Its seven days are over. */
export function expire(population: Population, number: number): Foreseen {
  invitationOf(population, number).status = 'expired'
  return { status: 200 }
}

export function accept(population: Population, by: Name, number: number): Foreseen {
  const invitation = received(population, by, number)
  const { organization, role, status, invitedBy } = invitation
  const existing = organization.members.find(({ person }) => person === by)
  const isAgain = status === 'accepted' && existing !== undefined && existing === invitation.membership
  if (status !== 'pending' && !isAgain) throw new Refusal(410, closed[status])
  const membership: Membership = existing ?? { person: by, role, invitedBy }
  if (!existing) organization.members.push(membership)
  Object.assign(invitation, { status: 'accepted', membership })
  const now = { role: membership.role, roles: rolesOf(membership.role) }
  return {
    status: 200,
    body: {
      member: { user: { name: by }, ...now },
      organization: { ...now, memberCount: organization.members.length },
    },
  }
}

export function decline(population: Population, by: Name, number: number): Foreseen {
  const invitation = received(population, by, number)
  if (invitation.status !== 'pending') throw new Refusal(410, closed[invitation.status])
  invitation.status = 'declined'
  return { status: 200, body: { status: 'declined' } }
}

/** @param isStale whether the token is from before a resend */
export function preview(population: Population, number: number, isStale: boolean): Foreseen {
  const { organization, email, status, role, invitedBy } = invitationOf(population, number)
  if (organization.isDeleted || isStale || email === null) throw new Refusal(404, 'not_found')
  if (status !== 'pending') throw new Refusal(410, closed[status])
  const hasAccount = Object.values(population.people).some((each) => each.status !== 'absent' && each.email === email)
  return { status: 200, body: { role, hasAccount, invitedBy: { name: invitedBy } } }
}

/** With the person's present or future address. */
export function signUp(population: Population, name: Name, number: number, isStale: boolean): Foreseen {
  const { people } = population
  const invitation = invitationOf(population, number)
  const { organization, email, status, isTokenSpent } = invitation
  if (organization.isDeleted || isStale) throw new Refusal(410, 'token_spent')
  if (email !== people[name].email) throw new Refusal(403, 'invitation_for_another_email')
  if (people[name].status !== 'absent') throw new Refusal(409, 'email_taken')
  if (status !== 'pending') throw new Refusal(410, closed[status])
  if (isTokenSpent) throw new Refusal(410, 'token_spent')
  invitation.isTokenSpent = true
  return arrive(population, name, true, false)
}

export function verifyByInvitation(population: Population, by: Name, number: number, isStale: boolean): Foreseen {
  const person = signedIn(population, by)
  const invitation = invitationOf(population, number)
  const { organization, email, status, isTokenSpent } = invitation
  if (organization.isDeleted || isStale) throw new Refusal(410, 'token_spent')
  if (email !== person.email) throw new Refusal(403, 'sign_in_required')
  if (status !== 'pending' || isTokenSpent) throw new Refusal(410, 'token_spent')
  invitation.isTokenSpent = true
  person.verified = true
  return { status: 200, body: { emailVerified: true } }
}

/** The invitation, for an admin of its organization. */
function managed(population: Population, by: Name, at: number, number: number): Invitation {
  const caller = callerIn(population, by, at, 'admin')
  const invitation = invitationOf(population, number)
  if (invitation.organization !== organizationAt(population, at)) throw new Refusal(404, 'not_found')
  if (!isAtLeast(caller.role, invitation.role)) throw new Refusal(403, 'role_above_yours')
  return invitation
}

/** The invitation, for the invited person: nobody else learns its state. */
function received(population: Population, by: Name, number: number): Invitation {
  const { email, verified } = signedIn(population, by)
  const invitation = invitationOf(population, number)
  if (invitation.organization.isDeleted) throw new Refusal(404, 'not_found')
  if (invitation.email !== email) throw new Refusal(403, 'invitation_for_another_email')
  if (!verified) throw new Refusal(403, 'email_not_verified')
  return invitation
}

function checkInvitee(
  { people, invitations }: Population,
  organization: Organization,
  email: string,
  except?: Invitation,
): void {
  if (organization.members.some(({ person }) => people[person].email === email))
    throw new Refusal(409, 'already_a_member')
  const isInvited = invitations.some(
    (each) =>
      each !== except && each.organization === organization && each.email === email && each.status === 'pending',
  )
  if (isInvited) throw new Refusal(409, 'already_invited')
}

function checkPending({ invitations }: Population, organization: Organization): void {
  const pending = invitations.filter((each) => each.organization === organization && each.status === 'pending')
  if (pending.length >= limits.pendingInvitations) throw new Refusal(409, 'limit_reached')
}
