/** The signer: signs tokens with a tenant's key, as JSON Web Tokens (RFC 7519) with RS256. */
import { openPrivateKey, type PrivateKey, signByRs256 } from '../../platform/cryptography.ts'
import { findPrivateKey, type KeyStore, makeFirstKey } from './signing-keys.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly signer: Signer
  }
}

/** How many keys are kept open. */
const mostOpen = 1_000

/** What a token says. */
export type Claims = Readonly<Record<string, unknown>>

/** Keeps opened keys, by their ids. Each token is signed by the key that signs at its moment, so a rotation counts at once. */
export class Signer {
  readonly #store: KeyStore
  readonly #open = new Map<string, PrivateKey>()

  constructor(store: KeyStore) {
    this.#store = store
  }

  /**
   * @param keyId the key of the tenant that signs now; undefined: it has none, and its first one is made
   * @param type  of the token, for its header (RFC 8725, 3.11)
   * @throws Error if no secret opens the key
   */
  async sign(tenant: string, keyId: string | undefined, type: string, claims: Claims): Promise<string> {
    const kid = keyId ?? (await makeFirstKey(this.#store, tenant))
    const key = this.#open.get(kid) ?? (await this.#openKey(tenant, kid))
    if (!key) return this.sign(tenant, undefined, type, claims)
    const signed = `${encode({ alg: 'RS256', typ: type, kid })}.${encode(claims)}`
    return `${signed}.${signByRs256(key, signed).toString('base64url')}`
  }

  /** @returns undefined if the key was withdrawn meanwhile */
  async #openKey(tenant: string, kid: string): Promise<PrivateKey | undefined> {
    const found = await findPrivateKey(this.#store, tenant, kid)
    if (!found) return undefined
    const { privateKey } = found
    if (privateKey === undefined)
      throw new Error('No secret of GUILDHALL_SECRET opens the signing key. "guildhall doctor" says what to do.')
    const key = openPrivateKey(privateKey)
    if (this.#open.size === mostOpen) this.#open.clear()
    this.#open.set(kid, key)
    return key
  }
}

function encode(part: Claims): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
