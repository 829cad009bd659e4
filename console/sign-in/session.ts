/** Sessions in the browser: when the user changes, everything that was read for the last one is removed. */
import { notifications } from '@mantine/notifications'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { forgetUnsaved } from '../parts/unsaved.ts'
import { tenantQuery } from '../tenants/tenant.ts'
import { callerQuery } from '../users/me.ts'
import { endConfirmation } from './confirmations.tsx'
import { rememberTenant } from './elsewhere.ts'

/** The tabs of this browser share one session. */
const tabs = openTabs()

/** Where a browser denies a site its data, it may deny this, too. Each tab then is told by its own requests. */
function openTabs(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel('guildhall-session')
  } catch {
    return undefined
  }
}

/** Calls the listener when somebody signs in or out in another tab. @returns a function that stops it */
export function onSessionOfOthers(listener: () => void): () => void {
  tabs?.addEventListener('message', listener)
  return () => tabs?.removeEventListener('message', listener)
}

/** Somebody has just signed in. */
export function beginSession(user: Schemas['User']): void {
  forgetOthers()
  // Already stale, because this response has no ETag.
  queries.setQueryData(callerQuery.queryKey, user, { updatedAt: 0 })
  rememberTenant(queries.getQueryData(tenantQuery.queryKey)?.slug)
  tabs?.postMessage('begun')
}

/** Hides and locks the page while the current user is unknown. */
export function hold(isHeld: boolean): void {
  document.body.inert = isHeld
}

/**
 * Leaves the pages of a session that has ended, and removes everything that was read for it.
 *
 * @param openOutside opens a page outside, whose code may take long to load
 */
export async function leavePages(openOutside: () => Promise<unknown>): Promise<void> {
  forgetUnsaved()
  notifications.clean()
  endConfirmation()
  hold(true)
  tabs?.postMessage('ended')
  try {
    await openOutside()
  } finally {
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
    queries.getMutationCache().clear() // one that is under way still ends as usual
    hold(false)
  }
}

/** Signs out, and stays on the page. */
export async function leaveSession(): Promise<void> {
  await ask(api.POST('/api/auth/sign-out'))
  forgetCaller()
}

/** The session has ended, or may have ended: nobody is signed in here. */
export function forgetCaller(): void {
  endConfirmation()
  forgetOthers()
  queries.setQueryData(callerQuery.queryKey, null)
  tabs?.postMessage('ended')
}

/** Keeps what the page itself shows, since it belongs to no session. */
function forgetOthers(): void {
  notifications.clean()
  queries.removeQueries({ type: 'inactive', predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
}
