/**
 * Passkeys: some users have one each, of an authenticator in software. All have the same key pair, which follows from the secret, so that
 * a stored seed fits the next run.
 */
import { createECDH, createPrivateKey, createPublicKey } from 'node:crypto'
import type { AssertionCredential } from '../src/domain/credentials/passkey-credentials.ts'
import { userHandleOf } from '../src/domain/credentials/passkey-options.ts'
import type { PasskeySite } from '../src/domain/credentials/passkey-site.ts'
import { sha256 } from '../src/platform/cryptography.ts'
import { encodeKeys, newAuthenticator } from '../test/authenticator.ts'
import { id, secret } from './population.ts'

/** Where the passkeys of all contenders work. */
export const origin = 'http://localhost'
export const site: PasskeySite = { rpId: 'localhost', origins: [origin] }
/** The users who have a passkey, from the first to the last. Other requests come from other users. */
export const owners = [2101, 3100] as const

const keys = encodeKeys(-7, pairOf(sha256(secret)))
/** As COSE. */
export const { publicKey } = keys

/** The user who answers the ith challenge. */
export function ownerOfPasskey(i: number): number {
  return owners[0] + (i % (owners[1] - owners[0] + 1))
}

/** The answer of a user's passkey to a challenge. */
export function answerTo(challenge: string, user: number): AssertionCredential {
  const authenticator = newAuthenticator(-7, { origin }, keys, sha256(`passkey ${user}`))
  return authenticator.get({ challenge, rpId: site.rpId }, { userHandle: userHandleOf(id('user', user)) })
}

/** In SQL: the id of a user's credential. */
export function credentialIdSql(user: string): string {
  return `sha256(('passkey ' || ${user})::bytea)`
}

/** The token of the device on which a user signs in, and has signed in before. */
export function deviceTokenOf(user: number): string {
  return String(user).padStart(43, '0')
}

/** @param secretKey a number below the order of the curve */
function pairOf(secretKey: Buffer) {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(secretKey)
  const point = curve.getPublicKey()
  const [d, x, y] = [secretKey, point.subarray(1, 33), point.subarray(33)] as const
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: d.toString('base64url'),
    x: x.toString('base64url'),
    y: y.toString('base64url'),
  }
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
