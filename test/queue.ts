/** The queue in tests. */
import { setTimeout } from 'node:timers/promises'
import type { TestDatabase } from './database.ts'
import { until } from './smtp.ts'
import { hurry, type World } from './world.ts'

/** What waits, in the outbox or in the queue, or is being done. One statement: nothing moves from one to the other meanwhile. */
export const selectWaiting =
  'select jobs::text as text from outbox union all select payload::text from graphile_worker._private_jobs'

/** Waits until every job is done, also those that jobs have added. */
export async function queueIsDone({ query }: Pick<TestDatabase, 'query'>): Promise<void> {
  await until(async () => (await query(selectWaiting)).length === 0, 'the queue to be done')
}

/** For files without a worker of their own: lets a worker without a transport do what the queue holds, what is delayed too, and stops it again. Mails go to the mailbox. */
export async function finishJobs(world: World): Promise<void> {
  const worker = await world.startWorker()
  try {
    for (let waiting = 1; waiting > 0; await hurry(world.postgres)) {
      waiting = (await world.postgres.query(selectWaiting)).length
      if (waiting > 0) await setTimeout(20)
    }
  } finally {
    await worker.stop()
  }
}
