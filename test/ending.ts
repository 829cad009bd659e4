/** What a process takes away when it ends, even if a signal ends it, or nobody is there any more who started it (tools/launch.mjs). */

import { constants } from 'node:os'

/** How a process of tests ends that was skipped, and has said why (as GNU Automake has it). */
export const skipped = 77

const tasks: (() => void)[] = []

/** Has something done at the end, last of all and at once: nothing of it can be waited for. What was added last is done first. */
export function atEnd(task: () => void): void {
  if (tasks.length === 0) listen()
  tasks.unshift(task)
}

function listen(): void {
  process.on('exit', () => {
    for (const task of tasks) {
      try {
        task()
      } catch (error) {
        console.error(error) // the others are done nevertheless
      }
    }
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(128 + constants.signals[signal]))
  process.on('disconnect', () => process.exit(1))
  process.channel?.unref() // it is listened to, but keeps nobody waiting
}
