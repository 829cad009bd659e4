/**
 * Preconditions: `If-Match` makes a change only if the resource still has the version that the client has read (RFC 9110, 13.1.1).
 *
 * The entity tag contains the version of the editable fields. Counts and times change without changing it. So it does not show whether a
 * cached response is fresh, and `If-None-Match` is not supported.
 */
import type { FastifyReply } from 'fastify'
import type { RequestContext } from './context.ts'
import { invalidHeader, RequestProblem } from './problems.ts'
import type { App } from './server.ts'

/** A row with a version. */
export type Versioned = { readonly id: string; readonly version: number | string }

declare module 'fastify' {
  interface FastifyRequest {
    /** The entity tags of `If-Match` as we made them, one of which must be the current one. Undefined: any version may be changed. */
    wantedTags: readonly string[] | undefined
  }
  interface FastifyContextConfig {
    /** Whether the route accepts `If-Match`. */
    takesIfMatch?: boolean
  }
}

/** How a proxy that compresses an answer marks its tag, inside or after the quotes: `"7-gzip"`, `"7";br`. */
const coding = '[-;]{1,2}(?:gzip|br|zstd|deflate)'
/** Each proxy on the way may have added one. Without a bound, a long header would take quadratic time. */
const codingAtEnd = new RegExp(`(?:${coding}){1,4}$`)
/** Its group is what stands in the quotes. */
const tag = `(?:W/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"(?:${coding}){0,4}`
const tagList = new RegExp(`^${tag}(?:\\s*,\\s*${tag})*$`)

/** Reads `If-Match` on routes that accept it. @throws Problem invalid_request */
export function readPreconditions(app: App): void {
  app.decorateRequest('wantedTags', undefined)
  app.addHook('preValidation', async (request) => {
    const header = request.headers['if-match']?.trim()
    if (header === undefined || header === '*' || !request.routeOptions.config.takesIfMatch) return
    if (!tagList.test(header))
      throw invalidHeader(
        'The header `If-Match` must be `*`, or one or more entity tags in quotes, as `ETag` returns them: `"7"`.',
      )
    // We make no weak tags and no marks. A proxy that compresses our answers adds them.
    request.wantedTags = [...header.matchAll(new RegExp(tag, 'g'))].map(
      ([, quoted = '']) => `"${quoted.replace(codingAtEnd, '')}"`,
    )
  })
}

/**
 * Checks that the row has one of the versions in `If-Match`. Call it while the row is locked.
 *
 * @throws Problem version_mismatch, with the current tag
 */
export function checkVersion({ wantedTags }: Pick<RequestContext, 'wantedTags'>, found: Versioned): void {
  if (wantedTags && !wantedTags.includes(tagOf(found)))
    throw new RequestProblem('version_mismatch', {}, { etag: tagOf(found) })
}

/** Sets the header `ETag`. @returns the row */
export function withTag<Row extends Versioned>(reply: FastifyReply, row: Row): Row {
  reply.header('etag', tagOf(row))
  return row
}

/** The tag contains the id, because after another sign-in `/api/users/me` is another user, whose versions also start at 1. */
function tagOf({ id, version }: Versioned): string {
  return `"${id}.${version}"`
}
