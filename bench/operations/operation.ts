/** An operation: its request to each contender, and the minimal statement that does it. */
import type { TSchema } from 'typebox'
import { type Population, tokenPrefix } from '../population.ts'

/** The existing rows, and one contender's part of them, so that no contender is asked for what another has used up. */
export interface Place {
  readonly population: Population
  /** The uuid of the tenant. */
  readonly tenant: string
  /** The last row before the thousandth page of users, and the service's cursor after it. */
  readonly deep: { readonly offset: number; readonly id: string; readonly createdAt: string; readonly cursor: string }
  readonly share: Share
}

/** A contender's part, from 0 to 1, of the rows that can be used up; and a name for the rows that it creates. */
export interface Share {
  readonly name: string
  readonly from: number
  readonly to: number
}

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The number of the user; absent if nobody is signed in. */
  readonly user?: number
  /** The session is in a cookie, as a browser sends it. */
  readonly isBrowser?: true
  /** The number of the key, if one is sent instead of a session. */
  readonly key?: number
  /** An access token, if one is sent instead of a session. */
  readonly token?: string
  /** For better-auth: a cookie of somebody who is not signed in. */
  readonly cookie?: string
  readonly body?: object
  readonly form?: Readonly<Record<string, string>>
}

export interface Operation {
  readonly name: string
  readonly kind: 'read' | 'list' | 'write' | 'administration'
  /** The request changes its subject, so none is sent twice. */
  readonly isOnce: boolean
  /** The callers, from the first to the last user. */
  callers(population: Population): readonly [number, number]
  /** The ith request to the service. Contenders without wall and audit log get the same one. */
  ask(i: number, place: Place): Asked
  /** The connections that are kept busy, if fewer than usual: a request that takes long must be answered within a load. */
  readonly connections?: number
  /** The number of requests, if they use up rows. */
  limit?(place: Place): number
  readonly status: number
  /** With what the address begins that the service redirects to, if it does. */
  readonly location?: string
  /** Absent if better-auth has no such operation. */
  askOther?(i: number, place: Place): Asked
  /** What better-auth answers; by default 200. */
  readonly statusOfOther?: number
  /** Absent if only the service is measured. */
  readonly bare?: Bare
  /** Another operation of the service, measured in the same rounds for comparison. */
  readonly beside?: Operation
}

/** A prepared statement. */
export type Query = (name: string, text: string, values: readonly unknown[]) => Promise<readonly Row[]>

/** The minimal implementation: one prepared statement, and an answer in the service's shape. */
export interface Bare {
  readonly url: string
  readonly schema: TSchema
  /** Takes the tenant as $1, the hash of the token as $2 (null if nobody is signed in), and `values` from $3 on. */
  statement(place: Place): string
  /** @param query for a statement before it, if something must be verified in between */
  values(request: Received, place: Place, query: Query): readonly unknown[] | Promise<readonly unknown[]>
  answer(rows: readonly Row[], request: Received): unknown
  /** For pgbench: the caller and the values, as SQL over the number of the request, :i. Absent if a statement alone cannot do it. */
  caller?(place: Place): string
  numbered?(place: Place): readonly string[]
}

export interface Received {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

export type Row = Record<string, unknown>

/** The contender's part of a number of rows. */
export function partOf({ share }: Place, count: number): { first: number; count: number } {
  const first = Math.floor(count * share.from)
  return { first, count: Math.floor(count * share.to) - first }
}

/** For pgbench: the hash of a user's token. */
export function hashSql({ tenant }: Place, user: string): string {
  return `sha256(('${tokenPrefix(tenant)}' || lpad((${user})::text, 43, '0'))::bytea)`
}

/** The session of `$2`, as `s`, if it is live by a tenant's default lifetimes. */
export const session = `s.tenant_id = $1 and s.token_hash = $2 and s.ended_at is null
  and s.created_at > now() - interval '30 days' and s.last_active_at > now() - interval '14 days'`

/** Whether user `u` has a second factor. */
const hasFactor = 'exists (select from factors f where f.tenant_id = u.tenant_id and f.user_id = u.id offset 0)'

export const userColumns = `u.id, u.email, u.email_verified as "emailVerified", u.pending_email as "pendingEmail", u.name,
  u.avatar_url as "avatarUrl", u.locale, u.time_zone as "timeZone", u.metadata, u.app_metadata as "appMetadata", u.role, u.status,
  u.password_hash is not null as "hasPassword", ${hasFactor} as "hasSecondFactor", u.created_at as "createdAt", u.updated_at as "updatedAt", u.last_active_at as "lastActiveAt"`

export const organizationColumns = `o.id, o.slug, o.name, o.logo_url as "logoUrl", o.metadata, o.second_factor as "secondFactor",
  o.member_count as "memberCount", o.member_limit as "memberLimit", o.created_at as "createdAt", o.updated_at as "updatedAt"`

/** Columns of the caller's `memberships m`, beside `organizationColumns`. */
export const ownColumns = `m.role, m.id as "membershipId", m.status as "membershipStatus", m.expires_at as "membershipExpiresAt"`

/** Columns of `memberships m`, `users u`, and the inviter `users i`. */
export const memberColumns = `m.id, m.role, m.status, m.expires_at as "expiresAt", m.last_active_at as "lastActiveAt",
  m.joined_at as "joinedAt", u.id as "userId", u.name, u.email, u.avatar_url as "avatarUrl", u.status as "userStatus",
  ${hasFactor} as "hasSecondFactor", i.id as "inviterId", i.name as "inviterName"`

/** A row of `memberColumns`, which may have grants beside them, in the API's form. */
export function toMember(row: Row): Row {
  const { userId, name, email, avatarUrl, userStatus: status, hasSecondFactor, inviterId, inviterName, ...member } = row
  const grants = (row.grants ?? []) as readonly Row[] // as the statement selects them
  const invitedBy = inviterId === null ? null : { id: inviterId, name: inviterName }
  const user = { id: userId, name, email, avatarUrl, status, hasSecondFactor }
  return { ...member, user, roles: [row.role, ...grants.map((grant) => grant.role)], grants, invitedBy }
}

/** A row of `organizationColumns` and `ownColumns` in the API's form. */
export function toOrganization(row: Row): Row {
  const { membershipId, membershipStatus, membershipExpiresAt, ...organization } = row
  const membership = { id: membershipId, status: membershipStatus, expiresAt: membershipExpiresAt }
  return { ...organization, membership, roles: [row.role] }
}

/** A page of fifty, from a query that reads one more. */
export function toPage(rows: readonly Row[], show: (row: Row) => Row = (row) => row, most = 50) {
  return { data: rows.slice(0, most).map(show), nextCursor: rows.length > most ? String(rows[most - 1]?.id) : null }
}
