/** The end of an authorization: what its page asks and posts, before and after each step. authorize.ts has sent the browser there. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { getTenant } from '../../domain/access/tenancy.ts'
import { isRedirectUri } from '../../domain/applications/addresses.ts'
import { ApplicationName, Uri } from '../../domain/applications/applications.ts'
import { type Decision, decide, type Facts, selectFacts, steps } from '../../domain/applications/decision.ts'
import {
  AuthorizationError,
  type AuthorizationRequest,
  type Client,
  clientColumns,
  codeUrl,
  errorUrl,
} from '../../domain/applications/requests.ts'
import { isOver, openRequest, SealedRequest, tenantOfRequest } from '../../domain/applications/sealed-requests.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { issuerOf } from '../../domain/signing-keys/issuer.ts'
import { HttpsUrl, Id, Nullable, OneOf, uuidToTenantId } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { isOfCookie } from './host.ts'

const problems = ['request_expired', 'tenant_mismatch', 'cross_site'] as const
const Url = Type.String({ maxLength: 8_192, examples: ['https://app.example.com/callback?code=…'] })

export async function authorizationRoutes(app: App): Promise<void> {
  app.post(
    '/auth/authorize/preview',
    {
      config: { access: 'anyone', problems },
      schema: {
        operationId: 'previewAuthorization',
        summary: 'See a sign-in to an application',
        description:
          'What the page behind the authorization endpoint shows: the application, and the first step that is missing for the session in the cookie. The request stays valid.',
        tags: ['Applications'],
        body: Type.Object({ request: SealedRequest }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              application: Type.Object({
                id: Id('app'),
                name: ApplicationName,
                logoUrl: Nullable(HttpsUrl),
                startUrl: Nullable({ ...Uri, description: 'Where it begins a sign-in by itself.' }),
              }),
              step: Nullable(
                OneOf(steps, {
                  description:
                    'The first step that is missing: `sign_in`, or `sign_up` if the application asks for it; `confirm` that it is you; `second_factor`, which the person may have to add first; `verify_email`, by the mailed link; `organization`, to choose one, or to become a member of the named one; `continue`, a click after the page has said who is signed in, and to what. Null: none.',
                }),
              ),
              organization: Nullable(
                Type.String({ maxLength: 48, description: 'The one that the request names, by its id or slug.' }),
              ),
              emailHint: Nullable(Type.String({ maxLength: 254, examples: ['ann@example.com'] })),
              cancelUrl: { ...Url, description: 'Back to the application, without a sign-in.' },
            },
            { description: 'The sign-in.' },
          ),
        },
      },
    },
    async (request) => {
      const { authorization, client, decision, issuer } = await judge(request, request.body.request)
      const { id, name, logoUrl, startUrl } = client
      const cancelled = new AuthorizationError('access_denied', 'The person has cancelled the sign-in.')
      return {
        application: { id, name, logoUrl, startUrl },
        step: decision.step,
        organization: authorization.organization,
        emailHint: authorization.emailHint,
        cancelUrl: errorUrl(authorization, issuer, cancelled),
      }
    },
  )

  app.post(
    '/auth/authorize',
    {
      config: { access: 'anyone', problems: [...problems, 'authorization_incomplete'] },
      schema: {
        operationId: 'completeAuthorization',
        summary: 'Complete a sign-in to an application',
        description:
          'Requires the cookie of a session for which no step is missing. This is the click of the step `continue`: pages send it only after a click, or right after a sign-in or a confirmation.',
        tags: ['Applications'],
        security: [{ cookie: [] }],
        body: Type.Object(
          {
            request: SealedRequest,
            organizationId: Type.Optional({ ...Id('org'), description: 'The one that the person has chosen.' }),
            userId: Type.Optional({
              ...Id('user'),
              description:
                'Whom the page has shown. If somebody else is signed in by now, the step `continue` is missing.',
            }),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object(
            { url: { ...Url, description: 'Send the browser there: it takes a code to the application.' } },
            { description: 'The way back to the application.' },
          ),
        },
      },
    },
    async (request) => {
      const { request: text, organizationId: chosen, userId: shown } = request.body
      const { tenant, authorization, decision, facts, issuer } = await judge(request, text, chosen)
      const { step, organizationId } = decision
      if (step !== null && step !== 'continue') throw new ApiProblem('authorization_incomplete', { step })
      // Signed in in another tab: the click was that of the person before.
      if (shown !== undefined && shown !== facts.userId)
        throw new ApiProblem('authorization_incomplete', { step: 'continue' })
      return { url: codeUrl(app.keyring, { tenant, issuer, request: authorization, facts, organizationId }) }
    },
  )
}

interface Judged {
  readonly tenant: string
  readonly authorization: AuthorizationRequest
  readonly client: Client
  readonly facts: Facts
  readonly decision: Decision
  readonly issuer: string
}

/**
 * Decides for the session in the cookie.
 *
 * @param chosen the organization that the person has chosen; one that the request names comes first
 * @throws Problem request_expired, also if the application has changed so that the request is no longer right; tenant_mismatch
 */
async function judge(request: FastifyRequest, text: string, chosen: string | null = null): Promise<Judged> {
  const { database, keyring, config } = request.server
  const { id: tenant } = await getTenant(request, tenantOfRequest(text), 'request_expired')
  const authorization = openRequest<AuthorizationRequest>(keyring, tenant, 'authorize', text)
  if (!authorization) throw new ApiProblem('request_expired', { startUrl: null })
  const { applicationId, redirectUri, scopes } = authorization
  const asked = { ...authorization, organization: authorization.organization ?? chosen }
  const rows = await database.read(
    tenant,
    { facts: selectFacts(tenant, isOfCookie(request, tenant), applicationId, asked.organization, clientColumns) },
    { byKey: true },
  )
  const [facts] = rows.facts as unknown as (Facts & Client)[] // as the statement selects them
  const isRight =
    facts?.enabled && isRedirectUri(facts, redirectUri) && scopes.every((scope) => facts.scopes.includes(scope))
  if (!isRight || isOver(authorization, facts.now))
    throw new ApiProblem('request_expired', { startUrl: (facts?.enabled && facts.startUrl) || null })
  const issuer = issuerOf(config, uuidToTenantId(tenant))
  return { tenant, authorization, client: facts, facts, decision: decide(asked, facts), issuer }
}
