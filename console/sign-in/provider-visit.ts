/** A visit to a provider. What the tab must know when the browser comes back is in its session storage, which no other tab reads. */
import { api, ask } from '../api/client.ts'

/** What was begun: signing in, or linking an account. */
export interface Visit {
  readonly providerId: string
  readonly attempt: string
  readonly purpose: 'sign_in' | 'link'
  /** A path of the console to go on to. */
  readonly next: string | undefined
}

const key = 'guildhall-provider-visit'

/** Sends the browser to a provider to sign in. */
export async function leaveForProvider(providerId: string, next: string | undefined): Promise<void> {
  const { url, attempt } = await ask(api.POST('/api/auth/sign-in/provider', { body: { providerId } }))
  leave(url, { providerId, attempt: attempt.token, purpose: 'sign_in', next })
}

/** Sends the browser to a provider to link an account there. */
export async function leaveToLink(providerId: string): Promise<void> {
  const { url, attempt } = await ask(api.POST('/api/users/me/identities/start', { body: { providerId } }))
  leave(url, { providerId, attempt: attempt.token, purpose: 'link', next: undefined })
}

function leave(url: string, visit: Visit): void {
  sessionStorage.setItem(key, JSON.stringify(visit))
  window.location.assign(url)
}

/** @returns the visit that this tab has begun at this provider, once */
export function takeVisit(providerId: string): Visit | undefined {
  const text = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  const visit = text === null ? undefined : (JSON.parse(text) as Visit) // stored by us
  return visit?.providerId === providerId ? visit : undefined
}
