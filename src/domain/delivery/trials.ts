/** Trials: how a failing webhook is tried. One event is sent at a time, until one is delivered. */
import { webhookAttempt } from '../../platform/channels.ts'
import { pipeline } from '../../platform/database/database.ts'
import { queueRun } from '../webhooks/schedule.ts'
import { commitSent } from './committing.ts'
import { dropDeliveries, noteTrial, type SentItem, writeDeliveries } from './deliveries.ts'
import { disable, judge, keep, recover, stayFailing } from './health.ts'
import { readWork, type Target } from './reading.ts'
import { maySign, type Sender, send } from './sending.ts'

/** How many events are looked at, to find one that is still there. */
const looked = 12

/**
 * Tries a failing webhook if it is time: by the event that was set aside and tried longest ago, or else by the next one of the feed. Without
 * any event, there is nothing that fails.
 */
export async function tryFailing(sender: Sender, target: Target): Promise<void> {
  const { database, keyring, log } = sender
  const { tenant, id, place, trialIn } = target
  if (trialIn !== null && trialIn > 0) {
    await database.inTenant(tenant, (sql) => queueRun(sql, id, true, trialIn))
    return
  }
  const work = await readWork(sender, target, looked)
  const addressee = { ...target, ownHosts: work.ownHosts }
  const [item] = work.items
  if (item && !maySign(keyring, addressee)) {
    log.warn({ webhook: id }, 'no secret of the webhook opens, so nothing is sent')
    return
  }
  const sent: SentItem[] = item ? [{ ...item, outcome: await send(sender, addressee, item.event) }] : []
  const [tried] = sent
  if (tried) webhookAttempt.publish({ outcome: tried.outcome.error ?? 'delivered' })
  await commitSent(sender, target, { sent, underWay: [], wereHandedOver: false }, async (sql, locked) => {
    const { isGone, isSlow } = judge(0, sent)
    const through = tried ? (tried.isNext ? tried.event.sequence : place) : work.next
    const hasFailed = tried && tried.outcome.error !== null
    // An event of the feed is set aside, if it fails: it is tried again in its turn.
    await pipeline([
      dropDeliveries(sql, id, work),
      hasFailed && !tried.isNext
        ? noteTrial(sql, id, tried)
        : writeDeliveries(sql, id, sent, { wereHandedOver: false, isUnchanged: true }),
    ])
    if (!tried && work.hasMore) {
      await pipeline([keep(sql, target, through, { failures: target.failures, isSlow }), queueRun(sql, id, true)])
      return
    }
    if (isGone) return disable(sql, sender, target, through, 'gone')
    if (hasFailed && (locked.disabledIn ?? 0) <= 0) return disable(sql, sender, target, through, 'failures')
    if (hasFailed) await stayFailing(sql, target, locked, through, isSlow, tried.outcome.retryAfter)
    else await recover(sql, target, locked, through, isSlow)
  })
}
