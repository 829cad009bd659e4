/**
 * Making accounts. Nothing else inserts into `users`.
 *
 * Invariants: an address that somebody may still have back is refused (`email_taken`); guesses at the address from before it was this
 * account's are forgotten, so that they lock nobody out.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { fieldColumns, jsonColumnsOf, jsonNamesOf } from '../../platform/database/fields.ts'
import { searchKey } from '../../platform/http/schemas.ts'
import type { Actor } from '../access/actors.ts'
import { forgetTries } from '../credentials/guessing.ts'
import { mailToken } from '../credentials/mailed-tokens.ts'
import type { TenantRole } from '../permissions/roles.ts'
import { record } from '../record/record.ts'
import { wordsOfUser } from '../search/words.ts'
import { indexUsers } from '../search/writing.ts'
import { refuseReserved } from './email.ts'
import { userFields } from './fields.ts'
import type { User } from './users.ts'

/** As it is stored (`asStored`). */
export interface NewUser {
  readonly id: string
  /** Normalised. */
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string | null
  /** Null until a password is set by a link. */
  readonly passwordHash: string | null
  readonly role: TenantRole
  readonly locale?: string | null
}

/** A user who comes from another product. */
export interface ImportedUser
  extends Omit<NewUser, 'locale'>,
    Pick<User, 'metadata' | 'appMetadata'>,
    Partial<Pick<User, 'avatarUrl' | 'locale' | 'timeZone' | 'createdAt'>> {
  readonly status: User['status']
}

/**
 * Makes an account and records it.
 *
 * @param actor who makes it: the new user for a sign-up, else somebody else
 * @param link  the kind of link to mail to the address, if any
 * @throws Problem email_taken
 */
export async function makeUser(
  sql: Sql,
  keyring: Keyring,
  user: NewUser,
  { actor, link }: { readonly actor: Actor; readonly link?: 'verify_email' | 'set_password' | undefined },
): Promise<void> {
  const { id, email, emailVerified, name, passwordHash, role, locale = null } = user
  const words = wordsOfUser(user)
  await pipeline([
    sql`
      insert into users (tenant_id, id, email, email_verified, name, name_key, words, words_version, keys_version, password_hash, role,
        locale)
      values (${sql.tenant}, ${id}, ${email}, ${emailVerified}, ${name}, ${nameKeyOf(user)}, ${words}, 1, 1, ${passwordHash}, ${role},
        ${locale})`,
    indexUsers(sql, [{ id, words }]),
  ])
  await refuseReserved(sql, email, id)
  await forgetTries(sql, keyring, email)
  if (link) await mailToken(sql, link, id, email)
  const isSignUp = actor.type === 'user' && actor.userId === id
  await record(sql, actor, isSignUp ? 'user.signed_up' : 'user.created', {
    target: { type: 'user', userId: id, name },
    details: { email, role },
  })
}

/**
 * Makes many accounts with one statement. The import mails no links, and records each batch as one entry.
 *
 * @returns those whose address was free
 */
export async function makeUsers<Imported extends ImportedUser>(
  sql: Sql,
  keyring: Keyring,
  users: readonly Imported[],
): Promise<Imported[]> {
  const rows = users.map((user) => ({ ...user, nameKey: nameKeyOf(user), words: wordsOfUser(user) })) // as the columns below are called
  const [, inserted] = await pipeline([
    sql`
      insert into users (tenant_id, id, email, email_verified, ${fieldColumns(userFields)}, name_key, words, words_version,
        keys_version, password_hash, created_at)
      select t.id, r.id, r.email, r."emailVerified", ${jsonNamesOf(userFields)}, r."nameKey", r.words, 1, 1, r."passwordHash",
        coalesce(r."createdAt", now())
      from tenants t
      cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, email text, "emailVerified" boolean,
        ${jsonColumnsOf(userFields)}, "nameKey" text, words text, "passwordHash" text, "createdAt" timestamptz)
      where t.id = ${sql.tenant}
      on conflict do nothing`,
    sql<{ id: string }>`
      select id from users where tenant_id = ${sql.tenant} and id = any(${users.map(({ id }) => id)})`,
  ])
  const ids = new Set(inserted.map(({ id }) => id))
  const reserved = await dropReserved(sql, [...ids])
  const made = users.filter(({ id }) => ids.has(id) && !reserved.has(id))
  await indexUsers(
    sql,
    rows.filter(({ id }) => ids.has(id) && !reserved.has(id)),
  )
  await forgetTries(sql, keyring, ...made.map(({ email }) => email))
  return made
}

function nameKeyOf({ name }: NewUser): string | null {
  return name === null ? null : searchKey(name)
}

/** Takes back those whose address somebody may still have back, where `makeUser` refuses. @returns their ids */
async function dropReserved(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  const dropped = await sql<{ id: string }>`
    delete from users u
    using mailed_tokens t
    where u.tenant_id = ${sql.tenant} and u.id = any(${ids}) and t.tenant_id = ${sql.tenant} and t.email = u.email
      and t.purpose = 'undo_email_change' and t.spent_at is null and t.expires_at > now()
    returning u.id`
  return new Set(dropped.map(({ id }) => id))
}
