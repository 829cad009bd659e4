/** The queue in tests. */
import { setTimeout } from 'node:timers/promises'
import type { TestDatabase } from './database.ts'
import { until } from './smtp.ts'
import { hurry, type World } from './world.ts'

/** What waits, in the outbox or in the queue, or is being done. One statement: nothing moves from one to the other meanwhile. */
export const selectWaiting = `select jobs::text as text from outbox where jobs <> '[]' union all select payload::text from graphile_worker._private_jobs`

/** Waits until every job is done, also those that jobs have added. */
export async function queueIsDone({ query }: Pick<TestDatabase, 'query'>): Promise<void> {
  await until(async () => (await query(selectWaiting)).length === 0, 'the queue to be done')
}

/** Waits until all that was committed before is in the queue and in the feed. */
export async function outboxIsEmpty({ database, postgres }: Pick<World, 'database' | 'postgres'>): Promise<void> {
  await until(async () => {
    const tenants = await postgres.query<{ id: string }>('select distinct tenant_id as id from outbox')
    for (const { id } of tenants) await database.relay.drain(id)
    return tenants.length === 0
  }, 'the outbox to be empty')
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
