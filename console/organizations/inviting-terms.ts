/** What people are invited to: the choices of the dialog, and why they were refused. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Body } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { useReader } from '../parts/reader.ts'
import { type FaultOfEnd, mostOfMembership, toDay, toEnd, useEndDate, useFaultOfEnd } from './ends.tsx'
import { faultsOfEnds, type Grants, readModel, rolesQuery, toGrants } from './grants.tsx'
import { type Faults, faultsOf } from './inviting-faults.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { whereOf } from './place.ts'
import { roles as allRoles, latestOf, type Role } from './roles.ts'

/** An invitation as the API takes it, but for the address. */
export type Terms = Omit<Body<'inviteMember'>, 'email'>

export interface Choices {
  readonly role: Role
  readonly grants: Grants
  /** The day on which memberships end; empty: no end. */
  readonly memberEnd: string
  /** How many days the invitation is open. */
  readonly days: number
  readonly isMailed: boolean
}

export const usualDays = 7

/** @param isOpen whether the dialog is */
export function useTerms(organization: Organization, isOpen: boolean) {
  const { timeZone } = useReader()
  const dateOf = useEndDate()
  const faultOfEnd = useFaultOfEnd(mostOfMembership)
  const roles = useQuery({ ...rolesQuery(whereOf(organization)), enabled: isOpen })
  const listed = roles.data ?? []
  // Nothing that somebody gives outlasts their own membership.
  const ownEnd = organization.membership?.expiresAt ?? null
  const initial: Choices = {
    role: 'member',
    grants: {},
    memberEnd: toDay(ownEnd, timeZone),
    days: usualDays,
    isMailed: true,
  }
  const [choices, setChoices] = useState(initial)
  const [faults, setFaults] = useState<Faults>({})
  const [isMore, setMore] = useState(false)
  /** Until when they can give a role at the longest; null: it needs no end. */
  const latestEnd = (role: string) => latestOf(listed, role) ?? ownEnd
  const latest = latestEnd(choices.role)
  return {
    roles,
    /** What can be chosen as the role, least first. */
    offered: allRoles.filter(
      (role) => role === choices.role || listed.some((each) => each.key === role && each.mayGrant),
    ),
    ownEnd,
    latest,
    choices,
    faults,
    isMore,
    toggle: () => setMore(!isMore),
    choose(next: Partial<Choices>) {
      const isProposed = choices.memberEnd === toDay(latest, timeZone)
      const proposed = next.role !== undefined && isProposed && toDay(latestEnd(next.role), timeZone)
      setChoices({ ...choices, ...(proposed !== false && { memberEnd: proposed }), ...next })
      setFaults({})
    },
    reset() {
      setChoices(initial)
      setFaults({})
      setMore(false)
    },
    /** @returns what is sent; undefined if an end is at fault, which is shown at its field */
    check(): Terms | undefined {
      const found = faultsOfChoices(choices, latestEnd, faultOfEnd)
      setFaults(found)
      if (Object.keys(found).length === 0) return termsOf(choices, latestEnd, timeZone)
      setMore(true)
      return undefined
    },
    /** Shows what was refused at its field. @returns whether there is one */
    async showFaults(error: unknown): Promise<boolean> {
      // A role may have changed since the dialog was opened.
      const known = isRefusal(error, 'role_above_yours')
        ? await readModel(whereOf(organization))
        : { roles: listed, names: new Map() }
      const found = faultsOf(error, { ...choices, ...known }, dateOf)
      const isFound = Object.keys(found).length > 0
      setFaults(found)
      if (!isFound) return false
      if (found.role === undefined) setMore(true)
      void readOrganizationsAgain() // a role or a right of the user has changed
      return true
    },
  }
}

/** The ends that are no days or out of range. */
function faultsOfChoices(
  { role, grants, memberEnd }: Choices,
  latest: (role: string) => string | null,
  faultOf: FaultOfEnd,
): Faults {
  if (role === 'owner') return {}
  const ends = Object.entries(faultsOfEnds(grants, (day, key) => faultOf(day, [latest(key)])))
  const faulty = ends.filter((each): each is [string, string] => each[1] !== null)
  const fault = faultOf(memberEnd, [latest(role)])
  return {
    ...(faulty.length > 0 && { ends: Object.fromEntries(faulty) }),
    ...(fault !== null && { memberEnd: fault }),
  }
}

/** @param latest until when the user can give a role at the longest: its day means that very moment */
function termsOf(
  { role, grants, memberEnd, days, isMailed }: Choices,
  latest: (role: string) => string | null,
  timeZone: string | undefined,
): Terms {
  return {
    role,
    expiresInDays: days,
    mail: isMailed,
    // An owner may do everything, without an end.
    ...(role !== 'owner' && {
      grants: toGrants(grants, (day, key) => toEnd(day, [latest(key)], timeZone)),
      memberExpiresAt: toEnd(memberEnd, [latest(role)], timeZone),
    }),
  }
}
