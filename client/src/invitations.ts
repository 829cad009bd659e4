/** Invitations to an organization, for its admins and for the invited person. */
import {
  type Answer,
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
import type { Base } from './members.ts'

/** For admins of the organization, or, in any organization, of the tenant. */
export function organizationInvitationsOf(api: Api, base: Base) {
  const list = `${base}/{orgId}/invites` as '/api/organizations/{orgId}/invites' // the operations below both are the same
  const one = `${list}/{inviteId}` as const
  return {
    list(orgId: string, filters: Filters<'listInvitations'> = {}, options: RequestOptions = {}): List<Invitation> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** Mails the invitation with a link, unless `mail` is false. */
    create(orgId: string, body: Body<'inviteMember'>, options: OnceOptions = {}): Promise<Versioned<Invitation>> {
      const params = { path: { orgId }, header: keyOf(options) }
      return askVersioned(api.POST(list, { params, body, ...signalOf(options) }))
    },

    /** Up to 100 at once. Each is judged by itself: `results` are in their order. */
    bulk(
      orgId: string,
      body: Body<'inviteMembers'>,
      options: OnceOptions = {},
    ): Promise<{ results: InvitationResults }> {
      const params = { path: { orgId }, header: keyOf(options) }
      return ask(api.POST(`${list}/bulk`, { params, body, ...signalOf(options) }))
    },

    get(orgId: string, inviteId: string, options: RequestOptions = {}): Promise<Versioned<Invitation>> {
      return askVersioned(api.GET(one, { params: { path: { orgId, inviteId } }, ...signalOf(options) }))
    },

    /** The link stops working. */
    revoke(orgId: string, inviteId: string, options: ChangeOptions = {}): Promise<Versioned<Invitation>> {
      const params = { path: { orgId, inviteId }, header: tagOf(options) }
      return askVersioned(api.DELETE(one, { params, ...signalOf(options) }))
    },

    /** Mails it again, with a new link that is valid for seven days unless `expiresInDays` says otherwise. */
    resend(
      orgId: string,
      inviteId: string,
      body: Body<'resendInvitation'> = {},
      options: OnceOptions = {},
    ): Promise<Versioned<Invitation>> {
      const params = { path: { orgId, inviteId }, header: keyOf(options) }
      return askVersioned(api.POST(`${one}/resend`, { params, body, ...signalOf(options) }))
    },
  }
}

/** What the page of a mailed link shows. `hasAccount`: whether the invited address already has an account. */
export type InvitationPreview = Answer<'previewInvitation'>

/** What became of each invitation of a bulk: `sent`, or the code with which it would be refused. */
export type InvitationResults = Answer<'inviteMembers'>['results']

/**
 * @param token the part of the mailed link after `#token=`
 * @returns the id of its invitation, for `preview`, `accept` and `decline`; only `preview` says whether the invitation exists
 * @throws GuildhallError invalid_id if the text is not such a token, for example half of one
 */
export function invitationIdOf(token: string): string {
  const [, row] = /^ghm_[^.]+\.([0-9a-z]{26})\.[^.]+$/.exec(token) ?? []
  if (row === undefined)
    throw new GuildhallError('invalid_id', 'This is not the token of an invitation. The link may be incomplete.', {
      status: 400,
    })
  return `inv_${row}`
}

/** For the invited person. */
export function invitationsOf(api: Api) {
  return {
    /**
     * Shows the invitation of a mailed link. `token` is the link's, and `invitationIdOf` returns its id. It needs no session, and can be
     * repeated.
     */
    preview(
      inviteId: string,
      body: Body<'previewInvitation'>,
      options: RequestOptions = {},
    ): Promise<InvitationPreview> {
      const params = { path: { inviteId } }
      return ask(api.POST('/api/invites/{inviteId}/preview', { params, body, ...signalOf(options) }))
    },

    /** Joins the organization. A repetition answers the same while that membership lasts. */
    accept(inviteId: string, options: RequestOptions = {}): Promise<{ organization: Organization; member: Member }> {
      return ask(api.POST('/api/invites/{inviteId}/accept', { params: { path: { inviteId } }, ...signalOf(options) }))
    },

    decline(inviteId: string, options: RequestOptions = {}): Promise<Versioned<Invitation>> {
      const params = { path: { inviteId } }
      return askVersioned(api.POST('/api/invites/{inviteId}/decline', { params, ...signalOf(options) }))
    },
  }
}
