/**
 * Options of passkeys: what a page hands to `navigator.credentials.create` and `get`, as JSON (WebAuthn Level 3, 5.1.9 and 5.1.10).
 *
 * A passkey that signs in alone must verify its user. As a second factor, possession of any of the person's own keys is enough.
 */
import { type Static, Type } from 'typebox'
import { TypeID } from 'typeid-js'
import { OneOf } from '../../platform/http/schemas.ts'
import { type ChallengePurpose, challengeLifetime } from './challenges.ts'
import type { PasskeySite } from './passkey-site.ts'
import type { Passkey } from './passkeys.ts'

/** For what a passkey that exists is asked. */
export type ProofPurpose = Exclude<ChallengePurpose, 'register'>

const Text = (example: string) => Type.String({ maxLength: 2048, examples: [example] })
const Milliseconds = Type.Integer({ minimum: 0, maximum: 3_600_000, format: 'int32', examples: [600_000] })
const PublicKey = Type.Unsafe<'public-key'>({ type: 'string', enum: ['public-key'] })
const Requirement = OneOf(['required', 'preferred', 'discouraged'])
const Descriptors = Type.Array(
  Type.Object({
    type: PublicKey,
    id: Text('dGVzdA'),
    transports: Type.Optional(Type.Array(Text('internal'), { maxItems: 10 })),
  }),
  { maxItems: 100 },
)

/** For `navigator.credentials.create`. */
export type CreationOptions = Static<typeof CreationOptions>
export const CreationOptions = Type.Object(
  {
    rp: Type.Object({ id: Text('example.com'), name: Text('The Shop') }),
    user: Type.Object({ id: Text('AZ8_m0BkfQqJt5LxkYvC3g'), name: Text('ann@example.com'), displayName: Text('Ann') }),
    challenge: Text('dGVzdA'),
    pubKeyCredParams: Type.Array(
      Type.Object({
        type: PublicKey,
        alg: Type.Integer({ minimum: -65_536, maximum: 0, format: 'int32', examples: [-7] }),
      }),
      { maxItems: 10 },
    ),
    timeout: Milliseconds,
    excludeCredentials: Descriptors,
    authenticatorSelection: Type.Object({
      residentKey: Requirement,
      requireResidentKey: Type.Boolean(),
      userVerification: Requirement,
    }),
    attestation: Text('none'),
    extensions: Type.Object({ credProps: Type.Boolean() }),
  },
  {
    $id: 'PasskeyCreationOptions',
    description: 'For `navigator.credentials.create`, through `PublicKeyCredential.parseCreationOptionsFromJSON`.',
  },
)

/** For `navigator.credentials.get`. */
export type RequestOptions = Static<typeof RequestOptions>
export const RequestOptions = Type.Object(
  {
    rpId: Text('example.com'),
    challenge: Text('dGVzdA'),
    timeout: Milliseconds,
    allowCredentials: Type.Optional(Descriptors),
    userVerification: Requirement,
  },
  {
    $id: 'PasskeyRequestOptions',
    description: 'For `navigator.credentials.get`, through `PublicKeyCredential.parseRequestOptionsFromJSON`.',
  },
)

/** The COSE algorithms of passkeys, the preferred one first: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257] as const

/** Whether a passkey must verify its user for this purpose. */
export function needsVerification(purpose: ProofPurpose): boolean {
  return purpose !== 'second_factor'
}

/** @returns the user's 128 bits as base64url, by which a passkey knows its owner */
export function userHandleOf(userId: string): string {
  return Buffer.from(TypeID.fromString(userId, 'user').toUUIDBytes()).toString('base64url')
}

/** @param passkeys those that the person has: an authenticator that holds one makes no second one */
export function creationOptions(
  { rpId }: PasskeySite,
  challenge: string,
  tenant: { readonly name: string },
  user: { readonly id: string; readonly email: string; readonly name: string | null },
  passkeys: readonly Passkey[],
): CreationOptions {
  return {
    rp: { id: rpId, name: tenant.name },
    user: { id: userHandleOf(user.id), name: user.email, displayName: user.name ?? user.email },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeLifetime * 1000,
    excludeCredentials: passkeys.map(describe),
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
    attestation: 'none',
    extensions: { credProps: true }, // says whether the passkey is discoverable
  }
}

/**
 * @param passkeys those of the person. They are listed only to somebody who has proven something of the account: at sign-in nobody has said
 *   who they are, and anybody can begin to link an address, so that the list would tell strangers about its account.
 */
export function requestOptions(
  { rpId }: PasskeySite,
  challenge: string,
  purpose: ProofPurpose,
  passkeys: readonly Passkey[] = [],
): RequestOptions {
  const isVerified = needsVerification(purpose)
  return {
    rpId,
    challenge,
    timeout: challengeLifetime * 1000,
    ...((purpose === 'confirm' || purpose === 'second_factor') && {
      allowCredentials: passkeys.filter(({ canSignIn }) => canSignIn || !isVerified).map(describe),
    }),
    userVerification: isVerified ? 'required' : 'discouraged',
  }
}

function describe({ credentialId, transports }: Passkey): Static<typeof Descriptors>[number] {
  return {
    type: 'public-key',
    id: credentialId.toString('base64url'),
    ...(transports && { transports: [...transports] }),
  }
}
