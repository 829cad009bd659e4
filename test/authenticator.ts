/**
 * An authenticator in software, with the browser around it: it answers our options as `toJSON()` would write it. Everything it says can be
 * changed, so that a test can show what the service refuses.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import type { AssertionCredential, RegistrationCredential } from '../src/domain/credentials/passkey-credentials.ts'
import type { CreationOptions, RequestOptions } from '../src/domain/credentials/passkey-options.ts'

/** What an answer says; by default it is right. */
export interface Changes {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  /** More members of the client data, such as `crossOrigin`. */
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly isPresent?: boolean
  readonly isVerified?: boolean
  readonly isEligible?: boolean
  readonly isBackedUp?: boolean
  readonly counter?: number
  readonly userHandle?: string | null
  /** Whether the browser says that the passkey is discoverable; undefined: it says nothing. */
  readonly isDiscoverable?: boolean | undefined
  /** How the browser reaches it. */
  readonly transports?: readonly string[]
  /** The model of the authenticator; none by default. */
  readonly aaguid?: string
  /** The attestation: its format and its statement. */
  readonly attestation?: readonly [format: string, statement: ReadonlyMap<string, Cbor>]
}

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>

export interface Authenticator {
  readonly credentialId: Buffer
  /** Answers `navigator.credentials.create`. */
  create(options: Pick<CreationOptions, 'challenge' | 'rp' | 'user'>, changes?: Changes): RegistrationCredential
  /** Answers `navigator.credentials.get`. */
  get(options: Pick<RequestOptions, 'challenge' | 'rpId'>, changes?: Changes): AssertionCredential
}

interface Keys {
  /** As COSE (RFC 9053). */
  readonly publicKey: Buffer
  readonly privateKey: KeyObject
}

/**
 * @param algorithm as COSE: -8 EdDSA, -7 ES256, -257 RS256
 * @param usual     what all its answers say
 * @param keys      those of a passkey that exists, with its `credentialId`
 */
export function newAuthenticator(
  algorithm: -8 | -7 | -257 = -7,
  usual: Changes = {},
  { publicKey, privateKey }: Keys = encodeKeys(algorithm, newPair(algorithm)),
  credentialId: Buffer = randomBytes(32),
): Authenticator {
  const id = credentialId.toString('base64url')
  let counter = usual.counter ?? 0
  let owner: string | null = null
  return {
    credentialId,
    create: (options, changes = {}) => {
      owner = options.user.id
      const said = { isDiscoverable: true, ...usual, ...changes }
      const attested = Buffer.concat([aaguidOf(said), word(credentialId.length), credentialId, publicKey])
      const data = authenticatorData(options.rp.id, attested, counter, said)
      const [format, statement] = said.attestation ?? ['none', new Map()]
      const object = new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', data],
      ])
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, said).toString('base64url'),
          attestationObject: encode(object).toString('base64url'),
          transports: [...(said.transports ?? ['internal', 'hybrid'])],
        },
        clientExtensionResults: said.isDiscoverable === undefined ? {} : { credProps: { rk: said.isDiscoverable } },
      }
    },
    get: (options, changes = {}) => {
      if (counter > 0) counter++
      const said = { ...usual, counter, ...changes }
      const data = authenticatorData(options.rpId, Buffer.alloc(0), counter, said)
      const client = clientData('webauthn.get', options.challenge, said)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign(algorithm === -8 ? null : 'sha256', signed, privateKey).toString('base64url'),
          userHandle: changes.userHandle === undefined ? owner : changes.userHandle,
        },
        clientExtensionResults: {},
      }
    },
  }
}

function aaguidOf({ aaguid }: Changes): Buffer {
  return aaguid === undefined ? Buffer.alloc(16) : Buffer.from(aaguid.replaceAll('-', ''), 'hex')
}

interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

function newPair(algorithm: -8 | -7 | -257): Pair {
  if (algorithm === -8) return ed25519Keys()
  if (algorithm === -7) return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

export function encodeKeys(algorithm: -8 | -7 | -257, pair: Pair): Keys {
  const jwk = pair.publicKey.export({ format: 'jwk' })
  const part = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url')
  const parts: Record<typeof algorithm, [number, Cbor][]> = {
    [-8]: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, part('x')],
    ],
    [-7]: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, part('x')],
      [-3, part('y')],
    ],
    [-257]: [
      [1, 3],
      [3, -257],
      [-1, part('n')],
      [-2, part('e')],
    ],
  }
  return { publicKey: encode(new Map(parts[algorithm])), privateKey: pair.privateKey }
}

/** A pair that follows from `randomBytes`, which tools/certainty.ts replaces. */
function ed25519Keys(): Pair {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), randomBytes(32)]) // RFC 8410
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return { publicKey: createPublicKey(privateKey), privateKey }
}

/** WebAuthn Level 3, 6.1. */
function authenticatorData(rpId: string, attested: Buffer, usual: number, said: Changes): Buffer {
  const { isPresent = true, isVerified = true, isEligible = false, isBackedUp = false, counter = usual } = said
  const flags = [isPresent, false, isVerified, isEligible, isBackedUp, false, attested.length > 0]
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([
    createHash('sha256')
      .update(said.rpId ?? rpId)
      .digest(),
    Buffer.from([flags.reduce((bits, isSet, bit) => bits | (Number(isSet) << bit), 0)]),
    count,
    attested,
  ])
}

function clientData(type: string, challenge: string, said: Changes): Buffer {
  const { origin = 'https://accounts.example.com' } = said
  const data = { type: said.type ?? type, challenge: said.challenge ?? challenge, origin, crossOrigin: false }
  return Buffer.from(JSON.stringify({ ...data, ...said.clientData }))
}

/** CBOR (RFC 8949) of whole numbers, texts, bytes and maps. */
function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as ReadonlyMap<number | string, Cbor>)]
  return Buffer.concat([head(5, entries.length), ...entries.flatMap((entry) => entry.map(encode))])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  return length < 256 ? Buffer.from([(major << 5) | 24, length]) : Buffer.from([(major << 5) | 25, ...word(length)])
}

/** Two bytes, the higher one first. */
function word(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255])
}
