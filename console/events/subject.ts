/** Whom or what an event is about, by name. */
import type { Event } from './feed.ts'

/** @returns null if it has no name: it is gone, or its organization says it all */
export function subjectOf({ data }: Event): string | null {
  if ('member' in data && data.member && 'user' in data.member) return nameOf(data.member.user)
  if ('user' in data && data.user && 'email' in data.user) return nameOf(data.user)
  if ('invitation' in data) return data.invitation?.email ?? null
  if ('key' in data) return data.key?.name ?? null
  if ('webhook' in data && data.webhook && 'name' in data.webhook) return data.webhook.name
  if ('provider' in data && data.provider && 'name' in data.provider) return data.provider.name
  if ('application' in data && data.application && 'name' in data.application) return data.application.name
  return null
}

function nameOf({ name, email }: { readonly name: string | null; readonly email: string }): string {
  return name ?? email
}
