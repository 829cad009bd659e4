/**
 * Authorization: applications send people here, and get them back with a code (OpenID Connect Core 1.0, 3.1.2).
 *
 * 1. The browser comes with a request. If the application or the redirect URI is wrong, an error page says so.
 * 2. If nothing is missing (decision.ts), the browser goes back at once, with a code and without a page.
 * 3. Else it goes to our page with the checked request, sealed. The page leads through the steps and posts the request
 *    (authorization.ts), where everything is decided again.
 *
 * Invariant: nothing here writes. A browser is redirected only to a page of ours, or to a redirect URI of the application.
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { decide, type Facts, selectFacts } from '../../domain/applications/decision.ts'
import { readHint } from '../../domain/applications/id-token-hints.ts'
import {
  AuthorizationError,
  type AuthorizationRequest,
  applicationIn,
  authorizationErrors,
  type Client,
  checkRequest,
  clientColumns,
  codeUrl,
  errorUrl,
  getTarget,
  organizationIn,
  readParameters,
  type SentParameters,
} from '../../domain/applications/requests.ts'
import { sealRequest } from '../../domain/applications/sealed-requests.ts'
import { issuerOf } from '../../domain/signing-keys/issuer.ts'
import { type PublicKey, selectPublicKeys } from '../../domain/signing-keys/signing-keys.ts'
import { Id } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { isOfPage, leadFormToQuery, locate, type Place, queryOf, selectPlace, tenantIn } from './host.ts'

const text = (description: string, maxLength: number) => Type.Optional(Type.String({ maxLength, description }))
const Parameters = Type.Object(
  {
    client_id: text('The id of the application.', 30),
    redirect_uri: text('One of its redirect URIs, as the same text.', 2_048),
    response_type: text('`code`.', 20),
    response_mode: text('`query`, which is also the default.', 20),
    scope: text('`openid`, and others that the application has, separated by spaces.', 200),
    state: text('Comes back with the answer.', 2_048),
    nonce: text('Comes back in the ID token.', 512),
    code_challenge: text('The S256 challenge of PKCE (RFC 7636).', 43),
    code_challenge_method: text('`S256`.', 10),
    prompt: text('`none`, or some of `login`, `select_account`, `create`, `consent`.', 100),
    max_age: text('How many seconds ago the person may have signed in or confirmed it.', 9),
    acr_values: text('With `aal2`, two factors are needed, unless `aal1` comes before it.', 200),
    id_token_hint: text('An ID token of the person who is wanted; it may have expired.', 8_192),
    login_hint: text('An address to begin the sign-in with.', 254),
    organization: text('The id or the slug of an organization, of which the person must be a member.', 48),
  },
  { additionalProperties: true },
)
const config = { access: 'anyone', showsProblems: true, problems: ['not_found'] } as const
const described = {
  tags: ['Applications'],
  params: Type.Object({ tenantId: Id('ten') }),
  response: { 303: Type.Null({ description: 'The way on: back to the application, or to a page of ours.' }) },
}

export async function authorizeRoutes(app: App): Promise<void> {
  app.get(
    '/tenants/:tenantId/authorize',
    {
      config,
      attachValidation: true, // of what is wrong the application is told, by a redirect
      schema: {
        ...described,
        operationId: 'authorize',
        summary: 'Sign in to an application',
        description: `The authorization endpoint of OpenID Connect: applications send browsers here. Until the application and the redirect URI are known, what is wrong is answered with 400, and to a browser with a page. After that the application is told, by a redirect with \`error\`: ${authorizationErrors.map((error) => `\`${error}\``).join(', ')}. If the person is signed in and nothing is missing, there is no page. Unknown parameters are ignored.`,
        querystring: Parameters,
      },
    },
    async (request, reply) => reply.redirect(await wayOf(request), 303),
  )

  app.post(
    '/tenants/:tenantId/authorize',
    {
      config: { ...config, takesForm: true },
      preParsing: leadFormToQuery,
      schema: {
        ...described,
        operationId: 'authorizeByForm',
        summary: 'Sign in to an application, by a form',
        description: 'Answers with the address of the same request as GET.',
        body: Parameters,
      },
    },
    async () => {
      throw new Error('The form was not led to its query.')
    },
  )
}

interface Selected {
  readonly place: readonly Place[]
  readonly facts: readonly (Facts & Client)[]
  /** Absent if the request has no hint. */
  readonly keys?: readonly PublicKey[]
}

/** @returns the address to which the browser goes */
async function wayOf(request: FastifyRequest): Promise<string> {
  const { keyring, config } = request.server
  const { tenantId, tenant } = tenantIn(request)
  const sent = readParameters(queryOf(request))
  const { place, facts, keys } = await find(request, tenant, sent)
  const { base, moved } = locate(request, place)
  if (moved !== undefined) return moved

  const target = getTarget(sent, facts)
  if (!facts) throw new Error('An application was found, and nothing of it.')
  const issuer = issuerOf(config, tenantId)
  try {
    const subject = await subjectOf(sent, issuer, facts, keys)
    const checked = checkRequest(sent, facts, target, { requestedAt: facts.now, subject })
    const decision = decide(checked, facts)
    const { organizationId } = decision
    request.about = decision.step ?? 'code'
    if (decision.step === null) return codeUrl(keyring, { tenant, issuer, request: checked, facts, organizationId })
    if (checked.prompts.includes('none'))
      throw new AuthorizationError(decision.error, 'A page is needed, and prompt=none.')
    const sealed = sealRequest<AuthorizationRequest>(keyring, tenant, 'authorize', checked)
    return `${base}/authorize?request=${sealed}`
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error
    request.about = error.error
    return errorUrl(target, issuer, error)
  }
}

/** Reads all that a request can need in one round trip. */
async function find(request: FastifyRequest, tenant: string, sent: SentParameters) {
  const applicationId = applicationIn(sent) ?? ''
  const rows = await request.server.database.read(
    tenant,
    {
      place: selectPlace(request, tenant),
      facts: selectFacts(tenant, isOfPage(request, tenant), applicationId, organizationIn(sent), clientColumns),
      ...(sent.get('id_token_hint') !== undefined && { keys: selectPublicKeys(tenant) }),
    },
    { byKey: true },
  )
  const { place, facts, keys = [] } = rows as unknown as Selected // by the statements
  return { place: place[0], facts: facts[0], keys }
}

/** @throws AuthorizationError if the request has a hint, and not one of its application */
async function subjectOf(
  sent: SentParameters,
  issuer: string,
  client: Client,
  keys: readonly PublicKey[],
): Promise<string | null> {
  const token = sent.get('id_token_hint')
  if (token === undefined) return null
  const hint = await readHint(token, issuer, keys)
  if (hint?.applicationId !== client.id)
    throw new AuthorizationError('invalid_request', 'id_token_hint is no ID token of this application.')
  return hint.subject
}
