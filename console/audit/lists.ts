/** Lists in the details of an entry: the roles that a member got, the permissions that the product added, the domains of a link. */
import i18next from 'i18next'
import '../texts/audit.ts'

/** What each action names, in the order in which it is shown. */
const named: Readonly<Record<string, readonly string[]>> = {
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

/** @param inTime writes a time, which the details give as in `billing until 2027-01-31T09:30:00.000Z` */
export function listsIn(action: string, details: object, inTime: (iso: string) => string): List[] {
  const values = new Map(Object.entries(details))
  return (named[action] ?? []).flatMap((field) => {
    const words = asText(values.get(field))
      .replace(/until (\d{4}-[\d-]+T[\d:.]+Z)/g, (_, iso) => i18next.t('audit.until', { when: inTime(iso) }))
      .replace(/^\d{4}-[\d-]+T[\d:.]+Z$/, inTime)
    const key = isWorded(field) ? (`audit.lists.${field}` as const) : (`audit.fields.${field}` as 'audit.fields.name')
    return words === '' ? [] : [{ name: i18next.t(key), words }]
  })
}

function isWorded(field: string): field is 'added' | 'changed' | 'removed' {
  return ['added', 'changed', 'removed'].includes(field)
}

/** A list that was too long for the entry is the beginning of its JSON, and a number one of people. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'string') return value.replace(/^\["?/, '').replaceAll('","', ', ')
  return typeof value === 'number' ? i18next.t('audit.values.people', { count: value }) : ''
}
