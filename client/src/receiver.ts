/**
 * @guildhall/client/webhooks: reads the events that Guildhall's webhooks send (Standard Webhooks 1.0.0). It needs nothing of the rest of the
 * client.
 *
 * Invariant: nothing of a body is believed, or parsed, before a signature matches it, and of an endless body no more than the limit is kept.
 */
import type { components } from './openapi.d.ts'

/** An event of a test of the webhook. It is in no feed. */
export interface TestEvent {
  readonly id: string
  readonly type: 'webhook.test'
  readonly timestamp: string
  readonly sequence: 0
  readonly tenantId: string
  readonly organizationId: string | null
  readonly actor: { readonly type: 'system'; readonly id: null; readonly via: null }
  readonly details: null
  readonly data: Readonly<Record<string, never>>
}

/** What a webhook sends. Skip types that you do not know: later versions have more. */
export type ReceivedEvent = components['schemas']['Event'] | TestEvent

/** One secret of a webhook, or several: while it is rotated, or if one endpoint receives for several webhooks. */
export type Secrets = string | readonly string[]

/** The headers of a request: of the Fetch API, or as an object, as Node and most frameworks have them. */
export type IncomingHeaders =
  | Pick<Headers, 'get'>
  | Readonly<Record<string, string | readonly string[] | number | undefined>>

/**
 * A closed list:
 *
 * - `missing_headers`: the request has no `webhook-id`, `webhook-timestamp` or `webhook-signature`.
 * - `timestamp_off`: it was sent more than five minutes ago, or in the future, or its timestamp is no number.
 * - `signature_mismatch`: no signature was made with one of the secrets for this id, timestamp and body.
 * - `body_too_large`: the body has more than 1 MiB.
 * - `invalid_body`: the body is signed, but no event in JSON.
 * - `invalid_secret`: your program has passed something that is no secret of a webhook.
 */
export type WebhookErrorCode = keyof typeof messages

const messages = {
  missing_headers: 'The request has not all headers of a webhook.',
  timestamp_off: 'The request was not sent within the last five minutes.',
  signature_mismatch: 'No signature of the request matches.',
  body_too_large: 'The body is larger than 1 MiB.',
  invalid_body: 'The body is no event.',
  invalid_secret: 'A secret of a webhook is `whsec_` and 32 bytes in base64. Pass one or more.',
}

/** Decide by its `code`; the message is for people. Neither quotes anything of the request or of a secret. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, options?: ErrorOptions) {
    super(messages[code], options)
    this.code = code
  }
}

/** In bytes. */
const largest = 1_048_576
/** In seconds, either way. */
const tolerance = 300
/** The last character of 32 bytes has two bits that must be zero. */
const secretForm = /^whsec_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * Reads a request of a webhook, and its body: pass the request before anything else has read that.
 *
 * @returns the event, which comes at least once and in no promised order
 * @throws WebhookError
 * @throws TypeError if the body was read already
 */
export async function readWebhook(request: Request, secret: Secrets): Promise<ReceivedEvent> {
  if (request.bodyUsed) throw new TypeError('The body was read already. Pass its text to `verifyWebhook`.')
  checkSecrets(secret)
  const signed = readHeaders(request.headers)
  return open(signed, await readBody(request), secret)
}

/**
 * Does the same for frameworks that have read the body.
 *
 * @param body as it came, and not parsed: a signature is for bytes
 * @throws WebhookError
 * @throws TypeError if the body is something else
 */
export async function verifyWebhook(
  headers: IncomingHeaders,
  body: string | Uint8Array,
  secret: Secrets,
): Promise<ReceivedEvent> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('`body` must be the raw body, as a string or bytes.')
  checkSecrets(secret)
  const signed = readHeaders(headers)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  if (bytes.length > largest) throw new WebhookError('body_too_large')
  return open(signed, bytes, secret)
}

/** Checks secrets when a program starts, instead of at its first request. @throws WebhookError invalid_secret */
export function checkSecrets(secret: Secrets): void {
  const secrets = listOf(secret)
  if (secrets.length === 0 || !secrets.every((each) => typeof each === 'string' && secretForm.test(each)))
    throw new WebhookError('invalid_secret')
}

interface Signed {
  readonly id: string
  readonly timestamp: string
  readonly signatures: readonly string[]
}

/** @throws WebhookError missing_headers, timestamp_off */
function readHeaders(headers: IncomingHeaders): Signed {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signature) throw new WebhookError('missing_headers')
  const age = /^\d{1,12}$/.test(timestamp) ? Math.abs(Date.now() / 1_000 - Number(timestamp)) : Number.NaN
  if (!(age <= tolerance)) throw new WebhookError('timestamp_off')
  return { id, timestamp, signatures: signature.split(' ') }
}

/** Objects of some gateways have names in upper case. */
function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : undefined
}

/** @throws WebhookError body_too_large */
async function readBody({ headers, body }: Request): Promise<Uint8Array> {
  if (Number(headers.get('content-length')) > largest) throw new WebhookError('body_too_large')
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    length += read.value.length
    if (length > largest) {
      reader?.cancel().catch(() => undefined) // whatever that says, the body is too large
      throw new WebhookError('body_too_large')
    }
    chunks.push(read.value)
  }
  return join(chunks)
}

/** @throws WebhookError signature_mismatch, invalid_body */
async function open({ id, timestamp, signatures }: Signed, body: Uint8Array, secret: Secrets): Promise<ReceivedEvent> {
  const content = join([new TextEncoder().encode(`${id}.${timestamp}.`), body])
  const expected = await Promise.all(listOf(secret).map((each) => sign(each, content)))
  // All pairs are compared, so that the time tells nothing of which secret has signed.
  const matching = expected.flatMap((one) => signatures.filter((other) => isEqual(one, other)))
  if (matching.length === 0) throw new WebhookError('signature_mismatch')
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event.type === 'string') return event
  } catch (cause) {
    throw new WebhookError('invalid_body', { cause })
  }
  throw new WebhookError('invalid_body')
}

async function sign(secret: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (character) => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, content)
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`
}

/** Takes as long wherever they differ. */
function isEqual(expected: string, given: string): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) difference |= expected.charCodeAt(at) ^ given.charCodeAt(at)
  return difference === 0
}

function join(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

function listOf(secret: Secrets): readonly string[] {
  return typeof secret === 'object' ? secret : [secret] // an unset variable is no list
}
