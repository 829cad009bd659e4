/** Auth: starts and ends sessions, and uses mailed links. Each `token` is the part of its link after `#token=`. */
import {
  type Answer,
  type Api,
  type Attempt,
  ask,
  type Body,
  type Device,
  type RequestOptions,
  signalOf,
  type User,
} from './api.ts'
import { keepDevice, withDevice } from './device.ts'

/** A new session: either with a token to store, or in a cookie that the browser stores. */
export interface TokenSession {
  /** Send it as `Authorization: Bearer …`, or `guildhall.withToken(token)`. */
  readonly token: string
  /** By it the account knows the device. The client keeps and sends it, if it has a `device` store; a browser has one. */
  readonly deviceToken: string
  readonly device: Device
}
export type CookieSession = Omit<TokenSession, 'token' | 'deviceToken'>

/** After a confirmation there is no `deviceToken`: the device has one already. */
export type ConfirmedSession<Session> = Omit<Session, 'deviceToken'>

export interface SignedIn<Session> {
  readonly user: User
  readonly session: Session
}

/** A visit to a provider that has begun. */
export interface Visit {
  /** Send the browser there. */
  readonly url: string
  /** Keep its token in the tab, such as in `sessionStorage`, until the browser comes back. */
  readonly attempt: Attempt
}

export function authOf<Session>(api: Api) {
  const header = api.session
  /** The service returns a token unless a cookie was requested, so the answer has the type of the client's session. */
  const begin = async (asked: Promise<object>) => {
    const signedIn = (await asked) as SignedIn<Session>
    await keepDevice(api.device, (signedIn.session as Partial<TokenSession> | undefined)?.deviceToken)
    return signedIn
  }
  const known = <Sent extends { deviceToken?: string }>(body: Sent) => withDevice(api.device, body)
  return {
    /** Creates an account and signs in. The `invitationToken` of a mail also verifies the invited address. */
    async signUp(account: Body<'signUp'>, options: RequestOptions = {}): Promise<SignedIn<Session>> {
      const body = await known(account)
      return begin(ask(api.POST('/api/auth/sign-up', { params: { header }, body, ...signalOf(options) })))
    },

    /** Throws `SignInIncomplete` if another step is missing; so do `signInWithPasskey`, `continue` and `confirm`. */
    async signIn(credentials: Body<'signIn'>, options: RequestOptions = {}): Promise<SignedIn<Session>> {
      const body = await known(credentials)
      return begin(ask(api.POST('/api/auth/sign-in', { params: { header }, body, ...signalOf(options) })))
    },

    /** Takes what `navigator.credentials.get` answered to `passkeyOptions`. */
    async signInWithPasskey(
      answer: Body<'signInWithPasskey'>,
      options: RequestOptions = {},
    ): Promise<SignedIn<Session>> {
      const body = await known(answer)
      return begin(ask(api.POST('/api/auth/sign-in/passkey', { params: { header }, body, ...signalOf(options) })))
    },

    /** Options for `navigator.credentials.get`: to sign in, or for an `attempt` that accepts `passkey`. */
    passkeyOptions(body: Body<'passkeyOptions'> = {}, options: RequestOptions = {}): Promise<Answer<'passkeyOptions'>> {
      return ask(api.POST('/api/auth/passkey-options', { body, ...signalOf(options) }))
    },

    /** Mails a code to an `email` address, or for an `attempt` that accepts `mail_code`. Answers the same for every address. */
    async requestCode(whose: Body<'mailCode'>, options: RequestOptions = {}): Promise<{ attempt: Attempt }> {
      const body = await known(whose)
      return ask(api.POST('/api/auth/sign-in/mail-code', { params: { header }, body, ...signalOf(options) }))
    },

    /** Begins to sign in at a provider. `continue` takes what its `callback` brings back, with the `redirectUri` of the page. */
    startProvider(body: Body<'signInAtProvider'>, options: RequestOptions = {}): Promise<Visit> {
      return ask(api.POST('/api/auth/sign-in/provider', { params: { header }, body, ...signalOf(options) }))
    },

    /** Takes the token of an attempt, and one proof that the attempt accepts. If it was to confirm, there is no `deviceToken`. */
    async continue(proof: Body<'continueSignIn'>, options: RequestOptions = {}): Promise<SignedIn<Session>> {
      const body = await known(proof)
      return begin(ask(api.POST('/api/auth/sign-in/continue', { params: { header }, body, ...signalOf(options) })))
    },

    /**
     * Proves again who the caller is, for operations that need it. The session gets a new token, and the old one ends. `secondFactor` asks
     * for two factors. Without a `password`, it throws `SignInIncomplete`.
     */
    confirm(body: Body<'confirm'> = {}, options: RequestOptions = {}): Promise<SignedIn<ConfirmedSession<Session>>> {
      return begin(ask(api.POST('/api/auth/confirm', { params: { header }, body, ...signalOf(options) })))
    },

    /** Ends the caller's session. Without a session it does nothing. */
    async signOut(options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/sign-out', signalOf(options)))
    },

    /** Creates a tenant's first admin, with the token that the service prints at its start. */
    async setUp(account: Body<'setUp'>, options: RequestOptions = {}): Promise<SignedIn<Session>> {
      const body = await known(account)
      return begin(ask(api.POST('/api/setup', { params: { header }, body, ...signalOf(options) })))
    },

    /** Needs a session of the person who got the mail; otherwise `sign_in_required`. */
    verifyEmail(
      body: Body<'verifyEmail'>,
      options: RequestOptions = {},
    ): Promise<{ email: string; emailVerified: boolean }> {
      return ask(api.POST('/api/auth/verify-email', { body, ...signalOf(options) }))
    },

    async resendVerification(options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/verify-email/resend', signalOf(options)))
    },

    /** Answers the same whether or not the account exists. */
    async forgotPassword(body: Body<'forgotPassword'>, options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/forgot-password', { body, ...signalOf(options) }))
    },

    /** Ends every session. It does not sign in. `email` is the address to sign in with. */
    resetPassword(body: Body<'resetPassword'>, options: RequestOptions = {}): Promise<{ email: string }> {
      return ask(api.POST('/api/auth/reset-password', { body, ...signalOf(options) }))
    },

    /** Takes the token from the mail to the old address. Ends every session, and disables the password until a reset. */
    async undoEmailChange(body: Body<'undoEmailChange'>, options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/undo-email-change', { body, ...signalOf(options) }))
    },

    /** Takes the token from the mail about a new device, and says which device it is about. It uses nothing. */
    previewEndSession(
      body: Body<'previewEndSession'>,
      options: RequestOptions = {},
    ): Promise<{ device: string; signedInAt: string }> {
      return ask(api.POST('/api/auth/end-session/preview', { body, ...signalOf(options) }))
    },

    /** Takes the token from the mail about a new device, and ends that device's session. */
    async endSession(body: Body<'endSessionFromMail'>, options: RequestOptions = {}): Promise<void> {
      await ask(api.POST('/api/auth/end-session', { body, ...signalOf(options) }))
    },
  }
}
