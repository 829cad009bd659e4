/** Import of users: a row creates a new user, and never changes an existing one. */
import { checkEmailDomain, type Tenant } from '../../domain/access/tenancy.ts'
import { recordEvent } from '../../domain/record/record.ts'
import { dropLink, lockTenant } from '../../features/tenants/set-up.ts'
import { operator } from '../../features/tenants/tenants.ts'
import type { Sql } from '../../platform/database/database.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { Problem } from '../../platform/http/problems.ts'
import { newId, normalizeEmail, normalizeName, searchKey } from '../../platform/http/schemas.ts'
import { findUsers } from './external-ids.ts'
import { freshOf, type Outcome, outcomesOf, type Row, type UserRow } from './rows.ts'

/**
 * Imports a batch. It locks the tenant, so batches of other imports into the tenant wait for it, and so does set-up of its first admin.
 *
 * @returns the outcome of each row, in the order of `rows`
 */
export async function importUsers(sql: Sql, rows: readonly Row<UserRow>[], isTrial: boolean): Promise<Outcome[]> {
  if (!isTrial) await lockTenant(sql)
  const known = await findUsers(
    sql,
    rows.map(({ content }) => content.externalId),
  ) // a statement after the lock: it sees what the holder before us has committed
  const outcomes = new Map<string, Outcome>()
  const allowed: NewUser[] = []
  const [tenant] = await sql<Pick<Tenant, 'allowedEmailDomains'>>`
    select allowed_email_domains from tenants where id = ${sql.tenant}`
  for (const user of freshOf(rows, known).map(toNewUser)) {
    const isAllowed = isAllowedAddress(tenant ?? { allowedEmailDomains: [] }, user.email)
    outcomes.set(user.externalId, { reason: isAllowed ? 'email_taken' : 'email_domain_not_allowed' })
    if (isAllowed) allowed.push(user)
  }
  const made = allowed.length > 0 ? await insertUsers(sql, allowed) : []
  for (const { externalId } of made) outcomes.set(externalId, 'made')
  if (made.some(({ role }) => role === 'admin')) await dropLink(sql)
  if (made.length > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await recordEvent(sql, operator, 'tenant.imported', { target, details: { users: made.length } })
  }
  return outcomesOf(rows, outcomes)
}

/** @returns the row for `insertUsers`, which names its fields in `jsonb_to_recordset` */
function toNewUser(row: UserRow) {
  const name = row.name === undefined ? null : normalizeName(row.name)
  return {
    ...row,
    id: newId('user'),
    email: normalizeEmail(row.email) as string, // the format `email` let it pass
    name,
    nameKey: name === null ? null : searchKey(name),
    metadata: mergeMetadata({}, row.metadata), // a null removes a key, as in a PATCH
    appMetadata: mergeMetadata({}, row.appMetadata),
  }
}
type NewUser = ReturnType<typeof toNewUser>

function isAllowedAddress(tenant: Pick<Tenant, 'allowedEmailDomains'>, email: string): boolean {
  try {
    checkEmailDomain(tenant, email)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** @returns the users that were inserted: those whose addresses are free */
async function insertUsers(sql: Sql, users: readonly NewUser[]): Promise<NewUser[]> {
  const inserted = await sql<{ id: string }>`
    insert into users (tenant_id, id, email, email_verified, name, name_key, avatar_url, locale, time_zone, metadata,
      app_metadata, role, status, password_hash, created_at)
    select ${sql.tenant}, id, email, "emailVerified", name, "nameKey", "avatarUrl", locale, "timeZone", metadata,
      "appMetadata", role, status, "passwordHash", coalesce("createdAt", now())
    from jsonb_to_recordset(${JSON.stringify(users)}::jsonb) as r (id text, email text, "emailVerified" boolean, name text,
      "nameKey" text, "avatarUrl" text, locale text, "timeZone" text, metadata jsonb, "appMetadata" jsonb, role text,
      status text, "passwordHash" text, "createdAt" timestamptz)
    on conflict do nothing
    returning id`
  const ids = new Set(inserted.map(({ id }) => id))
  const reserved = await dropReserved(sql, [...ids])
  const made = users.filter(({ id }) => ids.has(id) && !reserved.has(id))
  await sql`
    insert into external_users (tenant_id, external_id, user_id)
    select ${sql.tenant}, r.external_id, r.user_id
    from unnest(${made.map(({ externalId }) => externalId)}::text[], ${made.map(({ id }) => id)}::text[])
      as r (external_id, user_id)`
  return made
}

/** Deletes the new users whose address another user may still restore by an undo link, as `refuseReserved` refuses them. @returns their ids */
async function dropReserved(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  const dropped = await sql<{ id: string }>`
    delete from users u
    using mailed_tokens t
    where u.tenant_id = ${sql.tenant} and u.id = any(${ids}) and t.tenant_id = ${sql.tenant} and t.email = u.email
      and t.purpose = 'undo_email_change' and t.spent_at is null and t.expires_at > now()
    returning u.id`
  return new Set(dropped.map(({ id }) => id))
}
