/**
 * A flight: statements that travel to PostgreSQL in one piece and are answered in one piece, as a batch of the extended query protocol
 * with one Sync at its end. Once a statement fails, the server passes over those behind it.
 *
 * A connection learns a statement in the first flight that has it: there it is prepared under a name, and its columns are described and
 * remembered. (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY)
 */
import { createRequire } from 'node:module'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Sql as Statement } from 'sql-template-tag'
import { flights } from '../channels.ts'

export type Row = Record<string, unknown>

/** A text alone is of one use: it is not remembered, and its rows are not read. */
export type Passenger = Statement | string

/**
 * Sends statements.
 *
 * @param patience how long the answers, which come together, are waited for, in milliseconds
 * @param server whether the one behind the connection remembers what was prepared, or is another one after each transaction
 * @returns the rows of each, their keys the columns in camelCase, and what each has done, such as `COMMIT`
 * @throws the driver's error with which the first of them to fail has failed
 */
export function fly(
  client: pg.PoolClient,
  passengers: readonly Passenger[],
  patience: number,
  server: 'remembers' | 'forgets' = 'remembers',
): Promise<Flight> {
  const known = server === 'remembers' ? lessonsOf(client) : undefined
  if (!flights.hasSubscribers) return send(client, passengers, patience, known)
  return flights.tracePromise(() => send(client, passengers, patience, known), { statements: passengers })
}

function send(
  client: pg.PoolClient,
  passengers: readonly Passenger[],
  patience: number,
  known: Lessons | undefined,
): Promise<Flight> {
  const flight = new Flight(passengers, known, patience)
  return new Promise((resolve, reject) => {
    flight.callback = (error) => (error ? reject(error) : resolve(flight))
    client.query(flight)
  })
}

/** The columns of what a connection has prepared, by the statements' texts. */
type Lessons = Map<string, readonly Column[]>

interface Column {
  readonly key: string
  readonly parse: (text: string) => unknown
}

const lessons = new WeakMap<pg.PoolClient, Lessons>()

function lessonsOf(client: pg.PoolClient): Lessons {
  const known = lessons.get(client) ?? new Map()
  lessons.set(client, known)
  return known
}

/** What the driver takes for a query of its own: it hands on the server's messages, and tells `callback` of a time-out. */
export class Flight implements pg.Submittable {
  callback: (error?: Error | null) => void = () => {}
  readonly rows: Row[][] = []
  readonly outcomes: string[] = []
  readonly passengers: readonly Passenger[]
  /** Absent: every statement is described anew. */
  readonly #known: Lessons | undefined
  /** All messages. One piece is one system call, and takes less time than many that are written together. */
  readonly #piece: Buffer
  /** The columns and the rows of the statement that is being answered. */
  #columns: readonly Column[] | undefined
  #rows: Row[] = []
  #unread: Error | undefined

  /** The driver reads it: how long it waits for the answers, in milliseconds. */
  readonly query_timeout: number

  constructor(passengers: readonly Passenger[], known: Lessons | undefined, patience: number) {
    this.query_timeout = patience
    this.passengers = passengers
    this.#known = known
    this.#piece = Buffer.concat([...passengers.flatMap((each) => messagesOf(each, known)), serialize.sync()])
  }

  submit({ stream }: pg.Connection): void {
    if (stream.writable) stream.write(this.#piece) // else its end is about to be told
  }

  /** Comes before the rows of a statement that is being learnt, and not for one without rows. */
  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ key: keyOf(name), parse: parserOf(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const passenger = this.passengers[this.rows.length]
    if (typeof passenger !== 'object') return
    this.#columns ??= this.#known?.get(passenger.text) ?? []
    const row: Row = {}
    for (let index = 0; index < this.#columns.length; index++) {
      const { key, parse } = this.#columns[index] as Column
      const field = fields[index] as string | null // as many as there are columns
      try {
        row[key] = field === null ? null : parse(field)
      } catch (error) {
        this.#unread ??= error as Error // thrown here, it would end the process
      }
    }
    this.#rows.push(row)
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleCommandComplete({ text }: { text: string }): void {
    const passenger = this.passengers[this.rows.length]
    if (typeof passenger === 'object' && this.#known?.has(passenger.text) === false)
      this.#known.set(passenger.text, this.#columns ?? [])
    this.outcomes.push(text)
    this.rows.push(this.#rows)
    this.#rows = []
    this.#columns = undefined
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(this.#unread)
  }
}

function messagesOf(passenger: Passenger, known: Lessons | undefined): Buffer[] {
  if (typeof passenger === 'string')
    return [serialize.parse({ text: passenger }), serialize.bind(), serialize.execute()]
  const { text, values } = passenger
  const name = known ? nameOf(text) : ''
  const run = [serialize.bind({ statement: name, values, valueMapper: prepareValue }), serialize.execute()]
  if (known?.has(text)) return run
  // It may be there, prepared a moment before in this flight, or in one in which it then failed. To close what is not there is no error.
  const close = serialize.close({ type: 'S', name })
  return [close, serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), ...run]
}

// How the driver writes values, which it keeps to itself.
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as { prepareValue(value: unknown): unknown }

/** The same on every connection, and short, as it travels each time; `commit` and `rollback` are called what they are. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  const name = names.get(text) ?? (/^[a-z]+$/.test(text) ? text : `s${names.size}`)
  names.set(text, name)
  return name
}

function keyOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Times are read as the API writes them, counts as numbers. */
function parserOf(type: number): (text: string) => unknown {
  if (type === pg.types.builtins.TIMESTAMPTZ) return timeOf
  if (type === pg.types.builtins.INT8) return Number
  return pg.types.getTypeParser(type, 'text')
}

/**
 * A list has hundreds of times, and `Date` takes several times as long.
 *
 * @param text such as `2026-01-31 09:30:00.123456+00`, as PostgreSQL writes it in UTC
 * @returns the same as `2026-01-31T09:30:00.123Z`
 */
function timeOf(text: string): string {
  const hasFourDigits = text[4] === '-'
  if (!hasFourDigits || !text.endsWith('+00')) return new Date(text).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).slice(0, 3).padEnd(3, '0')}Z`
}
