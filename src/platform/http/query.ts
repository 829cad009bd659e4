/** The query of a request, before the schema of its route: its encoding, and queries where none is taken. */
import { Type } from 'typebox'
import { faultOf, unknownField } from './faults.ts'
import { invalidRequest } from './problems.ts'

/**
 * A query in percent-encoding that is no UTF-8 (RFC 3986, 2.5): the parser would take it for another text.
 *
 * @param url of the request
 * @throws Problem invalid_request
 */
export function checkQueryEncoding(url: string): void {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? []
  const wrong = query.split('&').flatMap((pair) => {
    const [name, value] = [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]
    if (!isDecodable(name)) return ['']
    return isDecodable(value) ? [] : [`?${decodeURIComponent(name)}`]
  })
  if (wrong.length > 0)
    throw invalidRequest(
      wrong.map((pointer) => faultOf(pointer, 'invalid_format', 'This is no percent-encoded UTF-8.')),
    )
}

/** Whether a text is percent-encoded UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The query of a route that ignores what is in it (RFC 6749, 3.2). */
export const IgnoredQuery = Type.Object({}, { additionalProperties: true })

/** A query on a route that takes none. */
export function refuseQuery(query: unknown): void {
  const keys = Object.keys(Object(query))
  if (keys.length > 0) throw invalidRequest(keys.map((key) => unknownField(`?${key}`, key)))
}
