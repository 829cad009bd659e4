/**
 * Recovery codes: ten for each person with a second factor, each of which stands for that factor once. They are shown once, and only
 * their hashes are stored: 120 random bits need no salt (ASVS 5.0 V6.5.2).
 */
import { Type } from 'typebox'
import { randomBytes, sha256 } from '../../platform/cryptography.ts'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { caps } from '../limits/caps.ts'

/** A code as it is shown, once. */
export const RecoveryCode = Type.String({ maxLength: 40, examples: ['9ZQ3-V5HF-8GS4-M2Y7-C6T0-WDN1'] })

/** Crockford's: no letter that is read as another or as a digit. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Makes new codes for a person, and voids all older ones. @returns the codes, in groups of four */
export async function makeRecoveryCodes(sql: Sql, userId: string): Promise<string[]> {
  await dropRecoveryCodes(sql, userId)
  const codes = Array.from({ length: caps.recoveryCodes.most }, makeCode)
  for (const code of codes) {
    await sql`
      insert into recovery_codes (tenant_id, user_id, code_hash)
      values (${sql.tenant}, ${userId}, ${hashOf(code)})`
  }
  return codes
}

/** Removes all recovery codes of a person, or those that are younger. @param since RFC 3339 */
export async function dropRecoveryCodes(sql: Sql, userId: string, since: string | null = null): Promise<void> {
  await sql`
    delete from recovery_codes
    where tenant_id = ${sql.tenant} and user_id = ${userId}
      and (${since}::timestamptz is null or created_at >= ${since}::timestamptz)`
}

/** Uses a code up. @returns whether it was one of the person's */
export async function spendRecoveryCode(sql: Sql, userId: string, typed: string): Promise<boolean> {
  const spent = await sql`
    delete from recovery_codes
    where tenant_id = ${sql.tenant} and user_id = ${userId} and code_hash = ${hashOf(typed)}
    returning user_id`
  return spent.length > 0
}

/** Selects how many codes are left; no row if there are none. */
export function countRecoveryCodes(tenant: string, user: Statement | string): Statement {
  return statement`
    select count(*) as left, max(created_at) as created_at
    from recovery_codes
    where tenant_id = ${tenant} and user_id = ${user}
    having count(*) > 0`
}

function makeCode(): string {
  const letters = [...randomBytes(24)].map((byte) => alphabet[byte & 31]).join('') // 24 letters of 5 bits
  return (letters.match(/.{4}/g) ?? []).join('-')
}

/** People type O for 0, I or L for 1, small letters, and leave the hyphens out. Programs make other spaces and dashes of those that are shown. */
function hashOf(code: string): Buffer {
  const normalized = code
    .toUpperCase()
    .replace(/[\s\u200b-\u2015\u2060-]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1')
  return sha256(`recovery ${normalized}`)
}
