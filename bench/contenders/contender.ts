/** A contender: a server that is measured. */
import type { Operation } from '../operations/operation.ts'

export const contenders = ['guildhall', 'bare', 'pgbench', 'better-auth'] as const
export type ContenderName = (typeof contenders)[number]

/** The result of one contender in one round. Times are in microseconds. */
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
  /** Sends one request and checks the answer. @throws Error for an unexpected answer */
  check(operation: Operation): Promise<void>
  /** Continues with the operation's requests where the last call stopped. */
  measure(operation: Operation, seconds: number): Promise<Round>
}

export const connections = 32
