/**
 * Population: people, organizations, memberships and invitations according to the contract, in plain objects and without a database.
 *
 * The rules are written from the contract. Nothing of `src/` is used, so that a fault there is not repeated here.
 */
import { Refusal } from './steps.ts'

export const names = ['ann', 'ben', 'cleo', 'dan', 'eve'] as const
export type Name = (typeof names)[number]
export const roles = ['member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/** The limits of the settings in these tests. */
export const limits = { organizations: 2, pendingInvitations: 4 }

export interface Person {
  status: 'absent' | 'active' | 'suspended'
  email: string
  verified: boolean
  /** Whether the verification link still works. */
  hasLink: boolean
  /** Former verified addresses, and until when they are reserved. */
  readonly former: Map<string, number>
}

export interface Membership {
  readonly person: Name
  role: Role
  invitedBy: Name | null
}

export interface Organization {
  isDeleted: boolean
  members: Membership[]
}

export interface Invitation {
  /** The number of its organization. */
  readonly at: number
  readonly organization: Organization
  readonly role: Role
  readonly sentAt: number
  email: string | null
  status: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired'
  invitedBy: Name | null
  isTokenSpent: boolean
  /** The membership that it led to. */
  membership?: Membership
}

export interface Population {
  readonly people: Record<Name, Person>
  readonly organizations: Organization[]
  readonly invitations: Invitation[]
  /** A counter that orders earlier and later events. */
  clock: number
}

export function nobodyYet(): Population {
  const people = Object.fromEntries(names.map((name) => [name, absent(name)])) as Record<Name, Person> // one for each name
  return { people, organizations: [], invitations: [], clock: 0 }
}

/** A person without an account. */
export function absent(name: Name): Person {
  return { status: 'absent', email: name, verified: false, hasLink: false, former: new Map() }
}

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** All roles that a role includes. */
export function rolesOf(role: Role): Role[] {
  return roles.filter((each) => isAtLeast(role, each)).reverse()
}

/** @throws Refusal unauthenticated */
export function signedIn({ people }: Population, by: Name): Person {
  if (people[by].status !== 'active') throw new Refusal(401, 'unauthenticated')
  return people[by]
}

/** @throws Refusal unauthenticated, not_found, forbidden */
export function callerIn(population: Population, by: Name, at: number, least: Role): Membership {
  signedIn(population, by)
  const caller = memberIn(population, at, by)
  if (!isAtLeast(caller.role, least)) throw new Refusal(403, 'forbidden')
  return caller
}

/** @throws Refusal not_found */
export function memberIn(population: Population, at: number, name: Name): Membership {
  const found = organizationAt(population, at).members.find(({ person }) => person === name)
  if (!found) throw new Refusal(404, 'not_found')
  return found
}

export function organizationAt({ organizations }: Population, at: number): Organization {
  return organizations[at] as Organization // steps name only existing ones
}

export function invitationOf({ invitations }: Population, number: number): Invitation {
  return invitations[number] as Invitation // steps name only existing ones
}

export function isOnlyOwner(organization: Organization, name: Name): boolean {
  const owners = organization.members.filter(({ role }) => role === 'owner')
  return owners.length === 1 && owners[0]?.person === name
}

/** Invariant: an invitation ends with its inviter's permission to send it. */
export function revokeBeyond(population: Population, organization: Organization, name: Name): void {
  const role = organization.members.find(({ person }) => person === name)?.role
  for (const each of population.invitations) {
    if (each.organization !== organization || each.invitedBy !== name || each.status !== 'pending') continue
    const stillMay = role !== undefined && isAtLeast(role, 'admin') && isAtLeast(role, each.role)
    if (!stillMay) each.status = 'revoked'
  }
}

/** With their numbers, newest first. A deleted organization has none. */
export function pendingInvitations({ invitations }: Population): (Invitation & { readonly invitation: number })[] {
  return invitations
    .map((each, invitation) => ({ ...each, invitation }))
    .filter(({ status, organization }) => status === 'pending' && !organization.isDeleted)
    .reverse()
}

/** What a person sees of their organizations and invitations, and of one organization's members and invitations. */
export function seenBy(population: Population, name: Name, at: number) {
  const { people, organizations, invitations } = population
  if (people[name].status !== 'active') return 'unauthenticated'
  const numbered = invitations.map((each, invitation) => ({ ...each, invitation })).reverse()
  const { email, verified } = people[name]
  const organization = organizationAt(population, at)
  const own = organization.members.find(({ person }) => person === name)
  return {
    organizations: organizations.flatMap(({ members }, index) => {
      const role = members.find(({ person }) => person === name)?.role
      return role ? [{ organization: index, role, roles: rolesOf(role), memberCount: members.length }] : []
    }),
    invited: pendingInvitations(population)
      .filter((each) => verified && each.email === email)
      .map(({ invitation, role, invitedBy }) => ({ invitation, role, invitedBy })),
    members: own
      ? organization.members.map((each) => ({
          ...each,
          status: people[each.person].status,
          email: people[each.person].email,
        }))
      : 'not_found',
    invitations: own
      ? isAtLeast(own.role, 'admin')
        ? numbered
            .filter((each) => each.organization === organization)
            .map(({ invitation, email, role, status, invitedBy }) => ({ invitation, email, role, status, invitedBy }))
        : 'forbidden'
      : 'not_found',
  }
}
export type Seen = ReturnType<typeof seenBy>
