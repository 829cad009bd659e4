/** The cookie in which a browser stores its device token (domain/credentials/known-devices.ts). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieName, cookieOptions, usesCookies } from './authentication.ts'
import { isDeviceToken } from './tokens.ts'

const name = 'guildhall-device'

/**
 * @param sent the token in the body, for callers without cookies
 * @returns the token of the request's device, if it sent one. A cookie of another form is none: it may be long, and is kept with attempts
 */
export function deviceTokenOf(request: FastifyRequest, sent?: string): string | undefined {
  const token = sent ?? (usesCookies(request) ? request.cookies[cookieName(request, name)] : undefined)
  return isDeviceToken(token) ? token : undefined
}

/** Sets the cookie, or prolongs it. */
export function setDeviceCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(cookieName(request, name), token, cookieOptions(request))
}
