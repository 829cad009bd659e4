/** Delivery of a new session: in the body, or in cookies for a browser that asks for them. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { setSessionCookie, wantsSessionCookie } from '../access/authentication.ts'
import { setDeviceCookie } from '../access/device-cookie.ts'
import { ApiProblem } from '../problems.ts'
import type { Completed } from './completion.ts'
import { endOwnSession } from './sessions.ts'

/**
 * Gives the token to the caller: in the body, or, where it asked so, in a cookie instead of the one it held. A session that was confirmed
 * goes back into the cookie that it came in. The session of the cookie before ends. If it cannot be ended, the new one is handed over
 * nevertheless: it is committed, and the browser forgets the token of the other.
 *
 * @throws Problem sign_in_incomplete with the next attempt
 */
export async function handOver(request: FastifyRequest, reply: FastifyReply, completed: Completed) {
  if ('attempt' in completed) throw new ApiProblem('sign_in_incomplete', { attempt: completed.attempt })
  const { user, session } = completed
  const isConfirmed = session.deviceToken === undefined
  const isByCookie = request.credential?.by === 'cookie'
  if (!wantsSessionCookie(request) && !(isConfirmed && isByCookie)) return completed
  setSessionCookie(request, reply, session.token)
  if (session.deviceToken !== undefined) setDeviceCookie(request, reply, session.deviceToken)
  if (isByCookie && !isConfirmed)
    await endOwnSession(request.context, request.credential).catch((error: unknown) =>
      request.log.warn({ err: error }, 'could not end the session of the cookie before'),
    )
  return { user, session: { device: session.device } }
}
