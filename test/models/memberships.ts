/** Memberships and their people: the effect of each step on a population, and the service's expected answer. */
import {
  absent,
  callerIn,
  isAtLeast,
  isOnlyOwner,
  limits,
  memberIn,
  type Name,
  type Organization,
  organizationAt,
  type Population,
  pendingInvitations,
  type Role,
  revokeBeyond,
  rolesOf,
  signedIn,
} from './population.ts'
import { type Foreseen, Refusal } from './steps.ts'

/**
 * A person gets an account.
 *
 * @param isMailed whether a verification link was mailed
 */
export function arrive(population: Population, name: Name, verified: boolean, isMailed: boolean): Foreseen {
  population.people[name] = { ...absent(name), status: 'active', verified, hasLink: isMailed }
  return { status: 201, body: { user: { emailVerified: verified } } }
}

export function create(population: Population, by: Name): Foreseen {
  signedIn(population, by)
  const owned = population.organizations.filter(({ members }) =>
    members.some(({ person, role }) => person === by && role === 'owner'),
  )
  if (owned.length >= limits.organizations) throw new Refusal(409, 'limit_reached')
  population.organizations.push({ isDeleted: false, members: [{ person: by, role: 'owner', invitedBy: null }] })
  return { status: 201, body: { role: 'owner', roles: rolesOf('owner'), memberCount: 1 } }
}

export function deleteOrganization(population: Population, by: Name, at: number): Foreseen {
  callerIn(population, by, at, 'owner')
  drop(organizationAt(population, at))
  return { status: 200, body: { deleted: true } }
}

export function changeRole(population: Population, by: Name, at: number, name: Name, role: Role): Foreseen {
  const caller = callerIn(population, by, at, 'admin')
  const member = memberIn(population, at, name)
  if (!isAtLeast(caller.role, member.role) || !isAtLeast(caller.role, role)) throw new Refusal(403, 'role_above_yours')
  if (role === 'owner' && member.role !== 'owner' && population.people[name].status !== 'active')
    throw new Refusal(403, 'user_suspended')
  const organization = organizationAt(population, at)
  if (role !== 'owner' && isOnlyOwner(organization, name)) throw new Refusal(409, 'last_owner')
  member.role = role
  revokeBeyond(population, organization, name)
  return { status: 200, body: { user: { name }, role, roles: rolesOf(role) } }
}

export function transfer(population: Population, by: Name, at: number, name: Name): Foreseen {
  const caller = callerIn(population, by, at, 'owner')
  const member = memberIn(population, at, name)
  if (population.people[name].status !== 'active') throw new Refusal(403, 'user_suspended')
  if (member.role === 'owner') throw new Refusal(409, 'already_owner')
  member.role = 'owner'
  caller.role = 'admin'
  revokeBeyond(population, organizationAt(population, at), by)
  const from = { user: { name: by }, role: 'admin', roles: rolesOf('admin') }
  return { status: 200, body: { from, to: { user: { name }, role: 'owner', roles: rolesOf('owner') } } }
}

/** One's own membership: leaving. */
export function remove(population: Population, by: Name, at: number, name: Name): Foreseen {
  const caller = callerIn(population, by, at, 'member')
  const { role } = memberIn(population, at, name)
  if (by !== name && caller.role === 'member') throw new Refusal(403, 'forbidden')
  if (by !== name && !isAtLeast(caller.role, role)) throw new Refusal(403, 'role_above_yours')
  const organization = organizationAt(population, at)
  if (isOnlyOwner(organization, name)) throw new Refusal(409, 'last_owner')
  leave(organization, name)
  revokeBeyond(population, organization, name)
  return { status: 200, body: { user: { name }, role } }
}

export function verify(population: Population, by: Name): Foreseen {
  const person = signedIn(population, by)
  if (!person.hasLink) throw new Refusal(410, 'token_spent')
  Object.assign(person, { verified: true, hasLink: false })
  return { status: 200, body: { emailVerified: true } }
}

/** Requests another address, and opens the mailed link. */
export function changeEmail(population: Population, by: Name, email: string): Foreseen {
  const person = signedIn(population, by)
  if (person.email === email) return { status: 200, body: { emailVerified: person.verified } }
  if (person.verified) person.former.set(person.email, ++population.clock)
  Object.assign(person, { email, verified: true, hasLink: false })
  return { status: 200, body: { emailVerified: true } }
}

export function suspend(population: Population, name: Name): Foreseen {
  Object.assign(population.people[name], { status: 'suspended', hasLink: false })
  for (const each of population.invitations)
    if (each.invitedBy === name && each.status === 'pending') each.status = 'revoked'
  return { status: 200, body: { name, status: 'suspended' } }
}

/** And signs in again, because every session has ended. */
export function reactivate(population: Population, name: Name): Foreseen {
  population.people[name].status = 'active'
  return { status: 200, body: { user: { name, status: 'active' } } }
}

/** The impact of deleting the account, for its owner. */
export function impactOf(population: Population, name: Name) {
  const { people, organizations } = population
  const joined = organizations.flatMap((each, organization) =>
    each.members.some(({ person }) => person === name) ? [{ ...each, organization }] : [],
  )
  const pending = pendingInvitations(population)
  const { email, verified } = people[name]
  return {
    memberships: joined.length,
    sent: pending.filter(({ invitedBy }) => invitedBy === name).length,
    received: pending.filter((each) => verified && each.email === email).length,
    deleted: joined.filter(({ members }) => members.length === 1).map(({ organization }) => organization),
    blocking: joined
      .filter((each) => each.members.length > 1 && isOnlyOwner(each, name))
      .map(({ organization }) => organization),
  }
}

/** Afterwards the person has no account and no data: signing up with the address makes a new person. */
export function deleteAccount(population: Population, name: Name): Foreseen {
  const person = signedIn(population, name)
  const { blocking, deleted } = impactOf(population, name)
  if (blocking.length > 0) throw new Refusal(409, 'sole_owner')

  const addresses = new Map(person.former)
  if (person.verified) addresses.set(person.email, Number.POSITIVE_INFINITY)
  for (const each of population.invitations) {
    const wasAccepted = each.organization.members.some((member) => member.person === name && member === each.membership)
    const isTheirs = wasAccepted || (each.email !== null && each.sentAt <= (addresses.get(each.email) ?? -1))
    if (!isTheirs && each.invitedBy !== name) continue
    if (each.status === 'pending') each.status = 'revoked'
    if (isTheirs) each.email = null
    if (each.invitedBy === name) each.invitedBy = null
  }
  for (const at of deleted) drop(organizationAt(population, at))
  for (const { members } of population.organizations)
    for (const member of members) if (member.invitedBy === name) member.invitedBy = null
  for (const organization of population.organizations) leave(organization, name)
  population.people[name] = absent(name)
  return { status: 200, body: { deleted: true } }
}

function leave(organization: Organization, name: Name): void {
  organization.members = organization.members.filter(({ person }) => person !== name)
}

function drop(organization: Organization): void {
  Object.assign(organization, { isDeleted: true, members: [] })
}
