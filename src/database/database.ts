/**
 * The database: the pool, and the two kinds of transaction that everything else is built from. Alone imports the driver.
 *
 * Invariant: a statement on a tenant's table runs inside the wall. Each transaction names its tenant once, in the setting that
 * the row-level security policies read; nothing else in the code may set it.
 */
import pg from 'pg'
import statement, { type Sql as Statement } from 'sql-template-tag'

import { sha256 } from '../cryptography.ts'
import { asRepeatable, isBroken, repeated, translate } from './errors.ts'

export { empty, join } from 'sql-template-tag'
export { type Statement, statement }

/** Runs one statement, written as a tagged template, in the transaction at hand. Row keys are the columns in camelCase. */
export interface Sql {
  <Row = Record<string, unknown>>(strings: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]>
  /** The tenant whose wall is up: the uuid that every statement names. */
  readonly tenant: string
}

const connectTimeout = 2_000
/** How long a server may take its time to part, in milliseconds. */
const goodbye = 1_000
/** What is not answered in this time is given up, by the server or, when that cannot be reached any more, by us. */
const timeouts = { statement_timeout: 5_000, query_timeout: 6_000, idle_in_transaction_session_timeout: 10_000 }

export class Database {
  readonly #pool: pg.Pool
  readonly #url: string

  /**
   * @param url      PostgreSQL connection URL
   * @param options.size connections at most
   * @param options.onError told of errors of idle connections; the pool replaces them by itself
   */
  constructor(url: string, options: { size?: number; onError?: (error: Error) => void } = {}) {
    this.#url = url
    this.#pool = openPool(url, options.size ?? 10, options.onError, { ...timeouts, pipeline: true, types })
  }

  /**
   * One transaction inside a tenant's wall. Deadlocks, serialization failures, rows that were referenced while they went, and
   * connections that were lost before the commit are tried again, so `work` must have no effect but through `sql`.
   *
   * @param tenant the tenant's uuid
   * @param first  statements known beforehand, sent together with the opening in one flight; their rows are handed to `work`
   * @throws ConstraintError, UnavailableError, or whatever `work` throws: then nothing is changed
   */
  async inTenant<T>(
    tenant: string,
    work: (sql: Sql, first: readonly Row[][]) => Promise<T>,
    first: readonly Statement[] = [],
  ): Promise<T> {
    // Said, and not left to the server's default: what is read after a lock was waited for must be what is there then.
    const opening = `begin isolation level read committed; ${wall(tenant)}`
    return repeated(() => this.#transaction(opening, tenant, work, first))
  }

  /**
   * Reads inside a tenant's wall: opening, statements and commit go out together and are answered in one flight.
   *
   * @param tenant the tenant's uuid
   * @returns the rows of each statement, in order
   */
  async flight(tenant: string, statements: readonly Statement[]): Promise<Row[][]> {
    // One snapshot for all: what the caller was judged by is what the other statements see.
    const opening = `begin isolation level repeatable read read only; ${wall(tenant)}`
    return repeated(() => this.#flight(opening, statements))
  }

  async #flight(opening: string, statements: readonly Statement[]): Promise<Row[][]> {
    const client = await this.#connect()
    // Nothing is awaited in between: in pipeline mode the driver writes each query at once. A failure in the middle makes the
    // server answer the commit with a rollback.
    const opened = client.query(opening)
    const answers = statements.map((each) => run(client, each))
    const closed = client.query('commit')
    const outcomes = await Promise.allSettled([opened, ...answers, closed])
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    client.release(failed !== undefined && isBroken(failed.reason))
    if (failed) throw asRepeatable(failed.reason)
    return Promise.all(answers)
  }

  /** One transaction without a tenant: it sees the small global tables and the queue, and of tenants' rows nothing. */
  acrossTenants<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return repeated(() => this.#transaction('begin isolation level read committed', '', work, []))
  }

  /**
   * A small pool of its own, apart from that of the requests: for the queue, which brings its own statements, and for the rates, which
   * are counted outside of every transaction.
   *
   * @param options.onError is told of each connection that is lost; it is replaced, and whoever asks next is told
   * @param options.isPatient whether a statement may take as long as it takes, as those of migrations may
   */
  libraryPool(size: number, options: { onError?: (error: Error) => void; isPatient?: boolean } = {}): pg.Pool {
    return openPool(this.#url, size, options.onError, options.isPatient ? {} : timeouts)
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  async #transaction<T>(
    opening: string,
    tenant: string,
    work: (sql: Sql, first: readonly Row[][]) => Promise<T>,
    first: readonly Statement[],
  ): Promise<T> {
    const client = await this.#connect()
    let broken = false
    let committing = false
    try {
      const opened = client.query(opening)
      const answers = first.map((each) => run(client, each))
      const outcomes = await Promise.allSettled([opened, ...answers])
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
      const sql: Sql = Object.assign(
        <Row>(strings: TemplateStringsArray, ...values: readonly unknown[]) =>
          // The caller names the row's type beside the statement; the driver cannot know it.
          run(client, statement(strings, ...values)) as Promise<Row[]>,
        { tenant },
      )
      const result = await work(sql, await Promise.all(answers))
      committing = true
      const { command } = await client.query('commit')
      // A statement failed and `work` went on: the server has rolled back, and nothing may be told as done.
      if (command !== 'COMMIT') throw new Error('A transaction was rolled back though its work did not fail.')
      return result
    } catch (error) {
      broken = isBroken(error)
      if (!broken) await client.query('rollback').catch(() => (broken = true))
      throw committing ? translate(error) : asRepeatable(error)
    } finally {
      client.release(broken)
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw translate(error, true)
    }
  }
}

/** What a role's defaults could change under us: the form of times, and whether the wall is asked at all. */
export const sessionOptions = '-c datestyle=ISO -c row_security=on'

export type Row = Record<string, unknown>

/** The one place that raises the wall. `set local` and not set_config(): only the former reaches the shards of a Citus cluster. */
function wall(tenant: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant)) throw new TypeError('A tenant is named by its uuid.')
  return `set local guildhall.tenant = '${tenant}'`
}

function openPool(
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

/** Times are read as the API writes them, counts as numbers. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.TIMESTAMPTZ) return (text: string) => new Date(text).toISOString()
    if (oid === pg.types.builtins.INT8) return Number
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig // the driver's type wants every overload of getTypeParser

/** Statements are prepared under a name made from their text; the keys of their rows are translated once for each. */
interface Prepared {
  readonly name: string
  keys: readonly string[] | undefined
}
const prepared = new Map<string, Prepared>()

async function run(client: pg.PoolClient, { text, values }: Statement): Promise<Row[]> {
  let known = prepared.get(text)
  if (!known) {
    known = { name: sha256(text).toString('base64url'), keys: undefined }
    prepared.set(text, known)
  }
  const result = await client.query<unknown[]>({ name: known.name, text, values, rowMode: 'array' })
  known.keys ??= result.fields.map(({ name }) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  const keys = known.keys
  return result.rows.map((row) => {
    const object: Row = {}
    for (let index = 0; index < keys.length; index++) object[keys[index] as string] = row[index]
    return object
  })
}
