/**
 * What browsers answer to WebAuthn, as `PublicKeyCredential.toJSON()` writes it (WebAuthn Level 3, 5.1). The shapes name the members that
 * we look at, and take others: browsers and password managers add some.
 */
import { type Static, type TSchema, Type } from 'typebox'

function Base64url(maxLength: number) {
  return Type.String({ pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength, examples: ['dGVzdA'] })
}

/** The most bytes of a credential id (WebAuthn Level 3, 4). */
export const longestCredentialId = 1023

function Credential<Response extends TSchema>(response: Response, $id: string, description: string) {
  const id = Base64url(Math.ceil((longestCredentialId * 4) / 3))
  return Type.Object(
    {
      id,
      rawId: id,
      type: Type.Unsafe<'public-key'>({ type: 'string', enum: ['public-key'] }),
      response,
      clientExtensionResults: Type.Object({
        credProps: Type.Optional(Type.Object({ rk: Type.Optional(Type.Boolean()) })),
      }),
    },
    { $id, description, jsonObject: true }, // at most 8 KiB
  )
}

/** What `navigator.credentials.create` has answered. */
export type RegistrationCredential = Static<typeof RegistrationCredential>
export const RegistrationCredential = Credential(
  Type.Object({
    clientDataJSON: Base64url(2048),
    attestationObject: Base64url(6144),
    transports: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9-]+$', minLength: 1, maxLength: 32, examples: ['internal'] }), {
        maxItems: 10,
      }),
    ),
  }),
  'RegistrationCredential',
  'The new passkey: `toJSON()` of what `navigator.credentials.create` returns. At most 8 KiB.',
)

/** What `navigator.credentials.get` has answered. */
export type AssertionCredential = Static<typeof AssertionCredential>
export const AssertionCredential = Credential(
  Type.Object({
    clientDataJSON: Base64url(2048),
    authenticatorData: Base64url(2048),
    signature: Base64url(2048),
    userHandle: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: '^[A-Za-z0-9_-]*$',
        maxLength: 86,
        examples: ['AZ8_m0BkfQqJt5LxkYvC3g'],
      }),
    ),
  }),
  'AssertionCredential',
  'The answer of a passkey: `toJSON()` of what `navigator.credentials.get` returns. At most 8 KiB.',
)

/** What the browser says of the page that has asked (WebAuthn Level 3, 5.8.1). */
export interface ClientData {
  readonly challenge: string
  readonly crossOrigin?: unknown
  readonly topOrigin?: unknown
}

/** @returns undefined if it cannot be read. Nothing in it is proven before the credential is verified */
export function readClientData({ response }: RegistrationCredential | AssertionCredential): ClientData | undefined {
  try {
    const data = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))
    return typeof data?.challenge === 'string' ? data : undefined
  } catch {
    return undefined
  }
}
