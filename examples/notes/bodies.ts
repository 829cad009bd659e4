/** Bodies: what is sent to us, of which nothing is believed before it was looked at. */
import type { IncomingMessage } from 'node:http'
import { type Fault, Problem } from './problems.ts'

/** In bytes. */
const largestBody = 16 * 1024
/** In characters, as the page's field counts them. */
const longestNote = 2000

/** @returns the text of a new note; a body has no other field */
export async function readText(request: IncomingMessage): Promise<string> {
  const { text, ...others } = await readObject(request)
  const errors: Fault[] = []
  const trimmed = typeof text === 'string' ? text.trim() : ''
  if (trimmed === '' || trimmed.length > longestNote)
    errors.push({ pointer: '/text', detail: `A note has 1 to ${longestNote} characters.` })
  if (Object.keys(others).length > 0) errors.push({ pointer: '', detail: 'There is no field but `text`.' })
  if (errors.length === 0) return trimmed
  throw new Problem(400, 'invalid_request', 'The body does not fit.', { errors })
}

async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Problem(415, 'unsupported_media_type', 'The body must be JSON, and say so.')
  const parts: Buffer[] = []
  let size = 0
  // To its end, even if it is too large: whoever is still sending hears no answer.
  try {
    for await (const part of request) {
      size += part.length
      if (size <= largestBody) parts.push(part)
    }
  } catch {
    throw new Problem(400, 'malformed_json', 'The body is not whole.') // who sent it is gone
  }
  if (size > largestBody) throw new Problem(413, 'too_large', `A body has at most ${largestBody} bytes.`)
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString())
    return typeof body === 'object' ? { ...body } : {} // what is none has no fields
  } catch {
    throw new Problem(400, 'malformed_json', 'The body is not valid JSON.')
  }
}
