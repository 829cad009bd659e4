/** The page of a webhook, while the webhook sends what a person has let it send: it shows what becomes of that. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries } from '../api/queries.ts'
import { deliveriesKey, type Webhook, type WebhookList, webhookQuery } from './webhook.ts'

/** Milliseconds between the first readings. Later ones are further apart. */
const pause = 2_000

/**
 * Reads the webhook and its log again until nothing waits to be sent, less and less often.
 *
 * @returns a function that begins it
 */
export function useWatch(list: WebhookList, webhookId: string): () => void {
  const [begun, setBegun] = useState<number>()
  const { dataUpdatedAt: readAt } = useQuery({
    ...webhookQuery(list, webhookId),
    refetchInterval: ({ state: { data } }) =>
      begun !== undefined && hasToSend(data) ? Math.max(pause, (Date.now() - begun) / 4) : false,
  })
  useEffect(() => {
    if (begun === undefined || readAt === 0) return
    void queries.invalidateQueries({ queryKey: deliveriesKey(list, webhookId) })
  }, [begun, readAt, list, webhookId])
  return () => setBegun(Date.now())
}

function hasToSend(webhook: Webhook | undefined): boolean {
  return webhook !== undefined && webhook.status !== 'disabled' && webhook.oldestUnsentAt !== null
}
