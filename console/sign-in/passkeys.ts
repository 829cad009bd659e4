/** Passkeys in the browser. */
import type { Schemas } from '../api/client.ts'
import { Refusal } from '../api/refusal.ts'

/** Whether this page may use passkeys of a domain: a browser refuses them on pages of other hosts. */
export function isPasskeyHost(domain: string): boolean {
  const host = window.location.hostname
  return host === domain || host.endsWith(`.${domain}`)
}

/**
 * Whether the browser can make and use passkeys on this page.
 *
 * @param domain what the tenant's passkeys belong to
 */
export function hasPasskeys(domain: string | null): boolean {
  if (domain === null || !isPasskeyHost(domain)) return false
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/** The user has closed the browser's dialog, or the device has no fitting passkey. */
export class PasskeyCancelled extends Error {
  override readonly name = 'PasskeyCancelled'
}

/** Whether a browser that has passkeys can offer them among what it fills into a field. */
export async function hasPasskeysInFields(): Promise<boolean> {
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true
}

/**
 * @param signal given for a passkey in a field: the browser asks nothing until the user picks one there
 * @throws PasskeyCancelled
 */
export async function askForPasskey(
  options: Schemas['PasskeyRequestOptions'],
  signal?: AbortSignal,
): Promise<Schemas['AssertionCredential']> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  return answered(navigator.credentials.get({ publicKey, ...(signal && { signal, mediation: 'conditional' }) }))
}

/** @throws PasskeyCancelled @throws Refusal passkey_taken if the device has one of the account already */
export async function createPasskey(
  options: Schemas['PasskeyCreationOptions'],
): Promise<Schemas['RegistrationCredential']> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  return answered(navigator.credentials.create({ publicKey }))
}

/** Newer than TypeScript's description of browsers. */
interface Signals {
  signalAllAcceptedCredentials?(accepted: {
    readonly rpId: string
    readonly userId: string
    readonly allAcceptedCredentialIds: readonly string[]
  }): Promise<void>
}

/**
 * Tells the browser which passkeys the account has, so that it offers no others of it. Not every browser can be told.
 *
 * @param options for another passkey, which name those that the account has
 * @param added one more, since the options were made
 */
export async function signalPasskeys(options: Schemas['PasskeyCreationOptions'], added?: string): Promise<void> {
  const { rp, user, excludeCredentials } = options
  const allAcceptedCredentialIds = excludeCredentials.map(({ id }) => id)
  if (added !== undefined) allAcceptedCredentialIds.push(added)
  const { signalAllAcceptedCredentials } = PublicKeyCredential as Signals
  // A browser that refuses offers a passkey which the API then refuses.
  await signalAllAcceptedCredentials
    ?.call(PublicKeyCredential, { rpId: rp.id, userId: user.id, allAcceptedCredentialIds })
    .catch(() => {})
}

async function answered<Answer>(asked: Promise<Credential | null>): Promise<Answer> {
  const credential = await asked.catch((error: unknown) => {
    const isCancelled = error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name)
    if (isCancelled) throw new PasskeyCancelled()
    const isHere = error instanceof DOMException && error.name === 'InvalidStateError'
    throw isHere ? new Refusal({ code: 'passkey_taken' }) : error
  })
  if (!credential) throw new PasskeyCancelled()
  return (credential as PublicKeyCredential).toJSON() as Answer // as the API describes it
}
