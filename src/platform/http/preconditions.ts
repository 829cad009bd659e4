/**
 * Preconditions: a change is made to what its sender has seen, or not at all (RFC 9110, 13.1.1).
 *
 * The tag of a thing is the version of what can be edited in it. Counts and times that change by themselves do not change it, so it
 * says nothing of whether an answer is still fresh, and nothing is asked of `If-None-Match`.
 */
import type { FastifyReply } from 'fastify'
import type { RequestContext } from './context.ts'
import { invalidHeader, Problem } from './problems.ts'
import type { App } from './server.ts'

/** A row of something that has a version. */
export type Versioned = { readonly id: string; readonly version: number | string }

declare module 'fastify' {
  interface FastifyRequest {
    /** The tags of `If-Match`, of which one must be the present one; undefined when anything may be changed. */
    wantedTags: readonly string[] | undefined
  }
  interface FastifyContextConfig {
    /** Whether the route takes `If-Match`. */
    takesIfMatch?: boolean
  }
}

const tagList = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e\x80-\xff]*")*$/

/** Reads `If-Match` where a route takes it. */
export function readPreconditions(app: App): void {
  app.decorateRequest('wantedTags', undefined)
  app.addHook('preValidation', async (request) => {
    const header = request.headers['if-match']?.trim()
    if (header === undefined || header === '*' || !request.routeOptions.config.takesIfMatch) return
    if (!tagList.test(header))
      throw invalidHeader(
        'The header `If-Match` must be `*`, or one or more entity tags in quotes, as `ETag` returns them: `"7"`.',
      )
    request.wantedTags = header.match(/(W\/)?"[^"]*"/g) ?? []
  })
}

/**
 * Refuses a change to another version than the one that its sender has seen. To be asked while the row is locked.
 *
 * @throws Problem version_mismatch, with the present tag
 */
export function checkVersion({ wantedTags }: Pick<RequestContext, 'wantedTags'>, found: Versioned): void {
  // Compared strongly: a weak tag is never the same.
  if (wantedTags && !wantedTags.includes(tagOf(found)))
    throw new Problem('version_mismatch', {}, { etag: tagOf(found) })
}

/** Answers a row with its tag. */
export function withTag<Row extends Versioned>(reply: FastifyReply, row: Row): Row {
  reply.header('etag', tagOf(row))
  return row
}

/** With the id: `/api/users/me` is another's after another has signed in, and their versions count from 1, too. */
function tagOf({ id, version }: Versioned): string {
  return `"${id}.${version}"`
}
