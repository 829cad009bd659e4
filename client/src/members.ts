/** Members of an organization. */
import {
  type Api,
  ask,
  type Body,
  type Filters,
  type Member,
  type MemberDetails,
  type RequestOptions,
  signalOf,
} from './api.ts'
import { type List, listOf } from './lists.ts'

/** Where organizations are for their members, and for admins of the tenant. */
export type Base = '/api/organizations' | '/api/admin/organizations'

export function membersOf(api: Api) {
  return {
    ...membersIn(api, '/api/organizations'),

    /** The caller's own membership, with everything that they may do. */
    async me(orgId: string, options: RequestOptions = {}): Promise<Required<MemberDetails>> {
      const path = { orgId, memberId: 'me' }
      const own = await ask(
        api.GET('/api/organizations/{orgId}/members/{memberId}', { params: { path }, ...signalOf(options) }),
      )
      return { ...own, permissions: own.permissions ?? [] } // the service always says them of oneself
    },
  }
}

export function membersIn(api: Api, base: Base) {
  const list = `${base}/{orgId}/members` as '/api/organizations/{orgId}/members' // the operations below both are the same
  const one = `${list}/{memberId}` as const
  return {
    /** All members, by the time of joining unless `sort` says otherwise. */
    list(orgId: string, filters: Filters<'listMembers'> = {}, options: RequestOptions = {}): List<Member> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** With `permissions` if the caller may change members. */
    get(orgId: string, memberId: string, options: RequestOptions = {}): Promise<MemberDetails> {
      return ask(api.GET(one, { params: { path: { orgId, memberId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. `grants` is the whole list. For admins; nobody gives what they do not hold. */
    update(orgId: string, memberId: string, body: Body<'updateMember'>, options: RequestOptions = {}): Promise<Member> {
      return ask(api.PATCH(one, { params: { path: { orgId, memberId } }, body, ...signalOf(options) }))
    },

    /** For admins; to leave, pass `me` or one's own id. @returns the member that was removed */
    remove(orgId: string, memberId: string, options: RequestOptions = {}): Promise<Member> {
      return ask(api.DELETE(one, { params: { path: { orgId, memberId } }, ...signalOf(options) }))
    },
  }
}
