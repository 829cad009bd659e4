/**
 * Authorization requests: what an application sends people to us with (OpenID Connect Core 1.0, 3.1.2; RFC 6749, 4.1; RFC 7636).
 *
 * 1. `getTarget` says where answers may go. Until the application is known and the redirect URI is one of its own, nothing is redirected.
 * 2. `checkRequest` reads the rest. What it refuses is redirected to the application.
 * 3. The checked request is sealed with its time, and stored nowhere (sealed-requests.ts). The page that leads through the steps sends it
 *    back, so nothing that it asks can be stripped on the way.
 */
import type { TSchema } from 'typebox'
import type { Keyring } from '../../platform/cryptography.ts'
import { statement } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { isId, normalizeEmail } from '../../platform/http/schemas.ts'
import { OrganizationPath } from '../organizations/organizations.ts'
import { type AnswerParameter, isRedirectUri } from './addresses.ts'
import { type Application, type ApplicationScope, applicationScopes } from './applications.ts'
import { codeLifetime, sealCode } from './codes.ts'
import { type Asked, type Facts, type Prompt, prompts } from './decision.ts'

/** How many characters a request may have as a whole, without its `id_token_hint`, and some of its parameters. */
const most = { request: 4_096, state: 2_048, nonce: 512 } as const

/** The parameters that we read. Others are ignored (RFC 6749, 3.1): `display`, `claims`, `resource` and `ui_locales` among them. */
export const parameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'acr_values',
  'id_token_hint',
  'login_hint',
  'organization',
  'request',
  'request_uri',
] as const
export type Parameter = (typeof parameters)[number]

/** What is known of the application of a request. */
export type Client = Pick<
  Application,
  'id' | 'name' | 'kind' | 'logoUrl' | 'startUrl' | 'redirectUris' | 'scopes' | 'enabled'
>

/** What `selectFacts` selects for a `Client`, too: columns of `applications a`. */
export const clientColumns = statement`, a.id, a.name, a.logo_url, a.start_url, a.redirect_uris, a.scopes`

/** Where an answer goes. */
export interface Target {
  readonly redirectUri: string
  readonly state: string | null
}

/** A request that was checked. */
export interface AuthorizationRequest extends Target, Asked {
  readonly applicationId: string
  readonly scopes: readonly ApplicationScope[]
  readonly nonce: string | null
  readonly challenge: string
  /** The address with which the person may want to sign in. */
  readonly emailHint: string | null
}

/** What an application may be told instead of a code. */
export const authorizationErrors = [
  'login_required',
  'interaction_required',
  'account_selection_required',
  'unsupported_response_type',
  'invalid_scope',
  'invalid_request',
  'request_not_supported',
  'request_uri_not_supported',
  'access_denied',
] as const
export type AuthorizationErrorCode = (typeof authorizationErrors)[number]

/** What is wrong with a request whose application is told so (RFC 6749, 4.1.2.1; OpenID Connect Core 1.0, 3.1.2.6). */
export class AuthorizationError extends Error {
  readonly error: AuthorizationErrorCode
  readonly description: string

  /** @param description for the developer, in ASCII without quotes */
  constructor(error: AuthorizationErrorCode, description: string) {
    super(description)
    this.name = 'AuthorizationError'
    this.error = error
    this.description = description
  }
}

/** The parameters of a request. */
export interface SentParameters {
  /** @returns undefined if it is absent, empty (RFC 6749, 3.1), or given twice */
  get(name: Parameter): string | undefined
  readonly repeated: readonly Parameter[]
}

/**
 * @param query without its question mark
 * @throws Problem invalid_request if it is too long
 */
export function readParameters(query: string): SentParameters {
  // An ID token may have several thousand characters, by a long picture or many roles.
  const rest = query.replace(/(?<![^&])id_token_hint=[^&]*/g, '')
  if (rest.length > most.request)
    throw invalidRequest([
      faultOf('', 'too_long', `Without its hint, an authorization request has at most ${most.request} characters.`),
    ])
  const sent = new URLSearchParams(query)
  const repeated = parameters.filter((name) => sent.getAll(name).length > 1)
  return { repeated, get: (name) => (repeated.includes(name) ? undefined : sent.get(name) || undefined) }
}

/** @returns what may be the id of an application; null if the request names none. Only a text in the form of a name is looked up */
export function applicationIn(sent: { get(name: 'client_id'): string | undefined }): string | null {
  const id = sent.get('client_id')
  return id !== undefined && isId('app', id) ? id : null
}

/** @returns what may be the id or the slug of an organization; null if the request names none */
export function organizationIn(sent: SentParameters): string | null {
  const name = sent.get('organization')
  return name !== undefined && organizationName.test(name) ? name : null
}

const organizationName = new RegExp((OrganizationPath as TSchema as { readonly pattern: string }).pattern) // it has one

/**
 * @param client the application that `client_id` names, if there is one
 * @throws Problem invalid_request if it does not exist or is switched off, or the redirect URI is not one of its own
 */
export function getTarget(sent: SentParameters, client: Client | undefined): Target {
  for (const name of ['client_id', 'redirect_uri'] as const) {
    if (sent.repeated.includes(name)) throw wrong(name, 'not_allowed', 'This parameter is given twice.')
    if (sent.get(name) === undefined) throw wrong(name, 'required', 'This parameter is needed.')
  }
  if (!client?.enabled)
    throw wrong('client_id', 'not_allowed', 'No application has this id, or the application is switched off.')
  const redirectUri = sent.get('redirect_uri') ?? ''
  if (!isRedirectUri(client, redirectUri))
    throw wrong(
      'redirect_uri',
      'not_allowed',
      'The application has no such redirect URI. It must equal a registered one, character by character.',
    )
  const state = sent.get('state') ?? null
  return { redirectUri, state: state !== null && isText(state, most.state) ? state : null }
}

function wrong(name: Parameter, code: Parameters<typeof faultOf>[1], detail: string) {
  return invalidRequest([faultOf(`?${name}`, code, detail)])
}

/** @throws AuthorizationError; what `id_token_hint` says is for the caller to find out */
export function checkRequest(
  sent: SentParameters,
  client: Client,
  target: Target,
  { requestedAt, subject }: Pick<Asked, 'requestedAt' | 'subject'>,
): AuthorizationRequest {
  if (sent.repeated.length > 0) throw invalid(`${sent.repeated.join(', ')}: given twice.`)
  // First: what else is missed may be in the request object.
  if (sent.get('request') !== undefined)
    throw new AuthorizationError('request_not_supported', 'Send the parameters themselves.')
  if (sent.get('request_uri') !== undefined)
    throw new AuthorizationError('request_uri_not_supported', 'Send the parameters themselves.')
  if (sent.get('response_type') !== 'code')
    throw new AuthorizationError('unsupported_response_type', 'response_type must be code.')
  const scopes = scopesIn(sent, client)
  if ((sent.get('response_mode') ?? 'query') !== 'query') throw invalid('response_mode must be query.')
  const [state = '', nonce = ''] = [sent.get('state'), sent.get('nonce')]
  if (!isText(state, most.state)) throw invalid(`state has at most ${most.state} characters, and no control character.`)
  if (!isText(nonce, most.nonce)) throw invalid(`nonce has at most ${most.nonce} characters, and no control character.`)
  const challenge = sent.get('code_challenge') ?? ''
  if (!/^[\w-]{43}$/.test(challenge) || sent.get('code_challenge_method') !== 'S256')
    throw invalid('PKCE is needed: a code_challenge, and code_challenge_method=S256.')
  const organization = organizationIn(sent)
  if (organization === null && sent.get('organization') !== undefined)
    throw invalid('organization must be the id or the slug of an organization.')
  return {
    ...target,
    applicationId: client.id,
    requestedAt,
    subject,
    scopes,
    nonce: nonce || null,
    challenge,
    prompts: promptsIn(sent),
    maxAge: maxAgeIn(sent),
    isForTwoFactors: isForTwoFactors(sent),
    organization,
    emailHint: normalizeEmail(sent.get('login_hint') ?? '') ?? null,
  }
}

function scopesIn(sent: SentParameters, { scopes }: Client): ApplicationScope[] {
  const wanted = words(sent.get('scope'))
  if (!wanted.includes('openid')) throw new AuthorizationError('invalid_scope', 'scope must contain openid.')
  if (!wanted.every((scope) => scopes.some((each) => each === scope)))
    throw new AuthorizationError('invalid_scope', 'The application does not have all of these scopes.')
  return applicationScopes.filter((scope) => wanted.includes(scope))
}

function promptsIn(sent: SentParameters): Prompt[] {
  const wanted = words(sent.get('prompt'))
  const known = prompts.filter((prompt) => wanted.includes(prompt))
  if (known.length !== new Set(wanted).size) throw invalid(`prompt takes ${prompts.join(', ')}.`)
  if (known.includes('none') && known.length > 1) throw invalid('prompt=none stands alone.')
  return known
}

/** The values are in the order of preference (OpenID Connect Core 1.0, 3.1.2.1): two factors are asked if `aal2` comes before `aal1`. */
function isForTwoFactors(sent: SentParameters): boolean {
  const values = words(sent.get('acr_values'))
  return values.find((value) => value === 'aal1' || value === 'aal2') === 'aal2'
}

function maxAgeIn(sent: SentParameters): number | null {
  const maxAge = sent.get('max_age')
  if (maxAge === undefined) return null
  if (!/^\d{1,9}$/.test(maxAge)) throw invalid('max_age is a number of seconds.')
  return Number(maxAge)
}

function invalid(description: string): AuthorizationError {
  return new AuthorizationError('invalid_request', description)
}

function words(text = ''): string[] {
  return text.split(' ').filter(Boolean)
}

function isText(text: string, length: number): boolean {
  return text.length <= length && !/\p{Cc}/u.test(text) && text.isWellFormed()
}

/** What a code is made of. */
interface NewCode {
  readonly tenant: string
  readonly issuer: string
  readonly request: AuthorizationRequest
  readonly facts: Facts
  readonly organizationId: string | null
}

/** @returns the URL that takes a code to the application */
export function codeUrl(keyring: Keyring, { tenant, issuer, request, facts, organizationId }: NewCode): string {
  const { now, sessionId } = facts
  if (sessionId === null) throw new Error('A code needs a session.')
  const { applicationId, redirectUri, challenge, nonce, scopes } = request
  const expiresAt = new Date(Date.parse(now) + codeLifetime * 1_000).toISOString()
  const code = { sessionId, applicationId, redirectUri, challenge, nonce, scopes, organizationId, expiresAt }
  return answerUrl(request, issuer, { code: sealCode(keyring, tenant, code) })
}

/** @returns the URL that tells the application what is wrong */
export function errorUrl(target: Target, issuer: string, { error, description }: AuthorizationError): string {
  return answerUrl(target, issuer, { error, error_description: description })
}

/** @param issuer tells the application which of its issuers has answered (RFC 9207) */
function answerUrl(
  { redirectUri, state }: Target,
  issuer: string,
  answer: Readonly<Partial<Record<AnswerParameter, string>>>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}
