/** Problems in the OpenAPI document: their responses, examples and schema. */

import { steps } from '../../domain/applications/decision.ts'
import { caps } from '../../domain/limits/caps.ts'
import { mostPermissions } from '../../domain/permissions/access-model.ts'
import { type ProblemCode, problems } from '../../domain/problems.ts'
import { problemType } from '../../platform/http/errors.ts'
import { faultCodes, faultOf } from '../../platform/http/faults.ts'
import { formats } from '../../platform/http/formats.ts'
import { type OAuthErrorCode, oauthCodeOf, oauthErrors } from '../../platform/http/oauth-errors.ts'
import { latePicture } from '../../platform/http/pictures.ts'
import type { Config } from '../../platform/settings/config.ts'

/** Headers of routes with a rate limit (draft-ietf-httpapi-ratelimit-headers). */
export const rateHeaders = {
  'RateLimit-Policy': {
    type: 'string',
    maxLength: 500,
    description: 'The limits: `"<policy>";q=<requests>;w=<seconds>`.',
    examples: ['"inviter";q=200;w=86400, "organization";q=200;w=86400'],
  },
  RateLimit: {
    type: 'string',
    maxLength: 500,
    description: 'The rest of each limit: `"<policy>";r=<remaining requests>;t=<seconds until it is reset>`.',
    examples: ['"inviter";r=199;t=86400, "organization";r=180;t=43200'],
  },
} as const

/** The header `ETag`. A response with `version_mismatch` contains the current version. */
export const versionHeader = {
  type: 'string',
  maxLength: 4096,
  description: 'The version of the editable fields, for `If-Match`.',
} as const

/** One response for each status, with an example for each problem. */
export function problemResponses(codes: readonly ProblemCode[]): Record<number, object> {
  const responses: Record<number, object> = {}
  for (const status of [...new Set(codes.map((code) => problems[code].status))].sort()) {
    const ofStatus = codes.filter((code) => problems[code].status === status)
    responses[status] = {
      description: ofStatus.map((code) => `\`${code}\`: ${problems[code].title}`).join('\n\n'),
      ...((status === 429 || status === 503) && {
        headers: {
          'Retry-After': retryHeader,
          ...(ofStatus.includes('rate_limited') && rateHeaders),
        },
      }),
      ...(status === 412 && {
        headers: { ETag: versionHeader },
      }),
      content: {
        'application/problem+json': {
          schema: { $ref: 'Problem#' },
          examples: Object.fromEntries(ofStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    }
  }
  return responses
}

/** What a route that takes a picture answers besides: a known code with another status. */
export function pictureResponses(config: Config): Record<number, object> {
  const { status, detail } = latePicture
  const example = exampleOf(config, 'invalid_request')
  const value = { ...example.value, status, detail: `body: ${detail}`, errors: [faultOf('', 'invalid_format', detail)] }
  return {
    [status]: {
      description: `\`invalid_request\`: ${detail}`,
      content: {
        'application/problem+json': {
          schema: { $ref: 'Problem#' },
          examples: { invalid_request: { ...example, description: detail, value } },
        },
      },
    },
  }
}

/** The same for a route that answers browsers with pages. */
export function withPages(responses: Record<number, { readonly content?: object }>): Record<number, object> {
  const page = { schema: { type: 'string', maxLength: 65_536, description: 'The same for people, as a page.' } }
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, content: { ...response.content, 'text/html': page } },
    ]),
  )
}

/**
 * The same for a route that answers errors as OAuth 2.0 does: one response for each status, with an example for each error.
 *
 * @param thrown the errors of the route itself
 */
export function oauthResponses(
  thrown: readonly OAuthErrorCode[],
  codes: readonly ProblemCode[],
): Record<number, object> {
  const errors = [
    ...thrown.map((code) => ({
      status: oauthErrors[code],
      code,
      title: oauthExamples[code] ?? 'The request is invalid.',
    })),
    ...codes.map((code) => {
      const { status, title } = problems[code]
      return { status, code: oauthCodeOf({ status, code }), title }
    }),
  ]
  return Object.fromEntries(
    [...Map.groupBy(errors, ({ status }) => status)].map(([status, ofStatus]) => [
      status,
      {
        description: [...new Set(ofStatus.map(({ code, title }) => `\`${code}\`: ${title}`))].join('\n\n'),
        headers: {
          ...(status === 401 && { 'WWW-Authenticate': challengeHeader }),
          ...((status === 429 || status === 503) && { 'Retry-After': retryHeader }),
          ...(status === 429 && rateHeaders),
        },
        content: {
          'application/json': {
            schema: { $ref: 'OAuthError#' },
            examples: Object.fromEntries(
              ofStatus.map(({ code, title }) => [code, { value: { error: code, error_description: title } }]),
            ),
          },
        },
      },
    ]),
  )
}

const oauthExamples: Readonly<Partial<Record<OAuthErrorCode, string>>> = {
  invalid_grant:
    'The code or the refresh token is unknown, was used, or is over. Or more is asked of the user: begin a new authorization.',
  invalid_scope: 'The application does not hold this scope.',
  invalid_target: 'The user is not in this organization.',
  unauthorized_client: 'The application is switched off.',
  unsupported_grant_type: 'Only authorization_code and refresh_token are supported.',
  invalid_client: 'The application is unknown, or has not proven who it is.',
  invalid_token: 'The access token is unknown, or has ended.',
  insufficient_user_authentication:
    'A second factor is required of the user. Begin a new authorization with acr_values=aal2.',
  insufficient_scope: 'The access token lacks the scope openid.',
}

const retryHeader = { description: 'Seconds to wait.', type: 'string', maxLength: 10 } as const
const challengeHeader = { description: 'How to authenticate (RFC 9110).', type: 'string', maxLength: 2048 } as const

export const oauthErrorSchema = {
  $id: 'OAuthError',
  type: 'object',
  description: 'What went wrong, as OAuth 2.0 tells it (RFC 6749, 5.2). Go by `error`.',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', enum: Object.keys(oauthErrors) },
    error_description: { type: 'string', maxLength: 1000 },
  },
} as const

export function exampleOf(config: Config, code: ProblemCode) {
  const { status, title, detail } = problems[code]
  const fault = faultOf('/email', 'invalid_format', formats.email.form)
  const value = {
    type: problemType(config, code),
    title,
    status,
    code,
    detail: code === 'invalid_request' ? `${fault.pointer}: ${fault.detail}` : detail,
    instance: '/api/…',
    requestId: 'req_01k9zq3v5hf8gs4m2y7c6t0wdn',
    ...(code === 'invalid_request' && { errors: [fault] }),
    ...(code === 'rate_limited' && { policy: 'inviter' }),
    ...(code === 'sign_in_incomplete' && { attempt }),
    ...(code === 'authorization_incomplete' && { step: 'second_factor' }),
    ...(code === 'request_expired' && { startUrl: 'https://app.example.com/' }),
    ...(code === 'wrong_proof' && { triesLeft: 4 }),
    ...(code === 'confirmation_required' && { maxAge: 600 }),
    ...(code === 'second_factor_required' && { by: 'tenant', methods: ['totp', 'recovery_code'] }),
    ...(code === 'events_expired' && { earliest: 1_769_851_800_000_000 }),
    ...(code === 'already_invited' && { invitationId: 'inv_01k9zq3v5hf8gs4m2y7c6t0wdn' }),
    ...(code === 'role_above_yours' && { missing: ['organization:delete'], until: null }),
    ...(code === 'insufficient_scope' && { scope: 'members:read' }),
    ...(code === 'role_in_use' && { roles: ['billing'], permissions: ['invoices:void'] }),
    ...(code === 'sole_owner' && {
      organizations: [{ id: 'org_01k9zq3v5hf8gs4m2y7c6t0wdn', name: 'Acme', slug: 'acme' }],
    }),
  }
  return { summary: title, description: detail, value }
}

const attempt = {
  token: `gha_01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(42)}0`,
  next: 'second_factor',
  methods: ['totp', 'recovery_code'],
  link: null,
  triesLeft: 5,
  expiresAt: '2026-01-31T09:40:00.000Z',
}

export const problemSchema = {
  $id: 'Problem',
  type: 'object',
  description: 'What went wrong (RFC 9457). Go by `code`.',
  required: ['type', 'title', 'status', 'code', 'detail', 'instance', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri', maxLength: 2048 },
    title: { type: 'string', maxLength: 200 },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
    code: { type: 'string', enum: Object.keys(problems) },
    detail: { type: 'string', maxLength: 10_000 },
    instance: { type: 'string', maxLength: 2048 },
    requestId: { type: 'string', maxLength: 40 },
    errors: {
      type: 'array',
      maxItems: 100,
      description: 'Everything that is wrong, with `invalid_request`.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            maxLength: 1000,
            description:
              'A JSON pointer into the body, or `?name` for a query parameter. Empty for the body as a whole, and for a header, which `detail` names.',
          },
          code: { type: 'string', enum: [...faultCodes] },
          detail: { type: 'string', maxLength: 2000 },
        },
      },
    },
    invitationId: { type: 'string', maxLength: 40, description: 'With `already_invited`.' },
    scope: {
      type: ['string', 'null'],
      maxLength: 64,
      description:
        'With `insufficient_scope`: the scope that a key or an access token needs. Null: a session is needed.',
    },
    missing: {
      type: 'array',
      maxItems: mostPermissions,
      items: { type: 'string', maxLength: 64 },
      description: 'With `role_above_yours`: the permissions that the caller does not hold.',
    },
    until: {
      type: ['string', 'null'],
      format: 'date-time',
      maxLength: 30,
      description:
        'With `role_above_yours`: the latest end that the caller can give. Null: an end is not what is lacking.',
    },
    roles: {
      type: 'array',
      maxItems: caps.roles.most,
      items: { type: 'string', maxLength: 48 },
      description: 'With `role_in_use`: the keys of roles that members have.',
    },
    permissions: {
      type: 'array',
      maxItems: caps.permissions.most,
      items: { type: 'string', maxLength: 64 },
      description: 'With `role_in_use`: the permissions of the product that somebody or a key has.',
    },
    policy: {
      type: 'string',
      maxLength: 40,
      description: 'With `rate_limited`: the limit, as `RateLimit-Policy` names it.',
    },
    attempt: { $ref: 'Attempt#', description: 'With `sign_in_incomplete`: the next step.' },
    step: {
      type: 'string',
      enum: [...steps],
      description: 'With `authorization_incomplete`: the first step that is missing.',
    },
    startUrl: {
      type: ['string', 'null'],
      maxLength: 2048,
      description: 'With `request_expired`: where the application begins a sign-in.',
    },
    earliest: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'With `events_expired`: the least place after which no event is missing.',
    },
    triesLeft: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      maximum: 5,
      description: 'With `wrong_proof`: how many more proofs the attempt takes.',
    },
    maxAge: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      maximum: 86_400,
      description: 'With `confirmation_required`: how many seconds a confirmation lasts.',
    },
    by: {
      type: 'string',
      enum: ['tenant', 'organization'],
      description: 'With `second_factor_required`: whose policy requires it.',
    },
    methods: {
      type: 'array',
      maxItems: 6,
      items: { type: 'string', maxLength: 20 },
      description: 'With `second_factor_required`: what the user has.',
    },
    organizations: {
      type: 'array',
      maxItems: 1000,
      description: 'With `sole_owner`: the organizations that would be left without an owner.',
      items: {
        type: 'object',
        required: ['id', 'name', 'slug'],
        properties: {
          id: { type: 'string', maxLength: 40 },
          name: { type: 'string', maxLength: 100 },
          slug: { type: 'string', maxLength: 48 },
        },
      },
    },
  },
} as const
