/** Members: reading them, and changing their roles optimistically. */
import { type InfiniteData, useMutation } from '@tanstack/react-query'
import { api, ask, type Body, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { useEndless } from '../parts/endless.tsx'
import { readQuery } from '../parts/search.ts'
import { readOrganizationsAgain } from './organization.ts'
import { placeOf, type Where } from './place.ts'
import { isRole, type Role } from './roles.ts'

export type Member = Schemas['Member']

export const memberSorts = ['joinedAt', '-joinedAt', 'name', '-name', 'email', '-email'] as const

export type MemberSort = (typeof memberSorts)[number]

/** The filters of the list in the address. */
export interface MemberSearch {
  readonly query?: string
  readonly role?: Role
  /** For those who may change members. */
  readonly hasSecondFactor?: boolean
  /** For those who may change members. Absent: active ones. */
  readonly status?: ListedMemberStatus
  readonly sort?: MemberSort
}

export const listedMemberStatuses = ['suspended', 'all'] as const
type ListedMemberStatus = (typeof listedMemberStatuses)[number]

export function readMemberSearch({
  query,
  role,
  hasSecondFactor,
  status,
  sort,
}: Record<string, unknown>): MemberSearch {
  const known = memberSorts.find((name) => name === sort)
  const chosen = listedMemberStatuses.find((name) => name === status)
  return {
    ...readQuery({ query }),
    ...(isRole(role) && { role }),
    ...(typeof hasSecondFactor === 'boolean' && { hasSecondFactor }),
    ...(chosen !== undefined && { status: chosen }),
    ...(known !== undefined && { sort: known }),
  }
}

/**
 * The filters of the list, of an address that may have others.
 *
 * @param mayUpdate whether the caller may change members: only then does the API take all filters, and the address may be somebody else's
 */
export function filtersOf(
  { query, role, hasSecondFactor, status, sort }: MemberSearch,
  mayUpdate: boolean,
): MemberSearch {
  return {
    ...(query !== undefined && { query }),
    ...(role !== undefined && { role }),
    ...(mayUpdate && hasSecondFactor !== undefined && { hasSecondFactor }),
    ...(mayUpdate && status !== undefined && { status }),
    ...(sort !== undefined && { sort }),
  }
}

interface Reading {
  /** The size of a page. */
  readonly limit?: number
  readonly enabled?: boolean
}

export function useMembers(where: Where, search: MemberSearch, { limit = 50, enabled = true }: Reading = {}) {
  const { base, path, key } = placeOf(where)
  const read = (cursor: string | undefined) =>
    ask(
      api.GET(`${base}/members`, {
        params: { path, query: { ...search, limit, ...(cursor !== undefined && { cursor }) } },
      }),
    )
  return useEndless([...key, 'members', { ...search, limit }], read, enabled)
}

export function nameOf({ user }: Member): string {
  return user.name ?? user.email
}

type Pages = InfiniteData<{ readonly data: readonly Member[] }>

interface RoleChange {
  readonly member: Member
  readonly role: Role
}

/**
 * Shows the new role at once, and the old one again if the change is refused. Changes are sent one after the other.
 *
 * @param onChanged is called for each change, also if the next one was begun before the answer
 */
export function useRoleChange(where: Where, onChanged: (change: RoleChange) => void) {
  const place = placeOf(where)
  const key = { queryKey: [...place.key, 'members'] } // only the lists of `useMembers` are below it
  const mutationKey = ['roles', ...place.key]
  const show = (id: string, role: Role) =>
    queries.setQueriesData<Pages>(key, (known) => known && withRole(known, id, role))
  return useMutation({
    mutationKey,
    scope: { id: mutationKey.join() },
    mutationFn: ({ member, role }: RoleChange) => changeRole(where, member.id, role),
    async onMutate({ member, role }) {
      await queries.cancelQueries(key)
      show(member.id, role)
    },
    onSuccess: (_answer, change) => onChanged(change),
    onError: (_error, { member }) => show(member.id, member.role),
    // A read during another change would not include it.
    onSettled: () => (queries.isMutating({ mutationKey }) > 1 ? undefined : readOrganizationsAgain()),
  })
}

function withRole(known: Pages, id: string, role: Role): Pages {
  const pages = known.pages.map((page) => ({
    ...page,
    data: page.data.map((member) => (member.id === id ? { ...member, role } : member)),
  }))
  return { ...known, pages }
}

export function changeRole(where: Where, memberId: string, role: Role) {
  return changeMember(where, memberId, { role })
}

export function changeMember(where: Where, memberId: string, body: Body<'updateMember'>) {
  const { base, path } = placeOf(where)
  return ask(api.PATCH(`${base}/members/{memberId}`, { params: { path: { ...path, memberId } }, body }))
}

/** @param memberId `me` to leave */
export function removeMember(where: Where, memberId: string) {
  const { base, path } = placeOf(where)
  return ask(api.DELETE(`${base}/members/{memberId}`, { params: { path: { ...path, memberId } } }))
}

export function transferOwnership(where: Where, memberId: string) {
  const { base, path } = placeOf(where)
  return ask(api.POST(`${base}/transfer`, { params: { path }, body: { memberId } }))
}
