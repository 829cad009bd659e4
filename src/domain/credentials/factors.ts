/**
 * Factors: what a person has beside a password: an authenticator app (one), passkeys and security keys.
 *
 * Invariant: recovery codes exist only while the person has a factor that sign-in asks for.
 */
import { type Static, Type } from 'typebox'
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Id, Name, Nullable, newId, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import { caps } from '../limits/caps.ts'
import { ApiProblem, found } from '../problems.ts'
import { dropRecoveryCodes } from './recovery-codes.ts'
import { findStep, openSeed, sealSeed } from './totp.ts'

export const factorTypes = ['totp', 'passkey'] as const
/** The name of an authenticator app to which nobody has given one. */
export const totpName = 'Authenticator app'

export type Factor = Static<typeof Factor>
export const Factor = Type.Object(
  {
    id: Id('fac'),
    type: OneOf(factorTypes),
    name: Name,
    canSignIn: Type.Boolean({ description: 'Whether it signs in alone: a passkey that verified its user.' }),
    synced: Type.Boolean({ description: 'Whether the passkey is synced between devices.' }),
    createdAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  },
  { $id: 'Factor', description: 'An authenticator app, a passkey or a security key.' },
)

const columns = statement`id, type, name, can_sign_in, coalesce(is_synced, false) as synced, created_at, last_used_at`

export function selectFactors(tenant: string, user: Statement | string): Statement {
  return statement`select ${columns} from factors where tenant_id = ${tenant} and user_id = ${user} order by created_at, id`
}

/** @throws Problem not_found */
export async function getFactor(sql: Sql, userId: string, id: string): Promise<Factor> {
  const [factor] = await sql<Factor>`
    select ${columns} from factors where tenant_id = ${sql.tenant} and user_id = ${userId} and id = ${id}`
  return found(factor)
}

/**
 * Checks that there is room for one more. The user's row is locked, so that parallel requests cannot pass the limit together.
 *
 * @throws Problem limit_reached
 */
export async function checkFactorLimit(sql: Sql, userId: string): Promise<void> {
  const [, [owned]] = await pipeline([
    sql`select from users where tenant_id = ${sql.tenant} and id = ${userId} for no key update`,
    sql<{ count: number }>`select count(*) from factors where tenant_id = ${sql.tenant} and user_id = ${userId}`,
  ])
  if ((owned?.count ?? 0) < caps.factors.most) return
  throw new ApiProblem('limit_reached', {
    detail: `An account has at most ${caps.factors.most} factors. Remove one first.`,
  })
}

/**
 * Adds an authenticator app, in the place of the one before. The person's row must be locked.
 *
 * @param step the time step of the code that proved it, which is good no more
 */
export async function insertTotp(
  sql: Sql,
  keyring: Keyring,
  userId: string,
  { name, secret, step }: { readonly name: string; readonly secret: string; readonly step: number },
): Promise<string> {
  await sql`delete from factors where tenant_id = ${sql.tenant} and user_id = ${userId} and type = 'totp'`
  await checkFactorLimit(sql, userId)
  const id = newId('fac')
  const seed = sealSeed(keyring, sql.tenant, id, secret)
  await sql`
    insert into factors (tenant_id, id, user_id, type, name, seed, sealed_under, last_step)
    values (${sql.tenant}, ${id}, ${userId}, 'totp', ${name}, ${seed}, ${keyring.name}, ${step})`
  return id
}

/** Adds the authenticator apps of people who come from another product, and have no factor yet. No code of theirs was used here. */
export async function insertForeignTotps(
  sql: Sql,
  keyring: Keyring,
  apps: readonly { readonly userId: string; readonly secret: string }[],
): Promise<void> {
  if (apps.length === 0) return
  const rows = apps.map(({ userId, secret }) => {
    const id = newId('fac')
    return { id, userId, seed: sealSeed(keyring, sql.tenant, id, secret) }
  })
  await sql`
    insert into factors (tenant_id, id, user_id, type, name, seed, sealed_under, last_step)
    select u.tenant_id, r.id, u.id, 'totp', ${totpName}, r.seed, ${keyring.name}, 0
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, "userId" text, seed text)
    join users u on u.tenant_id = ${sql.tenant} and u.id = r."userId"`
}

/**
 * Uses a code of the person's authenticator app up. If the secret of the seed was taken away, every code is wrong; other factors still work.
 *
 * @returns the id of the factor, or undefined if the code is wrong or was used
 */
export async function spendTotp(sql: Sql, keyring: Keyring, userId: string, code: string): Promise<string | undefined> {
  const [factor] = await sql<{ id: string; seed: string }>`
    select id, seed from factors where tenant_id = ${sql.tenant} and user_id = ${userId} and type = 'totp'`
  if (!factor) return undefined
  const seed = openSeed(keyring, sql.tenant, factor.id, factor.seed)
  if (seed === undefined) return undefined
  const step = await findStep(sql, seed, code)
  if (step === undefined) return undefined
  const spent = await sql`
    update factors set last_step = ${step}, last_used_at = now()
    where tenant_id = ${sql.tenant} and id = ${factor.id} and last_step < ${step}
    returning id`
  return spent.length > 0 ? factor.id : undefined
}

export async function renameFactor(sql: Sql, userId: string, id: string, name: string): Promise<Factor> {
  const [factor] = await sql<Factor>`
    update factors set name = ${name}
    where tenant_id = ${sql.tenant} and user_id = ${userId} and id = ${id}
    returning ${columns}`
  return found(factor)
}

export async function dropFactor(sql: Sql, userId: string, id: string): Promise<void> {
  await sql`delete from factors where tenant_id = ${sql.tenant} and user_id = ${userId} and id = ${id}`
}

/**
 * Removes all factors and recovery codes of a person, or those that are younger. Without a factor, no recovery codes remain.
 *
 * @param since RFC 3339
 * @returns how many
 */
export async function dropFactors(sql: Sql, userId: string, since: string | null = null): Promise<number> {
  const dropped = await sql`
    delete from factors
    where tenant_id = ${sql.tenant} and user_id = ${userId}
      and (${since}::timestamptz is null or created_at >= ${since}::timestamptz)
    returning id`
  const left = await sql`select from factors where tenant_id = ${sql.tenant} and user_id = ${userId} limit 1`
  await dropRecoveryCodes(sql, userId, left.length === 0 ? null : since)
  return dropped.length
}
