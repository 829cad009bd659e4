/** Import of users: a row creates a new user, and never changes an existing one. */
import { checkEmailDomain, type Tenant } from '../../domain/access/tenancy.ts'
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { insertForeignTotps } from '../../domain/credentials/factors.ts'
import { normalizeSecret } from '../../domain/credentials/totp.ts'
import { userFields } from '../../domain/people/fields.ts'
import { makeUsers } from '../../domain/people/make-user.ts'
import type { NewPicture } from '../../domain/pictures/pictures.ts'
import { record } from '../../domain/record/record.ts'
import { dropLink } from '../../features/tenants/set-up.ts'
import { operator } from '../../features/tenants/tenants.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import { asStored } from '../../platform/database/fields.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { Problem } from '../../platform/http/problems.ts'
import { newId, normalizeEmail } from '../../platform/http/schemas.ts'
import type { Config } from '../../platform/settings/config.ts'
import { findUsers } from './external-ids.ts'
import { insertPictures, newPictureOf } from './pictures.ts'
import { freshOf, type Outcome, outcomesOf, type Row, type UserRow } from './rows.ts'

/**
 * Imports a batch. It locks the tenant, so batches of other imports into the tenant wait for it, and so does set-up of its first admin.
 *
 * @returns the outcome of each row, in the order of `rows`
 */
export async function importUsers(
  sql: Sql,
  { keyring, config }: { readonly keyring: Keyring; readonly config: Pick<Config, 'publicUrl'> },
  rows: readonly Row<UserRow>[],
  isTrial: boolean,
): Promise<Outcome[]> {
  if (!isTrial) await lockTenant(sql)
  const known = await findUsers(
    sql,
    rows.map(({ content }) => content.externalId),
  ) // a statement after the lock: it sees what the holder before us has committed
  const outcomes = new Map<string, Outcome>()
  const allowed: NewUser[] = []
  const apart = new Map<string, Apart>()
  const [tenant] = await sql<Pick<Tenant, 'allowedEmailDomains'>>`
    select allowed_email_domains from tenants where id = ${sql.tenant}`
  for (const row of freshOf(rows, known)) {
    const uploaded = newPictureOf(config, sql.tenant, row.avatar)
    const user = toNewUser(row, uploaded?.url)
    apart.set(user.externalId, { picture: uploaded?.picture, totpSecret: row.totpSecret })
    const isAllowed = isAllowedAddress(tenant ?? { allowedEmailDomains: [] }, user.email)
    outcomes.set(user.externalId, { reason: isAllowed ? 'email_taken' : 'email_domain_not_allowed' })
    if (isAllowed) allowed.push(user)
  }
  const made = allowed.length > 0 ? await makeUsers(sql, keyring, allowed) : []
  await insertPictures(
    sql,
    made.map(({ id, externalId }) => ({ userId: id, picture: apart.get(externalId)?.picture })),
  )
  const apps = made.flatMap(({ id, externalId }) => {
    const secret = apart.get(externalId)?.totpSecret
    return secret === undefined ? [] : [{ userId: id, secret: normalizeSecret(secret) }]
  })
  await insertForeignTotps(sql, keyring, apps)
  for (const { externalId } of made) outcomes.set(externalId, 'made')
  if (made.some(({ role }) => role === 'admin')) await dropLink(sql)
  if (made.length > 0) {
    const named = made.map(({ id, externalId }) => ({ id, externalId }))
    await sql`
      insert into external_users (tenant_id, external_id, user_id)
      select u.tenant_id, r."externalId", u.id
      from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as r ("externalId" text, id text)
      join users u on u.tenant_id = ${sql.tenant} and u.id = r.id`
    const target = { type: 'tenant', id: sql.tenant } as const
    await record(sql, operator, 'tenant.imported', { target, details: { users: made.length } })
  }
  return outcomesOf(rows, outcomes)
}

/** What a row brings to other tables. It is kept apart from the users, whose statement has all that they have as JSON, unsealed. */
interface Apart {
  readonly picture: NewPicture | undefined
  readonly totpSecret: string | undefined
}

/** @param pictureUrl of the picture that the row has, if it has one */
function toNewUser({ avatar: _avatar, totpSecret: _totpSecret, ...row }: UserRow, pictureUrl: string | undefined) {
  const stored = asStored(userFields, row)
  return {
    ...stored,
    ...(pictureUrl !== undefined && { avatarUrl: pictureUrl }),
    id: newId('user'),
    email: normalizeEmail(row.email) as string, // the format `email` let it pass
    name: stored.name ?? null,
    passwordHash: row.passwordHash ?? null,
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
