/** Auth: how sessions begin and end, and what mailed links do. Each `token` is the part of its link after `#token=`. */
import { type Api, ask, type Body, type Device, type RequestOptions, signalOf, type User } from './api.ts'

/** What a session is begun with: a token to be kept, or a cookie that the browser keeps. */
export interface TokenSession {
  /** Send it as `Authorization: Bearer …`, or `guildhall.withToken(token)`. */
  readonly token: string
  /** Store it on the device, also after the session, and send it with the next `signIn` there: the account knows the device by it. */
  readonly deviceToken: string
  readonly device: Device
}
export type CookieSession = Omit<TokenSession, 'token' | 'deviceToken'>

export interface SignedIn<Session> {
  readonly user: User
  readonly session: Session
}

export function authOf<Session>(api: Api) {
  const header = api.session
  /** The service gives a token exactly where no cookie is asked for. */
  const begin = (signedIn: Promise<object>) => signedIn as Promise<SignedIn<Session>>
  return {
    /** Makes an account. With the `invitationToken` of a mail the invited address is verified on the spot. */
    signUp(body: Body<'signUp'>, options: RequestOptions = {}): Promise<SignedIn<Session>> {
      return begin(ask(api.POST('/api/auth/sign-up', { params: { header }, body, ...signalOf(options) })))
    },

    signIn(body: Body<'signIn'>, options: RequestOptions = {}): Promise<SignedIn<Session>> {
      return begin(ask(api.POST('/api/auth/sign-in', { params: { header }, body, ...signalOf(options) })))
    },

    /** Ends the session that asks. Without one there is nothing to do. */
    async signOut(options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/sign-out', signalOf(options)))
    },

    /** Makes a tenant's first admin, with the token that the start of the service printed. */
    setUp(body: Body<'setUp'>, options: RequestOptions = {}): Promise<SignedIn<Session>> {
      return begin(ask(api.POST('/api/setup', { params: { header }, body, ...signalOf(options) })))
    },

    /** Needs a session of the person to whom the mail went, else `sign_in_required`. */
    verifyEmail(
      body: Body<'verifyEmail'>,
      options: RequestOptions = {},
    ): Promise<{ email: string; emailVerified: boolean }> {
      return ask(api.POST('/api/auth/verify-email', { body, ...signalOf(options) }))
    },

    async resendVerification(options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/verify-email/resend', signalOf(options)))
    },

    /** The same answer whether or not there is such an account. */
    async forgotPassword(body: Body<'forgotPassword'>, options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/forgot-password', { body, ...signalOf(options) }))
    },

    /** Ends every session, and signs nobody in. */
    async resetPassword(body: Body<'resetPassword'>, options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/reset-password', { body, ...signalOf(options) }))
    },

    /** With the token of the mail to the old address. Ends every session, and switches the password off until a reset. */
    async undoEmailChange(body: Body<'undoEmailChange'>, options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/undo-email-change', { body, ...signalOf(options) }))
    },

    /** With the token of the mail about a new device. */
    async endSession(body: Body<'endSessionFromMail'>, options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/end-session', { body, ...signalOf(options) }))
    },
  }
}
