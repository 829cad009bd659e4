/** Actors: who does something, and who of them sends requests. */
import { type Held, type HeldRole, heldByKey } from '../permissions/held.ts'
import type { Role, TenantRole } from '../permissions/roles.ts'
import { isOpenToApplications, type OwnerType } from '../permissions/scopes.ts'
import { ApiProblem } from '../problems.ts'

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
      /** The application that acts for them, by its access token. */
      readonly application?: CallingApplication | null
      /** They act in an organization as an admin of the tenant, and not as a member. */
      readonly isTenantAdmin?: true
      readonly requestId: string | null
    }
  | { readonly type: 'key'; readonly keyId: string; readonly requestId: string | null }
  | { readonly type: 'operator' | 'system' | 'anonymous'; readonly requestId: string | null }

/** The service itself, in what it does without a request. */
export const system = { type: 'system', requestId: null } as const

/** An application that sends a request for a person, and the grant by which it may. */
export interface CallingApplication {
  readonly id: string
  readonly name: string
  readonly grantId: string
  /** When its access token ends, in seconds since 1970. */
  readonly tokenEnd: number
}

/** What a door has seen of the key of a request, and what `recheckKey` compares with the key after a lock. */
export interface SeenKey {
  readonly scopes: readonly string[]
  /** When the key or the secret that was sent ends, RFC 3339; null: no end. */
  readonly expiresAt: string | null
  /** The hash of the secret that was sent, by which it is stored. It is never logged. */
  readonly secretHash: Buffer
}

/** What a key may do for its person at most. */
export interface KeyLimits extends SeenKey {
  /** The one organization in which it may act; null: each of the person’s. */
  readonly organizationId: string | null
}

/** A person who sends a request, by a session, by a key of theirs, or through an application. */
export interface Caller {
  readonly type: 'user'
  readonly tenantId: string
  /** The user’s id. */
  readonly id: string
  readonly userId: string
  /** Theirs, or the one of the application’s grant; null: they use a key. */
  readonly sessionId: string | null
  /** Null: they use no key. */
  readonly keyId: string | null
  /** The application that calls for them by its access token; null: they call themselves. */
  readonly application: CallingApplication | null
  /** What limits their key; null: they use none. */
  readonly limits: KeyLimits | null
  /** 2 if the session has proven two factors; of a key, that of the session that made or last rotated it. */
  readonly assurance: 1 | 2
  /** Whether its user signed in or confirmed it within the last ten minutes; keys and applications never are. */
  readonly isFresh: boolean
  readonly email: string
  readonly emailVerified: boolean
  readonly tenantRole: TenantRole
  readonly name: string | null
  readonly ip: string | null
  readonly device: string | null
  readonly requestId: string
}

/** The session of a caller, for what no key and no application may do. @throws Problem insufficient_scope */
export function sessionIdOf({ sessionId, application }: Caller): string {
  if (sessionId === null || application !== null) throw new ApiProblem('insufficient_scope', { scope: null })
  return sessionId
}

/** The person who calls, for what no key of an organization or of the tenant may do. @throws Problem insufficient_scope */
export function personOf<Who extends Caller | KeyCaller>(caller: Who): Extract<Who, Caller> {
  if (caller.type === 'key') throw new ApiProblem('insufficient_scope', { scope: null })
  return caller as Extract<Who, Caller>
}

/** The key of an organization or of the tenant, in a request. */
export interface KeyCaller extends SeenKey {
  readonly type: 'key'
  readonly tenantId: string
  /** The key’s id. */
  readonly id: string
  readonly keyId: string
  readonly owner: Exclude<OwnerType, 'user'>
  readonly ip: string | null
  readonly device: string | null
  readonly requestId: string
}

/** A person who is a member of the organization in the path, and what they hold there. */
export interface MemberCaller extends Caller, Held {
  readonly application: CallingApplication | null
  readonly organizationId: string
  readonly membershipId: string
  /** When the membership ends, by whatever credential they call; null: never. */
  readonly membershipExpiresAt: string | null
  readonly role: Role
  readonly grants: readonly HeldRole[]
}

/** The key of an organization or of the tenant, and what it holds in the organization in the path. */
export type OrganizationKeyCaller = KeyCaller &
  Held & { readonly organizationId: string; readonly membershipId: null; readonly role: null }

/** Who may act in the organization in the path. */
export type OrganizationCaller = MemberCaller | OrganizationKeyCaller

/** An admin of the tenant who acts in an organization as its owner could. A membership of theirs does not count. */
export interface TenantAdminCaller extends Caller, Held {
  readonly application: CallingApplication | null
  readonly organizationId: string
  readonly membershipId: null
  readonly role: 'owner'
  readonly isTenantAdmin: true
}

/** Who acts in an organization: a member, a key, or an admin of the tenant. */
export type ActingCaller = OrganizationCaller | TenantAdminCaller

/** A caller of an administration route in an organization: an admin holds what an owner holds, a key its scopes. */
export function actingIn(
  organizationId: string,
  caller: Caller | KeyCaller,
): OrganizationKeyCaller | TenantAdminCaller {
  const common = { organizationId, membershipId: null } as const
  if (caller.type === 'key')
    return { ...caller, ...common, ...heldByKey(caller.scopes, caller.expiresAt), scopes: caller.scopes }
  return { ...caller, ...common, role: 'owner', expiresAt: null, grants: [], isTenantAdmin: true }
}

/** Whether they act as an admin of the tenant. */
export function isTenantAdmin(caller: ActingCaller): caller is TenantAdminCaller {
  return 'isTenantAdmin' in caller
}

/** Who makes something: a person, the key of an organization or of the tenant, or a person by a key of theirs. What a key makes ends with it. */
export interface Maker {
  readonly userId: string | null
  readonly keyId: string | null
}

export function makerOf(caller: Caller | KeyCaller): Maker {
  return { userId: userIdOf(caller), keyId: caller.keyId }
}

/** Whether it is an application that calls, and its tokens never open what needs a permission, whatever its person may do. */
export function isShutTo(caller: Caller | KeyCaller, permission: string): boolean {
  return caller.type === 'user' && caller.application !== null && !isOpenToApplications(permission)
}

/** The person who calls; null: a key that is no person’s. */
export function userIdOf(caller: Caller | KeyCaller): string | null {
  return caller.type === 'user' ? caller.userId : null
}

/**
 * The id under which answers to requests with an idempotency key are kept: that of the key, or of the person. An application has answers of
 * its own, since it chooses its keys without knowing those of others; their id begins with that of the person, with whom they go.
 */
export function answersOf(caller: Caller | KeyCaller): string {
  const application = caller.type === 'user' ? caller.application : null
  return application ? `${caller.id} ${application.id}` : (caller.keyId ?? caller.id)
}
