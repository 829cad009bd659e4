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
  /** Sends one request and checks the answer. @returns its content, if it has one @throws Error for an unexpected answer */
  check(operation: Operation): Promise<unknown>
  /** Continues with the operation's requests where the last call stopped. */
  measure(operation: Operation, seconds: number): Promise<Round>
}

/**
 * What an answer lacks of another one's fields, at any depth; of lists, the first elements are compared.
 *
 * @returns the paths of the fields
 */
export function missingFields(answer: unknown, wanted: unknown, path = ''): string[] {
  if (Array.isArray(wanted)) {
    if (wanted.length === 0) return []
    return Array.isArray(answer) && answer.length > 0 ? missingFields(answer[0], wanted[0], `${path}/0`) : [path]
  }
  if (typeof wanted !== 'object' || wanted === null) return answer === undefined ? [path] : []
  if (typeof answer !== 'object' || answer === null) return [path]
  const given = answer as Readonly<Record<string, unknown>>
  return Object.entries(wanted).flatMap(([name, value]) => missingFields(given[name], value, `${path}/${name}`))
}

/** Sends one request of an operation to each contender. @throws Error if the answer of the bare one lacks a field of the service's */
export async function checkAll(operation: Operation, present: readonly Contender[]): Promise<void> {
  const answers = new Map<ContenderName, unknown>()
  for (const contender of present) answers.set(contender.name, await contender.check(operation))
  if (!answers.has('bare')) return
  const missing = missingFields(answers.get('bare'), answers.get('guildhall'))
  if (missing.length > 0) throw new Error(`bare, ${operation.name}: the answer lacks ${missing.join(', ')}.`)
}

export const connections = 32
