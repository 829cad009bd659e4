/**
 * End session: what the mail about a new device lets its owner do without being signed in.
 *
 * Invariant: afterwards nobody is signed in on that device, and the account does not know it any more.
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { getTenant } from '../../domain/access/tenancy.ts'
import { isMailedToken, linkLifetimes, readMailedToken } from '../../domain/access/tokens.ts'
import { linkTurn } from '../../domain/access/turns.ts'
import { MailedTokenText } from '../../domain/credentials/mailed-tokens.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { lockPeopleOf } from '../../domain/sessions/endings.ts'
import { actorOf, endUnrecognized } from '../../domain/sessions/sessions.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const body = Type.Object({ token: MailedTokenText }, { additionalProperties: false })

export async function endSessionRoutes(app: App): Promise<void> {
  app.post(
    '/auth/end-session/preview',
    {
      config: { access: 'anyone', problems: ['token_spent', 'tenant_mismatch'] },
      schema: {
        operationId: 'previewEndSession',
        summary: 'See which session a mail ends',
        description: 'What the page behind the link shows before it ends the session. It uses nothing.',
        tags: ['Signing in'],
        body,
        response: {
          200: Type.Object(
            {
              device: Type.String({ maxLength: 130, examples: ['Chrome on macOS'] }),
              signedInAt: Timestamp,
            },
            { description: 'The device, and when somebody signed in on it.' },
          ),
        },
      },
    },
    async (request) => {
      const { tenant, id } = await openLink(request, request.body.token)
      return request.asAnyone(tenant, async (sql) => {
        const [shown] = await sql<{ device: string; signedInAt: string }>`
          select s.name as device, s.created_at as signed_in_at
          from sessions s
          where ${isOpen(sql, id)}`
        if (!shown) throw new ApiProblem('token_spent')
        return shown
      })
    },
  )

  app.post(
    '/auth/end-session',
    {
      config: { access: 'anyone', problems: ['token_spent', 'tenant_mismatch'] },
      schema: {
        operationId: 'endSessionFromMail',
        summary: 'End a session from a mail',
        description:
          'Takes the token of the mail about a new device; it expires after seven days. Ends the session and all others on the same device, which counts as unknown again. The token works once, even if the session has ended by then.',
        tags: ['Signing in'],
        body,
        response: { 200: Type.Object({}, { description: 'The session has ended.' }) },
      },
    },
    async (request) => {
      const { token, tenant, id } = await openLink(request, request.body.token)
      return request.asAnyone(tenant, async (sql) => {
        sql.claimTurn(linkTurn(token))
        const session = await lockSession(sql, id)
        const endedSessions = await endUnrecognized(sql, session)
        const { ip, device } = actorOf(request.context, session.userId, session.name)
        await record(sql, { type: 'anonymous', requestId: request.id }, 'session.revoked', {
          target: { type: 'user', userId: session.userId, name: session.name },
          origin: { ip, device },
          details: { deviceId: id, device: session.device, endedSessions },
        })
        return {}
      })
    },
  )
}

/** The link of which a request sends the token. @throws Problem token_spent, tenant_mismatch */
async function openLink(request: FastifyRequest, text: string) {
  const token = readMailedToken(text)
  const tenant = await getTenant(request, token.tenant)
  const id = `dev_${token.row}`
  if (!isMailedToken(request.server.keyring, token, 'end_session', { tenant: tenant.id, id, generation: 1 }))
    throw new ApiProblem('token_spent')
  return { token, tenant, id }
}

/** Whether the link to a session `s` was not used, which takes the session’s network away, and is not too old. */
function isOpen(sql: Sql, id: string): Statement {
  return statement`s.tenant_id = ${sql.tenant} and s.id = ${id} and s.network is not null
    and s.created_at > now() - make_interval(secs => ${linkLifetimes.end_session})`
}

interface Session {
  readonly id: string
  readonly userId: string
  readonly name: string | null
  readonly device: string
}

/** @throws Problem token_spent */
async function lockSession(sql: Sql, id: string): Promise<Session> {
  const [, [session]] = await pipeline([
    lockPeopleOf(sql, statement`s.id = ${id}`),
    sql<Session>`
      select s.id, s.user_id, u.name, s.name as device
      from sessions s
      join users u on u.tenant_id = ${sql.tenant} and u.id = s.user_id
      where ${isOpen(sql, id)}
      for no key update of s`,
  ])
  if (!session) throw new ApiProblem('token_spent')
  return session
}
