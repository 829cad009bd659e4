/**
 * The cost of password hashes in tests. tools/test-process.ts loads this file first in each test process: at the real cost, which an attacker
 * has to pay as well, hashing would take longer than everything else. Services in processes of their own hash at the real cost.
 */
import type { TestContext } from 'node:test'
// Computes the weights of foreign hashes from the real cost when it is loaded.
import '../src/domain/credentials/foreign-algorithms.ts'
import { cost } from '../src/platform/cryptography.ts'

const real = { ...cost }
const low: typeof cost = { memory: 64, passes: 1, parallelism: 1 }
Object.assign(cost, low)

/** Hashes at the real cost until the end of a test that is about the cost itself. */
export function hashAtRealCost(t: TestContext): void {
  Object.assign(cost, real)
  t.after(() => Object.assign(cost, low))
}
