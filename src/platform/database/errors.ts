/** Errors of the database: translates the errors of the driver, and decides which ones may be retried. */
import pg from 'pg'

/** How often `repeated` tries. */
const attempts = 4

/** The database is unavailable: unreachable, restarting, out of connections, or too slow. */
export class UnavailableError extends Error {
  /** Whether the connection was lost before anything could be committed, so that the work may be repeated on another one. */
  readonly isRepeatable: boolean

  constructor(cause: unknown, isRepeatable = false) {
    super('The database is unavailable.', { cause })
    this.name = 'UnavailableError'
    this.isRepeatable = isRepeatable
  }
}

/** Another transaction held the lock of a row for too long (`lock_timeout` or `nowait`). */
export class LockedError extends UnavailableError {}

/** What the work was judged by has changed meanwhile. The transaction is repeated, so that it judges by what is there now. */
export class OvertakenError extends UnavailableError {
  constructor(message: string) {
    super(new Error(message), true)
    this.name = 'OvertakenError'
  }
}

/** A constraint was violated. `constraint` is its name in the migrations. */
export class ConstraintError extends Error {
  readonly constraint: string
  readonly kind: 'unique' | 'check' | 'foreign_key'

  constructor(constraint: string, kind: ConstraintError['kind'], cause: unknown) {
    super(`The constraint ${constraint} was violated.`, { cause })
    this.name = 'ConstraintError'
    this.constraint = constraint
    this.kind = kind
  }
}

/** @param connecting whether the error came while connecting @returns the error to throw for an error of the driver */
export function translate(error: unknown, connecting = false): unknown {
  if (!(error instanceof Error)) return error
  if (!(error instanceof pg.DatabaseError)) return connecting || isBroken(error) ? new UnavailableError(error) : error
  if (isUnfit(error)) return new UnavailableError(error, true)
  const code = error.code ?? ''
  const constraint = constraintOf(error)
  if (code === '23505') return new ConstraintError(constraint, 'unique', error)
  if (code === '23514') return new ConstraintError(constraint, 'check', error)
  if (code === '23503') return new ConstraintError(constraint, 'foreign_key', error)
  if (code === '55P03') return new LockedError(error)
  return connecting || isOutOfReach(code) ? new UnavailableError(error) : error
}

/** @returns the name as in the migrations: Citus tells of it in the message alone, with the number of the shard at its end */
function constraintOf({ constraint, message }: pg.DatabaseError): string {
  const name = constraint ?? / constraint "([^"]+)"/.exec(message)?.[1] ?? ''
  return name.replace(/_\d{5,}$/, '')
}

/** Class 08 connection, 53 resources, 57 operator intervention (timeouts and shutdowns), 40 retried; 25P03 and 25P04 as below. */
function isOutOfReach(code: string): boolean {
  return /^(08|53|57|40|25P0[34])/.test(code)
}

/** Runs `work`, and retries it after a short random pause when the error is transient. It must be a whole transaction. */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isTransient(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, attempt * 10 * Math.random()))
    }
  }
}

/** Like `translate`, for work that failed before its commit was sent: a lost connection, unless by a timeout, is then repeatable. */
export function asRepeatable(error: unknown): unknown {
  const isLost = isBroken(error) && !(error instanceof Error && /timeout/i.test(error.message))
  return isLost ? new UnavailableError(error, true) : translate(error)
}

/**
 * Whether it is a deadlock, a serialization failure, a lost connection, a foreign key whose row was deleted or inserted meanwhile, or an
 * `OvertakenError`.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof ConstraintError) return error.kind === 'foreign_key'
  if (error instanceof UnavailableError && error.isRepeatable) return true
  const code =
    error instanceof UnavailableError && error.cause instanceof pg.DatabaseError ? error.cause.code : undefined
  return code === '40001' || code === '40P01'
}

/** Class 08 connection, 57P shutdowns, 25P03 idle in a transaction for too long, 25P04 a transaction that took too long. */
const brokenBy = /^(08|57P|25P0[34])/

/**
 * Whether another connection would do: the prepared statements of this one differ from those of the server, or this one only reads (25006).
 * Then nothing of the transaction is done, not even if its commit was sent. A cached plan whose columns have changed has no code of its
 * own, only a routine.
 */
function isUnfit({ code, routine }: pg.DatabaseError): boolean {
  return code === '26000' || code === '42P05' || code === '25006' || routine === 'RevalidateCachedQuery'
}

/** Whether the connection itself can no longer be used. */
export function isBroken(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return brokenBy.test(error.code ?? '') || isUnfit(error)
  return (
    error instanceof Error &&
    ('errno' in error || /connection|not queryable|Client was closed|Query read timeout/i.test(error.message))
  )
}
