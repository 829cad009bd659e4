/** The headers that every answer has, of whatever status, type and route, and those that none has. */
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * @param what the answer, in the message of a failure
 * @param isForAnyPage whether pages of any origin may read it, because it is public and the same for everybody
 */
export function holdHeaders(headers: Headers | IncomingHttpHeaders, what: string, isForAnyPage = false): void {
  const given = (name: string) =>
    headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name]?.toString()
  assert.equal(given('x-content-type-options'), 'nosniff', what)
  assert.equal(given('referrer-policy'), 'no-referrer', what)
  assert.equal(given('cross-origin-resource-policy'), 'same-origin', what)
  assert.match(given('content-security-policy') ?? '', /^default-src 'none'; .*frame-ancestors 'none'/, what)
  assert.match(given('x-request-id') ?? '', /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/, what)
  for (const name of ['server', 'x-powered-by']) assert.equal(given(name), undefined, `${what} carries ${name}`)
  assert.ok([undefined, isForAnyPage && '*'].includes(given('access-control-allow-origin')), `${what} is for any page`)
}
