/** The query of the sign-in and sign-up pages. */

interface SignInSearch {
  /** The page that the user wanted to open before signing in. */
  readonly next?: string
  /** The session has expired or was ended elsewhere. */
  readonly ended?: boolean
}

export function readSignInSearch({ next, ended }: Record<string, unknown>): SignInSearch {
  return { ...(isOurs(next) && { next }), ...(ended === true && { ended }) }
}

/** Whether it is a path of this console, and not of another site. */
export function isOurs(path: unknown): path is string {
  // No whitespace or control characters: browsers remove them, which could make it an address of another site.
  return typeof path === 'string' && /^\/(?![/\\])[^\0- \\]*$/.test(path)
}
