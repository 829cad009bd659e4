/** Problems of a request itself or of the whole service. Any API could have them. */

/** The status of a problem, a sentence that says what is the case, and sentences that say what to do. */
export interface ProblemEntry {
  readonly status: number
  readonly title: string
  readonly detail: string
}

export const requestProblems = {
  invalid_request: {
    status: 400,
    title: 'The request is invalid.',
    detail: '`errors` names each invalid field, query parameter or header, and says what it must be.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON.',
    detail: 'Send one JSON value in UTF-8, without comments or trailing commas, and of the length in `Content-Length`.',
  },
  invalid_id: {
    status: 400,
    title: 'An id in the path has the wrong type or form.',
    detail:
      'Send each id as you received it: a type such as `org`, an underscore, and 26 letters and digits. An organization can also be named by its slug.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is invalid here.',
    detail:
      'Use the `nextCursor` of the previous page with the same caller, list, filters and order. A cursor expires after 24 hours. Without one, the list starts at the first page.',
  },
  https_required: {
    status: 400,
    title: 'Session cookies need HTTPS.',
    detail:
      'Use HTTPS, or plain HTTP on a loopback host. Or leave out the header `Guildhall-Session` and use the token in the answer.',
  },
  ambiguous_credentials: {
    status: 400,
    title: 'The request has two credentials.',
    detail: 'Send either the session cookie or the header `Authorization`.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid session or key is required.',
    detail:
      'Send the token of a session, or the secret of a key, as `Authorization: Bearer …`, or send the session cookie. If you did, the session has ended: sign in again. Or the key is unknown, has ended, or is not offered any more.',
  },
  cross_site: {
    status: 403,
    title: 'The request comes from another site.',
    detail:
      'A browser may send the session cookie only from a page of this service’s origin or of a tenant’s domain. Other programs send the token as `Authorization`. A browser may never send the key of an organization or of the tenant: everybody who sees the page has it.',
  },
  not_found: {
    status: 404,
    title: 'Not found.',
    detail:
      'Check the path and its ids. Anything in another tenant, or in an organization that you are not in, is also answered with 404.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not support this method.',
    detail: 'The header `Allow` lists the supported methods.',
  },
  request_in_progress: {
    status: 409,
    title: 'A request with this idempotency key is still running.',
    detail:
      'Send the same request again after the seconds in `Retry-After`. You then receive the answer of the first one.',
  },
  version_mismatch: {
    status: 412,
    title: 'The resource has changed since you read it.',
    detail: 'Nothing was changed. Read the resource again, and send its new `ETag` as `If-Match`.',
  },
  too_large: {
    status: 413,
    title: 'The request is too large.',
    detail:
      'The limit is 64 KiB for a body (512 KiB where the documentation says so, 5 MiB for a picture), and 16 KiB for the request line and all headers together (status 431).',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This path does not take a body of this media type.',
    detail:
      'Send uncompressed JSON in UTF-8 with `Content-Type: application/json`; a picture as PNG, JPEG or WebP, with its own type.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This idempotency key was used with another body.',
    detail: 'Nothing was changed. Use a new key, or send the same body as before.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests.',
    detail:
      '`policy` names the limit, and `RateLimit-Policy` describes it. Try again after the seconds in `Retry-After`.',
  },
  internal: {
    status: 500,
    title: 'The service failed.',
    detail: 'Try again later. If it fails again, send the `requestId` to the operator: the log contains the cause.',
  },
  unavailable: {
    status: 503,
    title: 'The service is unavailable.',
    detail:
      'Its database is busy or cannot be reached, or the service is stopping. Try again after the seconds in `Retry-After`.',
  },
} as const satisfies Record<string, ProblemEntry>
