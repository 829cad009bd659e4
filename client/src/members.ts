/** Members of an organization. */
import { type Api, ask, type Body, type Filters, type Member, type RequestOptions, signalOf } from './api.ts'
import { type List, listOf } from './lists.ts'

const list = '/api/organizations/{orgId}/members'
const one = '/api/organizations/{orgId}/members/{memberId}'

export function membersOf(api: Api) {
  return {
    /** All members, by the time of joining unless `sort` says otherwise. */
    list(orgId: string, filters: Filters<'listMembers'> = {}, options: RequestOptions = {}): List<Member> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** `me` stands for the caller’s own membership. */
    get(orgId: string, memberId: string, options: RequestOptions = {}): Promise<Member> {
      return ask(api.GET(one, { params: { path: { orgId, memberId } }, ...signalOf(options) }))
    },

    /** Changes the role. For admins; only owners can grant and take away `owner`. */
    update(orgId: string, memberId: string, body: Body<'updateMember'>, options: RequestOptions = {}): Promise<Member> {
      return ask(api.PATCH(one, { params: { path: { orgId, memberId } }, body, ...signalOf(options) }))
    },

    /** For admins; to leave, pass `me` or one's own id. @returns the member that was removed */
    remove(orgId: string, memberId: string, options: RequestOptions = {}): Promise<Member> {
      return ask(api.DELETE(one, { params: { path: { orgId, memberId } }, ...signalOf(options) }))
    },
  }
}
