/**
 * Scopes in words: what a key may do. Permissions have their names in the access model, and the other scopes in the texts. Which keys may
 * have which scopes is decided by the API.
 */
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { useTenant } from '../tenants/tenant.ts'
import type { Key, OwnerType } from './key.ts'

const groups = ['account', 'organization', 'people', 'product', 'programs', 'users', 'tenant', 'unknown'] as const
type Group = (typeof groups)[number]

/** Scopes that are no permissions, by their texts: `me.read` is `me:read`. */
const otherScopes = {
  'me.read': { group: 'account', owners: ['user'] },
  'me.update': { group: 'account', owners: ['user'] },
  'invitations.answer': { group: 'account', owners: ['user'] },
  'organizations.create': { group: 'organization', owners: ['user', 'tenant'] },
  'users.read': { group: 'users', owners: ['tenant'] },
  'users.write': { group: 'users', owners: ['tenant'] },
  'users.delete': { group: 'users', owners: ['tenant'] },
  'sessions.read': { group: 'users', owners: ['tenant'] },
  'sessions.end': { group: 'users', owners: ['tenant'] },
  'tenant.read': { group: 'tenant', owners: ['tenant'] },
  'credentials.verify': { group: 'programs', owners: ['tenant'] },
  'tokens.create': { group: 'programs', owners: ['user', 'organization', 'tenant'] },
} as const satisfies Record<string, { readonly group: Group; readonly owners: readonly OwnerType[] }>
type Other = keyof typeof otherScopes
const others = Object.keys(otherScopes) as Other[] // its keys

/** Scopes by which a person comes to be in further organizations: a key that works in one alone cannot have them. */
export const scopesElsewhere: readonly string[] = ['organizations:create', 'invitations:answer']

export interface Scope {
  readonly key: string
  readonly name: string
  readonly description: string | null
}

export interface ScopeGroup {
  readonly group: Group
  readonly label: string
  readonly scopes: readonly Scope[]
}

/**
 * What the keys of an owner may have, in groups.
 *
 * @param permissions all that there are, built-in ones and those of the product
 */
export function useScopeGroups(owner: OwnerType, permissions: readonly Schemas['Permission'][]): ScopeGroup[] {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const found = [
    ...permissions
      .filter((each) => isOffered(owner, each))
      .map((each) => ({
        ...each,
        group: groupOf(each),
        // Members also make and rotate keys.
        ...(each.key === 'keys:write' && { description: t('keys.scopes.keys.write.description') }),
      })),
    ...others.filter((other) => isOf(owner, other)).map((other) => inWords(t, other)),
  ]
  return groups
    .map((group) => ({
      group,
      label: t(`keys.groups.${group === 'organization' && owner === 'organization' ? 'theOrganization' : group}`, {
        tenant,
      }),
      scopes: found.filter((each) => each.group === group),
    }))
    .filter(({ scopes }) => scopes.length > 0)
}

/** What only an owner may do is for keys of the tenant, and only a person can leave an organization. */
function isOffered(owner: OwnerType, { key, builtIn, minimumRole }: Schemas['Permission']): boolean {
  if (key === 'members:leave') return owner === 'user'
  return !builtIn || minimumRole !== 'owner' || owner === 'tenant'
}

function groupOf({ key, builtIn }: Schemas['Permission']): Group {
  if (!builtIn) return 'product'
  const [noun] = key.split(':')
  if (noun === 'members' || noun === 'invitations') return 'people'
  return noun === 'keys' ? 'programs' : 'organization'
}

function isOf(owner: OwnerType, other: Other): boolean {
  const owners: readonly OwnerType[] = otherScopes[other].owners
  return owners.includes(owner)
}

function inWords(t: TFunction, other: Other) {
  const name = t(`keys.scopes.${other}.name`)
  const description = t(`keys.scopes.${other}.description`)
  return { key: other.replace('.', ':'), name, description, group: otherScopes[other].group }
}

/** The scopes of a key. Some may be unknown: a product may drop a permission, and a person without an organization sees none. */
export function scopesOfKey(
  t: TFunction,
  { scopes: held }: Pick<Key, 'scopes'>,
  found: readonly ScopeGroup[],
): ScopeGroup[] {
  const names = namesIn(found)
  const unknown = held.filter((key) => !names.has(key)).map((key) => ({ key, name: key, description: null }))
  return [
    ...found.map((group) => ({ ...group, scopes: group.scopes.filter(({ key }) => held.includes(key)) })),
    { group: 'unknown' as const, label: t('keys.groups.unknown'), scopes: unknown },
  ].filter(({ scopes }) => scopes.length > 0)
}

/** The names of scopes, by their keys. */
export function namesIn(found: readonly ScopeGroup[]): ReadonlyMap<string, string> {
  return new Map(found.flatMap(({ scopes }) => scopes.map(({ key, name }) => [key, name])))
}
