/** Actors: who does something, and who of them sends requests. */
import type { Held } from '../permissions/held.ts'
import type { TenantRole } from '../permissions/roles.ts'
import type { OwnerType } from '../permissions/scopes.ts'

/** Who does something, as the audit log tells it. */
export type Actor =
  | {
      readonly type: 'user'
      readonly userId: string
      readonly name: string | null
      readonly ip: string | null
      readonly device: string | null
      /** The key of theirs by which they act; null: a session, or no credential yet. */
      readonly keyId: string | null
      readonly requestId: string | null
    }
  | { readonly type: 'key'; readonly keyId: string; readonly requestId: string | null }
  | { readonly type: 'operator' | 'system' | 'anonymous'; readonly requestId: string | null }

/** The service itself, in what it does without a request. */
export const system = { type: 'system', requestId: null } as const

/** A person who sends a request, by a session or by a key of theirs. */
export interface Caller {
  readonly type: 'user'
  readonly tenantId: string
  /** The user’s id. */
  readonly id: string
  readonly userId: string
  /** Null: they use a key. */
  readonly sessionId: string | null
  /** Null: they use a session. */
  readonly keyId: string | null
  /** 2 if the session has proven two factors; of a key, that of the session that made or last rotated it. */
  readonly assurance: 1 | 2
  /** Whether its user signed in or confirmed it within the last ten minutes; a key never is. */
  readonly isFresh: boolean
  readonly email: string
  readonly emailVerified: boolean
  readonly tenantRole: TenantRole
  readonly name: string | null
  readonly ip: string | null
  readonly device: string | null
  readonly requestId: string
}

/** The session of a caller on a route that no key may use. */
export function sessionIdOf({ sessionId }: Caller): string {
  if (sessionId === null) throw new Error('A route that needs a session has let a key in.')
  return sessionId
}

/** The key of an organization or of the tenant, in a request. */
export interface KeyCaller {
  readonly type: 'key'
  readonly tenantId: string
  /** The key’s id. */
  readonly id: string
  readonly keyId: string
  readonly owner: Exclude<OwnerType, 'user'>
  readonly scopes: readonly string[]
  readonly ip: string | null
  readonly device: string | null
  readonly requestId: string
}

/** What a caller is and holds in the organization in the path. */
interface InOrganization extends Held {
  readonly organizationId: string
}

/** A person who is a member of the organization in the path. */
export interface MemberCaller extends Caller, InOrganization {
  readonly membershipId: string
}

/** The key of an organization or of the tenant, in the organization in the path. */
export interface OrganizationKeyCaller extends KeyCaller, InOrganization {
  readonly membershipId: null
}

/** Who may act in the organization in the path. */
export type OrganizationCaller = MemberCaller | OrganizationKeyCaller

/** Who makes something: a person, the key of an organization or of the tenant, or a person by a key of theirs. What a key makes ends with it. */
export interface Maker {
  readonly userId: string | null
  readonly keyId: string | null
}

export function makerOf(caller: Caller | KeyCaller): Maker {
  return { userId: caller.type === 'user' ? caller.userId : null, keyId: caller.keyId }
}
