/** The query of the sign-in and sign-up pages, and where to sign in for a page that somebody wants. */

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

/** Whether it is a page that offers signing in itself: of a mailed link, or of an application to which somebody signs in. */
export function offersSignIn(next: string | undefined): next is string {
  return next !== undefined && (next.includes('#token=') || /^\/authorize(\?|$)/.test(next))
}

/**
 * Where to sign in for a page: on it, if it offers that, and otherwise on the sign-in page. So no token comes into a query.
 *
 * @param next a path of the console
 * @returns options of the router
 */
export function signInFor(next: string | undefined) {
  const search = isOurs(next) ? { next } : {}
  return { to: '/sign-in', search, ...(isOurs(next) && offersSignIn(next) && { href: next }) } as const
}
