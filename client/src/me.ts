/** Me: the caller's account, devices, log and invitations. */
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

/** What would be deleted with the account, and what prevents its deletion. */
export type DeletionImpact = operations['getDeletionImpact']['responses'][200]['content']['application/json']

export interface EndedSessions {
  /** The number of sessions that ended. */
  readonly endedSessions: number
}

export function meOf(api: Api) {
  return {
    get(options: RequestOptions = {}): Promise<Versioned<User>> {
      return askVersioned(api.GET('/api/users/me', signalOf(options)))
    },

    /**
     * Omitted fields keep their value; null clears a field. A new `email` needs `currentPassword`, and applies once its mailed link is
     * opened.
     */
    update(body: Body<'updateMe'>, options: ChangeOptions = {}): Promise<Versioned<User>> {
      const params = { header: tagOf(options) }
      return askVersioned(api.PATCH('/api/users/me', { params, body, ...signalOf(options) }))
    },

    /** Deletes the account permanently. The password confirms it. */
    delete(body: Body<'deleteMe'>, options: ChangeOptions = {}): Promise<Deleted> {
      return ask(api.DELETE('/api/users/me', { params: { header: tagOf(options) }, body, ...signalOf(options) }))
    },

    /** What deleting the account would do. */
    deletionImpact(options: RequestOptions = {}): Promise<DeletionImpact> {
      return ask(api.GET('/api/users/me/deletion-impact', signalOf(options)))
    },

    /** Ends all other sessions. */
    changePassword(body: Body<'changePassword'>, options: RequestOptions = {}): Promise<EndedSessions> {
      return ask(api.POST('/api/users/me/password', { body, ...signalOf(options) }))
    },

    /** The devices on which the caller is signed in. */
    devices: {
      /** All devices, newest activity first. */
      list(options: RequestOptions = {}): List<Device> {
        return wholeListOf(() => ask(api.GET('/api/users/me/devices', signalOf(options))))
      },

      /** Ends the device's session, from its next request on. */
      end(deviceId: string, options: RequestOptions = {}): Promise<Device> {
        const params = { path: { deviceId } }
        return ask(api.DELETE('/api/users/me/devices/{deviceId}', { params, ...signalOf(options) }))
      },

      /** Ends all sessions except the caller's. */
      endOthers(options: RequestOptions = {}): Promise<EndedSessions> {
        return ask(api.DELETE('/api/users/me/devices', signalOf(options)))
      },
    },

    audit: {
      /** What the caller did, and what others did to them, newest first. */
      list(filters: Filters<'listMyAudit'> = {}, options: RequestOptions = {}): List<AuditEntry> {
        return listOf(filters, (query) =>
          ask(api.GET('/api/users/me/audit', { params: { query }, ...signalOf(options) })),
        )
      },
    },

    invitations: {
      /** The pending invitations to the caller's verified address. */
      list(filters: Filters<'listMyInvitations'> = {}, options: RequestOptions = {}): List<Invitation> {
        return listOf(filters, (query) =>
          ask(api.GET('/api/users/me/invites', { params: { query }, ...signalOf(options) })),
        )
      },
    },
  }
}
