/** Sessions in the browser: what was read for a person goes when somebody else comes. */
import { notifications } from '@mantine/notifications'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { tenantQuery } from '../tenants/tenant.ts'
import { callerQuery } from '../users/me.ts'
import { rememberTenant } from './elsewhere.ts'

/** The tabs of this browser share one session. */
const tabs = new BroadcastChannel('guildhall-session')

/** Listens to the other tabs: somebody has signed in or out in one. @returns what stops it */
export function onSessionOfOthers(listener: () => void): () => void {
  tabs.addEventListener('message', listener)
  return () => tabs.removeEventListener('message', listener)
}

/** Somebody has just signed in. */
export function beginSession(user: Schemas['User']): void {
  forgetOthers()
  // Read anew for its version, which this answer does not have.
  queries.setQueryData(callerQuery.queryKey, user, { updatedAt: 0 })
  rememberTenant(queries.getQueryData(tenantQuery.queryKey)?.slug)
  tabs.postMessage('begun')
}

/** While it is held nothing of the page can be seen or done: it may be somebody else's. */
export function hold(isHeld: boolean): void {
  document.body.inert = isHeld
}

/**
 * Leaves the pages of a session that has ended. Whatever was read for it goes with it.
 *
 * @param lead to a page of nobody's; its code may be long in coming
 */
export async function leavePages(lead: () => Promise<unknown>): Promise<void> {
  forgetUnsaved()
  notifications.clean()
  hold(true)
  tabs.postMessage('ended')
  try {
    await lead()
  } finally {
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
    hold(false)
  }
}

/** Signs out, and stays on the page. */
export async function leaveSession(): Promise<void> {
  await ask(api.POST('/api/auth/sign-out'))
  forgetCaller()
}

/** The session has ended, or may have: nobody is signed in here. */
export function forgetCaller(): void {
  forgetOthers()
  queries.setQueryData(callerQuery.queryKey, null)
  tabs.postMessage('ended')
}

/** What the page itself shows stays; it is of no session. */
function forgetOthers(): void {
  notifications.clean()
  queries.removeQueries({ type: 'inactive', predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
}
