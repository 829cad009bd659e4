/**
 * A visit to a provider. What the tab must know when the browser comes back is in its session storage, which no other tab reads.
 *
 * Invariant: the token of a mailed link, in the fragment of `next`, is stored only during the visit, and never comes into a query.
 */
import { basePath } from '../api/base.ts'
import { api, asCookie, ask } from '../api/client.ts'
import { Refusal } from '../api/refusal.ts'
import { inTab } from '../parts/storage.ts'
import { offersSignIn } from './sign-in-search.ts'

/** What was begun: signing in, or linking an account. */
export interface Visit {
  readonly providerId: string
  readonly attempt: string
  readonly purpose: 'sign_in' | 'link'
  /** A path of the console to go on to. */
  readonly next: string | undefined
  /** Whether it was begun on that very page. */
  readonly isRoundTrip: boolean
}

const key = 'guildhall-provider-visit'

/** Sends the browser to a provider to sign in. @throws Refusal no_storage, before anything is sent */
export async function leaveForProvider(
  providerId: string,
  next: string | undefined,
  invitationToken: string | undefined,
): Promise<void> {
  checkStorage()
  const body = { providerId, ...(invitationToken !== undefined && { invitationToken }) }
  const { url, attempt } = await ask(api.POST('/api/auth/sign-in/provider', { body, params: asCookie }))
  const home = homeOf(url)
  if (home !== undefined && offersSignIn(next)) return move(home + next)
  if (home !== undefined) return move(`${home}/sign-in${next === undefined ? '' : `?${new URLSearchParams({ next })}`}`)
  leave(url, { providerId, attempt: attempt.token, purpose: 'sign_in', next, isRoundTrip: isHere(next) })
}

/** Sends the browser to a provider to link an account there. @throws Refusal no_storage, before anything is sent */
export async function leaveToLink(providerId: string): Promise<void> {
  checkStorage()
  const { url, attempt } = await ask(api.POST('/api/users/me/identities/start', { body: { providerId } }))
  const home = homeOf(url)
  if (home !== undefined) return move(`${home}/me/security`)
  leave(url, { providerId, attempt: attempt.token, purpose: 'link', next: undefined, isRoundTrip: false })
}

/**
 * The base of the sign-in pages if they are at another origin. Providers send the browser back there, where a tab that began here knows
 * nothing of it: so the user begins there.
 *
 * @param url of the provider, which names the page to which it sends the browser back
 */
function homeOf(url: string): string | undefined {
  const back = new URL(url).searchParams.get('redirect_uri')
  if (back === null || new URL(back).origin === window.location.origin) return undefined
  return back.replace(/\/sign-in\/callback\/[^/]*$/, '')
}

/** Whether a path of the console is that of this page. A query says what is on it, and may be in the tab instead. */
function isHere(path: string | undefined): boolean {
  return path !== undefined && window.location.pathname === basePath.slice(0, -1) + path.replace(/[?#].*$/, '')
}

function move(url: string): void {
  window.location.assign(url)
}

/** Nobody comes back from a visit that the tab has forgotten. */
function checkStorage(): void {
  if (!inTab.write(key, '-'.repeat(16_384))) throw Refusal.withoutStorage() // more than a visit needs
  inTab.remove(key)
}

function leave(url: string, visit: Visit): void {
  if (!inTab.write(key, JSON.stringify(visit))) throw Refusal.withoutStorage()
  window.location.assign(url)
}

/** @returns the visit that this tab has begun at this provider, once */
export function takeVisit(providerId: string): Visit | undefined {
  const text = inTab.read(key)
  inTab.remove(key)
  const visit = text === null ? undefined : (JSON.parse(text) as Visit) // stored by us
  return visit?.providerId === providerId ? visit : undefined
}

/** The page from which somebody has just signed in at a provider. A reload forgets it. */
let origin: string | undefined

/** @param page undefined: it was left */
export function noteRoundTrip(page: string | undefined): void {
  origin = page
}

/** Whether somebody has just signed in at a provider from this page, and was led back to it. */
export function isRoundTripTo(page: string): boolean {
  return origin === page
}
