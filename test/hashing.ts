import { hashing, inTurn } from '../src/domain/credentials/hash-queue.ts'
import { verifyPassword } from '../src/domain/credentials/passwords.ts'

const slow = hashOf('m=19456,t=80,p=1')
const quick = hashOf('m=8,t=1,p=1')

/**
 * Fills the queue for hashes at once: a slow one in each slot, and as many behind them as may wait, each for its own account. Half of them
 * come from one network, so that its next request is refused.
 *
 * @returns when the queue is empty again: after about a second, because the waiting ones take almost no time
 */
export async function fillLine(network = '127.0.0.1'): Promise<void> {
  const { slots, line } = hashing()
  const hashes = [...Array<string>(slots).fill(slow), ...Array<string>(line).fill(quick)]
  await Promise.all(
    hashes.map((hash, each) => {
      const hasher = { account: `account ${each}`, network: each % 2 === 0 ? network : 'another' }
      return verifyPassword(hasher, 'one that takes its turn', hash)
    }),
  )
}

/** Keeps every slot busy, so that each hash has to wait. @returns a function that frees the slots */
export function holdSlots(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let each = 0; each < hashing().slots; each++)
    inTurn({ account: `holder ${each}`, network: 'holders' }, 1, () => promise)
  return resolve
}

function hashOf(parameters: string): string {
  return `$argon2id$v=19$${parameters}$${'A'.repeat(22)}$${'A'.repeat(43)}`
}
