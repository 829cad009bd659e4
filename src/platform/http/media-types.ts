/** Media types: what a body is, and what a route takes: JSON, a form (`config.takesForm`), or a picture (`config.takesPicture`). */
import type { FastifyRequest } from 'fastify'
import { mostBytes } from '../pictures/picture.ts'
import { type Problem, RequestProblem } from './problems.ts'

/** A media type that some route takes. */
interface Kind {
  readonly type: RegExp
  readonly isSent: string
  readonly isWanted: string
}

const json: Kind = {
  type: /^application\/(merge-patch\+)?json\s*(;|$)/i,
  isSent: 'The body is JSON.',
  isWanted: 'Send uncompressed JSON in UTF-8 with `Content-Type: application/json`.',
}
const form: Kind = {
  type: /^application\/x-www-form-urlencoded\s*(;|$)/i,
  isSent: 'The body is a form.',
  isWanted: 'Send an uncompressed form with `Content-Type: application/x-www-form-urlencoded`.',
}
const picture: Kind = {
  type: /^image\/(png|jpeg|webp)$/i,
  isSent: 'The body is a picture.',
  isWanted: 'Send an uncompressed body with `Content-Type: image/png`, `image/jpeg` or `image/webp`.',
}
/** Without parameters, or with the one that may be there. */
const isPlain = /^[^;]*(;\s*charset="?utf-8"?\s*)?$/i

/**
 * 415 for a body that is not JSON, or not a form where the route takes one. A route without a body takes `{}` with any content type or none.
 *
 * @throws Problem unsupported_media_type
 */
export function checkMediaType(request: FastifyRequest, takesBody: boolean): void {
  const body = request.body as Buffer | undefined // the content type parser of platform/http/server.ts leaves the bytes
  if (!body || body.length === 0) return
  if (!takesBody && body.toString('latin1').trim() === '{}') return
  requireMediaType(request)
}

/** The same for a route that takes a picture, and its size: by the head of the request. @throws Problem too_large, unsupported_media_type */
export function checkPictureHead(request: FastifyRequest): void {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw pictureTooLarge()
  if (hasBody(request)) requireMediaType(request)
}

/** Whether a request says that it has a body. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

export function pictureTooLarge(): Problem {
  return new RequestProblem('too_large', { detail: 'A picture has 5 MiB at most.' }, { connection: 'close' })
}

/** @throws Problem unsupported_media_type for a body that is not of the type that the route takes */
export function requireMediaType(request: FastifyRequest): void {
  const { type, encoding } = sentWith(request)
  const isWanted = wantedBy(request).type.test(type) && isPlain.test(type) && encoding === 'identity'
  if (!isWanted) throw unsupportedMediaType(request)
}

/** @returns the problem of a body that the route does not take: it says what was sent, and what is wanted */
export function unsupportedMediaType(request: FastifyRequest): Problem {
  return new RequestProblem('unsupported_media_type', { detail: `${sayWhat(request)} ${wantedBy(request).isWanted}` })
}

function wantedBy({ routeOptions }: FastifyRequest): Kind {
  const { takesForm, takesPicture } = routeOptions.config
  if (takesPicture) return picture
  return takesForm ? form : json
}

function sentWith({ headers }: FastifyRequest): { readonly type: string; readonly encoding: string } {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  return { type, encoding }
}

function sayWhat(request: FastifyRequest): string {
  const { type, encoding } = sentWith(request)
  if (encoding !== 'identity') return 'The body is compressed.'
  if (type === '') return 'The request has no `Content-Type`.'
  const sent = [json, form, picture].find((kind) => kind.type.test(type))
  if (!sent && wantedBy(request) === picture) return 'The `Content-Type` is not that of a picture that is taken.'
  if (!sent) return 'The `Content-Type` is neither that of JSON nor that of a form.'
  return sent === wantedBy(request) ? 'The `Content-Type` has another parameter than `charset=utf-8`.' : sent.isSent
}
