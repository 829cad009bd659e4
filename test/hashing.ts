/** The queue for hashes in tests: filled, or held, for as long as a test wants, and empty at its end. */
import type { TestContext } from 'node:test'
import { hashing, inTurn } from '../src/domain/credentials/hash-queue.ts'
import { verifyPassword } from '../src/domain/credentials/passwords.ts'
import { until } from './smtp.ts'

const slow = hashOf('m=19456,t=80,p=1')
const quick = hashOf('m=8,t=1,p=1')

/**
 * Fills the queue for hashes at once: a slow one is computed in each slot, and behind them as many wait as may, each for its own account.
 * Half of these come from one network, so that its next request is refused. They wait until the queue is freed.
 *
 * @returns frees the queue, as the end of the test does, and waits until it is empty
 */
export function fillLine(t: TestContext, network = '127.0.0.1'): () => Promise<void> {
  const { slots, line } = hashing()
  const verify = (account: string, from: string, hash: string) =>
    verifyPassword({ account, network: from }, 'one that takes its turn', hash)
  const computed = Array.from({ length: slots }, (_, each) => verify(`slow ${each}`, 'another', slow))
  const free = holdSlots(t) // they are first in the line, and take the slots after the slow ones
  const waiting = Array.from({ length: line - slots }, (_, each) =>
    verify(`account ${each}`, each < line / 2 ? network : 'another', quick),
  )
  return async () => {
    free()
    await Promise.all([...computed, ...waiting])
  }
}

/** Keeps every slot busy, so that each hash has to wait. @returns frees the slots, as the end of the test does */
export function holdSlots(t: TestContext): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  t.after(async () => {
    resolve()
    await until(() => hashing().busy === 0, 'the queue for hashes to be empty')
  })
  for (let each = 0; each < hashing().slots; each++)
    inTurn({ account: `holder ${each}`, network: `holder ${each}` }, 1, () => promise)
  return resolve
}

function hashOf(parameters: string): string {
  return `$argon2id$v=19$${parameters}$${'A'.repeat(22)}$${'A'.repeat(43)}`
}
