/**
 * Client authentication: which application asks for tokens (RFC 6749, 2.3.1).
 *
 * A `server` sends its secret by HTTP Basic or in the body; a page or a device has none and only says who it is. Wrong secrets count for their
 * network, and beyond its limit are refused; a right one is judged first, and counts for its application (domain/limits/request-rates.ts).
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { mostOfToken } from '../../domain/access/tokens.ts'
import { type Claimed, type Client, findClient } from '../../domain/applications/clients.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { decodeFormText } from '../../platform/http/forms.ts'
import { OAuthError } from '../../platform/http/oauth-errors.ts'
import { isId, tenantIdToUuid } from '../../platform/http/schemas.ts'

/** What the body may say of its application. */
export const clientParameters = {
  client_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'The id of the application; needed unless it comes by HTTP Basic.' }),
  ),
  client_secret: Type.Optional(
    Type.String({ maxLength: mostOfToken, description: 'Its secret, unless it comes by HTTP Basic.' }),
  ),
}

interface ClientRequest {
  readonly params: { readonly tenantId: string }
  readonly body: { readonly client_id?: string; readonly client_secret?: string }
}

/**
 * @returns the application that has sent a request, which is counted for it
 * @throws OAuthError invalid_client; Problem not_found if the tenant has no applications, rate_limited
 */
export async function authenticateClient(
  request: FastifyRequest & ClientRequest,
): Promise<Client & { readonly tenant: string }> {
  const { authorization } = request.headers
  const tenant = tenantIdToUuid(request.params.tenantId)
  const headers = authorization === undefined ? undefined : { 'www-authenticate': 'Basic realm="applications"' }
  const claimed = readClient(authorization, request.body)
  if (!claimed) await request.noteApplication(undefined) // beyond the rate, it costs no look-up
  // Whether the tenant has applications is asked first, also of those who do not say who they are.
  const found = await findClient(request.server.database, tenant, claimed ?? { id: '', secret: undefined })
  const client = found === 'nothing' || !claimed ? undefined : found
  await request.noteApplication(client && { id: client.id, hasSecret: client.kind === 'server' })
  if (found === 'nothing') throw new ApiProblem('not_found')
  if (!client)
    throw new OAuthError('invalid_client', 'The application is unknown, or has not proven who it is.', headers)
  if (client.staleSecret) request.uses = [...(request.uses ?? []), { tenant, applicationSecret: client.staleSecret }]
  return { ...client, tenant }
}

/** @returns undefined if the request does not say who sends it, or says it in two ways */
function readClient(authorization: string | undefined, body: ClientRequest['body']): Claimed | undefined {
  const { client_id: id, client_secret: secret } = body
  if (authorization === undefined) return id === undefined ? undefined : { id, secret }
  const basic = readBasic(authorization)
  // Some clients repeat their id in the body, which is no second way.
  return basic && secret === undefined && (id === undefined || id === basic.id) ? basic : undefined
}

/** HTTP Basic (RFC 7617), with both parts in the encoding of forms (RFC 6749, 2.3.1). No schema has seen them: they may have any character. */
function readBasic(authorization: string): Claimed | undefined {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? []
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  const [id, secret] = [decodeFormText(text.slice(0, colon)), decodeFormText(text.slice(colon + 1))]
  return colon > 0 && id !== undefined && isId('app', id) && secret !== undefined ? { id, secret } : undefined
}
