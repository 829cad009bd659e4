/** Differences: what a draft changes, for marks in the matrix and for the review before saving. */
import type { Draft, DraftPermission, DraftRole } from './draft.ts'

type Field = 'name' | 'key' | 'description' | 'minimumRole'

/** What changes in a permission or role. */
export interface Difference {
  readonly kind: 'added' | 'changed' | 'removed'
  /** The key that it has after saving; that of a removed one is the last. */
  readonly key: string
  readonly name: string
  readonly fields: readonly { readonly field: Field; readonly from: string; readonly to: string }[]
  /** Of a role: the permissions that it gets and loses. */
  readonly gains: readonly string[]
  readonly loses: readonly string[]
}

export interface Differences {
  /** By key. */
  readonly permissions: ReadonlyMap<string, Difference>
  /** By id. */
  readonly roles: ReadonlyMap<string, Difference>
  readonly count: number
}

/** What a mark says beside a name. A changed box is marked itself. */
export function markOf(difference: Difference | undefined): 'added' | 'changed' | undefined {
  if (difference?.kind === 'added') return 'added'
  return difference?.fields.some(({ field }) => field !== 'minimumRole') ? 'changed' : undefined
}

export function differencesBetween(before: Draft, now: Draft): Differences {
  const permissions = compare<DraftPermission>(before.permissions, now.permissions, ({ key }) => key, [
    'name',
    'description',
    'minimumRole',
  ])
  const roles = compare<DraftRole>(before.roles, now.roles, ({ id }) => id, ['name', 'key', 'description'])
  return { permissions, roles, count: permissions.size + roles.size }
}

function compare<Entry extends DraftPermission | DraftRole>(
  before: readonly Entry[],
  now: readonly Entry[],
  identify: (entry: Entry) => string,
  fields: readonly (Field & keyof Entry)[],
): Map<string, Difference> {
  const found = new Map<string, Difference>()
  const old = new Map(before.map((entry) => [identify(entry), entry]))
  const nothing = { fields: [], gains: [], loses: [] }
  for (const entry of now) {
    const { key, name } = entry
    const was = old.get(identify(entry))
    old.delete(identify(entry))
    if (was === entry) continue
    const { gains, loses } = permissionsOf(was, entry)
    if (was === undefined) {
      found.set(identify(entry), { ...nothing, kind: 'added', key, name, gains })
      continue
    }
    const changed = fields
      .filter((field) => was[field] !== entry[field])
      .map((field) => ({ field, from: String(was[field]), to: String(entry[field]) }))
    if (changed.length + gains.length + loses.length > 0)
      found.set(identify(entry), { kind: 'changed', key, name, fields: changed, gains, loses })
  }
  for (const [id, { key, name }] of old) found.set(id, { ...nothing, kind: 'removed', key, name })
  return found
}

function permissionsOf(was: DraftPermission | DraftRole | undefined, entry: DraftPermission | DraftRole) {
  if (!('permissions' in entry)) return { gains: [], loses: [] }
  const had = was !== undefined && 'permissions' in was ? was.permissions : new Set<string>()
  return {
    gains: [...entry.permissions].filter((key) => !had.has(key)).sort(),
    loses: [...had].filter((key) => !entry.permissions.has(key)).sort(),
  }
}
