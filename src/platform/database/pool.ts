/** Pools of connections: how each connection is opened, what it gives up, and how it ends. */
import pg from 'pg'
import statement, { join } from 'sql-template-tag'

/** What a role's defaults could change under us: the form of times, and whether the wall is asked at all. */
const ownSettings = { datestyle: 'ISO', timezone: 'UTC', row_security: 'on' }
export const sessionOptions = Object.entries(ownSettings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

const connectTimeout = 2_000
/** How long a server may take once a pool ends, in milliseconds, for statements that nobody waits for any more too. */
const goodbye = 1_000
/** What is not answered in this time is given up by the server, in milliseconds. */
const serverTimeouts = { statement_timeout: 5_000, idle_in_transaction_session_timeout: 10_000 }
/** How long to wait for an answer, in milliseconds: a second longer than the server’s statement timeout. */
export const queryTimeout = 6_000
/** Says for one transaction what a connection says at its start, which a pooler does not hand on. */
export const transactionSettings = statement`
  select ${join(
    Object.entries({ ...ownSettings, ...serverTimeouts }).map(
      ([name, value]) => statement`set_config(${name}, ${String(value)}, true)`,
    ),
  )}`

interface PoolOptions {
  /** Connections at most. */
  readonly size: number
  /** Called for each connection that is lost, except those that end with the pool. */
  readonly onError?: ((error: Error) => void) | undefined
  /** Whether a statement may take as long as it takes, as those of migrations may. */
  readonly isPatient?: boolean
  /** Whether the URL leads to a pooler that hands a connection on after each transaction. */
  readonly isPooled?: boolean
}

/** @param url PostgreSQL connection URL */
export function openPool(
  url: string,
  { size, onError = () => {}, isPatient = false, isPooled = false }: PoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: connectTimeout,
    idleTimeoutMillis: 30_000,
    application_name: 'guildhall',
    ...(!isPooled && { options: sessionOptions }),
    ...(!isPatient && !isPooled && serverTimeouts),
    ...(!isPatient && { query_timeout: queryTimeout }),
  })
  // The pool has ended before its connections have: that the server then ends them is no loss.
  const tell = (error: Error) => {
    if (!pool.ending) onError(error)
  }
  pool.on('error', tell)
  const sockets = new Set<pg.Connection['stream']>()
  pool.on('connect', (client) => {
    client.on('error', tell)
    const { stream } = client.connection
    sockets.add(stream)
    stream.once('close', () => sockets.delete(stream))
  })
  const end = pool.end.bind(pool)
  // The driver waits for the statements under way and for the server's goodbye, and a process ends with its last socket: where the
  // network is silent, never.
  pool.end = async () => {
    const drop = () => {
      for (const socket of sockets) socket.destroy()
    }
    setTimeout(drop, goodbye).unref()
    await end()
  }
  return pool
}
