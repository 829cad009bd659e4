/** Members: reading them, and changing their roles optimistically. */
import { type InfiniteData, useMutation } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { useEndless } from '../parts/endless.tsx'
import { readOrganizationsAgain } from './organization.ts'
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
  readonly status?: MembershipStatus
  readonly sort?: MemberSort
}

export const membershipStatuses = ['suspended', 'all'] as const
type MembershipStatus = (typeof membershipStatuses)[number]

export function readMemberSearch({
  query,
  role,
  hasSecondFactor,
  status,
  sort,
}: Record<string, unknown>): MemberSearch {
  const known = memberSorts.find((name) => name === sort)
  const chosen = membershipStatuses.find((name) => name === status)
  return {
    ...((typeof query === 'string' || typeof query === 'number') &&
      query !== '' && { query: String(query).slice(0, 100) }),
    ...(isRole(role) && { role }),
    ...(typeof hasSecondFactor === 'boolean' && { hasSecondFactor }),
    ...(chosen !== undefined && { status: chosen }),
    ...(known !== undefined && { sort: known }),
  }
}

/** The filters of the list, of an address that may have others. */
export function filtersOf({ query, role, hasSecondFactor, status, sort }: MemberSearch): MemberSearch {
  return {
    ...(query !== undefined && { query }),
    ...(role !== undefined && { role }),
    ...(hasSecondFactor !== undefined && { hasSecondFactor }),
    ...(status !== undefined && { status }),
    ...(sort !== undefined && { sort }),
  }
}

/** @param limit the size of a page */
export function useMembers(orgId: string, search: MemberSearch, limit = 50) {
  return useEndless(['organizations', orgId, 'members', { ...search, limit }], (cursor) =>
    ask(
      api.GET('/api/organizations/{orgId}/members', {
        params: { path: { orgId }, query: { ...search, limit, ...(cursor !== undefined && { cursor }) } },
      }),
    ),
  )
}

export function nameOf({ user }: Member): string {
  return user.name ?? user.email
}

type Pages = InfiniteData<{ readonly data: readonly Member[] }>

/** Shows the new role at once, and the old one again if the change is refused. Changes are sent one after the other. */
export function useRoleChange(orgId: string) {
  const key = { queryKey: ['organizations', orgId, 'members'] }
  const mutationKey = ['roles', orgId]
  const show = (id: string, role: Role) =>
    queries.setQueriesData<Pages>(key, (known) => known && withRole(known, id, role))
  return useMutation({
    mutationKey,
    scope: { id: mutationKey.join() },
    mutationFn: ({ member, role }: { readonly member: Member; readonly role: Role }) =>
      changeRole(orgId, member.id, role),
    async onMutate({ member, role }) {
      await queries.cancelQueries(key)
      show(member.id, role)
    },
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

export function changeRole(orgId: string, memberId: string, role: Role) {
  return ask(
    api.PATCH('/api/organizations/{orgId}/members/{memberId}', {
      params: { path: { orgId, memberId } },
      body: { role },
    }),
  )
}

/** @param memberId `me` to leave */
export function removeMember(orgId: string, memberId: string) {
  return ask(api.DELETE('/api/organizations/{orgId}/members/{memberId}', { params: { path: { orgId, memberId } } }))
}

export function transferOwnership(orgId: string, memberId: string) {
  return ask(api.POST('/api/organizations/{orgId}/transfer', { params: { path: { orgId } }, body: { memberId } }))
}
