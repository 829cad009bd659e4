/** Delivery of a new session: in the body, or in cookies for a browser that asks for them. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { setSessionCookie, wantsSessionCookie } from '../access/authentication.ts'
import { setDeviceCookie } from '../access/device-cookie.ts'
import type { Started } from './completion.ts'
import { endOwnSession } from './sessions.ts'

/** Gives the token to the caller: in the body, or, where it asked so, in a cookie instead of the one it held. */
export async function handOver(request: FastifyRequest, reply: FastifyReply, started: Started) {
  if (!wantsSessionCookie(request)) return started
  if (request.credential?.by === 'cookie') await endOwnSession(request.context, request.credential)
  setSessionCookie(request, reply, started.session.token)
  setDeviceCookie(request, reply, started.session.deviceToken)
  return { user: started.user, session: { device: started.session.device } }
}
