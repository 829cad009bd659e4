/**
 * The database: the two kinds of transaction that everything else is built from.
 *
 * Invariant: a statement on a tenant's table runs inside the wall (wall.ts). Each transaction names its tenant once.
 */
import type pg from 'pg'
import statement, { empty, join, type Sql as Statement } from 'sql-template-tag'
import { batches, pipeline, type Sent } from './batches.ts'
import { asRepeatable, isBroken, repeated, translate } from './errors.ts'
import { Lookups, type SendTogether } from './lookups.ts'
import { type Pipeline, type PipelineItem, type Row, sendPipeline, sendTogether } from './pipeline.ts'
import { type ConnectionParameters, ofService, openPool, type Timeouts, transactionSettings } from './pool.ts'
import type { QueuedPool } from './queued-pool.ts'
import { readUrl } from './requirements.ts'
import { type ClaimTurn, Turns } from './turns.ts'
import { wall } from './wall.ts'

export { empty, join, pipeline, type Sent, type Statement, statement }

/** Runs one statement, written as a tagged template, in the transaction at hand. Row keys are the columns in camelCase. */
export interface Sql {
  <Row = Record<string, unknown>>(strings: TemplateStringsArray, ...values: readonly unknown[]): Sent<Row[]>
  /** The tenant whose wall is up: the uuid that every statement names. */
  readonly tenant: string
  /**
   * Takes a turn of the tenant (turns.ts) until the transaction has ended. If others have it, this throws, the transaction is rolled back,
   * and it begins again when its turn has come: so claim before anything is locked.
   */
  readonly claimTurn: ClaimTurn
  /** Says what the transaction has written to the outbox: the relay hears of it after the commit. */
  readonly wakeRelay: (what: Written) => void
  /**
   * Sends the last statements of the transaction like `pipeline`, with the commit in the same pipeline. If one of them fails, nothing is
   * committed. After it, `work` can refuse no more. Without it, the commit takes a trip of its own.
   */
  readonly commit: Commit
}

/** What a transaction has written to the outbox. Events alone may wait for a while. */
export type Written = 'jobs' | 'events'

/** What relays the outbox (platform/jobs/relay.ts). */
export interface OutboxRelay {
  /** Is called once a transaction has been committed that has written to the outbox of a tenant. */
  onCommit(tenant: string, what: Written): void
  /** Relays what was committed before, for a reader of the feed. It ends when that is done, or cannot be done soon. */
  drain(tenant: string): Promise<void>
}

type Commit = <const Elements extends readonly (Sent<unknown> | false | undefined)[]>(
  elements: Elements,
) => ReturnType<typeof pipeline<Elements>>

/** An `Sql` whose `commit` is a pipeline like others: for work after which its caller has more to send. */
export function withoutCommit(sql: Sql): Sql {
  const send = <Row>(strings: TemplateStringsArray, ...values: readonly unknown[]) => sql<Row>(strings, ...values)
  const commit: Commit = pipeline
  return Object.assign(send, sql, { commit })
}

export interface TransactionOptions {
  /** Statements known beforehand, by name, sent in one pipeline with the opening; `work` gets their rows by the same names. */
  readonly first?: NamedStatements
  /** The turn of the tenant that the transaction waits for before it takes a connection. */
  readonly turn?: string | undefined
  /** Is called if others have that turn: when it fails, the transaction waits no longer. */
  readonly whileWaiting?: () => Promise<unknown>
}

export interface ReadOptions {
  /** Whether each statement finds a few rows by their keys: such look-ups share trips (lookups.ts). A list goes alone. */
  readonly byKey?: boolean
}

/** Statements, and the rows of each, by names of the caller’s choice. */
export type NamedStatements = Readonly<Record<string, Statement>>
export type NamedRows = Readonly<Record<string, Row[] | undefined>>

const begin = statement`begin isolation level read committed`
const beginReading = statement`begin isolation level repeatable read read only`
const [commit, rollback] = [statement`commit`, statement`rollback`]

export class Database {
  /** Whether the URL leads to a pooler that hands a connection on after each transaction: nothing outlives one. */
  readonly isPooled: boolean
  /** Without one, rows stay in the outbox until another process sweeps. */
  relay: OutboxRelay = { onCommit: () => {}, drain: async () => {} }
  readonly #pool: QueuedPool
  readonly #parameters: ConnectionParameters
  readonly #timeouts: Timeouts
  /** What every transaction says at first, where a pooler hands on no settings. */
  readonly #settings: readonly Statement[]
  readonly #turns: Turns
  readonly #lookups: Lookups

  /**
   * @param url      PostgreSQL connection URL
   * @param options.size connections at most
   * @param options.onError called for errors of idle connections; the pool replaces them by itself
   * @param options.isPooled see there
   * @param options.timeouts by default those of a service
   * @throws SchemaError as `readUrl`
   */
  constructor(
    url: string,
    {
      size = 10,
      onError,
      isPooled = false,
      timeouts = ofService,
    }: { size?: number; onError?: (error: Error) => void; isPooled?: boolean; timeouts?: Timeouts } = {},
  ) {
    this.#parameters = readUrl(url)
    this.isPooled = isPooled
    this.#timeouts = timeouts
    this.#settings = isPooled ? [transactionSettings(timeouts)] : []
    this.#turns = new Turns(timeouts.statement)
    this.#pool = openPool(this.#parameters, { size, onError, isPooled, timeouts })
    const send: SendTogether = (client, parts) =>
      this.#answered(client, () => sendTogether(client, parts, timeouts.query))
    this.#lookups = new Lookups(this.#pool, send, timeouts.wait)
  }

  /**
   * One transaction inside a tenant's wall. Deadlocks, serialization failures, rows that were referenced while they went, connections
   * that were lost before the commit, and an `OvertakenError` of `work` are tried again, in the same turns. So `work` may have effects
   * only through `sql`, or such as a repetition replaces.
   *
   * @param tenant the tenant's uuid
   * @throws ConstraintError, UnavailableError, or whatever `work` throws: then nothing is changed
   */
  async inTenant<T>(
    tenant: string,
    work: (sql: Sql, first: NamedRows) => Promise<T>,
    { first = {}, turn, whileWaiting }: TransactionOptions = {},
  ): Promise<T> {
    // Said, and not left to the server's default: what is read after a lock was waited for must be what is there then.
    const opening = [...this.#opened(begin), wall(tenant)]
    const run = (claim: ClaimTurn) => {
      const about = { tenant, claimTurn: (key: string) => claim(`${tenant} ${key}`) }
      return repeated(() => this.#transaction(opening, about, work, first))
    }
    return this.#turns.during(run, turn && `${tenant} ${turn}`, whileWaiting)
  }

  /**
   * Reads inside a tenant's wall: opening, statements and commit are sent in one pipeline.
   *
   * @param tenant the tenant's uuid
   * @param statements by name, sent in this order
   * @returns the rows of each statement, by the same names
   */
  async read<Statements extends NamedStatements>(
    tenant: string,
    statements: Statements,
    { byKey = false }: ReadOptions = {},
  ): Promise<{ readonly [Name in keyof Statements]: Row[] }> {
    // One snapshot for all: what the caller was judged by is what the other statements see.
    const opening = [...this.#opened(beginReading), wall(tenant)]
    const items = [...opening, ...Object.values(statements), commit]
    // A pooler hands a connection on after each transaction.
    const share = byKey && !this.isPooled ? () => this.#lookups.share(items) : undefined
    const rows = await repeated(async () => (await share?.()) ?? (await this.#read(items)))
    return byName(statements, rows.slice(opening.length, -1))
  }

  /** What every transaction begins with. */
  #opened(beginning: Statement): Statement[] {
    return [beginning, ...this.#settings]
  }

  async #read(items: readonly PipelineItem[]): Promise<Row[][]> {
    const client = await this.#connect()
    return this.#answered(client, () => this.#send(client, items))
  }

  /** Waits for the rows of whole transactions, and gives their connection back. */
  async #answered(client: pg.PoolClient, send: () => Promise<Pipeline>): Promise<Row[][]> {
    let broken = false
    try {
      return (await send()).rows
    } catch (error) {
      broken = await this.#rollBack(client, error)
      throw asRepeatable(error)
    } finally {
      client.release(broken)
    }
  }

  /** One transaction without a tenant: it sees the small global tables and the queue, and of tenants' rows nothing. */
  acrossTenants<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const about = { tenant: '', claimTurn: () => {} }
    return repeated(() => this.#transaction(this.#opened(begin), about, work, {}))
  }

  /**
   * A small pool of its own, apart from that of the requests: for the queue, which brings its own statements, and for the rates, which
   * are counted outside of every transaction.
   *
   * @param options.onError is called for each lost connection; it is replaced, and the next statement on it fails
   * @param options.isPatient whether a statement may take as long as it takes, as those of migrations may
   */
  libraryPool(size: number, options: { onError?: (error: Error) => void; isPatient?: boolean } = {}): pg.Pool {
    return openPool(this.#parameters, { size, isPooled: this.isPooled, timeouts: this.#timeouts, ...options })
  }

  /** The state of the requests' pool; `waiting` counts callers without a connection. */
  get connections() {
    const { totalCount, idleCount, callers, options } = this.#pool
    return {
      used: totalCount - idleCount,
      idle: idleCount,
      waiting: callers + this.#lookups.waiting,
      most: options.max,
    }
  }

  /** How many transactions wait for a turn, without a connection. */
  get waitingForTurns(): number {
    return this.#turns.waiting
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  async #transaction<T>(
    opening: readonly PipelineItem[],
    about: Pick<Sql, 'tenant' | 'claimTurn'>,
    work: (sql: Sql, first: NamedRows) => Promise<T>,
    first: NamedStatements,
  ): Promise<T> {
    const client = await this.#connect()
    let isBegun = false
    let isCommitSent = false
    const sendFirst = async (statements: readonly Statement[]) => {
      isBegun = true
      const { rows } = await this.#send(client, [...opening, ...statements], this.#timeouts.pipeline)
      return { rows: rows.slice(opening.length) }
    }
    const sendAll = async (statements: readonly Statement[]) => {
      const isLast = statements.at(-1) === commit
      // If a connection turns out to be lost before the commit is sent, the work can be repeated.
      if (isLast && !isBegun) await sendFirst([])
      if (!isBegun) return sendFirst(statements)
      isCommitSent = isLast
      const sent = await this.#send(client, statements, this.#timeouts.pipeline)
      if (isLast && sent.outcomes.at(-1) !== 'COMMIT')
        throw new Error('A transaction was rolled back though its work did not fail.')
      return sent
    }
    const { send, finish } = batches(sendAll)
    let broken = false
    let committing = false
    let written: Written | undefined
    const commitWith = async (elements: readonly unknown[]) => {
      committing = true
      const committed = send(commit)
      void finish() // refuses further statements from now on
      const [answers] = await pipeline([pipeline(elements), committed])
      return answers
    }
    try {
      const known = Object.values(first)
      // Without these, the opening goes out with what the work sends first.
      const rows = known.length > 0 ? (await sendFirst(known)).rows : []
      const sql: Sql = Object.assign(
        <Row>(strings: TemplateStringsArray, ...values: readonly unknown[]) =>
          // The caller names the row's type beside the statement; the driver cannot know it.
          send(statement(strings, ...values)) as Sent<Row[]>,
        about,
        {
          commit: commitWith as Commit, // it answers what `pipeline` does
          wakeRelay: (what: Written) => {
            written = written === 'jobs' ? written : what
          },
        },
      )
      const result = await work(sql, byName(first, rows))
      // A statement failed and `work` went on: the caller must not believe that it is done.
      if (!(await finish())) throw new Error('A statement of a transaction failed, and its work did not.')
      if (!committing) {
        committing = true
        await sendAll([commit])
      }
      return result
    } catch (error) {
      await finish()
      broken = isBegun && (await this.#rollBack(client, error))
      throw isCommitSent ? translate(error) : asRepeatable(error)
    } finally {
      client.release(broken)
      // Also if the answer to the commit was lost, as it may have been done.
      if (committing && written) this.relay.onCommit(about.tenant, written)
    }
  }

  #send(client: pg.PoolClient, items: readonly PipelineItem[], timeout = this.#timeouts.query): Promise<Pipeline> {
    return sendPipeline(client, items, timeout, !this.isPooled)
  }

  /** @returns whether the connection can no longer be used */
  async #rollBack(client: pg.PoolClient, error: unknown): Promise<boolean> {
    if (isBroken(error)) return true
    return this.#send(client, [rollback]).then(
      () => false,
      () => true,
    )
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw translate(error, true)
    }
  }
}

/** @param rows of each statement, in the order of their names */
function byName<Statements extends NamedStatements>(
  statements: Statements,
  rows: readonly Row[][],
): { readonly [Name in keyof Statements]: Row[] } {
  const named = Object.keys(statements).map((name, index) => [name, rows[index]])
  return Object.fromEntries(named) // each statement of a pipeline that succeeded has rows
}

export type { Row }

/**
 * Deletes a batch of a tenant's rows that are over, and skips those that another transaction has locked.
 *
 * The rows are chosen in a `with`, which runs once: a subselect might run for each row, and choose others each time.
 *
 * @param batch how many rows at most
 * @returns a row for each that was deleted
 */
export type Purge = (sql: Sql, batch: number) => Promise<unknown[]>
