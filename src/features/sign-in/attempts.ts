/** The attempt of a request: an attempt to confirm or to link works only with the session that began it. */
import type { FastifyRequest } from 'fastify'
import type { Tenant } from '../../domain/access/tenancy.ts'
import type { TokenHash } from '../../domain/access/tokens.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { type AttemptRow, getAttempt } from '../../domain/sessions/attempts.ts'
import { isSessionOf } from '../../domain/sessions/sessions.ts'

/** @throws Problem attempt_spent if it ended, or the request has not the session that began it */
export async function getOwnAttempt(
  request: FastifyRequest,
  tenant: Pick<Tenant, 'id'>,
  token: TokenHash,
): Promise<AttemptRow> {
  const { credential, server } = request
  return request.asAnyone(tenant, async (sql) => {
    const attempt = await getAttempt(sql, server.keyring, token)
    if (attempt.purpose === 'sign_in') return attempt
    // Linking has a route of its own, which only its session can use.
    if (attempt.purpose === 'link' || !credential || attempt.sessionId === null) throw new ApiProblem('attempt_spent')
    const isOwn = credential.tenant === tenant.id && (await isSessionOf(sql, credential, attempt.sessionId))
    if (!isOwn) throw new ApiProblem('attempt_spent')
    return attempt
  })
}
