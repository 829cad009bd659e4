/** Hashes of passwords, where a test needs many of them. */
import { availableParallelism } from 'node:os'
import { verifyPassword } from '../src/domain/credentials/passwords.ts'

const slots = Math.max(1, availableParallelism() - 1)
const slow = hashOf('m=19456,t=80,p=1')
const quick = hashOf('m=8,t=1,p=1')

/**
 * Fills the line of those who wait for a hash, at once: a slow one in each slot, and as many behind them as may wait.
 *
 * @returns when the line is empty again: after about a second, since those who waited take next to nothing
 */
export async function fillLine(): Promise<void> {
  const hashes = [...Array<string>(slots).fill(slow), ...Array<string>(slots * 150).fill(quick)]
  await Promise.all(hashes.map((hash) => verifyPassword('one that takes its turn', hash)))
}

function hashOf(parameters: string): string {
  return `$argon2id$v=19$${parameters}$${'A'.repeat(22)}$${'A'.repeat(43)}`
}
