/**
 * Merging: what somebody else has saved comes into a draft, which keeps its own edits.
 *
 * Nobody overwrites a value that they have not seen: the page shows all changes against the latest version before they are saved.
 */
import { type Draft, type DraftPermission, type DraftRole, draftOf } from './draft.ts'
import type { AccessModel } from './model.ts'

/** @param before the model from which the draft was made @param now the latest one */
export function merge(before: AccessModel, draft: Draft, now: AccessModel): Draft {
  const [was, is] = [draftOf(before), draftOf(now)]
  const permissions = mergeEntries(was.permissions, draft.permissions, is.permissions, ({ key }) => key, mergeFields)
  const builtIn = now.permissions.filter((each) => each.builtIn)
  const kept = new Set([...builtIn, ...permissions].map(({ key }) => key))
  const roles = mergeEntries(was.roles, draft.roles, is.roles, ({ id }) => id, mergeRoles).map((role) => ({
    ...role,
    permissions: new Set([...role.permissions].filter((key) => kept.has(key))),
  }))
  return { permissions: sorted(permissions), roles: sorted(roles), savedKeys: is.savedKeys }
}

/** An entry that the draft has not touched is theirs; one that it has removed stays away; one that it has changed or added stays. */
function mergeEntries<Entry>(
  was: readonly Entry[],
  mine: readonly Entry[],
  theirs: readonly Entry[],
  identify: (entry: Entry) => string,
  both: (was: Entry | undefined, mine: Entry, theirs: Entry) => Entry,
): Entry[] {
  const of = (list: readonly Entry[]) => new Map(list.map((entry) => [identify(entry), entry]))
  const [before, my, their] = [of(was), of(mine), of(theirs)]
  return [...new Set([...my.keys(), ...their.keys()])].flatMap((id) => {
    const [old, own, other] = [before.get(id), my.get(id), their.get(id)]
    if (own === undefined) return old === undefined && other !== undefined ? [other] : []
    if (other === undefined) return old !== undefined && isSame(own, old) ? [] : [own]
    return [both(old, own, other)]
  })
}

function mergeFields(was: DraftPermission | undefined, mine: DraftPermission, theirs: DraftPermission) {
  const pick = <Name extends keyof DraftPermission>(name: Name) =>
    mine[name] === was?.[name] ? theirs[name] : mine[name]
  return {
    key: mine.key,
    name: pick('name'),
    description: pick('description'),
    minimumRole: pick('minimumRole'),
  }
}

function mergeRoles(was: DraftRole | undefined, mine: DraftRole, theirs: DraftRole): DraftRole {
  const pick = (name: 'key' | 'name' | 'description') => (mine[name] === was?.[name] ? theirs[name] : mine[name])
  const all = new Set([...mine.permissions, ...theirs.permissions])
  const isMine = (key: string) => mine.permissions.has(key) !== (was?.permissions.has(key) ?? false)
  return {
    id: mine.id,
    key: pick('key'),
    name: pick('name'),
    description: pick('description'),
    permissions: new Set([...all].filter((key) => (isMine(key) ? mine : theirs).permissions.has(key))),
  }
}

function sorted<Entry extends { readonly key: string }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

function isSame(one: unknown, other: unknown): boolean {
  const asText = (value: unknown) =>
    JSON.stringify(value, (_, each: unknown) => (each instanceof Set ? [...each].sort() : each))
  return asText(one) === asText(other)
}
