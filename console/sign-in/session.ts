/** Sessions in the browser: what was read for a person goes when somebody else comes. */
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
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

/** Whatever was read for a session goes with it. To be called where nothing shows it any more. */
export function forgetSession(): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
  tabs.postMessage('ended')
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
  queries.removeQueries({ type: 'inactive', predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
}
