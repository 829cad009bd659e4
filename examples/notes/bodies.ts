/** Bodies: reads and validates what clients send. */
import type { IncomingMessage } from 'node:http'
import { type Fault, Problem } from './problems.ts'

/** In bytes. */
const largestBody = 16 * 1024
/** In characters, counted as by the page's field. */
const longestNote = 2000

/** @returns the text of a new note; a body with other fields is refused */
export async function readText(request: IncomingMessage): Promise<string> {
  const { text, ...others } = await readObject(request)
  const errors: Fault[] = []
  const trimmed = typeof text === 'string' ? text.trim() : ''
  if (trimmed === '' || trimmed.length > longestNote)
    errors.push({ pointer: '/text', detail: `A note has 1 to ${longestNote} characters.` })
  if (Object.keys(others).length > 0) errors.push({ pointer: '', detail: 'The only field is `text`.' })
  if (errors.length === 0) return trimmed
  throw new Problem(400, 'invalid_request', 'The body is invalid.', { errors })
}

async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Problem(415, 'unsupported_media_type', 'The body must be JSON, with the content type application/json.')
  const text = await readBody(request)
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' ? { ...body } : {} // another value has no fields
  } catch {
    throw new Problem(400, 'malformed_json', 'The body is not valid JSON.')
  }
}

/** @throws Problem too_large, malformed_json */
export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  // Reads to the end even if the body is too large, because a client that is still sending does not read the answer.
  try {
    for await (const part of request) {
      size += part.length
      if (size <= largestBody) parts.push(part)
    }
  } catch {
    throw new Problem(400, 'malformed_json', 'The body is incomplete.') // the client is gone
  }
  if (size > largestBody) throw new Problem(413, 'too_large', `A body has at most ${largestBody} bytes.`)
  return Buffer.concat(parts).toString()
}
