/**
 * A flight: statements that travel to PostgreSQL in one piece and are answered in one piece, as a batch of the extended query protocol
 * with one Sync at its end. Once a statement fails, the server passes over those behind it.
 *
 * A connection learns each statement once, before the first flight that needs it: it is prepared under a name, and its columns are
 * described and remembered. (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY)
 */
import { createRequire } from 'node:module'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Sql as Statement } from 'sql-template-tag'

export type Row = Record<string, unknown>

/** A text alone is of one use: it is not remembered, and its rows are not read. */
export type Passenger = Statement | string

/**
 * Sends statements.
 *
 * @returns the rows of each, their keys the columns in camelCase, and what each has done, such as `COMMIT`
 * @throws the driver's error with which the first of them to fail has failed
 */
export async function fly(client: pg.PoolClient, passengers: readonly Passenger[]): Promise<Flight> {
  const known = learntBy(client)
  const seats: (Seat | string)[] = []
  for (const each of passengers) {
    if (typeof each === 'string') seats.push(each)
    else seats.push({ statement: each, lesson: known.get(each.text) ?? (await learn(client, each.text)) })
  }
  const flight = new Flight(seats)
  await submitted(client, flight)
  return flight
}

async function learn(client: pg.PoolClient, text: string): Promise<Lesson> {
  const lesson = new Lesson(text)
  await submitted(client, lesson)
  learntBy(client).set(text, lesson)
  return lesson
}

/** What each connection has learnt, by the statements' texts. */
const learnt = new WeakMap<pg.PoolClient, Map<string, Lesson>>()

function learntBy(client: pg.PoolClient): Map<string, Lesson> {
  let lessons = learnt.get(client)
  if (!lessons) {
    lessons = new Map()
    learnt.set(client, lessons)
  }
  return lessons
}

/** What the driver takes for a query of its own: it hands on the server's messages, and tells `callback` of a time-out. */
abstract class Query implements pg.Submittable {
  callback: (error?: Error | null) => void = () => {}

  /** All of its messages. One piece is one system call, and takes less time than many that are written together. */
  readonly #piece: Buffer

  constructor(messages: readonly Buffer[]) {
    this.#piece = Buffer.concat([...messages, serialize.sync()])
  }

  submit({ stream }: pg.Connection): void {
    if (stream.writable) stream.write(this.#piece) // else its end is about to be told
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback()
  }
}

function submitted(client: pg.PoolClient, query: Query): Promise<void> {
  return new Promise((resolve, reject) => {
    query.callback = (error) => (error ? reject(error) : resolve())
    client.query(query)
  })
}

/** Prepares a statement, and has its columns described. */
class Lesson extends Query {
  readonly name: string
  columns: readonly Column[] = []

  constructor(text: string) {
    const name = nameOf(text)
    super([serialize.parse({ name, text }), serialize.describe({ type: 'S', name })])
    this.name = name
  }

  /** Does not come for a statement without rows. */
  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ key: keyOf(name), parse: parserOf(dataTypeID) }))
  }
}

interface Seat {
  readonly statement: Statement
  /** What the connection has learnt of it. */
  readonly lesson: Lesson
}

export class Flight extends Query {
  readonly seats: readonly (Seat | string)[]
  readonly rows: Row[][] = []
  readonly outcomes: string[] = []
  #rows: Row[] = []
  #unread: Error | undefined

  constructor(seats: readonly (Seat | string)[]) {
    super(seats.flatMap(messagesOf))
    this.seats = seats
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const seat = this.seats[this.rows.length]
    if (typeof seat !== 'object') return
    const { columns } = seat.lesson
    const row: Row = {}
    for (let index = 0; index < columns.length; index++) {
      const { key, parse } = columns[index] as Column
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
    this.outcomes.push(text)
    this.rows.push(this.#rows)
    this.#rows = []
  }

  override handleReadyForQuery(): void {
    this.callback(this.#unread)
  }
}

function messagesOf(seat: Seat | string): Buffer[] {
  if (typeof seat === 'string') return [serialize.parse({ text: seat }), serialize.bind(), serialize.execute()]
  const { statement, lesson } = seat
  const bound = serialize.bind({ statement: lesson.name, values: statement.values, valueMapper: prepareValue })
  return [bound, serialize.execute()]
}

interface Column {
  readonly key: string
  readonly parse: (text: string) => unknown
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
  if (type === pg.types.builtins.TIMESTAMPTZ) return (text) => new Date(text).toISOString()
  if (type === pg.types.builtins.INT8) return Number
  return pg.types.getTypeParser(type, 'text')
}
