/** Sign-out: ending the current session, also when an application has asked for it. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { clearSessionCookie } from '../../domain/access/authentication.ts'
import { getTenant, namedTenant } from '../../domain/access/tenancy.ts'
import { ApplicationName } from '../../domain/applications/applications.ts'
import { SealedRequest, tenantOfRequest } from '../../domain/applications/sealed-requests.ts'
import {
  mustAsk,
  openSignOut,
  returnUrl,
  type SignOutFacts,
  type SignOutRequest,
  selectSignOut,
} from '../../domain/applications/sign-out-requests.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { hasToken, noSession } from '../../domain/sessions/credential.ts'
import { endOwnSession } from '../../domain/sessions/sessions.ts'
import { HttpsUrl, Id, Nullable } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function signOutRoutes(app: App): Promise<void> {
  app.post(
    '/auth/sign-out/preview',
    {
      config: { access: 'anyone', problems: ['tenant_mismatch', 'cross_site'] },
      schema: {
        operationId: 'previewSignOut',
        summary: 'See a sign-out',
        description:
          'What the page shows to which an application has sent somebody to sign out. If `mustAsk` is false, the page signs out at once: the application has shown an ID token of this session, or there is no session. Else it asks first, since anybody may have sent the browser there.',
        tags: ['Signing in'],
        body: Type.Object({ request: SealedRequest }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              application: Nullable(
                Type.Object(
                  { id: Id('app'), name: ApplicationName, logoUrl: Nullable(HttpsUrl) },
                  { description: 'Null: no application is known to have asked for it.' },
                ),
              ),
              mustAsk: Type.Boolean(),
            },
            { description: 'The sign-out.' },
          ),
        },
      },
    },
    async (request) => {
      const { asked, facts } = await read(request, request.body.request)
      return { application: facts.application, mustAsk: mustAsk(asked, facts) }
    },
  )

  app.post(
    '/auth/sign-out',
    {
      config: {
        access: 'anyone',
        problems: ['cross_site', 'tenant_mismatch', 'insufficient_scope'],
      },
      schema: {
        operationId: 'signOut',
        summary: 'Sign out',
        description:
          'Ends the current session. Without one, the answer is the same. A key or an access token has no session to end. With the `request` of an application, the answer says where to go then.',
        tags: ['Signing in'],
        body: Type.Object({ request: Type.Optional(SealedRequest) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              url: Nullable(
                Type.String({
                  maxLength: 8_192,
                  description: 'Send the browser there. Null: it stays.',
                  examples: ['https://app.example.com/goodbye'],
                }),
              ),
            },
            { description: 'With `request`: the session has ended.' },
          ),
          204: Type.Null({ description: 'The session has ended.' }),
        },
      },
    },
    async (request, reply) => {
      const { credential, context, body } = request
      if (credential && credential.kind.name !== 'session') throw new ApiProblem('insufficient_scope', { scope: null })
      if (body.request === undefined) {
        if (namedTenant(request) !== undefined) await getTenant(request, credential?.tenant)
        await endOwnSession(context, credential)
        clearSessionCookie(request, reply)
        return reply.status(204).send(null)
      }
      const { asked, facts, tenant } = await read(request, body.request)
      if (credential?.tenant === tenant) {
        await endOwnSession(context, credential)
        clearSessionCookie(request, reply)
      }
      return { url: returnUrl(asked, facts) }
    },
  )
}

interface Read {
  readonly tenant: string
  readonly asked: SignOutRequest
  readonly facts: SignOutFacts
}

/** @throws Problem tenant_mismatch */
async function read(request: FastifyRequest, text: string): Promise<Read> {
  const { credential, server } = request
  const { id: tenant } = await getTenant(request, tenantOfRequest(text), 'tenant_mismatch')
  const asked = openSignOut(server.keyring, tenant, text)
  const isSession =
    credential?.kind.name === 'session' && credential.tenant === tenant ? hasToken(credential) : noSession
  const rows = await server.database.read(tenant, { facts: selectSignOut(tenant, isSession, asked) }, { byKey: true })
  const [facts] = rows.facts as unknown as SignOutFacts[] // as the statement selects them
  if (!facts) throw new ApiProblem('tenant_mismatch') // deleted meanwhile
  return { tenant, asked, facts }
}
