/** An operation: what is asked of each contender, and the one statement that does the least of it. */
import type { TSchema } from 'typebox'
import { type Population, tokenPrefix } from '../population.ts'

/** What is there to be asked about, and of that the part of one contender, so that nobody is asked for what another one used up. */
export interface Place {
  readonly population: Population
  /** The uuid of the tenant. */
  readonly tenant: string
  /** The last row before the thousandth page of users, and the service's cursor behind it. */
  readonly deep: { readonly offset: number; readonly id: string; readonly createdAt: string; readonly cursor: string }
  readonly share: Share
}

/** A part, from 0 to 1, of what can be used up; and a name for what is made. */
export interface Share {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** A request as one of the users sends it. */
export interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The number of the user. */
  readonly user: number
  readonly body?: object
}

export interface Operation {
  readonly name: string
  readonly kind: 'read' | 'write' | 'administration'
  /** What is asked changes what it is about, so that no request is sent twice. */
  readonly isOnce: boolean
  /** The users who ask, from the first to the last. */
  callers(population: Population): readonly [number, number]
  /** The ith request, to the service; those without walls and audit log take the same one. */
  ask(i: number, place: Place): Asked
  /** How many requests there are, where what they are about is used up. */
  limit?(place: Place): number
  readonly status: number
  /** Absent where it has nothing like it. It answers 200. */
  askOther?(i: number, place: Place): Asked
  readonly bare: Bare
}

/** The least that does it: one prepared statement, and an answer in the service's shape. */
export interface Bare {
  readonly url: string
  readonly schema: TSchema
  /** Takes the tenant as $1, the hash of the token as $2, and `values` from $3 on. */
  statement(place: Place): string
  values(request: Received, place: Place): readonly unknown[]
  answer(rows: readonly Row[]): unknown
  /** For pgbench: who asks, and then the values, as SQL of the number of the request, :i. */
  caller(place: Place): string
  numbered(place: Place): readonly string[]
}

export interface Received {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, string>>
}

export type Row = Record<string, unknown>

/** The contender's part of so many things. */
export function partOf({ share }: Place, count: number): { first: number; count: number } {
  const first = Math.floor(count * share.from)
  return { first, count: Math.floor(count * share.to) - first }
}

/** For pgbench: the hash of a user's token. */
export function hashSql({ tenant }: Place, user: string): string {
  return `sha256(('${tokenPrefix(tenant)}' || lpad((${user})::text, 43, '0'))::bytea)`
}

/** The session of `$2`, as `s`: it lives, by the times that a tenant has by default. */
export const session = `s.tenant_id = $1 and s.token_hash = $2 and s.ended_at is null
  and s.created_at > now() - interval '30 days' and s.last_active_at > now() - interval '14 days'`

export const userColumns = `u.id, u.email, u.email_verified as "emailVerified", u.pending_email as "pendingEmail", u.name,
  u.avatar_url as "avatarUrl", u.locale, u.time_zone as "timeZone", u.metadata, u.app_metadata as "appMetadata", u.role, u.status,
  u.created_at as "createdAt", u.updated_at as "updatedAt", u.last_active_at as "lastActiveAt"`

export const organizationColumns = `o.id, o.slug, o.name, o.logo_url as "logoUrl", o.metadata, o.member_count as "memberCount",
  o.created_at as "createdAt", o.updated_at as "updatedAt"`

/** Of `memberships m`, `users u`, and `users i` who invited them. */
export const memberColumns = `m.id, m.role, m.joined_at as "joinedAt", u.id as "userId", u.name, u.email, u.avatar_url as "avatarUrl",
  u.status, i.id as "inviterId", i.name as "inviterName"`

/** A row of `memberColumns` as the API shows it. */
export function toMember(row: Row): Row {
  const { userId, name, email, avatarUrl, status, inviterId, inviterName, ...member } = row
  const invitedBy = inviterId === null ? null : { id: inviterId, name: inviterName }
  return { ...member, user: { id: userId, name, email, avatarUrl, status }, roles: [row.role], invitedBy }
}

export function toOrganization(row: Row): Row {
  return { ...row, roles: [row.role] }
}

/** A page of fifty, of which one more was read. */
export function toPage(rows: readonly Row[], show: (row: Row) => Row = (row) => row, most = 50) {
  return { data: rows.slice(0, most).map(show), nextCursor: rows.length > most ? String(rows[most - 1]?.id) : null }
}
