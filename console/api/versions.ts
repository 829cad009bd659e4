/**
 * Versions: what one has read is changed as one has read it, or not at all (RFC 9110, 13.1.1). `ask` keeps the tag of an answer with
 * its body, so that it is there wherever the body is.
 */

/** With the tag of its version, where the API gave one. */
export type Versioned<Thing> = Thing & { readonly etag?: string }

/** @returns the parameters of a request that changes it, which is refused as `version_mismatch` if it was changed meanwhile */
export function ifUnchanged({ etag }: Versioned<object>): { header: { 'If-Match'?: string } } {
  return { header: etag === undefined ? {} : { 'If-Match': etag } }
}
