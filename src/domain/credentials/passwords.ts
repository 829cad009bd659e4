/**
 * Passwords: their rules (NIST SP 800-63B-4, 3.1.1.2), their hashes, and proving one's own.
 *
 * Invariant: no connection is held while a hash is computed, or waits for its turn (hash-queue.ts).
 */
import { Type } from 'typebox'
import { hashSecretly, isOwnHash, randomSecret, verifySecretly } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { atLeast, atMost, type Fault, faultOf } from '../../platform/http/faults.ts'
import { invalidRequest, Problem } from '../../platform/http/problems.ts'
import { kept } from '../../platform/kept.ts'
import type { Tenant } from '../access/tenancy.ts'
import { ApiProblem } from '../problems.ts'
import { sameWords } from '../search/writing.ts'
import type { ForeignHash } from './foreign-algorithms.ts'
import { readForeignHash } from './foreign-hashes.ts'
import { type Try, takeBackTry, turnOfTries } from './guessing.ts'
import { type Hasher, inTurn } from './hash-queue.ts'

/** A password that is being set. Its tenant may want more than eight characters. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 256,
  format: 'password',
  description: 'From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.',
  examples: ['correct horse battery staple'],
})

/** A password that is being checked. */
export const Password = Type.String({
  minLength: 1,
  maxLength: 256,
  format: 'password',
  examples: ['correct horse battery staple'],
})

/** What the rules of a new password are about. */
export interface PasswordContext {
  readonly email: string
  readonly tenantName: string
  readonly passwordMinimum: number
}

/** @throws Problem invalid_request that names what is wrong with the password */
export async function checkNewPassword(pointer: string, password: string, context: PasswordContext): Promise<void> {
  const faults = await findPasswordFaults(pointer, password, context)
  if (faults.length > 0) throw invalidRequest(faults)
}

/** @returns what is wrong with a new password, at most one fault */
export async function findPasswordFaults(
  pointer: string,
  password: string,
  context: PasswordContext,
): Promise<readonly Fault[]> {
  const normalized = password.normalize('NFKC')
  const length = [...normalized].length
  const identities = [context.email, context.email.split('@')[0], context.tenantName, 'guildhall'].map(squeezed)
  if (length < context.passwordMinimum) return [faultOf(pointer, 'too_short', atLeast(context.passwordMinimum))]
  if (length > 256) return [faultOf(pointer, 'too_long', atMost(256))]
  if (identities.includes(squeezed(password))) return [faultOf(pointer, 'contains_identity')]
  return (await isCommon(password)) ? [faultOf(pointer, 'common_password')] : []
}

/** "Acme Cloud", "acme-cloud" and "AcmeCloud" are the same to somebody who guesses. */
function squeezed(text = ''): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s._-]/g, '')
}

/**
 * What can be said of a new password before its owner is known.
 *
 * @throws Problem invalid_request
 */
export async function checkCommon(pointer: string, password: string): Promise<void> {
  if (await isCommon(password)) throw invalidRequest([faultOf(pointer, 'common_password')])
}

async function isCommon(password: string): Promise<boolean> {
  return (await commonest()).has(password.normalize('NFKC').toLowerCase())
}

/** Loaded with the first password that is set, because it takes 5 MiB. */
const commonest = kept(async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
})

/**
 * Verifies the password of a try that was counted.
 *
 * @throws Problem overloaded: then it counts no more
 */
export async function verifyTry(
  context: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  tried: Try,
  password: string,
  hash: string | null,
): Promise<{ matches: boolean; outdated: boolean }> {
  try {
    return await verifyPassword(tried.hasher, password, hash)
  } catch (error) {
    if (error instanceof Problem && error.code === 'overloaded')
      await context.database.inTenant(tenant.id, (sql) => takeBackTry(sql, tried), { turn: turnOfTries(tried) })
    throw error
  }
}

/** @throws Problem overloaded */
export function hashPassword(hasher: Hasher, password: string): Promise<string> {
  return inTurn(hasher, 1, () => hashSecretly(password))
}

/**
 * A foreign hash takes its own time: until its owner signs in, that time tells that there is an account. It is outdated, but where it says
 * nothing of the password's end: what was typed there need not be right, and would be all that lets in from then on.
 *
 * @param hash null for an account that does not exist or has no password: takes the time of one of ours, matches nothing
 * @throws Problem overloaded
 */
export async function verifyPassword(
  hasher: Hasher,
  password: string,
  hash: string | null,
): Promise<{ matches: boolean; outdated: boolean }> {
  const compared = hash ?? (await hashOfNobody())
  const foreign = readForeignHash(compared) // one of ours, too: it may have come with parameters of its own
  if (!foreign) throw new Error('A stored password hash has an unknown form.')
  const verify = () => (isOwnHash(compared) ? verifySecretly(password, compared) : verifyForeign(password, foreign))
  return inTurn(hasher, foreign.weight, verify)
}

async function verifyForeign(password: string, foreign: ForeignHash): Promise<{ matches: boolean; outdated: boolean }> {
  return { matches: await foreign.matches(password), outdated: foreign.coversAll(password) }
}

/** The hash of a password that nobody has. */
const hashOfNobody = kept(() => hashSecretly(randomSecret('nobody')))

/** Replaces the hash of a password by another hash of the same password. */
export async function rehashPassword(sql: Sql, userId: string, hash: string): Promise<void> {
  await sql`update users set password_hash = ${hash} where tenant_id = ${sql.tenant} and id = ${userId}`
}

/**
 * Changes a password, if the one that was proven is still the current one.
 *
 * @param proven the hash against which the current password was verified; null if there is none
 * @returns the user's address
 * @throws Problem wrong_password when it was changed since
 */
export async function changePassword(
  sql: Sql,
  userId: string,
  { proven, hash }: { readonly proven: string | null; readonly hash: string },
): Promise<{ readonly email: string; readonly emailVerified: boolean }> {
  const [changed] = await sql<{ email: string; emailVerified: boolean }>`
    update users set password_hash = ${hash}, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${userId} and password_hash is not distinct from ${proven}
    returning email, email_verified`
  if (!changed) throw new ApiProblem('wrong_password')
  return changed
}

/** Takes the password from an account whose mailbox was just proven from outside. */
export async function bareAccount(sql: Sql, userId: string): Promise<void> {
  await sql`
    update users
    set password_hash = null, email_verified = true, ${sameWords}, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${userId}`
}

/** Removes the password: other ways in remain. @returns whether there was one */
export async function removePassword(sql: Sql, userId: string): Promise<boolean> {
  const removed = await sql`
    update users set password_hash = null, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${userId} and password_hash is not null
    returning id`
  return removed.length > 0
}

/** Sets a password by a link that was mailed to the address. This proves the address. */
export async function resetPassword(sql: Sql, userId: string, hash: string): Promise<void> {
  await sql`
    update users
    set password_hash = ${hash}, email_verified = true, ${sameWords}, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${userId}`
}
