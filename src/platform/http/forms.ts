/** Forms: bodies as `application/x-www-form-urlencoded` (WHATWG URL, 5.1), which OAuth 2.0 and OpenID Connect ask for. */
import { faultOf } from './faults.ts'
import { invalidRequest } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route takes its body as a form, and not as JSON. Parameters that its schema does not name are ignored. */
    takesForm?: true
  }
}

/** How many parameters a form may have. No specification that we follow names half as many for a request. */
const mostParameters = 100

/**
 * Parameters without a value count as omitted (RFC 6749, 3.2).
 *
 * @param body the bytes as they came
 * @throws Problem invalid_request for a parameter that is given twice, for too many, and for what is not percent-encoded UTF-8
 */
export function parseForm(body: Buffer | undefined): Record<string, string> {
  const written = (body ?? '').toString('latin1').split('&', mostParameters + 1)
  if (written.length > mostParameters)
    throw invalidRequest([faultOf('', 'out_of_range', `At most ${mostParameters} parameters are allowed.`)])
  const pairs = written.filter(Boolean).map(readPair)
  const names = pairs.map(([name]) => name)
  const seen = new Set<string>() // to search the list for each name would take a time that grows with the square
  const repeated = [...new Set(names.filter((name) => seen.size === seen.add(name).size))]
  if (repeated.length > 0)
    throw invalidRequest(repeated.map((name) => faultOf(`/${name}`, 'not_allowed', 'This parameter is given twice.')))
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''))
}

function readPair(pair: string): [name: string, value: string] {
  const end = pair.includes('=') ? pair.indexOf('=') : pair.length
  const [name, value] = [decodeFormText(pair.slice(0, end)), decodeFormText(pair.slice(end + 1))]
  if (name === undefined || value === undefined)
    throw invalidRequest([faultOf('', 'invalid_format', 'This is no percent-encoded UTF-8.')])
  return [name, value]
}

/** Decodes a name, a value or another text in the encoding of forms. @returns undefined if it is not percent-encoded UTF-8 */
export function decodeFormText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
