/** Actors: who does something, and who of them is signed in. */
import type { Held } from '../permissions/held.ts'
import type { TenantRole } from '../permissions/roles.ts'

/** Who does something, as the audit log tells it. */
export type Actor =
  | {
      readonly type: 'user'
      readonly userId: string
      readonly name: string | null
      readonly ip: string | null
      readonly device: string | null
      readonly requestId: string | null
    }
  | { readonly type: 'operator' | 'system' | 'anonymous'; readonly requestId: string | null }

/** The service itself, in what it does without a request. */
export const system = { type: 'system', requestId: null } as const

/** A signed-in user. */
export interface Caller {
  readonly type: 'user'
  readonly tenantId: string
  readonly userId: string
  readonly sessionId: string
  /** 2 if the session has proven two factors. */
  readonly assurance: 1 | 2
  /** Whether its user signed in or confirmed it within the last ten minutes. */
  readonly isFresh: boolean
  readonly email: string
  readonly emailVerified: boolean
  readonly tenantRole: TenantRole
  readonly name: string | null
  readonly ip: string | null
  readonly device: string | null
  readonly requestId: string
}

/** A signed-in member of the organization in the path, and what they hold there. */
export interface MemberCaller extends Caller, Held {
  readonly organizationId: string
  readonly membershipId: string
}
