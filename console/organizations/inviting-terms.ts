/** What people are invited to: the choices of the dialog, and why they were refused. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Body } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { useReader } from '../parts/time.tsx'
import { toDay, toEnd, useEndDate } from './ends.tsx'
import { type Grants, rolesQuery, toGrants } from './grants.tsx'
import { type Faults, faultsOf } from './inviting-faults.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import type { Role } from './roles.ts'

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
  const roles = useQuery({ ...rolesQuery(organization.id), enabled: isOpen })
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
  /** Of a refusal: the latest end that they can give. */
  const [until, setUntil] = useState<string>()
  const [faults, setFaults] = useState<Faults>({})
  const [isMore, setMore] = useState(false)
  return {
    roles,
    choices,
    faults,
    isMore,
    toggle: () => setMore(!isMore),
    choose(next: Partial<Choices>) {
      setChoices({ ...choices, ...next })
      setFaults({})
    },
    reset() {
      setChoices(initial)
      setFaults({})
      setMore(false)
    },
    terms: termsOf(choices, until ?? ownEnd, timeZone),
    /** Shows what was refused at its field. @returns whether there is one */
    async showFaults(error: unknown): Promise<boolean> {
      // A role may have changed since the dialog was opened.
      const known = isRefusal(error, 'role_above_yours') ? await roles.refetch() : roles
      const found = faultsOf(error, { ...choices, roles: known.data ?? [], ownEnd }, dateOf)
      const isFound = Object.keys(found).length > 0
      setFaults(found)
      if (!isFound) return false
      if (found.role === undefined) setMore(true)
      if (isRefusal(error, 'role_above_yours') && error.problem.until != null) setUntil(error.problem.until)
      void readOrganizationsAgain() // a role or a right of the user has changed
      return true
    },
  }
}

/** @param latest the latest end that the user can give, if one is known: its day means that very moment */
function termsOf(
  { role, grants, memberEnd, days, isMailed }: Choices,
  latest: string | null,
  timeZone: string | undefined,
): Terms {
  const endOf = (day: string) => toEnd(day, latest, timeZone)
  return {
    role,
    expiresInDays: days,
    mail: isMailed,
    // An owner may do everything, without an end.
    ...(role !== 'owner' && {
      grants: toGrants(grants, endOf),
      memberExpiresAt: endOf(memberEnd),
    }),
  }
}
