/** Files: CSV (RFC 4180, with a line of names) and NDJSON (a JSON object a line), read and written piece by piece. */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'

/** What keeps a transfer from going on, told in a sentence. */
export class TransferError extends Error {
  override readonly name = 'TransferError'
}

/** What the first line of a CSV file may and must name. */
export interface Columns {
  readonly all: readonly string[]
  readonly needed: readonly string[]
}

/** What a file says of one row. */
export interface FileRecord {
  /** From 1 on; the line with the names of the columns is not counted. */
  readonly number: number
  /** By column; undefined when it cannot be read. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  /** Whether all values are text, of which an empty one is none. */
  readonly isText: boolean
}

/** The longest row, in characters: more than one with all that may be in it needs. */
const longest = 131_072

/** @returns how a file is written, by its ending; undefined for any other ending */
function formatOf(path: string): 'csv' | 'ndjson' | undefined {
  if (/\.csv$/i.test(path)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : undefined
}

/**
 * Reads the beginning.
 *
 * @throws TransferError when it is no file that an import can read, as far as is seen there
 */
export async function checkRecords(path: string, columns: Columns): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw explained(basename(path), error)
  })
  // A pipe would lose here what it gives once.
  if (!found.isFile()) throw new TransferError(`${basename(path)}: it is no file that can be read more than once.`)
  for await (const _ of readRecords(path, columns)) return
}

/**
 * @param onBytes told how much was read
 * @throws TransferError when the file cannot be read on
 */
export async function* readRecords(
  path: string,
  columns: Columns,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<FileRecord> {
  try {
    yield* formatOf(path) === 'csv' ? readCsv(path, columns, onBytes) : readNdjson(path, onBytes)
  } catch (error) {
    throw explained(basename(path), error)
  }
}

async function* readCsv(path: string, wanted: Columns, onBytes: (count: number) => void): AsyncGenerator<FileRecord> {
  // Rows of another length are ours to tell of: the parser would end with them.
  const parser = parse({ relax_column_count: true, skip_empty_lines: true, max_record_size: longest })
  const flowing = pipeline(Readable.from(readText(path, onBytes)), parser)
  flowing.catch(() => {}) // whoever reads the parser is told, too
  let columns: readonly string[] | undefined
  let number = 0
  for await (const values of parser as AsyncIterable<string[]>) {
    if (!columns) {
      columns = values
      checkColumns(basename(path), wanted, columns)
      continue
    }
    number++
    const fields = values.length === columns.length ? columns.map((column, at) => [column, values[at]]) : undefined
    yield { number, fields: fields && Object.fromEntries(fields), isText: true }
  }
  if (!columns) throw new TransferError(`${basename(path)}: it is empty, and has no line that names the columns.`)
}

/**
 * What is no name of a column is not repeated: the first line may be somebody’s row.
 *
 * @throws TransferError
 */
function checkColumns(file: string, { all, needed }: Columns, columns: readonly string[]): void {
  const unknown = columns.findIndex((column) => !all.includes(column))
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  const missing = needed.find((column) => !columns.includes(column))
  const faults = [
    unknown >= 0 && `has no name of a column in place ${unknown + 1}`,
    twice !== undefined && `has the column "${twice}" twice`,
    missing !== undefined && `has no column "${missing}"`,
  ]
  const fault = faults.find(Boolean)
  if (fault) throw new TransferError(`${file}: its first line ${fault}. The columns are ${all.join(', ')}.`)
}

async function* readNdjson(path: string, onBytes: (count: number) => void): AsyncGenerator<FileRecord> {
  let number = 0
  let rest = ''
  let isTooLong = false
  const toRecord = (line: string): FileRecord => ({
    number,
    fields: isTooLong || line.length > longest ? undefined : parseObject(line),
    isText: false,
  })
  for await (const text of readText(path, onBytes)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      number++
      if (line.trim() !== '' || isTooLong) yield toRecord(line)
      isTooLong = false
    }
    // What is too long is forgotten piece by piece.
    isTooLong ||= rest.length > longest
    if (isTooLong) rest = ''
  }
  number++
  if (rest.trim() !== '' || isTooLong) yield toRecord(rest)
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

async function* readText(path: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true }) // takes a byte order mark away
  for await (const bytes of createReadStream(path, { highWaterMark: 65_536 }) as AsyncIterable<Buffer>) {
    yield decoder.decode(bytes, { stream: true })
    onBytes(bytes.length)
  }
  yield decoder.decode()
}

/**
 * Writes a new file, for its owner alone.
 *
 * @param part what it is called until it is whole
 * @param path what it is called then, whose ending says how it is written
 * @throws TransferError, or why `signal` was aborted
 */
export async function writeRecords(
  { part, path }: { readonly part: string; readonly path: string },
  columns: readonly string[],
  records: AsyncIterable<Readonly<Record<string, unknown>>>,
  signal: AbortSignal,
): Promise<void> {
  const lines = formatOf(path) === 'csv' ? toCsv(columns, records) : toNdjson(columns, records)
  try {
    const file = await open(part, 'wx', 0o600)
    await pipeline(Readable.from(lines), file.createWriteStream(), { signal })
  } catch (error) {
    throw signal.aborted ? signal.reason : explained(basename(path), error)
  }
}

async function* toCsv(columns: readonly string[], records: AsyncIterable<Readonly<Record<string, unknown>>>) {
  yield `${columns.join(',')}\r\n`
  for await (const record of records) yield `${columns.map((column) => toField(record[column])).join(',')}\r\n`
}

function toField(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function* toNdjson(columns: readonly string[], records: AsyncIterable<Readonly<Record<string, unknown>>>) {
  for await (const record of records) {
    const present = columns.filter((column) => record[column] !== null && record[column] !== undefined)
    yield `${JSON.stringify(Object.fromEntries(present.map((column) => [column, record[column]])))}\n`
  }
}

/** @returns a TransferError for what the operator can mend, else the error as it is */
export function explained(file: string, error: unknown): unknown {
  if (error instanceof CsvError)
    return new TransferError(`${file}: from line ${error.lines} on it is no CSV that can be read (${error.code}).`)
  if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new TransferError(`${file}: it is not in UTF-8.`)
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  if (error.code === 'EEXIST') return new TransferError(`${file}: there is such a file already.`)
  const done = { read: 'read', write: 'written', close: 'written' }[String(error.syscall)] ?? 'opened'
  return new TransferError(`${file}: it cannot be ${done} (${error.code}).`)
}
