/**
 * Versions: a change applies only to the version that the user has seen (RFC 9110, 13.1.1). `ask` puts the ETag of a response into its
 * body, so that it is there wherever the body is.
 */

/** With its ETag, if the API sent one. */
export type Versioned<Thing> = Thing & { readonly etag?: string }

/** @returns the parameters of a change, which the API refuses as `version_mismatch` if somebody else has changed it meanwhile */
export function ifUnchanged({ etag }: Versioned<object>): { header: { 'If-Match'?: string } } {
  return { header: etag === undefined ? {} : { 'If-Match': etag } }
}
