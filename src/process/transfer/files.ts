/** Files: reads and writes CSV (RFC 4180, with a header line; Excel separates by semicolons or tabs, too) and NDJSON (one JSON object in each line) as streams. */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { parseJson } from '../../platform/json.ts'

/** A transfer cannot continue. The message says why. */
export class TransferError extends Error {
  override readonly name = 'TransferError'
}

/** The columns that the header line of a CSV file may name, and those that it must name. */
export interface Columns {
  readonly all: readonly string[]
  readonly required: readonly string[]
}

/** One row of a file, not yet checked. */
export interface FileRecord {
  /** From 1; the header line of a CSV file is not counted. */
  readonly number: number
  /** By column; undefined if the row cannot be parsed. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  /** Whether all values are text, as in CSV. An empty text then means that there is no value. */
  readonly isText: boolean
}

/** The maximum length of a row, in characters. A row with the longest valid values is shorter. */
const maxLength = 524_288

/** @returns the format of a file by its extension; undefined for any other extension */
function formatOf(path: string): 'csv' | 'ndjson' | undefined {
  if (/\.csv$/i.test(path)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : undefined
}

/**
 * Checks that an import can read a file, by reading its first row.
 *
 * @throws TransferError when it cannot
 */
export async function checkRecords(path: string, columns: Columns): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw toTransferError(basename(path), error)
  })
  // An import reads a file several times, which a pipe does not allow.
  if (!found.isFile()) throw new TransferError(`${basename(path)}: this is not a regular file.`)
  for await (const _ of readRecords(path, columns)) return
}

/**
 * Reads the rows of a file.
 *
 * @param onBytes called with the number of bytes of each chunk that was read
 * @throws TransferError when the file cannot be read to its end
 */
export async function* readRecords(
  path: string,
  columns: Columns,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<FileRecord> {
  try {
    yield* formatOf(path) === 'csv' ? readCsv(path, columns, onBytes) : readNdjson(path, onBytes)
  } catch (error) {
    throw toTransferError(basename(path), error)
  }
}

async function* readCsv(path: string, expected: Columns, onBytes: (count: number) => void): AsyncGenerator<FileRecord> {
  const text = readText(path, onBytes)
  const { value: first = '' } = await text.next()
  const [line = '', given] = /^"?sep=([,;\t|])"?(?=[\r\n]|$)/i.exec(first) ?? [] // for Excel
  const beginning = first.slice(line.length) // the end of the line stays, and counts in error messages
  const separator = given ?? separatorOf(beginning, expected)
  // We report rows with too many or too few values ourselves. The parser would stop at the first.
  const parser = parse({
    delimiter: separator,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxLength,
  })
  const flowing = pipeline(Readable.from(withBeginning(beginning, text)), parser)
  flowing.catch(() => {}) // the loop over the parser throws the same error
  let columns: readonly string[] | undefined
  let number = 0
  for await (const values of parser as AsyncIterable<string[]>) {
    if (!columns) {
      if (!values.some(isText)) continue // only separators
      columns = withoutEmptyEnd(values.map((name) => name.trim()))
      checkColumns(basename(path), expected, columns, separator)
      continue
    }
    number++
    // A spreadsheet writes a row of separators for a row that was emptied, and more of them where it had columns once.
    const given = values.length > columns.length ? withoutEmptyEnd(values, columns.length) : values
    if (withoutEmptyEnd(values).length === 0) continue
    const fields = given.length === columns.length ? columns.map((column, at) => [column, given[at]]) : undefined
    yield { number, fields: fields && Object.fromEntries(fields), isText: true }
  }
  if (!columns) throw new TransferError(`${basename(path)}: the file is empty. Its first line must name the columns.`)
}

const separators: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars', // only if the file says so
}

/** Whether a text is more than separators and empty quotes. */
function isText(text: string): boolean {
  return /[^\s,;"]/.test(text)
}

/** What separates the values: that by which most names of columns are found in the first line, else the most frequent one. */
function separatorOf(beginning: string, { all }: Columns): string {
  const lines = beginning.split(/[\r\n]+/).filter((line) => line !== '')
  const header = lines.find(isText) ?? lines[0] ?? ''
  const unquoted = header.replace(/"[^"]*"/g, '')
  const [most] = [',', ';', '\t']
    .map((separator) => {
      const names = header.split(separator).map((name) => name.replaceAll('"', '').trim())
      const known = names.filter((name) => all.includes(name)).length
      return { separator, known, count: unquoted.split(separator).length }
    })
    .sort((one, other) => other.known - one.known || other.count - one.count)
  return most?.separator ?? ','
}

async function* withBeginning(beginning: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield beginning
    yield* rest
  } finally {
    await rest.return(undefined) // closes the file, also if nobody wanted more than the beginning
  }
}

/** @param least how many values stay, also if they are empty */
function withoutEmptyEnd(values: readonly string[], least = 0): readonly string[] {
  const last = values.findLastIndex((value) => value.trim() !== '')
  return values.slice(0, Math.max(last + 1, least))
}

/**
 * The message never quotes an unknown column, because the first line may be a row with personal data.
 *
 * @throws TransferError
 */
function checkColumns(file: string, { all, required }: Columns, columns: readonly string[], separator: string): void {
  const unknown = columns.findIndex((column) => !all.includes(column))
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  const missing = required.find((column) => !columns.includes(column))
  const faults = [
    unknown >= 0 && `has an unknown column in position ${unknown + 1}`,
    twice !== undefined && `has the column "${twice}" twice`,
    missing !== undefined && `has no column "${missing}"`,
  ]
  const fault = faults.find(Boolean)
  if (!fault) return
  const read =
    columns.length > 1
      ? `It was read as separated by ${separators[separator]}.`
      : 'It has no commas, semicolons or tabs between names.'
  throw new TransferError(`${file}: its first line ${fault}. ${read} The columns are ${all.join(', ')}.`)
}

async function* readNdjson(path: string, onBytes: (count: number) => void): AsyncGenerator<FileRecord> {
  let number = 0
  let rest = ''
  let isTooLong = false
  const toRecord = (line: string): FileRecord => ({
    number,
    fields: isTooLong || line.length > maxLength ? undefined : parseObject(line),
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
    // The text of a row that is too long is discarded as it arrives.
    isTooLong ||= rest.length > maxLength
    if (isTooLong) rest = ''
  }
  number++
  if (rest.trim() !== '' || isTooLong) yield toRecord(rest)
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

async function* readText(path: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true }) // removes a byte order mark
  for await (const bytes of createReadStream(path, { highWaterMark: 65_536 }) as AsyncIterable<Buffer>) {
    yield decoder.decode(bytes, { stream: true })
    onBytes(bytes.length)
  }
  yield decoder.decode()
}

/**
 * Writes a new file with mode 0600. When this returns, the file is on the disk.
 *
 * @param part    the path of the temporary file to write; the caller renames it
 * @param path    the final path, whose extension selects the format
 * @param columns the columns to write, in this order
 * @throws TransferError, or the reason of `signal`
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
    await pipeline(Readable.from(lines), file.createWriteStream({ flush: true }), { signal })
  } catch (error) {
    throw signal.aborted ? signal.reason : toTransferError(basename(path), error)
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

/** @returns a TransferError for a fault that the operator can correct, else the error as it is */
export function toTransferError(file: string, error: unknown): unknown {
  if (error instanceof CsvError)
    return new TransferError(`${file}: line ${error.lines} is not valid CSV (${error.code}).`)
  if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new TransferError(`${file}: the file is not in UTF-8.`)
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  if (error.code === 'EEXIST') return new TransferError(`${file}: the file already exists.`)
  const done =
    { read: 'read', write: 'written', close: 'written', rename: 'renamed' }[String(error.syscall)] ?? 'opened'
  return new TransferError(`${file}: the file cannot be ${done} (${error.code}).`)
}
