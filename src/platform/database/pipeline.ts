/**
 * Pipelines: statements that are sent to PostgreSQL in one message batch with one Sync at its end (extended query protocol). When a
 * statement fails, the server skips those after it.
 *
 * A connection prepares a statement in the first pipeline that contains it: there it gets a name, and its columns are described and
 * stored. (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY)
 *
 * Invariant: the number of statements that a connection or the process keeps is limited, because a list with filters and a search has
 * hundreds of thousands of texts. At the limit, a connection closes all that it has prepared.
 */
import pg from 'pg'
// @ts-expect-error: its types say nothing of this file
import driver from 'pg/lib/utils.js'
import { serialize } from 'pg-protocol'
import type { Sql as Statement } from 'sql-template-tag'
import { pipelines, tracing } from '../channels.ts'
import { UnavailableError } from './errors.ts'

export type Row = Record<string, unknown>

/** A text alone is used once: it is not prepared, and its rows are not read. */
export type PipelineItem = Statement | string

/**
 * Sends statements.
 *
 * @param timeout how long to wait for the answers, which arrive together, in milliseconds
 * @param keepsPrepared whether prepared statements last on the connection; behind a transaction pooler they do not
 * @returns the rows of each, their keys the columns in camelCase, and what each has done, such as `COMMIT`
 * @throws the driver's error with which the first of them to fail has failed; UnavailableError, which is repeatable, if none was sent
 */
export function sendPipeline(
  client: pg.PoolClient,
  items: readonly PipelineItem[],
  timeout: number,
  keepsPrepared = true,
): Promise<Pipeline> {
  const known = keepsPrepared ? preparedOn(client) : undefined
  if (!pipelines.hasSubscribers) return send(client, items, timeout, known)
  return pipelines.tracePromise(() => send(client, items, timeout, known), { statements: items })
}

/** The statements of one request in a pipeline that several share. */
export interface Part {
  readonly items: readonly PipelineItem[]
  /** Of the request's span; undefined if nothing is traced. */
  readonly traceparent: string | undefined
}

/**
 * Sends the statements of several requests in one pipeline. It is traced in each of their traces, with the statements of that request and
 * the spans of all that it served.
 */
export function sendTogether(client: pg.PoolClient, parts: readonly Part[], timeout: number): Promise<Pipeline> {
  const sent = send(
    client,
    parts.flatMap(({ items }) => items),
    timeout,
    preparedOn(client),
  )
  if (!pipelines.hasSubscribers) return sent
  const served = parts.flatMap(({ traceparent }) => traceparent ?? [])
  for (const { items, traceparent } of parts) {
    const work = { statements: items, served }
    const context = traceparent as string // the types do not allow an empty store
    tracing.run(context, () => pipelines.tracePromise(() => sent, work)).catch(() => {}) // the caller gets the error
  }
  return sent
}

function send(
  client: pg.PoolClient,
  items: readonly PipelineItem[],
  timeout: number,
  known: Prepared | undefined,
): Promise<Pipeline> {
  const pipeline = new Pipeline(items, known, timeout)
  return new Promise((resolve, reject) => {
    pipeline.callback = (error) => {
      if (!error) return resolve(pipeline)
      // Its connection was lost before: what it would have committed is not done.
      reject(pipeline.isSent ? error : new UnavailableError(error, true))
    }
    client.query(pipeline)
  })
}

/** How many statements a connection keeps prepared. */
export const mostPrepared = 1_000
/** How many texts of statements the process keeps with their names. */
const mostNamed = 10 * mostPrepared

/** The prepared statements of a connection. */
interface Prepared {
  /** The columns of each that has been executed, by its name. */
  readonly columns: Map<string, readonly Column[]>
  /** The names of all that may be there: a pipeline may fail after it has prepared some. */
  readonly sent: Set<string>
}

interface Column {
  readonly key: string
  readonly parse: (text: string) => unknown
}

const preparedByClient = new WeakMap<pg.PoolClient, Prepared>()

function preparedOn(client: pg.PoolClient): Prepared {
  const known = preparedByClient.get(client) ?? { columns: new Map(), sent: new Set() }
  preparedByClient.set(client, known)
  return known
}

/** What the driver takes for a query of its own: it hands on the server's messages, and tells `callback` of a time-out. */
export class Pipeline implements pg.Submittable {
  callback: (error?: Error | null) => void = () => {}
  readonly rows: Row[][] = []
  readonly outcomes: string[] = []
  /** Whether the server may have got it. */
  isSent = false
  readonly items: readonly PipelineItem[]
  /** Absent: each statement is described each time. */
  readonly #prepared: Prepared | undefined
  /** Of each item. Empty: it is not prepared. */
  readonly #names: readonly string[]
  /** The columns of each item, if they are known before. */
  readonly #known: readonly (readonly Column[] | undefined)[]
  /** All messages. Writing them as one buffer is one system call. */
  readonly #bytes: Buffer
  /** The columns and the rows of the statement that is being answered. */
  #columns: readonly Column[] | undefined
  #rows: Row[] = []
  #unread: Error | undefined

  /** The driver reads it: how long it waits for the answers, in milliseconds. */
  readonly query_timeout: number

  constructor(items: readonly PipelineItem[], known: Prepared | undefined, timeout: number) {
    this.query_timeout = timeout
    this.items = items
    this.#prepared = known
    this.#names = items.map((item) => (typeof item === 'string' || !known ? '' : nameOf(item.text)))
    const closing = known && known.sent.size >= mostPrepared ? closeAll(known) : []
    this.#known = this.#names.map((name) => known?.columns.get(name))
    const messages = [...closing, ...items.flatMap((item, index) => messagesOf(item, this.#names[index] ?? '', known))]
    this.#bytes = Buffer.concat([...messages, serialize.sync()])
  }

  submit({ stream }: pg.Connection): void {
    if (!stream.writable) return // its `end` event is about to come
    this.isSent = true
    stream.write(this.#bytes)
  }

  /** Comes before the rows of a statement that is prepared in this pipeline, unless it has no rows. */
  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ key: keyOf(name), parse: parserOf(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const index = this.rows.length
    if (typeof this.items[index] === 'string') return
    this.#columns ??= this.#known[index] ?? []
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
    const name = this.#names[this.rows.length] ?? ''
    const isNew = name !== '' && this.#prepared?.sent.has(name) && !this.#prepared.columns.has(name)
    if (isNew) this.#prepared?.columns.set(name, this.#columns ?? [])
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

function messagesOf(item: PipelineItem, name: string, known: Prepared | undefined): Buffer[] {
  if (typeof item === 'string') return [serialize.parse({ text: item }), serialize.bind(), serialize.execute()]
  const run = [serialize.bind({ statement: name, values: item.values, valueMapper: prepareValue }), serialize.execute()]
  if (known?.columns.has(name)) return run
  known?.sent.add(name)
  // It may be there, prepared a moment before in this pipeline, or in one in which it then failed. To close what is not there is no error.
  const close = serialize.close({ type: 'S', name })
  return [close, serialize.parse({ name, text: item.text }), serialize.describe({ type: 'S', name }), ...run]
}

/** Closes all prepared statements of a connection. A pipeline that was sent before has run by then. */
function closeAll({ columns, sent }: Prepared): Buffer[] {
  const messages = [...sent].map((name) => serialize.close({ type: 'S', name }))
  columns.clear()
  sent.clear()
  return messages
}

// How the driver writes values, which it keeps to itself.
const { prepareValue } = driver as { prepareValue(value: unknown): unknown }

/**
 * The same on every connection, and short, as it travels each time; `commit` and `rollback` are called what they are. A pipeline makes the
 * text of a statement once, to find its name.
 */
const names = new Map<string, string>()
let named = 0

function nameOf(text: string): string {
  if (/^[a-z]+$/.test(text)) return text
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= mostNamed) names.clear() // no name is given twice
  const name = `s${named++}`
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
