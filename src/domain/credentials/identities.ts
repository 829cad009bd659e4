/**
 * Identities: accounts at providers that sign a person in.
 *
 * Invariant: an identity is (provider, issuer, subject), never an address (ASVS 5.0 V6.8.1), and belongs to one person.
 */
import { type Static, Type } from 'typebox'
import { type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Id, Nullable, newId, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import { caps } from '../limits/caps.ts'
import { ApiProblem } from '../problems.ts'

/** The kinds of providers; domain/providers/kinds.ts says what distinguishes them. */
export const providerTypes = ['google', 'microsoft', 'github', 'oidc'] as const
export type ProviderType = (typeof providerTypes)[number]

export type Identity = Static<typeof Identity>
export const Identity = Type.Object(
  {
    id: Id('idn'),
    provider: Type.Object({
      id: Id('idp'),
      type: OneOf(providerTypes),
      name: Type.String({ maxLength: 100, examples: ['Google'] }),
    }),
    email: Nullable(
      Type.String({
        maxLength: 254,
        description: 'The address that the provider gave last.',
        examples: ['ann@example.com'],
      }),
    ),
    createdAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  },
  { $id: 'Identity', description: 'An account at a provider that signs the user in.' },
)

export interface IdentityKey {
  readonly provider: { readonly id: string }
  readonly issuer: string
  readonly subject: string
}

/** @returns whose identity it is */
export async function findIdentity(
  sql: Sql,
  { provider, issuer, subject }: IdentityKey,
): Promise<{ readonly id: string; readonly userId: string } | undefined> {
  const [identity] = await sql<{ id: string; userId: string }>`
    select id, user_id from identities
    where tenant_id = ${sql.tenant} and provider_id = ${provider.id} and issuer = ${issuer} and subject = ${subject}`
  return identity
}

/**
 * Adds an identity to an account, whose row is locked.
 *
 * @returns its id
 * @throws Problem limit_reached, identity_taken
 */
export async function insertIdentity(
  sql: Sql,
  userId: string,
  { provider, issuer, subject, email }: IdentityKey & { readonly email: string | null },
): Promise<string> {
  const present = await sql`
    select from identities where tenant_id = ${sql.tenant} and user_id = ${userId}`
  if (present.length >= caps.identities.most) throw new ApiProblem('limit_reached')
  const id = newId('idn')
  await sql`
    insert into identities (tenant_id, id, user_id, provider_id, issuer, subject, email)
    values (${sql.tenant}, ${id}, ${userId}, ${provider.id}, ${issuer}, ${subject}, ${email})`
  return id
}

/**
 * Locks a provider against its deletion and its disabling, which wait, or have been seen. To be asked after the person's row was locked.
 *
 * @returns whether it is there and enabled
 */
export async function lockProvider(sql: Sql, id: string): Promise<boolean> {
  const locked = await sql`
    select from providers where tenant_id = ${sql.tenant} and id = ${id} and is_enabled for key share`
  return locked.length > 0
}

/** Notes that an identity was used, and the address that the provider gave. */
export async function noteIdentityUse(sql: Sql, id: string, email: string | null): Promise<void> {
  await sql`
    update identities set last_used_at = now(), email = ${email} where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Removes an identity. @returns whether the person had it */
export async function dropIdentity(sql: Sql, userId: string, id: string): Promise<boolean> {
  const dropped = await sql`
    delete from identities where tenant_id = ${sql.tenant} and user_id = ${userId} and id = ${id} returning id`
  return dropped.length > 0
}

/** Removes all identities of a person, or those that are younger. @param since RFC 3339 @returns how many */
export async function dropIdentities(sql: Sql, userId: string, since: string | null = null): Promise<number> {
  const dropped = await sql`
    delete from identities
    where tenant_id = ${sql.tenant} and user_id = ${userId}
      and (${since}::timestamptz is null or created_at >= ${since}::timestamptz)
    returning id`
  return dropped.length
}

/** Removes identities of people who are locked. */
export function dropManyIdentities(sql: Sql, ids: readonly string[]): Sent<unknown> {
  return sql`delete from identities where tenant_id = ${sql.tenant} and id = any(${ids})`
}

/** As `selectIdentities` selects it. */
export interface IdentityRow extends Omit<Identity, 'provider'> {
  readonly providerId: string
  readonly providerType: ProviderType
  readonly providerName: string
}

export function selectIdentities(tenant: string, user: Statement | string): Statement {
  return statement`
    select i.id, p.id as provider_id, p.type as provider_type, p.name as provider_name, i.email, i.created_at, i.last_used_at
    from identities i
    join providers p on p.tenant_id = ${tenant} and p.id = i.provider_id
    where i.tenant_id = ${tenant} and i.user_id = ${user}
    order by i.created_at, i.id`
}

export function toIdentity({ providerId, providerType, providerName, ...identity }: IdentityRow): Identity {
  return { ...identity, provider: { id: providerId, type: providerType, name: providerName } }
}
