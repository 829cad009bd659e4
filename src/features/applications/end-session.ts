/**
 * End session: applications send people here to sign them out (OpenID Connect RP-Initiated Logout 1.0). Our page then signs out, and asks
 * before it does unless the application has shown an ID token of this very session (sign-in/sign-out.ts).
 *
 * Invariant: nothing here writes. A browser is redirected only to a page of ours, or to an address that the application has for this.
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type Hint, readHint } from '../../domain/applications/id-token-hints.ts'
import { applicationIn } from '../../domain/applications/requests.ts'
import { sealRequest } from '../../domain/applications/sealed-requests.ts'
import {
  returnUrl,
  type SignOutFacts,
  type SignOutRequest,
  selectSignOut,
} from '../../domain/applications/sign-out-requests.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { issuerOf } from '../../domain/signing-keys/issuer.ts'
import { type PublicKey, selectPublicKeys } from '../../domain/signing-keys/signing-keys.ts'
import { Id } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { isOfPage, leadFormToQuery, locate, type Place, queryOf, selectPlace, tenantIn } from './host.ts'

/** How many characters the state of a request may have: sealed, it must fit in `SealedRequest`. */
const longestState = 2_048
const names = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const
const text = (description: string, maxLength: number) => Type.Optional(Type.String({ maxLength, description }))
const Parameters = Type.Object(
  {
    id_token_hint: text('An ID token of the person who is signed out; it may have expired.', 8_192),
    client_id: text('The id of the application; needed without `id_token_hint`.', 30),
    post_logout_redirect_uri: text('One of its `postLogoutUris`, as the same text.', 2_048),
    state: text('Comes back with the browser.', 2_048),
  },
  { additionalProperties: true },
)
const config = { access: 'anyone', showsProblems: true, problems: ['not_found'] } as const
const described = {
  tags: ['Applications'],
  params: Type.Object({ tenantId: Id('ten') }),
  response: { 303: Type.Null({ description: 'The way on: to a page of ours, or back to the application.' }) },
}

export async function applicationSignOutRoutes(app: App): Promise<void> {
  app.get(
    '/tenants/:tenantId/end-session',
    {
      config,
      attachValidation: true, // what is wrong leads nowhere but to our page
      schema: {
        ...described,
        operationId: 'endSession',
        summary: 'Sign out of an application',
        description:
          'The end-session endpoint of OpenID Connect: applications send browsers here. The page of ours that follows signs out. If nobody is signed in, the browser goes back at once. If the hint or the address is wrong, it stays with us.',
        querystring: Parameters,
      },
    },
    async (request, reply) => reply.redirect(await wayOf(request), 303),
  )

  app.post(
    '/tenants/:tenantId/end-session',
    {
      config: { ...config, takesForm: true },
      preParsing: leadFormToQuery,
      schema: {
        ...described,
        operationId: 'endSessionByForm',
        summary: 'Sign out of an application, by a form',
        description: 'Answers with the address of the same request as GET.',
        body: Parameters,
      },
    },
    async () => {
      throw new Error('The form was not led to its query.')
    },
  )
}

/** @returns the address to which the browser goes */
async function wayOf(request: FastifyRequest): Promise<string> {
  const { database, keyring, config } = request.server
  const { tenantId, tenant } = tenantIn(request)
  const sent = readOnce(queryOf(request))
  const token = sent?.get('id_token_hint')
  const found = await database.read(
    tenant,
    { place: selectPlace(request, tenant), ...(token && { keys: selectPublicKeys(tenant) }) },
    { byKey: true },
  )
  const [[place], keys = []] = [found.place, found.keys] as unknown as [Place[], PublicKey[]?] // as the statements select them
  const { base, moved } = locate(request, place)
  if (moved !== undefined) return moved

  const hint = token ? await readHint(token, issuerOf(config, tenantId), keys) : undefined
  const asked = askedBy(sent, hint)
  const rows = await database.read(
    tenant,
    { facts: selectSignOut(tenant, isOfPage(request, tenant), asked) },
    { byKey: true },
  )
  const [facts] = rows.facts as unknown as SignOutFacts[] // as the statement selects them
  if (!facts) throw new ApiProblem('not_found') // deleted meanwhile
  const checked: SignOutRequest = { ...asked, requestedAt: facts.now }
  const url = returnUrl(checked, facts)
  if (url !== null && facts.sessionId === null) return url
  const sealed = sealRequest(keyring, tenant, 'sign-out', {
    ...checked,
    returnUri: url === null ? null : checked.returnUri,
  })
  return `${base}/signed-out?request=${sealed}`
}

type SignOutParameters = Pick<ReadonlyMap<(typeof names)[number], string>, 'get'>

/**
 * How long the request is does not matter: an ID token may have several thousand characters, by a long picture or many roles.
 *
 * @returns undefined if a parameter is given twice or has control characters, or the state is too long: then nothing of it is believed
 */
function readOnce(query: string): SignOutParameters | undefined {
  const sent = new URLSearchParams(query)
  const isWrong = names.some((name) => sent.getAll(name).length > 1 || /\p{Cc}/u.test(sent.get(name) ?? ''))
  if (isWrong || (sent.get('state') ?? '').length > longestState) return undefined
  return new Map(names.map((name) => [name, sent.get(name) ?? '']))
}

/** What a request asks for, if it can be believed: without a hint of ours nobody says which session is meant. */
function askedBy(sent: SignOutParameters | undefined, hint: Hint | undefined): Omit<SignOutRequest, 'requestedAt'> {
  const named = sent && applicationIn(sent)
  const isHintWrong = Boolean(sent?.get('id_token_hint')) && !hint
  if (!sent || isHintWrong || (named && hint && hint.applicationId !== named))
    return { applicationId: null, returnUri: null, state: null, sessionId: null }
  return {
    applicationId: hint?.applicationId ?? named ?? null,
    returnUri: sent.get('post_logout_redirect_uri') || null,
    state: sent.get('state') || null,
    sessionId: hint?.sessionId ?? null,
  }
}
