/**
 * Sentences: an entry of the audit log in words, like "You changed your password".
 *
 * Names never go through the catalogue's placeholders: a character stands for each, and sentence.tsx replaces it by an element.
 */
import i18next from 'i18next'
import type { Schemas } from '../api/client.ts'
import '../texts/audit.ts'

export type Entry = Readonly<Schemas['AuditEntry']>
export type Party = Entry['actor'] | Entry['target']

// From the private use area of Unicode: the catalogue contains them nowhere else.
export const signs = { actor: '\uE000', target: '\uE001' } as const

/** The sentence of the catalogue, with a character for each party. */
export function sentenceOf(entry: Entry, me?: string): string {
  const values = { ...valuesOf(entry), ...signs }
  const stem = `audit.sentences.${variantOf(entry, values)}`
  const form = formsOf(entry, me).find((each) => i18next.exists(`${stem}.${each}`, values))
  // Each action has a sentence (a test). A newer service may know more actions.
  return form === undefined ? entry.action : i18next.t(`${stem}.${form}` as 'audit.kind', values) // it exists
}

function formsOf({ actor, target }: Entry, me: string | undefined): string[] {
  if (isMe(target, me)) return isMe(actor, me) ? ['you', 'own', 'plain'] : ['yours', 'plain']
  return actor.id !== null && actor.id === target.id ? ['own', 'plain'] : ['plain']
}

/** The sentence of some actions depends on their cause, their reason, their type, their way, their actor or a count. */
function variantOf(entry: Entry, values: Readonly<Record<string, string | number>>): string {
  const { action, actor, details } = entry
  const variants = [
    ...(typeof details?.cause === 'string' ? [details.cause] : []),
    ...(typeof details?.reason === 'string' ? [details.reason] : []),
    ...(typeof details?.type === 'string' ? [details.type] : []),
    ...(typeof details?.via === 'string' && roleOf(entry) !== undefined ? [details.via] : []),
    ...(actor.type === 'anonymous' ? ['by_link'] : []),
    ...(actor.type === 'system' ? ['by_system'] : []),
    ...(typeof details?.endedSessions === 'number' ? ['all'] : []),
    ...(roleOf(entry) === undefined ? ['somehow'] : []),
  ].map((variant) => `${action}_${variant}`)
  return variants.find((each) => i18next.exists(`audit.sentences.${each}.plain`, values)) ?? action
}

function valuesOf(entry: Entry): Record<string, string | number> {
  const { device, endedSessions, provider } = entry.details ?? {}
  return {
    role: roleOf(entry) ?? '',
    device: typeof device === 'string' ? device : i18next.t('audit.people.device'),
    provider: typeof provider === 'string' ? provider : i18next.t('audit.people.provider'),
    ...(typeof endedSessions === 'number' && { count: endedSessions }),
  }
}

/** The role that was given, in words; undefined when it is not known. */
function roleOf({ action, details }: Entry): string | undefined {
  const role = latest(details?.role)
  const place = action.startsWith('user.') ? 'tenant' : 'organization'
  const roles = i18next.t(`audit.roles.${place}`, { returnObjects: true }) as Readonly<Record<string, string>> // by role
  return role === undefined ? undefined : roles[role]
}

/** A text in the details, or its new value. */
function latest(value: unknown): string | undefined {
  const now = typeof value === 'object' && value !== null && 'to' in value ? value.to : value
  return typeof now === 'string' ? now : undefined
}

export function isMe({ type, id }: Party, me: string | undefined): boolean {
  return type === 'user' && id !== null && id === me
}

/** The name of a party. If it has none, a target is named by the details. */
export function nameIn({ target, details }: Entry, party: Party): string | undefined {
  if (party.name !== null) return party.name
  if (party.id === null || party.id !== target.id) return undefined
  if (['organization', 'provider', 'key', 'application', 'webhook'].includes(target.type)) return latest(details?.name)
  return target.type === 'user' ? (latest(details?.name) ?? latest(details?.email)) : undefined
}

/** The ids of the people without a name in an entry. */
export function namelessIn(entry: Entry): string[] {
  const nameless = [entry.actor, entry.target].filter(
    (party) => party.type === 'user' && nameIn(entry, party) === undefined,
  )
  return nameless.flatMap(({ id }) => id ?? [])
}

/** A key in words: the key Nightly import. */
export function keyNamed(name: string | null | undefined): string {
  return name == null ? i18next.t('audit.people.key') : i18next.t('audit.people.keyNamed', { name })
}

/** Replaces a missing name. The entries of a deleted user share a random id; its end tells two deleted users apart. */
export function standIn({ type, id }: Party, isMe: boolean): string {
  if (isMe) return i18next.t('audit.people.you')
  switch (type) {
    case 'user':
      return i18next.t('audit.people.nameless')
    case 'deleted_user':
      return id === null
        ? i18next.t('audit.people.deleted')
        : i18next.t('audit.people.deletedMarked', { mark: id.slice(-4) })
    case 'invitation':
      return i18next.t('audit.people.somebody')
    default:
      return i18next.t(`audit.people.${type}`)
  }
}
