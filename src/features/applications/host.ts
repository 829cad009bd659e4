/**
 * The host: where a tenant's people and their cookie are. Applications send browsers there, by GET or by POST.
 *
 * Invariant: what another site can make a browser do here changes nothing.
 */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiProblem } from '../../domain/problems.ts'
import { placeColumns, type Place as SignInPlace, signInBaseOf } from '../../domain/providers/urls.ts'
import { hasToken, noSession } from '../../domain/sessions/credential.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { hostOf } from '../../platform/http/address.ts'
import { requireMediaType } from '../../platform/http/media-types.ts'
import { RequestProblem } from '../../platform/http/problems.ts'
import { refuseQuery } from '../../platform/http/query.ts'
import { isId, tenantIdToUuid } from '../../platform/http/schemas.ts'
import { isLoopback } from '../../platform/settings/hosts.ts'

/** What `selectPlace` selects. */
export interface Place extends SignInPlace {
  /** Whether the host of the request is a domain of another tenant. */
  readonly isElsewhere: boolean
  readonly hasApplications: boolean
}

/**
 * The tenant in the path. Of what is wrong with the query, the routes tell the application or the person in their own way.
 *
 * @throws Problem invalid_id
 */
export function tenantIn({ params, validationError }: FastifyRequest): {
  readonly tenantId: string
  readonly tenant: string
} {
  if (validationError?.validationContext === 'params') throw validationError
  const { tenantId } = params as { tenantId: string } // as the schema has it
  return { tenantId, tenant: tenantIdToUuid(tenantId) }
}

/** Selects one row, or none if the tenant does not exist. */
export function selectPlace(request: FastifyRequest, tenant: string): Statement {
  return statement`
    select ${placeColumns},
      exists (select from tenant_domains d where d.domain = ${hostOf(request)} and d.tenant_id <> t.id) as is_elsewhere,
      exists (select from applications a where a.tenant_id = ${tenant}) as has_applications
    from tenants t
    where t.id = ${tenant} and t.deleted_at is null`
}

/**
 * @returns the base of the tenant's pages; and the address at the host, if the request came to another host of ours
 * @throws Problem not_found if the tenant has no application, or the host is a domain of another tenant
 */
export function locate(
  request: FastifyRequest,
  place: Place | undefined,
): { readonly base: string; readonly moved: string | undefined } {
  if (!place?.hasApplications || place.isElsewhere) throw new ApiProblem('not_found')
  const base = new URL(signInBaseOf(request.server.config, place))
  // A developer's machine has several names, and each has cookies of its own.
  if (isLoopback(base.hostname) && isLoopback(request.hostname)) base.hostname = request.hostname
  const isHere = base.hostname === hostOf(request)
  return {
    base: base.href.replace(/\/$/, ''),
    moved: isHere ? undefined : base.origin + addressOf(request, queryOf(request)),
  }
}

/** The path of a request with a query. The path as it was sent may begin with a host. */
function addressOf({ params, routeOptions }: FastifyRequest, query: string): string {
  const { tenantId } = params as { tenantId: string } // the routes of this room that browsers are sent to have it in their path
  const path = `${routeOptions.url}`.replace(':tenantId', tenantId)
  return query === '' ? path : `${path}?${query}`
}

/** @returns the query as it was sent, without its question mark */
export function queryOf({ raw }: FastifyRequest): string {
  return /\?([^#]*)/.exec(`${raw.url}`)?.[1] ?? ''
}

/** A condition on `sessions s`: whether it is the one in the cookie; false if the cookie is of another tenant. */
export function isOfCookie({ credential }: FastifyRequest, tenant: string): Statement {
  if (credential?.by !== 'cookie' || credential.tenant !== tenant) return noSession
  return hasToken(credential)
}

/** The same of a browser that shows the answer as a page: no frame and no script learns whether somebody is signed in. */
export function isOfPage(request: FastifyRequest, tenant: string): Statement {
  const isPage = (request.headers['sec-fetch-dest'] ?? 'document') === 'document'
  return isPage ? isOfCookie(request, tenant) : noSession
}

/** How many bytes of a form are read, a hint of 8,192 characters among them: more are no request. */
const mostBytes = 12_800

/**
 * Answers a form with the address of the same request as GET. From another site it comes without the cookie, which only a GET brings along.
 * So nothing else of it is looked at.
 *
 * @throws Problem invalid_id, invalid_request, unsupported_media_type, too_large
 */
export async function leadFormToQuery(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
): Promise<FastifyReply> {
  const { tenantId } = request.params as { tenantId: string } // not validated yet
  if (!isId('ten', tenantId)) throw new RequestProblem('invalid_id')
  refuseQuery(request.query)
  requireMediaType(request)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    // destroyed, it could not be answered
    length += chunk.length
    if (length > mostBytes) throw new RequestProblem('too_large', {}, { connection: 'close' })
    chunks.push(chunk)
  }
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  return reply.redirect(addressOf(request, form.toString()), 303)
}
