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
  /** A path of the console to go on to after signing in. */
  readonly next: string | undefined
  /** The path of the page on which it was begun. It has no query, and no token. */
  readonly begunAt: string
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
  leave(url, { providerId, attempt: attempt.token, purpose: 'sign_in', next, begunAt: pageHere() })
}

/** Sends the browser to a provider to link an account there. @throws Refusal no_storage, before anything is sent */
export async function leaveToLink(providerId: string): Promise<void> {
  checkStorage()
  const { url, attempt } = await ask(api.POST('/api/users/me/identities/start', { body: { providerId } }))
  const home = homeOf(url)
  if (home !== undefined) return move(`${home}/me/security`)
  leave(url, { providerId, attempt: attempt.token, purpose: 'link', next: undefined, begunAt: pageHere() })
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

/** The path of this page in the console. */
function pageHere(): string {
  return window.location.pathname.slice(basePath.length - 1)
}

/** Whether a visit was begun on the page to which it goes on. A query says what is on a page, and may be in the tab instead. */
export function isRoundTrip({ next, begunAt }: Visit): boolean {
  return next?.replace(/[?#].*$/, '') === begunAt
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
