/** Passkeys in the browser. */
import type { Schemas } from '../api/client.ts'
import { Refusal } from '../api/refusal.ts'

/** Whether the browser can make and use passkeys. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/** The user has closed the browser's dialog, or the device has no fitting passkey. */
export class PasskeyCancelled extends Error {
  override readonly name = 'PasskeyCancelled'
}

/** @throws PasskeyCancelled */
export async function askForPasskey(
  options: Schemas['PasskeyRequestOptions'],
): Promise<Schemas['AssertionCredential']> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  return answered(navigator.credentials.get({ publicKey }))
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
