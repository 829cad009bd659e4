/**
 * A flight: statements that travel to PostgreSQL in one piece and are answered in one piece, as a batch of the extended query protocol
 * with one Sync at its end. Once a statement fails, the server passes over those behind it.
 *
 * A connection learns each statement once, before the first flight that needs it: it is prepared under a name, and its columns are
 * described and remembered. (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY)
 */
import { createRequire } from 'node:module'
import pg from 'pg'
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
  const lessons = learntBy(client)
  for (const each of passengers) {
    if (typeof each === 'string' || lessons.has(each.text)) continue
    const lesson = new Lesson(each.text)
    await submitted(client, lesson)
    lessons.set(each.text, lesson)
  }
  const flight = new Flight(passengers, lessons)
  await submitted(client, flight)
  return flight
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

  abstract submit(connection: pg.Connection): void

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
  readonly #text: string

  constructor(text: string) {
    super()
    this.#text = text
    this.name = nameOf(text)
  }

  override submit(connection: pg.Connection): void {
    inOnePiece(connection, (wire) => {
      wire.parse({ name: this.name, text: this.#text })
      wire.describe({ type: 'S', name: this.name })
    })
  }

  /** Does not come for a statement without rows. */
  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ key: keyOf(name), parse: parserOf(dataTypeID) }))
  }
}

export class Flight extends Query {
  readonly passengers: readonly Passenger[]
  readonly rows: Row[][] = []
  readonly outcomes: string[] = []
  readonly #lessons: readonly (Lesson | undefined)[]
  #rows: Row[] = []

  constructor(passengers: readonly Passenger[], lessons: ReadonlyMap<string, Lesson>) {
    super()
    this.passengers = passengers
    this.#lessons = passengers.map((each) => (typeof each === 'string' ? undefined : lessons.get(each.text)))
  }

  override submit(connection: pg.Connection): void {
    inOnePiece(connection, (wire) => {
      for (const [index, each] of this.passengers.entries()) {
        if (typeof each === 'string') {
          wire.parse({ text: each })
          wire.bind({})
        } else {
          const statement = this.#lessons[index]?.name
          wire.bind({ statement, values: each.values, valueMapper: prepareValue })
        }
        wire.execute()
      }
    })
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const columns = this.#lessons[this.rows.length]?.columns
    if (!columns) return
    const row: Row = {}
    for (let index = 0; index < columns.length; index++) {
      const { key, parse } = columns[index] as Column
      const field = fields[index] as string | null // as many as there are columns
      row[key] = field === null ? null : parse(field)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.outcomes.push(text)
    this.rows.push(this.#rows)
    this.#rows = []
  }
}

/** What we use of the driver's connection. */
interface Wire {
  parse(message: { name?: string; text: string }): void
  describe(message: { type: 'S'; name: string }): void
  bind(message: {
    statement?: string | undefined
    values?: readonly unknown[]
    valueMapper?: typeof prepareValue
  }): void
  execute(): void
}

function inOnePiece(connection: pg.Connection, write: (wire: Wire) => void): void {
  connection.stream.cork()
  try {
    write(connection as unknown as Wire) // its types name parameters that it does not take
    connection.sync()
  } finally {
    connection.stream.uncork()
  }
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
