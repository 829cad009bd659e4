/** The queue in tests of files without a worker of their own. */
import { setTimeout } from 'node:timers/promises'
import { hurry, type World } from './world.ts'

/** Lets a worker without a transport do what the queue holds, what is delayed too, and stops it again. Mails go to the mailbox. */
export async function finishJobs(world: World): Promise<void> {
  const worker = await world.startWorker()
  try {
    for (let waiting = 1; waiting > 0; await hurry(world.postgres)) {
      const [counted] = await world.postgres.query<{ waiting: number }>(
        'select count(*)::integer as waiting from graphile_worker._private_jobs',
      )
      waiting = counted?.waiting ?? 0
      if (waiting > 0) await setTimeout(20)
    }
  } finally {
    await worker.stop()
  }
}
