/**
 * Sessions of Notes, in memory. A restart ends them all, and people come back with one click. Several processes need a common store.
 *
 * Invariant: a browser has only a random name of its session, in a cookie that no script can read.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Begun, Logout, SignedIn } from './sign-in.ts'

/** As long as Guildhall waits for the end of a sign-in. */
const mostSeconds = 3600

export type Sessions = ReturnType<typeof openSessions>

/** @param origin of Notes */
export function openSessions(origin: string) {
  const isSecure = origin.startsWith('https:')
  const [session, signIn] = isSecure ? ['__Host-notes', '__Host-notes-sign-in'] : ['notes', 'notes-sign-in']
  const people = new Map<string, SignedIn>()
  /** `Lax`: other sites cannot send it, except with a link that somebody follows. */
  const cookieOf = (name: string, value: string, seconds?: number) => {
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${age}`
  }
  return {
    find: (request: IncomingMessage): SignedIn | undefined => people.get(readCookie(request, session)),
    /** @returns the cookies, with another name than the session before: nobody can have known it */
    begin(request: IncomingMessage, person: SignedIn, { state }: Begun): string[] {
      people.delete(readCookie(request, session))
      const name = randomBytes(32).toString('base64url')
      people.set(name, person)
      return [cookieOf(session, name), cookieOf(`${signIn}-${state}`, '', 0)]
    },
    /** @returns the cookie that takes the name away */
    end(request: IncomingMessage): string {
      people.delete(readCookie(request, session))
      return cookieOf(session, '', 0)
    },
    /** Ends all sessions of Notes that belong to one of Guildhall, or to a person. */
    endAll({ sub, sid }: Logout): void {
      for (const [name, person] of people)
        if (sid === undefined ? person.sub === sub : person.sid === sid) people.delete(name)
    },

    /** The cookie of a sign-in that has begun. Its browser alone can finish it. Each has its own, because people begin in several tabs. */
    keep: ({ verifier, state }: Begun): string => cookieOf(`${signIn}-${state}`, verifier, mostSeconds),
    findBegun(request: IncomingMessage, state: string): Begun | undefined {
      const verifier = readCookie(request, `${signIn}-${state}`)
      return verifier ? { verifier, state } : undefined
    },
  }
}

/** @returns the value; empty if there is none */
function readCookie(request: IncomingMessage, name: string): string {
  const pairs = (request.headers.cookie ?? '').split('; ').map((pair) => pair.split('='))
  return pairs.find(([each]) => each === name)?.[1] ?? ''
}
