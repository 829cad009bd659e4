/** Me: the caller's account, devices, log and invitations. */
import {
  type Answer,
  type Api,
  type AuditEntry,
  ask,
  askVersioned,
  type Body,
  type ChangeOptions,
  type Deleted,
  type Device,
  type Factor,
  type Filters,
  type Identity,
  type Invitation,
  type RequestOptions,
  signalOf,
  tagOf,
  type User,
  type Versioned,
} from './api.ts'
import type { Visit } from './auth.ts'
import { personalKeysOf } from './keys.ts'
import { type List, listOf, wholeListOf } from './lists.ts'
import { type Picture, sentAs } from './pictures.ts'

/** What would be deleted with the account, and what prevents its deletion. */
export type DeletionImpact = Answer<'getDeletionImpact'>

/** All factors, the recovery codes that are left, and who requires a second factor. */
export type Factors = Answer<'listFactors'>

/** What `me.factors.add` needs: from an authenticator app `setup` and a code, from a browser an answer to `options`. */
export type FactorSetup<Type extends Factor['type']> = { readonly type: Type; readonly expiresAt: string } & Readonly<
  Required<Pick<Answer<'setUpFactor'>, Type extends 'totp' ? 'setup' | 'secret' | 'uri' : 'options'>>
>

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
     * Omitted fields keep their value; null clears a field. A new `email` needs `currentPassword` or a fresh session, and applies once its
     * mailed link is opened.
     */
    update(body: Body<'updateMe'>, options: ChangeOptions = {}): Promise<Versioned<User>> {
      const params = { header: tagOf(options) }
      return askVersioned(api.PATCH('/api/users/me', { params, body, ...signalOf(options) }))
    },

    avatar: {
      /** `avatarUrl` names it then: a new URL each time, for everybody. */
      upload(picture: Picture, options: ChangeOptions = {}): Promise<Versioned<User>> {
        const params = { header: tagOf(options) }
        return askVersioned(api.PUT('/api/users/me/avatar', { params, ...sentAs(picture), ...signalOf(options) }))
      },

      /** Clears `avatarUrl`, also if it is that of another server. */
      remove(options: ChangeOptions = {}): Promise<Versioned<User>> {
        return askVersioned(
          api.DELETE('/api/users/me/avatar', { params: { header: tagOf(options) }, ...signalOf(options) }),
        )
      },
    },

    /** Deletes the account permanently. The password confirms it, or `confirm` in a fresh session. */
    delete(body: Body<'deleteMe'>, options: ChangeOptions = {}): Promise<Deleted> {
      return ask(api.DELETE('/api/users/me', { params: { header: tagOf(options) }, body, ...signalOf(options) }))
    },

    /** What deleting the account would do. */
    deletionImpact(options: RequestOptions = {}): Promise<DeletionImpact> {
      return ask(api.GET('/api/users/me/deletion-impact', signalOf(options)))
    },

    /** Ends all other sessions. An account without a password gets its first one in a fresh session. */
    changePassword(body: Body<'changePassword'>, options: RequestOptions = {}): Promise<EndedSessions> {
      return ask(api.POST('/api/users/me/password', { body, ...signalOf(options) }))
    },

    /** Ends all other sessions. Needs a fresh session, and another way to sign in. */
    removePassword(options: RequestOptions = {}): Promise<EndedSessions> {
      return ask(api.DELETE('/api/users/me/password', signalOf(options)))
    },

    /** Authenticator app, passkeys and security keys. Everything but reading and renaming needs a fresh session. */
    factors: {
      list(options: RequestOptions = {}): Promise<Factors> {
        return ask(api.GET('/api/users/me/factors', signalOf(options)))
      },

      /** Stores nothing. For a passkey, pass `options` to `navigator.credentials.create`. */
      setUp<Type extends Factor['type']>(
        body: { readonly type: Type },
        options: RequestOptions = {},
      ): Promise<FactorSetup<Type>> {
        const setUp = ask(api.POST('/api/users/me/factors/setup', { body, ...signalOf(options) }))
        return setUp as Promise<unknown> as Promise<FactorSetup<Type>> // the fields depend on the type
      },

      /** The first one that sign-in asks for comes with recovery codes. Show them: nobody can read them again. */
      add(body: Body<'addFactor'>, options: RequestOptions = {}): Promise<Answer<'addFactor', 201>> {
        return ask(api.POST('/api/users/me/factors', { body, ...signalOf(options) }))
      },

      rename(factorId: string, body: Body<'renameFactor'>, options: RequestOptions = {}): Promise<Factor> {
        const params = { path: { factorId } }
        return ask(api.PATCH('/api/users/me/factors/{factorId}', { params, body, ...signalOf(options) }))
      },

      /** Ends all other sessions. */
      remove(factorId: string, options: RequestOptions = {}): Promise<Factor> {
        const params = { path: { factorId } }
        return ask(api.DELETE('/api/users/me/factors/{factorId}', { params, ...signalOf(options) }))
      },
    },

    recoveryCodes: {
      /** Ten new codes. All older ones stop working. */
      create(options: RequestOptions = {}): Promise<Answer<'makeRecoveryCodes'>> {
        return ask(api.POST('/api/users/me/recovery-codes', signalOf(options)))
      },
    },

    /** The caller's accounts at providers. */
    identities: {
      list(options: RequestOptions = {}): List<Identity> {
        return wholeListOf(() => ask(api.GET('/api/users/me/identities', signalOf(options))))
      },

      /** Begins to link an account at a provider. Needs a fresh session. */
      start(body: Body<'startLinking'>, options: RequestOptions = {}): Promise<Visit> {
        return ask(api.POST('/api/users/me/identities/start', { body, ...signalOf(options) }))
      },

      /** Takes the token of the attempt that `start` began, and what the browser brought back, with the `redirectUri` of the page, in the same session. */
      link(body: Body<'linkIdentity'>, options: RequestOptions = {}): Promise<Identity> {
        return ask(api.POST('/api/users/me/identities', { body, ...signalOf(options) }))
      },

      /** Ends the sessions that it began. Needs a fresh session, and another way to sign in. */
      unlink(identityId: string, options: RequestOptions = {}): Promise<Identity> {
        const params = { path: { identityId } }
        return ask(api.DELETE('/api/users/me/identities/{identityId}', { params, ...signalOf(options) }))
      },
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

    keys: personalKeysOf(api),

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
