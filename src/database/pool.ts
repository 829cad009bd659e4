/** Pools of connections: how each connection is opened, what it gives up, and how it ends. */
import pg from 'pg'

/** What a role's defaults could change under us: the form of times, and whether the wall is asked at all. */
export const sessionOptions = '-c datestyle=ISO -c timezone=UTC -c row_security=on'

const connectTimeout = 2_000
/** How long a server may take its time to part, in milliseconds. */
const goodbye = 1_000
/** What is not answered in this time is given up, by the server or, when that cannot be reached any more, by us. */
export const timeouts = { statement_timeout: 5_000, query_timeout: 6_000, idle_in_transaction_session_timeout: 10_000 }

/**
 * @param url      PostgreSQL connection URL
 * @param size     connections at most
 * @param onError  is told of each connection that is lost, but for those that end with the pool
 * @param settings of the driver, such as `timeouts`
 */
export function openPool(
  url: string,
  size: number,
  onError: (error: Error) => void = () => {},
  settings: pg.PoolConfig = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: connectTimeout,
    idleTimeoutMillis: 30_000,
    application_name: 'guildhall',
    options: sessionOptions,
    ...settings,
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
  // The driver waits for the server's goodbye, and a process ends with its last socket: where the network is silent, never.
  pool.end = async () => {
    await end()
    const drop = () => {
      for (const socket of sockets) socket.destroy()
    }
    setTimeout(drop, goodbye).unref()
  }
  return pool
}
