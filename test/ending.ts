/** Clean-up at the end of a process, even after a signal or when its launcher is gone (tools/launch.mjs). */

import { constants } from 'node:os'

/** The exit code of a skipped test process that has printed why (as in GNU Automake). */
export const skipped = 77

const tasks: (() => void)[] = []

/**
 * Adds a synchronous action for the very end of the process. The last one added runs first.
 *
 * @returns a function that takes the action back
 */
export function atEnd(task: () => void): () => void {
  listen()
  tasks.unshift(task)
  return () => tasks.splice(tasks.indexOf(task), 1)
}

let isListening = false

function listen(): void {
  if (isListening) return
  isListening = true
  process.on('exit', () => {
    for (const task of tasks) {
      try {
        task()
      } catch (error) {
        console.error(error) // the other actions still run
      }
    }
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(128 + constants.signals[signal]))
  process.on('disconnect', () => process.exit(1))
  process.channel?.unref() // listens without keeping the process alive
}
