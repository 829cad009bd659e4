/** Lists in the details of an entry: the roles that a member got, the permissions that the product added, the domains of a link. */
import i18next from 'i18next'
import '../texts/audit.ts'
import '../texts/keys.ts'
import type { Entry } from './sentences.ts'

/** What each action names, in the order in which it is shown. */
const fields: Readonly<Record<string, readonly string[]>> = {
  'access.updated': ['added', 'removed', 'changed'],
  'member.grants_changed': ['added', 'changed', 'removed'],
  'invitation.sent': ['grants', 'expiresAt'],
  'link.created': ['grants', 'expiresAt', 'maxUses', 'emailDomains'],
  'member.joined': ['grants', 'expiresAt'],
  'key.created': ['scopes', 'expiresAt'],
  'key.holder_left': ['expiresAt'],
}

interface List {
  readonly name: string
  readonly words: string
}

/** Roles and permissions, by their keys. */
export type Names = ReadonlyMap<string, string>

/** @param inTime writes a time, which the details give as in `billing until 2027-01-31T09:30:00.000Z` */
export function listsIn(action: string, details: object, inTime: (iso: string) => string, names: Names): List[] {
  const values = new Map(Object.entries(details))
  return (fields[action] ?? []).flatMap((field) => {
    const words = asText(values.get(field), names)
      .replace(/until (\d{4}-[\d-]+T[\d:.]+Z)/g, (_, iso) => i18next.t('audit.until', { when: inTime(iso) }))
      .replace(/^\d{4}-[\d-]+T[\d:.]+Z$/, inTime)
    const key = isWorded(field) ? (`audit.lists.${field}` as const) : (`audit.fields.${field}` as 'audit.fields.name')
    return words === '' ? [] : [{ name: i18next.t(key), words }]
  })
}

function isWorded(field: string): field is 'added' | 'changed' | 'removed' {
  return ['added', 'changed', 'removed'].includes(field)
}

/** Whether the details of entries have keys of roles or scopes, for which names are needed. */
export function haveKeys(entries: readonly Entry[]): boolean {
  const ofKeys = ['added', 'removed', 'changed', 'grants', 'scopes']
  return entries.some(({ details }) => ofKeys.some((field) => details?.[field] !== undefined))
}

/** A list that was too long for the entry is the beginning of its JSON, and a number one of people. */
function asText(value: unknown, names: Names): string {
  if (Array.isArray(value)) return value.map((each) => named(String(each), names)).join(', ')
  if (typeof value === 'string') return asText(value.replace(/^\["?/, '').split('","'), names)
  return typeof value === 'number' ? i18next.t('audit.values.people', { count: value }) : ''
}

/** Names what begins with the key of a role, of a permission or of another scope. A key that is not known stays. */
export function named(words: string, names: Names): string {
  return words.replace(/^\S+/, (key) => {
    const scope = `keys.scopes.${key.replace(':', '.')}.name`
    return names.get(key) ?? (i18next.exists(scope) ? i18next.t(scope as 'keys.scopes.me.read.name') : key) // it exists
  })
}
