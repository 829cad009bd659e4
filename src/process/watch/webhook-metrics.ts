/** Metrics of webhooks of one process: its attempts to send events. How many webhooks there are is in figures.ts. */
import { Counter, Histogram, type Registry } from 'prom-client'
import { attemptErrors } from '../../domain/webhooks/webhooks.ts'
import { listen, webhookAttempt } from '../../platform/channels.ts'

/** @returns a function that stops the counting */
export function countWebhookAttempts(registry: Registry): () => void {
  const attempts = new Counter({
    name: 'guildhall_webhook_attempts_total',
    help: 'Attempts to send an event by a webhook, by outcome: "delivered", or the error.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ['delivered', ...attemptErrors]) attempts.inc({ outcome }, 0)
  const delays = new Histogram({
    name: 'guildhall_webhook_delay_seconds',
    help: 'Time from an event until its first attempt begins.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400],
    registers: [registry],
  })
  return listen(webhookAttempt, ({ outcome, seconds }) => {
    attempts.inc({ outcome })
    if (seconds !== undefined) delays.observe(seconds)
  })
}
