/** The types of events: what a webhook can be limited to, and a list of events filtered by. */
import type { EventType } from './webhook.ts'

/** By their families. A newer service may know more. */
const families = {
  user: ['signed_up', 'created', 'suspended', 'reactivated', 'role_changed', 'deleted'],
  session: ['started', 'confirmed', 'refused', 'revoked', 'signed_out', 'expired'],
  email: ['verified', 'change_requested', 'changed', 'change_cancelled', 'change_undone'],
  password: ['changed', 'reset_requested', 'reset', 'switched_off', 'removed'],
  factor: ['added', 'removed'],
  factors: ['reset'],
  recovery_codes: ['made'],
  recovery_code: ['used'],
  identity: ['linked', 'unlinked'],
  profile: ['updated'],
  organization: ['created', 'updated', 'deleted', 'ownership_transferred'],
  invitation: ['sent', 'resent', 'accepted', 'declined', 'revoked'],
  link: ['created', 'ended'],
  member: [
    'joined',
    'role_changed',
    'grants_changed',
    'suspended',
    'reactivated',
    'expiry_changed',
    'expired',
    'removed',
    'left',
  ],
  key: ['created', 'narrowed', 'rotated', 'holder_left', 'ended'],
  access: ['updated'],
  provider: ['created', 'updated', 'deleted'],
  application: ['created', 'updated', 'secret_rotated', 'deleted', 'signed_in', 'token_reused'],
  webhook: ['created', 'updated', 'rotated', 'failing', 'recovered', 'disabled', 'deleted'],
  tenant: ['created', 'updated', 'keys_rotated', 'imported'],
} as const
type Families = typeof families
type Known = { [Family in keyof Families]: `${Family}.${Families[Family][number] | '*'}` }[keyof Families]

/** What can happen in an organization. */
const inOrganizations: readonly string[] = ['organization', 'member', 'invitation', 'link', 'key', 'webhook']

export interface EventFamily {
  readonly family: EventType
  readonly types: readonly EventType[]
}

/** @param isOfOrganization those alone that an organization has */
export function eventFamilies({ isOfOrganization }: { readonly isOfOrganization: boolean }): readonly EventFamily[] {
  return Object.entries(families)
    .filter(([name]) => !isOfOrganization || inOrganizations.includes(name))
    .map(([name, types]) => ({
      // The compiler knows the entries of an object without their keys.
      family: `${name}.*` as Known,
      types: types.map((type) => `${name}.${type}` as Known),
    }))
}

/** The words of these that name types or families. */
export function eventTypesIn(words: readonly string[]): EventType[] {
  const known = eventFamilies({ isOfOrganization: false }).flatMap(({ family, types }) => [family, ...types])
  return known.filter((type) => words.includes(type))
}
