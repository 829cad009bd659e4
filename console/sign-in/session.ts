/** Sessions in the browser: what was read for a person goes when somebody else comes. */
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { callerQuery } from '../users/me.ts'

/** Somebody has just signed in. */
export function beginSession(user: Schemas['User']): void {
  forgetOthers()
  queries.setQueryData(callerQuery.queryKey, user)
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
}

/** What the page itself shows stays; it is of no session. */
function forgetOthers(): void {
  queries.removeQueries({ type: 'inactive', predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
}
