/** Errors of the database: what the driver throws, in our words, and what may be tried again. */
import pg from 'pg'

const attempts = 4

/** The server cannot be asked right now: unreachable, restarting, out of connections, or too slow. */
export class UnavailableError extends Error {
  /** The connection turned out to be dead before anything could have been committed on it: another one may serve. */
  readonly isRepeatable: boolean

  constructor(cause: unknown, isRepeatable = false) {
    super('The database cannot be asked right now.', { cause })
    this.name = 'UnavailableError'
    this.isRepeatable = isRepeatable
  }
}

/** A row was locked by another transaction for longer than the statement would wait. */
export class LockedError extends UnavailableError {}

/** A constraint refused a row. `constraint` is its name as the migrations write it. */
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

/** @returns what a driver's error means: the error to throw */
export function translate(error: unknown, connecting = false): unknown {
  if (!(error instanceof Error)) return error
  if (!(error instanceof pg.DatabaseError)) return connecting || isBroken(error) ? new UnavailableError(error) : error
  const code = error.code ?? ''
  // A shard of a Citus table appends its number to the constraint's name.
  const constraint = error.constraint?.replace(/_\d{5,}$/, '') ?? ''
  if (code === '23505') return new ConstraintError(constraint, 'unique', error)
  if (code === '23514') return new ConstraintError(constraint, 'check', error)
  if (code === '23503') return new ConstraintError(constraint, 'foreign_key', error)
  if (code === '55P03') return new LockedError(error)
  return connecting || isOutOfReach(code) ? new UnavailableError(error) : error
}

/** Class 08 connection, 53 resources, 57 operator intervention (timeouts and shutdowns), 25006 read only, 40 retried. */
function isOutOfReach(code: string): boolean {
  return /^(08|53|57|40)/.test(code) || code === '25006' || code === '25P03'
}

/** Tries again, a little later, what may pass. */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !mayPass(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, attempt * 10 * Math.random()))
    }
  }
}

/** For what failed before its commit was sent: a lost connection is told as one that another may replace. A timeout is none. */
export function asRepeatable(error: unknown): unknown {
  const isLost = isBroken(error) && !(error instanceof Error && /timeout/i.test(error.message))
  return isLost ? new UnavailableError(error, true) : translate(error)
}

/** Deadlock, serialization failure, a lost connection, or a foreign key whose row went (or came) while we looked. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConstraintError) return error.kind === 'foreign_key'
  if (error instanceof UnavailableError && error.isRepeatable) return true
  const code =
    error instanceof UnavailableError && error.cause instanceof pg.DatabaseError ? error.cause.code : undefined
  return code === '40001' || code === '40P01'
}

/**
 * Class 08 connection, 57P shutdowns, 25P03 idle in a transaction for too long; and what the connection has prepared is not what the
 * server knows any more, 26000 and 42P05. A plan whose columns have changed has only its routine to be told by.
 */
const brokenBy = /^(08|57P|25P03|26000|42P05)/

/** Whether the connection itself can no longer be used. */
export function isBroken(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return brokenBy.test(error.code ?? '') || error.routine === 'RevalidateCachedQuery'
  return (
    error instanceof Error &&
    ('errno' in error || /connection|not queryable|Client was closed|Query read timeout/i.test(error.message))
  )
}
