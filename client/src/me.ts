/** Me: the caller, where they are signed in, what they did, and who invites them. */
import {
  type Api,
  type AuditEntry,
  ask,
  askVersioned,
  type Body,
  type ChangeOptions,
  type Deleted,
  type Device,
  type Filters,
  type Invitation,
  type RequestOptions,
  signalOf,
  tagOf,
  type User,
  type Versioned,
} from './api.ts'
import { type List, listOf, wholeListOf } from './lists.ts'
import type { operations } from './openapi.d.ts'

/** What goes with an account, and what keeps it from being deleted. */
export type DeletionImpact = operations['getDeletionImpact']['responses'][200]['content']['application/json']

export interface EndedSessions {
  /** How many. */
  readonly endedSessions: number
}

export function meOf(api: Api) {
  return {
    get(options: RequestOptions = {}): Promise<Versioned<User>> {
      return askVersioned(api.GET('/api/users/me', signalOf(options)))
    },

    /** What is absent stays as it is; null clears. A new `email` needs `currentPassword`, and waits for the link that is mailed there. */
    update(body: Body<'updateMe'>, options: ChangeOptions = {}): Promise<Versioned<User>> {
      const params = { header: tagOf(options) }
      return askVersioned(api.PATCH('/api/users/me', { params, body, ...signalOf(options) }))
    },

    /** For good. The password confirms it. */
    delete(body: Body<'deleteMe'>, options: ChangeOptions = {}): Promise<Deleted> {
      return ask(api.DELETE('/api/users/me', { params: { header: tagOf(options) }, body, ...signalOf(options) }))
    },

    /** What deleting the account would do. */
    deletionImpact(options: RequestOptions = {}): Promise<DeletionImpact> {
      return ask(api.GET('/api/users/me/deletion-impact', signalOf(options)))
    },

    /** All other sessions end. */
    changePassword(body: Body<'changePassword'>, options: RequestOptions = {}): Promise<EndedSessions> {
      return ask(api.POST('/api/users/me/password', { body, ...signalOf(options) }))
    },

    /** Where the caller is signed in. */
    devices: {
      /** All of them, newest activity first. */
      list(options: RequestOptions = {}): List<Device> {
        return wholeListOf(() => ask(api.GET('/api/users/me/devices', signalOf(options))))
      },

      /** The next request of that session is refused. */
      end(deviceId: string, options: RequestOptions = {}): Promise<Device> {
        const params = { path: { deviceId } }
        return ask(api.DELETE('/api/users/me/devices/{deviceId}', { params, ...signalOf(options) }))
      },

      /** Ends all sessions but the one that asks. */
      endOthers(options: RequestOptions = {}): Promise<EndedSessions> {
        return ask(api.DELETE('/api/users/me/devices', signalOf(options)))
      },
    },

    audit: {
      /** What the caller did, and what was done to them, newest first. */
      list(filters: Filters<'listMyAudit'> = {}, options: RequestOptions = {}): List<AuditEntry> {
        return listOf(filters, (query) =>
          ask(api.GET('/api/users/me/audit', { params: { query }, ...signalOf(options) })),
        )
      },
    },

    invitations: {
      /** Pending ones to the caller's verified address. */
      list(filters: Filters<'listMyInvitations'> = {}, options: RequestOptions = {}): List<Invitation> {
        return listOf(filters, (query) =>
          ask(api.GET('/api/users/me/invites', { params: { query }, ...signalOf(options) })),
        )
      },
    },
  }
}
