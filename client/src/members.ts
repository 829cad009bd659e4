/** Members of an organization. */
import { type Api, ask, type Body, type Filters, type Member, type RequestOptions, signalOf } from './api.ts'
import { type List, listOf } from './lists.ts'

const list = '/api/organizations/{orgId}/members'
const one = '/api/organizations/{orgId}/members/{memberId}'

export function membersOf(api: Api) {
  return {
    /** Everybody in it, as they joined unless `sort` says otherwise. */
    list(orgId: string, filters: Filters<'listMembers'> = {}, options: RequestOptions = {}): List<Member> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** `me` stands for the caller’s own membership. */
    get(orgId: string, memberId: string, options: RequestOptions = {}): Promise<Member> {
      return ask(api.GET(one, { params: { path: { orgId, memberId } }, ...signalOf(options) }))
    },

    /** Changes the role. For admins; `owner` is granted and taken by owners alone. */
    update(orgId: string, memberId: string, body: Body<'updateMember'>, options: RequestOptions = {}): Promise<Member> {
      return ask(api.PATCH(one, { params: { path: { orgId, memberId } }, body, ...signalOf(options) }))
    },

    /** For admins; and for oneself, by leaving: `me` stands for the caller. @returns the member that was removed */
    remove(orgId: string, memberId: string, options: RequestOptions = {}): Promise<Member> {
      return ask(api.DELETE(one, { params: { path: { orgId, memberId } }, ...signalOf(options) }))
    },
  }
}
