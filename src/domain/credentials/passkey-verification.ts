/**
 * Verifies what authenticators answer (WebAuthn Level 3, 7.1 and 7.2).
 *
 * `@simplewebauthn/server` checks type, challenge, origin, RP id, presence, verification and signature. It is large, so it is imported when
 * the first answer arrives. Its errors go no further. We check the rest: the page is in no frame of another origin, the user handle is the
 * owner's, the backup-eligible flag is the one of the registration, and the counter has risen.
 */
import {
  type AssertionCredential,
  longestCredentialId,
  type RegistrationCredential,
  readClientData,
} from './passkey-credentials.ts'
import { algorithms, needsVerification, type ProofPurpose, userHandleOf } from './passkey-options.ts'
import type { PasskeySite } from './passkey-site.ts'
import type { NewPasskey, Passkey } from './passkeys.ts'

/** What is expected of every answer. */
interface Expected {
  readonly site: PasskeySite
  /** One that was opened, and is spent with what the answer proves. */
  readonly challenge: string
}

/** What is expected of a passkey that exists. */
interface ExpectedProof extends Expected {
  readonly purpose: ProofPurpose
  /** Whose passkey must answer; null if nobody has said yet who they are. Then the answer must say it. */
  readonly userId: string | null
}

export type AssertionOutcome =
  /** `isVerified`: the passkey has verified its user, and has done so when it was registered. */
  | { readonly outcome: 'verified'; readonly signCount: number; readonly isVerified: boolean }
  /** Everything else is right, but the counter has not risen: the passkey may have been copied. */
  | { readonly outcome: 'lower_counter' }
  | { readonly outcome: 'refused' }

const refused = { outcome: 'refused' } as const

/** A passkey that was just registered, and the model of its authenticator. */
export interface Registered {
  readonly passkey: NewPasskey
  /** As the authenticator says: it is not attested. */
  readonly aaguid: string
}

/** @returns the new passkey; undefined if the answer is refused */
export async function verifyRegistration(
  { site, challenge }: Expected,
  credential: RegistrationCredential,
): Promise<Registered | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const attestationObject = await withoutStatement(credential.response.attestationObject)
  if (!isOfOnePage(credential) || attestationObject === undefined) return undefined
  const { id, rawId, type, clientExtensionResults, response } = credential
  const { clientDataJSON, transports = [] } = response
  const checked = await verifyRegistrationResponse({
    response: { id, rawId, type, clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: [...site.origins],
    expectedRPID: site.rpId,
    requireUserVerification: false,
    supportedAlgorithmIDs: [...algorithms],
  }).catch(() => undefined)
  const made = checked?.registrationInfo
  if (!checked?.verified || !made || made.credential.id !== id) return undefined
  const credentialId = Buffer.from(id, 'base64url')
  if (credentialId.length === 0 || credentialId.length > longestCredentialId) return undefined
  const passkey = {
    credentialId,
    publicKey: Buffer.from(made.credential.publicKey),
    signCount: made.credential.counter,
    transports,
    isSynced: made.credentialDeviceType === 'multiDevice',
    canSignIn: made.userVerified && clientExtensionResults.credProps?.rk === true,
    rpId: site.rpId,
  }
  return { passkey, aaguid: made.aaguid }
}

/**
 * @param passkey the one that the credential names
 * @returns what to store with `notePasskeyUse`, or why the answer is refused
 */
export async function verifyAssertion(
  { site, challenge, purpose, userId }: ExpectedProof,
  credential: AssertionCredential,
  passkey: Passkey,
): Promise<AssertionOutcome> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, rawId, type, response } = credential
  const { userHandle, ...signed } = response
  const requireUserVerification = needsVerification(purpose)
  // A key that was registered without verification never gains it.
  if (requireUserVerification && !passkey.canSignIn) return refused
  if (!isOfOnePage(credential) || !isOwner(passkey, userId, userHandle)) return refused
  if (id !== passkey.credentialId.toString('base64url')) return refused
  const checked = await verifyAuthenticationResponse({
    response: { id, rawId, type, clientExtensionResults: {}, response: signed },
    expectedChallenge: challenge,
    expectedOrigin: [...site.origins],
    expectedRPID: site.rpId,
    // The library judges the counter before the signature. Only a right signature says something of the counter, so we judge it afterwards.
    credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    requireUserVerification,
  }).catch(() => undefined)
  if (!checked?.verified) return refused
  const { newCounter, userVerified, credentialDeviceType } = checked.authenticationInfo
  if ((credentialDeviceType === 'multiDevice') !== passkey.isSynced) return refused
  if (!hasRisen(newCounter, passkey.signCount)) return { outcome: 'lower_counter' }
  return { outcome: 'verified', signCount: newCounter, isVerified: userVerified && passkey.canSignIn }
}

/** Authenticators without a counter always say zero. */
function hasRisen(counter: number, before: number): boolean {
  return counter > before || (counter === 0 && before === 0)
}

/** Whether the page that has asked was not in a frame of another origin. */
function isOfOnePage(credential: RegistrationCredential | AssertionCredential): boolean {
  const data = readClientData(credential)
  return data !== undefined && (data.crossOrigin ?? false) === false && data.topOrigin === undefined
}

/** Whether the passkey is the expected person's, and knows its owner. */
function isOwner(passkey: Passkey, userId: string | null, userHandle: string | null | undefined): boolean {
  if (userId !== null && userId !== passkey.userId) return false
  return userHandle ? userHandle === userHandleOf(passkey.userId) : userId !== null
}

/**
 * Replaces the attestation statement by none. We ask for none, and one that comes anyway proves nothing to us. To read it, the library
 * would parse certificates and fetch revocation lists from addresses in them.
 *
 * @returns undefined if it is no attestation object
 */
async function withoutStatement(attestationObject: string): Promise<string | undefined> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  try {
    const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    const bare = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', object.get('authData')],
    ])
    return Buffer.from(isoCBOR.encode(bare as Parameters<typeof isoCBOR.encode>[0])).toString('base64url')
  } catch {
    return undefined
  }
}
