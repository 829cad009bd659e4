/** Errors: answers every thrown error, of ours or of a library, as a problem (RFC 9457). */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { typeid } from 'typeid-js'
import type { Config } from '../settings/config.ts'
import { endRefused, isAnswered } from './closing.ts'
import { faultOf } from './faults.ts'
import { unsupportedMediaType } from './media-types.ts'
import { answerOAuthError, OAuthError } from './oauth-errors.ts'
import { Problem, RequestProblem, toProblem } from './problems.ts'
import { requestProblems } from './request-problems.ts'

/** @returns the headers of every answer */
export function commonHeaders(requestId: string) {
  return {
    'cache-control': 'no-store', // pages and their assets override it
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
  }
}

export function newRequestId(): string {
  return typeid('req').toString()
}

/** Answers an error as a problem, or as OAuth 2.0 does if the route says so. An unexpected error is logged completely, and the answer says nothing about it. */
export function answerProblem(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const problem = fromFramework(error, request) ?? toProblem(error, request.server.problemOfConstraint)
  // Only /readyz throws this Problem itself, while the service stops. It is not a fault.
  const isStopping = error instanceof Problem && error.code === 'unavailable'
  request.problem = isStopping || problem instanceof OAuthError ? undefined : problem.code
  if (isStopping) request.log.info('not ready: the service stops')
  else if (isAborted(request) && problem.code === 'internal') request.log.info('the client went away')
  else if (problem.status >= 500) request.log.error({ err: error, code: problem.code }, 'failed')
  else if (problem.status === 401 || problem.status === 403) request.log.warn({ code: problem.code }, 'refused')

  if (request.routeOptions?.config?.oauthErrors) {
    answerOAuthError(reply, problem, `${problem.extra.detail ?? detailOf(problem)}`)
    return
  }
  reply
    .status(problem.status)
    .headers({ ...(problem.status === 401 && { 'www-authenticate': 'Bearer' }), ...problem.headers })
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send({
      type: problemType(request.server.config, problem.code),
      title: problem.title,
      status: problem.status,
      code: problem.code,
      detail: detailOf(problem),
      instance: request.url.split('?')[0]?.slice(0, 2048),
      requestId: request.id,
      ...problem.extra,
    })
}

/** Whether the client went away before its request was complete. `raw.destroyed` does not say so: Node sets it once the body was read. */
function isAborted({ raw, socket }: FastifyRequest): boolean {
  return socket.destroyed && !raw.complete
}

/** @returns the URL of the page that explains a problem */
export function problemType(config: Pick<Config, 'publicUrl'>, code: string): string {
  return `${config.publicUrl}/docs/problems#${code}`
}

function detailOf(problem: Problem): string {
  const { errors } = problem.extra as { errors?: readonly { pointer: string; detail: string }[] }
  return (
    errors
      ?.map(({ pointer, detail }) => `${pointer || 'body'}: ${detail}`)
      .join(' ')
      .slice(0, 10_000) ?? problem.detail
  )
}

/** @returns the problem for an error of Fastify itself; undefined for all other errors */
function fromFramework(error: FastifyError | Error, request: FastifyRequest): Problem | undefined {
  const code = 'code' in error ? error.code : undefined
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RequestProblem('too_large', {}, { connection: 'close' })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return unsupportedMediaType(request)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new RequestProblem('malformed_json')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new RequestProblem('invalid_id')
    default:
      return undefined
  }
}

/** Answers to bytes that are not a valid request, by Node's error code. */
const clientErrors: Readonly<Record<string, { status: number; reason: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    detail: requestProblems.too_large.detail,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: 'Request Timeout',
    detail: 'The request did not arrive in time. Send it again.',
  },
}
const notHttp = { status: 400, reason: 'Bad Request', detail: 'This is not a request in HTTP/1.1.' }

/** Connections that received bytes that are not a request. */
const broken = new WeakSet<Socket>()

/**
 * Answers bytes that are not HTTP, or too slow or too large for a request. Waits until the earlier requests of the connection are answered.
 */
export function answerClientError(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || broken.has(socket)) return
  broken.add(socket)
  whenAnswered(socket, () => refuse(this, error, socket))
}

/** Calls `done` when all complete requests of a connection are answered. Node answers them one after the other. */
function whenAnswered(socket: Socket, done: () => void): void {
  // The current answer of the connection. Node has no public name for it, and uses this property in its own error handler.
  const { _httpMessage: answer } = socket as Socket & { readonly _httpMessage?: ServerResponse | null }
  if (answer?.req.complete) answer.once('close', () => whenAnswered(socket, done))
  else done()
}

function refuse({ config }: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return
  const { status, reason, detail } = clientErrors[error.code ?? ''] ?? notHttp
  const code = status === 431 ? 'too_large' : 'invalid_request'
  const requestId = newRequestId()
  const body = JSON.stringify({
    type: problemType(config, code),
    title: requestProblems[code].title,
    status,
    code,
    detail,
    instance: '/', // its path is not known
    requestId,
    ...(code === 'invalid_request' && { errors: [faultOf('', 'invalid_format', detail)] }),
  })
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  // A second answer would be taken for that to another request.
  endRefused(socket, isAnswered(socket) ? '' : `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`)
}
