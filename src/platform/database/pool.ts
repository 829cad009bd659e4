/** Pools of connections: how each connection is opened, what it gives up, and how it ends. */
import { Socket } from 'node:net'
import type pg from 'pg'
import statement, { join, type Sql as Statement } from 'sql-template-tag'
import { QueuedPool } from './queued-pool.ts'

/** What a role's defaults could change under us: the form of times, and whether the wall is asked at all. */
const ownSettings = { datestyle: 'ISO', timezone: 'UTC', row_security: 'on' }

/**
 * The server's TCP then learns within 90 seconds that the machine of a client is gone. By default, that takes hours, during which its
 * connections count for `max_connections`.
 */
const serverKeepAlives = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 6 }

export const sessionOptions = Object.entries({ ...ownSettings, ...serverKeepAlives })
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

/** A network may forget a connection that is silent, as one is while an index is built. The client would then wait without end. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 }

/**
 * While a statement runs or waits for a lock, PostgreSQL then looks every ten seconds whether the client is gone, and ends the session if
 * so. By default, it notices when the statement has ended. On some systems, such as Windows, PostgreSQL refuses the setting. As an option
 * of the connection it would refuse the connection, too.
 *
 * @param client outside of a transaction, and not behind a pooler, where others get the connection next
 */
export async function noticeLostClient(client: pg.ClientBase): Promise<void> {
  await client.query(`set client_connection_check_interval = '10s'`).catch(() => {}) // a lost connection fails the next query as well
}

/** How long the service waits for its database, in milliseconds. */
export interface Timeouts {
  /** For a free connection. */
  readonly wait: number
  /** For a new connection: one that comes too late for its caller serves the next. */
  readonly connect: number
  /** For a statement: the server cancels it. So long a transaction waits for its turn, too. */
  readonly statement: number
  /** For the next statement of a transaction: the server ends the connection. */
  readonly idle: number
  /** For the answer to a statement: longer than the server’s own timeout, which is the better answer. */
  readonly query: number
  /** For the answers of a pipeline: two of its statements may wait for a lock. */
  readonly pipeline: number
}

/** Those of a service. A client that waits longer has gone. */
export const ofService: Timeouts = {
  wait: 2_000,
  connect: 10_000,
  statement: 5_000,
  idle: 10_000,
  query: 6_000,
  pipeline: 11_000,
}

/** How long a server may take once a pool ends, in milliseconds, for statements that nobody waits for any more too. */
const gracePeriod = 1_000

/** @returns a statement that says for one transaction what a connection says at its start, which a pooler does not hand on */
export function transactionSettings(timeouts: Timeouts): Statement {
  const settings = Object.entries({ ...ownSettings, ...serverTimeouts(timeouts) })
  return statement`select ${join(settings.map(([name, value]) => statement`set_config(${name}, ${String(value)}, true)`))}`
}

function serverTimeouts(timeouts: Timeouts) {
  return { statement_timeout: timeouts.statement, idle_in_transaction_session_timeout: timeouts.idle }
}

/**
 * Refuses a connection to a standby: what it reads may be over, such as a session, and it writes nothing. An address may lead to one for a
 * while after another server was promoted. The server reports `in_hot_standby` by itself, but a pooler repeats what it has once heard.
 *
 * @throws Error if the server is a standby
 */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  if (rows[0]?.standby) throw new Error('This PostgreSQL is a standby. DATABASE_URL must lead to the primary.')
}

/** Where the server is, who logs in, and how TLS is spoken. Its files have been read. */
export type ConnectionParameters = Pick<
  pg.ClientConfig,
  'host' | 'port' | 'database' | 'user' | 'password' | 'ssl' | 'sslnegotiation' | 'options' | 'application_name'
>

interface PoolOptions {
  /** Connections at most. */
  readonly size: number
  /** Called for each connection that is lost, except those that end with the pool. */
  readonly onError?: ((error: Error) => void) | undefined
  /** Whether a statement may take as long as it takes, as those of migrations may. */
  readonly isPatient?: boolean
  /** Whether the URL leads to a pooler that hands a connection on after each transaction. */
  readonly isPooled?: boolean
  readonly timeouts: Timeouts
}

export function openPool(
  parameters: ConnectionParameters,
  { size, onError = () => {}, isPatient = false, isPooled = false, timeouts }: PoolOptions,
): QueuedPool {
  const sockets = new Set<Socket>()
  const config: pg.PoolConfig = {
    application_name: 'guildhall',
    ...(!isPooled && { options: sessionOptions }),
    ...parameters,
    max: size,
    connectionTimeoutMillis: timeouts.connect,
    idleTimeoutMillis: 30_000,
    ...keptAlive,
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    // The types say nothing of its promise, which the pool waits for.
    onConnect: async (client) => {
      await refuseStandby(client)
      if (isPatient && !isPooled) await noticeLostClient(client)
    },
    ...(!isPatient && !isPooled && serverTimeouts(timeouts)),
    ...(!isPatient && { query_timeout: timeouts.query }),
  }
  const pool = new QueuedPool(config, timeouts.wait)
  // The pool has ended before its connections have: that the server then ends them is no loss.
  const tell = (error: Error) => {
    if (!pool.ending) onError(error)
  }
  pool.on('error', tell)
  pool.on('connect', (client) => client.on('error', tell))
  const end = pool.end.bind(pool)
  // The driver waits for the statements under way and for the server to close, and a process ends with its last socket: where the
  // network is silent, never.
  pool.end = async () => {
    const drop = () => {
      for (const socket of sockets) socket.destroy()
    }
    setTimeout(drop, gracePeriod).unref()
    await end()
  }
  return pool
}
