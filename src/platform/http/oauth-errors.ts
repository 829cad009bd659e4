/**
 * Errors of OAuth 2.0: how its endpoints answer what any other route would answer as a problem (RFC 6749, 5.2; RFC 6750, 3; RFC 9470, 3).
 *
 * A route with `config.oauthErrors` answers every error so, also one that was found before its handler ran.
 */
import type { FastifyReply } from 'fastify'
import { Problem } from './problems.ts'

/** Each code, and its status. */
export const oauthErrors = {
  invalid_request: 400,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_client: 401,
  invalid_token: 401,
  insufficient_user_authentication: 401,
  insufficient_scope: 403,
  temporarily_unavailable: 503,
  server_error: 500,
} as const
export type OAuthErrorCode = keyof typeof oauthErrors

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The errors that the route throws itself. A route that has this answers errors as OAuth 2.0 does. */
    oauthErrors?: readonly OAuthErrorCode[]
  }
}

export class OAuthError extends Problem {
  constructor(code: OAuthErrorCode, description: string, headers?: Readonly<Record<string, string>>) {
    super(code, { status: oauthErrors[code], title: description, detail: description }, {}, headers)
  }
}

/** The code under which an endpoint of OAuth 2.0 answers a problem of ours; the status stays. */
export function oauthCodeOf(problem: Pick<Problem, 'code' | 'status'>): OAuthErrorCode {
  if (problem.code in oauthErrors) return problem.code as OAuthErrorCode
  if (problem.status === 429 || problem.status === 503) return 'temporarily_unavailable'
  return problem.status >= 500 ? 'server_error' : 'invalid_request'
}

/** @param description says what is wrong; characters that OAuth 2.0 does not allow there are replaced */
export function answerOAuthError(reply: FastifyReply, problem: Problem, description: string): void {
  reply
    .status(problem.status)
    .headers(problem.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: oauthCodeOf(problem), error_description: toDescription(description) })
}

/** @returns the text in the characters of RFC 6749, appendix A.8, at most 1,000 of them */
function toDescription(text: string): string {
  return text
    .replace(/[’"]/g, "'")
    .replace(/[^ !#-[\]-~]/g, '?')
    .slice(0, 1000)
}
