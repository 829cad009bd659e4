/** Invitations: to an organization, as its admins see them, and as whoever is invited does. */
import {
  type Api,
  ask,
  askVersioned,
  type Body,
  type ChangeOptions,
  type Filters,
  type Invitation,
  keyOf,
  type Member,
  type OnceOptions,
  type Organization,
  type RequestOptions,
  signalOf,
  tagOf,
  type Versioned,
} from './api.ts'
import { GuildhallError } from './errors.ts'
import { type List, listOf } from './lists.ts'

const list = '/api/organizations/{orgId}/invites'
const one = '/api/organizations/{orgId}/invites/{inviteId}'

/** For admins of the organization. */
export function organizationInvitationsOf(api: Api) {
  return {
    list(orgId: string, filters: Filters<'listInvitations'> = {}, options: RequestOptions = {}): List<Invitation> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** A mail with a link goes out. */
    create(orgId: string, body: Body<'inviteMember'>, options: OnceOptions = {}): Promise<Versioned<Invitation>> {
      const params = { path: { orgId }, header: keyOf(options) }
      return askVersioned(api.POST(list, { params, body, ...signalOf(options) }))
    },

    get(orgId: string, inviteId: string, options: RequestOptions = {}): Promise<Versioned<Invitation>> {
      return askVersioned(api.GET(one, { params: { path: { orgId, inviteId } }, ...signalOf(options) }))
    },

    /** Its link stops working. */
    revoke(orgId: string, inviteId: string, options: ChangeOptions = {}): Promise<Versioned<Invitation>> {
      const params = { path: { orgId, inviteId }, header: tagOf(options) }
      return askVersioned(api.DELETE(one, { params, ...signalOf(options) }))
    },

    /** Sends it again, with a new link that lives for seven more days. */
    resend(orgId: string, inviteId: string, options: OnceOptions = {}): Promise<Versioned<Invitation>> {
      const params = { path: { orgId, inviteId }, header: keyOf(options) }
      return askVersioned(
        api.POST('/api/organizations/{orgId}/invites/{inviteId}/resend', { params, ...signalOf(options) }),
      )
    },
  }
}

/** What the page shows that a mailed link opens. */
export interface InvitationPreview {
  readonly organization: Pick<Organization, 'id' | 'name' | 'slug' | 'logoUrl'>
  readonly invitedBy: Invitation['invitedBy']
  readonly email: string
  readonly role: Member['role']
  readonly expiresAt: string
  /** Whether the invited address has an account already. */
  readonly hasAccount: boolean
}

/**
 * The id of the invitation that a mailed link is about, for `preview`, `accept` and `decline`. Whether there is one, `preview` says.
 *
 * @param token of the link, what stands after `#token=`
 * @throws GuildhallError invalid_id for what is no such token, as of half a link
 */
export function invitationIdOf(token: string): string {
  const [, row] = /^ghm_[^.]+\.([0-9a-z]{26})\.[^.]+$/.exec(token) ?? []
  if (row === undefined)
    throw new GuildhallError('invalid_id', 'This is no token of an invitation. Is the link whole?', { status: 400 })
  return `inv_${row}`
}

/** For whoever is invited. */
export function invitationsOf(api: Api) {
  return {
    /**
     * What it is about. `token` is that of the mailed link, and `invitationIdOf` gives the id that it names. Nobody need be signed in, and
     * it is not spent.
     */
    preview(
      inviteId: string,
      body: Body<'previewInvitation'>,
      options: RequestOptions = {},
    ): Promise<InvitationPreview> {
      const params = { path: { inviteId } }
      return ask(api.POST('/api/invites/{inviteId}/preview', { params, body, ...signalOf(options) }))
    },

    /** Joins the organization. The same answer again while that membership lasts. */
    accept(inviteId: string, options: RequestOptions = {}): Promise<{ organization: Organization; member: Member }> {
      return ask(api.POST('/api/invites/{inviteId}/accept', { params: { path: { inviteId } }, ...signalOf(options) }))
    },

    decline(inviteId: string, options: RequestOptions = {}): Promise<Versioned<Invitation>> {
      const params = { path: { inviteId } }
      return askVersioned(api.POST('/api/invites/{inviteId}/decline', { params, ...signalOf(options) }))
    },
  }
}
