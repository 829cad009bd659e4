/** A contender: who is asked for the operations. */
import type { Operation } from '../operations/operation.ts'

export const contenders = ['guildhall', 'bare', 'pgbench', 'better-auth'] as const
export type ContenderName = (typeof contenders)[number]

/** What a contender did in one round. Times are in microseconds. */
export interface Round {
  readonly requests: number
  readonly microseconds: number
  readonly p50: number
  readonly p99: number
  /** CPU time of its server, and of all of PostgreSQL. */
  readonly cpu: number
  readonly cpuOfPostgres: number
}

export interface Contender {
  readonly name: ContenderName
  has(operation: Operation): boolean
  /** Asks once, and looks at the answer. @throws Error when it is another one than expected */
  check(operation: Operation): Promise<void>
  /** Goes on with the operation's requests where it was before. */
  measure(operation: Operation, seconds: number): Promise<Round>
}

export const connections = 32
