/**
 * Sentences: what an entry of the audit log says, like "You changed your password".
 *
 * Names never go through the catalogue's placeholders: a sign stands for each, and sentence.tsx puts an element in its place.
 */
import i18next from 'i18next'
import type { Schemas } from '../api/client.ts'

export type Entry = Schemas['AuditEntry']
export type Party = Entry['actor'] | Entry['target']

// For private use (Unicode): the catalogue has them nowhere else.
export const signs = { actor: '\uE000', target: '\uE001' } as const

/** What the catalogue says, with a sign for each party. */
export function sentenceOf(entry: Entry, me?: string): string {
  const values = { ...valuesOf(entry), ...signs }
  const stem = `audit.sentences.${variantOf(entry, values)}`
  const form = formsOf(entry, me).find((each) => i18next.exists(`${stem}.${each}`, values))
  // A test shows that each action has a sentence; a newer service may know another one.
  return form === undefined ? entry.action : i18next.t(`${stem}.${form}` as 'audit.kind', values) // it exists
}

function formsOf({ actor, target }: Entry, me: string | undefined): string[] {
  if (isMe(target, me)) return isMe(actor, me) ? ['you', 'own', 'plain'] : ['yours', 'plain']
  return actor.id !== null && actor.id === target.id ? ['own', 'plain'] : ['plain']
}

/** Some actions are told otherwise by why they happened, by who did them, or by how much. */
function variantOf(entry: Entry, values: Readonly<Record<string, string | number>>): string {
  const { action, actor, details } = entry
  const variants = [
    ...(typeof details?.cause === 'string' ? [details.cause] : []),
    ...(actor.type === 'anonymous' ? ['by_link'] : []),
    ...(actor.type === 'system' ? ['by_system'] : []),
    ...(typeof details?.endedSessions === 'number' ? ['all'] : []),
    ...(roleOf(entry) === undefined ? ['somehow'] : []),
  ].map((variant) => `${action}_${variant}`)
  return variants.find((each) => i18next.exists(`audit.sentences.${each}.plain`, values)) ?? action
}

function valuesOf(entry: Entry): Record<string, string | number> {
  const { device, endedSessions } = entry.details ?? {}
  return {
    role: roleOf(entry) ?? '',
    device: typeof device === 'string' ? device : i18next.t('audit.people.device'),
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

/** A text among the details, or what it was changed to. */
function latest(value: unknown): string | undefined {
  const now = typeof value === 'object' && value !== null && 'to' in value ? value.to : value
  return typeof now === 'string' ? now : undefined
}

export function isMe({ type, id }: Party, me: string | undefined): boolean {
  return type === 'user' && id !== null && id === me
}

/** What somebody or something is called: the name, else what the details tell, which are about the target. */
export function nameIn({ target, details }: Entry, party: Party): string | undefined {
  if (party.name !== null) return party.name
  if (party.id === null || party.id !== target.id) return undefined
  if (target.type === 'organization') return latest(details?.name)
  return target.type === 'user' ? (latest(details?.name) ?? latest(details?.email)) : undefined
}

/** In place of a name. The acts of a deleted user stay together under an id that says nothing else; its end tells two of them apart. */
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
