/** Failures of a sign-in at a provider. */

/**
 * Why a sign-in failed, as tenant admins see it.
 *
 * - `denied`: the person or the provider said no.
 * - `unreachable`: no answer, or one that breaks the rules of platform/outbound.
 * - `bad_metadata`: the provider's metadata are invalid, too long or of another issuer, or its keys are too long or too many.
 * - `bad_token`: the code was refused, or the ID token or what is read with its access token is invalid.
 * - `bad_client`: the provider refuses the client id, the client secret or the redirect URI.
 * - `no_email`: the provider told no address, and the person has no account yet.
 */
export const failureReasons = ['denied', 'unreachable', 'bad_metadata', 'bad_token', 'bad_client', 'no_email'] as const
export type FailureReason = (typeof failureReasons)[number]

/** Invariant: it contains nothing that the provider has sent, so it can be logged. */
export class ProviderFailure extends Error {
  readonly reason: Exclude<FailureReason, 'no_email'>

  constructor(reason: Exclude<FailureReason, 'no_email'>) {
    super(`A sign-in at a provider failed: ${reason}.`)
    this.name = 'ProviderFailure'
    this.reason = reason
  }

  /** The problem for the caller: trying again later helps, or does not. */
  get code(): 'provider_unavailable' | 'provider_refused' {
    return this.reason === 'unreachable' || this.reason === 'bad_metadata' ? 'provider_unavailable' : 'provider_refused'
  }
}
