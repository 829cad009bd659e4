/**
 * One attempt to send something by a webhook: a signed POST (Standard Webhooks 1.0.0).
 *
 * Invariants: nothing is sent unsigned. Of an answer only its status and `Retry-After` are looked at.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Outbound, OutboundError } from '../../platform/outbound/outbound.ts'
import type { Config } from '../../platform/settings/config.ts'
import { version } from '../../platform/version.ts'
import { type SealedSecret, signatureOf } from '../webhooks/secrets.ts'
import type { Attempt } from '../webhooks/webhooks.ts'
import { readRetryAfter } from './backoff.ts'
import type { Waiting } from './waiting.ts'

/** What sending needs. */
export interface Sender {
  readonly database: Database
  readonly keyring: Keyring
  readonly config: Config
  readonly post: Outbound['post']
  readonly waiting: Waiting
  readonly log: FastifyBaseLogger
}

/** Where something is sent. */
export interface Addressee {
  /** The uuid. */
  readonly tenant: string
  /** Null: the webhook is the tenant’s. */
  readonly organizationId: string | null
  readonly url: string
  readonly secrets: readonly SealedSecret[]
  readonly ownHosts: ReadonlySet<string>
}

/** What became of an attempt. */
export interface Outcome extends Attempt {
  /** In seconds: how long the answer asks us to wait. */
  readonly retryAfter: number
}

/** Whether one of its secrets opens: none does if the secret of the service that sealed them was taken away. */
export function maySign(keyring: Keyring, { tenant, secrets }: Addressee): boolean {
  return signatureOf(keyring, tenant, secrets, { id: '', timestamp: 0, body: '' }) !== undefined
}

/** What is sent: an event, or a test. */
export interface Message {
  readonly id: string
  readonly type: string
}

/** Sends an event once. It fails by its outcome, not by an error. @throws Error if there is no secret to sign it */
export async function send(
  { keyring, post }: Pick<Sender, 'keyring' | 'post'>,
  { tenant, organizationId, url, secrets, ownHosts }: Addressee,
  event: Message,
): Promise<Outcome> {
  const body = JSON.stringify(event)
  const now = Date.now()
  const at = new Date(now).toISOString()
  const timestamp = Math.floor(now / 1_000)
  const signature = signatureOf(keyring, tenant, secrets, { id: event.id, timestamp, body })
  if (signature === undefined) throw new Error('There is no secret to sign an event.')
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Guildhall/${version}`,
    'webhook-id': event.id,
    'webhook-timestamp': `${timestamp}`,
    'webhook-signature': signature,
  }
  const begun = performance.now()
  const told = await post(url, { headers, body, isPrivateAllowed: organizationId === null, ownHosts })
    .then(({ status, retryAfter }) => ({ status, error: status < 300 ? null : ('status' as const), retryAfter }))
    .catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error
      const { status, detail } = error
      return { status, error: detail === 'busy' ? ('timeout' as const) : detail, retryAfter: null }
    })
  const milliseconds = Math.round(performance.now() - begun)
  return { ...told, at, milliseconds, retryAfter: readRetryAfter(told.retryAfter, now) }
}
