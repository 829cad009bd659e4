/** Kinds: the choices of the filter, and the groups of actions that each contains. */
import type { paths } from '../../client/src/openapi.d.ts'

export type AuditQuery = NonNullable<paths['/api/organizations/{orgId}/audit']['get']['parameters']['query']>
type Word = NonNullable<AuditQuery['action']>[number]

const families = {
  signIns: ['session.*', 'application.signed_in', 'application.token_reused'],
  account: ['user.*', 'profile.*'],
  credentials: ['email.*', 'password.*', 'factor.*', 'factors.*', 'recovery_codes.*', 'recovery_code.*', 'identity.*'],
  organizations: ['organization.*'],
  members: ['member.*'],
  invitations: ['invitation.*', 'link.*'],
  keys: ['key.*'],
  webhooks: ['webhook.*'],
  tenant: [
    'tenant.*',
    'access.*',
    'provider.*',
    'application.created',
    'application.updated',
    'application.secret_rotated',
    'application.deleted',
  ],
} as const satisfies Record<string, readonly Word[]>

export type Kind = keyof typeof families
/** All of them, in the order in which they are offered. */
export const kinds = Object.keys(families) as readonly Kind[] // the keys of the object above
/** What can happen in an organization. */
export const organizationKinds = [
  'organizations',
  'members',
  'invitations',
  'keys',
  'webhooks',
] as const satisfies readonly Kind[]

export function isKind(word: string): word is Kind {
  return Object.hasOwn(families, word)
}

/** The values of the API's parameter `action` for these kinds. No kind means all. */
export function actionsOf(chosen: readonly Kind[]): { readonly action?: Word[] } {
  return chosen.length === 0 ? {} : { action: chosen.flatMap((kind) => families[kind]) }
}
