/** What the address of signing in and up says. */

interface SignInSearch {
  /** Where one wanted to go when one had to sign in first. */
  readonly next?: string
  /** The session ended by itself. */
  readonly ended?: boolean
}

export function readSignInSearch({ next, ended }: Record<string, unknown>): SignInSearch {
  return { ...(isOurs(next) && { next }), ...(ended === true && { ended }) }
}

/** Whether it is a path of this console, and leads nowhere else. */
export function isOurs(path: unknown): path is string {
  // No blank or control character either: what browsers drop from an address could make it another one's.
  return typeof path === 'string' && /^\/(?![/\\])[^\0- \\]*$/.test(path)
}
