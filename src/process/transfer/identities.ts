/**
 * Import of identities: a row links an account at a provider to a user, and never changes or moves an existing link.
 *
 * Invariant: an identity is (provider, issuer, subject), and the issuer is one that the provider's ID tokens can name. An unverified account
 * gets an identity only if it was imported too, and nobody has used it since: one that somebody made here by signing up may be a stranger's
 * trap for the owner of the address.
 */
import { caps } from '../../domain/limits/caps.ts'
import { kinds, type Provider } from '../../domain/providers/kinds.ts'
import { record } from '../../domain/record/record.ts'
import { operator } from '../../features/tenants/tenants.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { newId, normalizeEmail, normalizeName } from '../../platform/http/schemas.ts'
import { findUsers } from './external-ids.ts'
import type { IdentityRow, Outcome, Row, Skipped } from './rows.ts'

interface StoredProvider extends Provider {
  readonly id: string
  readonly name: string
}

/** An identity whose user and provider exist. */
interface Resolved {
  readonly id: string
  readonly userId: string
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly createdAt: string | undefined
}

/** A user, as far as it decides whether they get an identity. */
interface Owner {
  readonly id: string
  readonly mayGetIdentities: boolean
  readonly identities: number
}

/**
 * Imports a batch. It locks the users that may get an identity, against their deletion and other new identities. A trial holds its locks
 * until its end, so it takes weaker ones, which do not block sign-ins.
 *
 * @returns the outcome of each row, in the order of `rows`
 */
export async function importIdentities(
  sql: Sql,
  rows: readonly Row<IdentityRow>[],
  isTrial: boolean,
): Promise<Outcome[]> {
  const users = await findUsers(
    sql,
    rows.map(({ content }) => content.user),
  )
  const owners = await lockOwners(sql, [...users.values()], isTrial)
  const providers = await lockProviders(sql)
  const candidates = rows.map(({ content }) => {
    const owner = owners.get(users.get(content.user) ?? '')
    if (!owner) return { reason: 'unknown_user' } as const
    return resolve(content, owner, providers.get(normalizeName(content.provider)))
  })
  const resolved = candidates.filter(isResolved)
  const before = await findOwnersOf(sql, resolved)
  const fresh = withinLimit(resolved, before, owners)
  const made = await insertIdentities(sql, [...fresh.values()])
  // Read again, because a sign-in may have linked one of them meanwhile.
  const after = fresh.size > 0 ? await findOwnersOf(sql, resolved) : before
  if (made.size > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await record(sql, operator, 'tenant.imported', { target, details: { identities: made.size } })
  }
  return candidates.map((candidate) => {
    if (!isResolved(candidate)) return candidate
    if (made.has(candidate.id)) return 'made'
    const ownerId = after.get(keyOf(candidate))
    if (ownerId === undefined) return toOutcome(candidate, owners)
    return ownerId === candidate.userId ? 'unchanged' : { reason: 'identity_taken' }
  })
}

function isResolved(candidate: Resolved | Skipped): candidate is Resolved {
  return 'subject' in candidate
}

function resolve(content: IdentityRow, owner: Owner, provider: StoredProvider | undefined): Resolved | Skipped {
  if (!provider) return { reason: 'unknown_provider' }
  const issuer = issuerOf(provider, content.issuer)
  if (typeof issuer !== 'string') return issuer
  // GitHub's subject is the number of the account. A login name may belong to somebody else tomorrow.
  if (provider.type === 'github' && !/^[1-9]\d*$/.test(content.subject))
    return { reason: 'invalid', faults: [{ column: 'subject', code: 'invalid_format' }] }
  return {
    id: newId('idn'),
    userId: owner.id,
    providerId: provider.id,
    issuer,
    subject: content.subject,
    email: normalizeEmail(content.email ?? '') ?? null,
    createdAt: content.createdAt,
  }
}

/** @returns the issuer that ID tokens of the provider name, or why the row's is none */
function issuerOf(provider: StoredProvider, named: string | undefined): string | Skipped {
  const kind = kinds[provider.type]
  const fault = (code: 'required' | 'not_allowed'): Skipped => ({
    reason: 'invalid',
    faults: [{ column: 'issuer', code }],
  })
  if (kind.protocol === 'github')
    return named === undefined || named === kind.issuer ? kind.issuer : fault('not_allowed')
  const tid = /\/([^/]+)\/v2\.0$/.exec(named ?? '')?.[1]
  const possible =
    named !== undefined && kind.issuerFor ? kind.issuerFor({ tid }, provider) : kind.locate(provider).issuer
  if (named !== undefined) return named === possible ? named : fault('not_allowed')
  return possible.includes('{') ? fault('required') : possible // Microsoft has one issuer for each of its tenants
}

/**
 * Locks users, then reads what they have. An account at version 1 with an external id was made with it: an account of somebody who signed up
 * gets one by a change, which counts the version up.
 *
 * @returns those that exist, by id
 */
async function lockOwners(sql: Sql, ids: readonly string[], isTrial: boolean): Promise<Map<string, Owner>> {
  const [, found] = await pipeline([
    sql`
      select from users
      where tenant_id = ${sql.tenant} and id = any(${ids})
      order by id
      for ${isTrial ? statement`key share` : statement`no key update`}`,
    sql<Owner>`
      select u.id,
        u.email_verified or (u.version = 1 and u.last_active_at is null and exists (
          select from external_users e where e.tenant_id = ${sql.tenant} and e.user_id = u.id)) as may_get_identities,
        (select count(*) from identities i where i.tenant_id = ${sql.tenant} and i.user_id = u.id) as identities
      from users u
      where u.tenant_id = ${sql.tenant} and u.id = any(${ids})`,
  ])
  return new Map(found.map((owner) => [owner.id, owner]))
}

/** Locks the tenant's providers against their deletion. @returns them by id and by name */
async function lockProviders(sql: Sql): Promise<Map<string, StoredProvider>> {
  const found = await sql<Omit<StoredProvider, 'clientSecret'>>`
    select id, name, type, client_id, issuer, microsoft_tenant, trusts_email
    from providers
    where tenant_id = ${sql.tenant}
    order by id
    for key share`
  const providers = found.map((provider) => ({ ...provider, clientSecret: null })) // nobody calls them here
  return new Map([
    ...providers.map((provider) => [provider.name, provider] as const),
    ...providers.map((provider) => [provider.id, provider] as const),
  ])
}

function keyOf({ providerId, issuer, subject }: Pick<Resolved, 'providerId' | 'issuer' | 'subject'>): string {
  return `${providerId}\n${issuer}\n${subject}`
}

/** @returns the id of the user who has each identity, by its key. The subquery looks up each row by the index */
async function findOwnersOf(sql: Sql, rows: readonly Resolved[]): Promise<Map<string, string>> {
  const found = await sql<{ id: string; userId: string | null }>`
    select id, (
      select i.user_id
      from identities i
      where i.tenant_id = ${sql.tenant} and i.provider_id = r.provider_id and i.issuer = r.issuer
        and i.subject = r.subject) as user_id
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map((row) => row.providerId)}::text[],
      ${rows.map(({ issuer }) => issuer)}::text[], ${rows.map(({ subject }) => subject)}::text[])
      as r (id, provider_id, issuer, subject)`
  const owners = new Map(found.map(({ id, userId }) => [id, userId]))
  const owned = rows.map((row) => [keyOf(row), owners.get(row.id) ?? null] as const)
  return new Map(owned.filter((each): each is [string, string] => each[1] !== null))
}

/** @returns the first row of each new identity whose user may get it, by its key */
function withinLimit(
  rows: readonly Resolved[],
  known: ReadonlyMap<string, string>,
  owners: ReadonlyMap<string, Owner>,
): Map<string, Resolved> {
  const fresh = new Map<string, Resolved>()
  const counts = new Map<string, number>()
  for (const row of rows) {
    const owner = owners.get(row.userId)
    const count = counts.get(row.userId) ?? owner?.identities ?? 0
    if (!owner?.mayGetIdentities || count >= caps.identities.most || known.has(keyOf(row)) || fresh.has(keyOf(row)))
      continue
    fresh.set(keyOf(row), row)
    counts.set(row.userId, count + 1)
  }
  return fresh
}

/** Why a new identity was not inserted. */
function toOutcome({ userId }: Resolved, owners: ReadonlyMap<string, Owner>): Skipped {
  return { reason: owners.get(userId)?.mayGetIdentities ? 'too_many_identities' : 'email_not_verified' }
}

/** @returns the ids of the inserted identities; the others were linked meanwhile */
async function insertIdentities(sql: Sql, rows: readonly Resolved[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const [, made] = await pipeline([
    sql`
      insert into identities (tenant_id, id, user_id, provider_id, issuer, subject, email, created_at)
      select u.tenant_id, r.id, u.id, r."providerId", r.issuer, r.subject, r.email, coalesce(r."createdAt", now())
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, "userId" text, "providerId" text, issuer text,
        subject text, email text, "createdAt" timestamptz)
      join users u on u.tenant_id = ${sql.tenant} and u.id = r."userId"
      on conflict do nothing`,
    sql<{ id: string }>`
      select id from identities where tenant_id = ${sql.tenant} and id = any(${rows.map(({ id }) => id)})`,
  ])
  return new Set(made.map(({ id }) => id))
}
