/** Links to join an organization, for those who may invite, and for the person who opens one. */
import {
  type Answer,
  type Api,
  ask,
  type Body,
  type Filters,
  keyOf,
  type Link,
  type Member,
  type OnceOptions,
  type Organization,
  type RequestOptions,
  signalOf,
} from './api.ts'
import { type List, listOf } from './lists.ts'

const list = '/api/organizations/{orgId}/links'
const one = '/api/organizations/{orgId}/links/{linkId}'

/** What the page of a link shows. */
export type LinkPreview = Answer<'previewLink'>

/** For admins of the organization. */
export function organizationLinksOf(api: Api) {
  return {
    list(orgId: string, filters: Filters<'listLinks'> = {}, options: RequestOptions = {}): List<Link> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** Everybody who has its `url` can join, until it ends. */
    create(orgId: string, body: Body<'createLink'> = {}, options: OnceOptions = {}): Promise<Link> {
      const params = { path: { orgId }, header: keyOf(options) }
      return ask(api.POST(list, { params, body, ...signalOf(options) }))
    },

    get(orgId: string, linkId: string, options: RequestOptions = {}): Promise<Link> {
      return ask(api.GET(one, { params: { path: { orgId, linkId } }, ...signalOf(options) }))
    },

    /** Nobody joins by it any more. Members who did stay. */
    end(orgId: string, linkId: string, options: RequestOptions = {}): Promise<Link> {
      return ask(api.DELETE(one, { params: { path: { orgId, linkId } }, ...signalOf(options) }))
    },
  }
}

/** For the person who opens a link. `token` is its part after `#token=`. */
export function linksOf(api: Api) {
  return {
    /** Needs no session, and uses nothing. */
    preview(body: Body<'previewLink'>, options: RequestOptions = {}): Promise<LinkPreview> {
      return ask(api.POST('/api/links/preview', { body, ...signalOf(options) }))
    },

    /** Joins the organization. Needs a verified address. For a member it changes nothing. */
    join(
      body: Body<'joinByLink'>,
      options: RequestOptions = {},
    ): Promise<{ organization: Organization; member: Member }> {
      return ask(api.POST('/api/links/join', { body, ...signalOf(options) }))
    },
  }
}
