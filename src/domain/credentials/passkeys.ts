/**
 * Passkeys: the factors of type `passkey`, each the public half of a key pair of an authenticator.
 *
 * Invariant: in a tenant, a credential id belongs to one person. A person has at most twenty factors.
 */
import type { Sql } from '../../platform/database/database.ts'
import { newId } from '../../platform/http/schemas.ts'
import { checkFactorLimit } from './factors.ts'

/** A passkey that was just registered. */
export interface NewPasskey {
  readonly credentialId: Buffer
  /** As COSE (RFC 9052). */
  readonly publicKey: Buffer
  readonly signCount: number
  /** How browsers reach its authenticator. */
  readonly transports: readonly string[]
  /** Whether it may be backed up: WebAuthn's flag BE, which never changes. */
  readonly isSynced: boolean
  /** Whether it has verified its user and is discoverable. */
  readonly canSignIn: boolean
  /** The domain that it works on. */
  readonly rpId: string
}

export interface Passkey extends Omit<NewPasskey, 'transports' | 'rpId'> {
  readonly id: string
  readonly userId: string
  readonly transports: readonly string[] | null
  /** Null: unknown. */
  readonly rpId: string | null
}

/**
 * Adds a passkey.
 *
 * @returns the factor's id
 * @throws Problem limit_reached; ConstraintError that is answered as the Problem passkey_taken, if anybody has the credential
 */
export async function insertPasskey(sql: Sql, userId: string, name: string, passkey: NewPasskey): Promise<string> {
  await checkFactorLimit(sql, userId)
  const id = newId('fac')
  const { credentialId, publicKey, signCount, transports, isSynced, canSignIn, rpId } = passkey
  await sql`
    insert into factors (tenant_id, id, user_id, type, name, credential_id, public_key, sign_count, transports, is_synced,
      can_sign_in, rp_id)
    values (${sql.tenant}, ${id}, ${userId}, 'passkey', ${name}, ${credentialId}, ${publicKey}, ${signCount},
      ${transports}, ${isSynced}, ${canSignIn}, ${rpId})`
  return id
}

/** @param credentialId as base64url, as the credential names it */
export async function findPasskey(sql: Sql, credentialId: string): Promise<Passkey | undefined> {
  const [passkey] = await sql<Passkey>`
    select id, user_id, credential_id, public_key, sign_count, transports, is_synced, can_sign_in, rp_id
    from factors
    where tenant_id = ${sql.tenant} and credential_id = ${Buffer.from(credentialId, 'base64url')}`
  return passkey
}

/** The passkeys of a person, the oldest first. */
export function listPasskeys(sql: Sql, userId: string): Promise<Passkey[]> {
  return sql<Passkey>`
    select id, user_id, credential_id, public_key, sign_count, transports, is_synced, can_sign_in, rp_id
    from factors
    where tenant_id = ${sql.tenant} and user_id = ${userId} and type = 'passkey'
    order by created_at, id`
}

/** How many passkeys the tenant has, by their domain. */
export function countPasskeys(sql: Sql): Promise<{ readonly rpId: string | null; readonly count: number }[]> {
  return sql<{ rpId: string | null; count: number }>`
    select rp_id, count(*) as count
    from factors
    where tenant_id = ${sql.tenant} and type = 'passkey'
    group by rp_id
    order by rp_id`
}

/** Everybody in the tenant who has a passkey, in the order in which they are locked. */
export async function listPasskeyOwners(sql: Sql): Promise<string[]> {
  const owners = await sql<{ userId: string }>`
    select distinct user_id from factors where tenant_id = ${sql.tenant} and type = 'passkey' order by user_id`
  return owners.map(({ userId }) => userId)
}

/**
 * Notes that a passkey was used, in the transaction of what it proves.
 *
 * @param signCount the counter of a verified answer
 * @returns false if the passkey is gone, or was used with this counter or a higher one meanwhile: then it proves nothing
 */
export async function notePasskeyUse(sql: Sql, factorId: string, signCount: number): Promise<boolean> {
  const noted = await sql`
    update factors
    set sign_count = ${signCount}, last_used_at = now()
    where tenant_id = ${sql.tenant} and id = ${factorId} and type = 'passkey'
      and (sign_count < ${signCount} or (sign_count = 0 and ${signCount}::bigint = 0))
    returning id`
  return noted.length > 0
}
