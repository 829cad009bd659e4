/**
 * The report of an import: the outcome of each row.
 *
 * Invariant: it contains external ids and names of columns, and no other value of a row.
 */
import { once } from 'node:events'
import { type FileHandle, lstat, open, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { TransferError, toTransferError } from './files.ts'
import { type Reason, reasons } from './reasons.ts'
import { type Kind, kinds, type Outcome } from './rows.ts'

/** The counts of rows. `read` is the sum of the others. */
export interface Tally {
  read: number
  made: number
  unchanged: number
  readonly skipped: Map<Reason, number>
}

export interface Report {
  readonly tallies: ReadonlyMap<Kind, Tally>
  /** Adds a file to the report, even if no row of it follows. */
  begin(kind: Kind): void
  /** Adds the outcome of a row. @param name its external ids, as `nameOf` returns them */
  note(kind: Kind, number: number, name: Readonly<Record<string, string>>, outcome: Outcome): void
  /** Waits until the file accepts more lines. @throws TransferError if it cannot be written */
  settle(): Promise<void>
  /** Writes the counts and closes the file. @param isWhole whether every input was read to its end @throws TransferError */
  close(isWhole: boolean): Promise<void>
}

/**
 * Opens a report.
 *
 * @param path   the file to write, with a line for each skipped row and each kind; an existing file is replaced. Undefined: only counts
 * @param inputs the paths of the import's files, which the report must not replace
 * @throws TransferError
 */
export async function openReport(path: string | undefined, inputs: readonly string[] = []): Promise<Report> {
  const file = path === undefined ? undefined : (await replaceReport(path, inputs)).createWriteStream()
  let failure: Error | undefined
  file?.on('error', (error) => {
    failure = error
  })
  const tallies = new Map<Kind, Tally>()
  const write = (line: object) => file?.write(`${JSON.stringify(line)}\n`)
  const check = () => {
    if (failure) throw new TransferError(`The report cannot be written: ${failure.message}.`)
  }
  return {
    tallies,
    begin: (kind) => tallies.set(kind, { read: 0, made: 0, unchanged: 0, skipped: new Map() }),
    note: (kind, number, name, outcome) => {
      const tally = tallies.get(kind)
      if (!tally) throw new Error('A row was added before `begin` was called for its file.')
      tally.read++
      if (typeof outcome === 'string') tally[outcome]++
      else {
        tally.skipped.set(outcome.reason, (tally.skipped.get(outcome.reason) ?? 0) + 1)
        write({ file: kind, row: number, ...name, ...outcome })
      }
    },
    settle: async () => {
      check()
      if (file?.writableNeedDrain) await once(file, 'drain').catch(() => {}) // `failure` is set then
    },
    close: async (isWhole) => {
      for (const [kind, { skipped, ...tally }] of tallies)
        write({ file: kind, ...tally, skipped: sumOf(skipped), reasons: Object.fromEntries(skipped), isWhole })
      if (file && !failure) {
        file.end()
        await once(file, 'close').catch(() => {}) // `failure` is set then
      }
      check()
    },
  }
}

/**
 * Creates the file with mode 0600, in place of an existing regular file. It replaces neither a symbolic link nor a device.
 *
 * @throws TransferError
 */
async function replaceReport(path: string, inputs: readonly string[]): Promise<FileHandle> {
  const older = await lstat(path).catch(() => undefined) // `open` below reports why it cannot be read
  const refusal = (why: string) => new TransferError(`${basename(path)}: the report must not replace ${why}.`)
  if (older && !older.isFile()) throw refusal('anything but a regular file')
  for (const input of inputs) {
    const read = await stat(input).catch(() => undefined)
    if (older && read?.dev === older.dev && read.ino === older.ino) throw refusal('a file that is being imported')
  }
  try {
    await rm(path, { force: true })
    return await open(path, 'wx', 0o600)
  } catch (error) {
    throw toTransferError(basename(path), error)
  }
}

/** @returns a table of the counts, and the reasons why rows were skipped */
export function describe({ tallies }: Report): string {
  const begun = kinds.flatMap((kind) => {
    const tally = tallies.get(kind)
    return tally ? [[kind, tally] as const] : []
  })
  const lines = [['', 'read', 'made', 'unchanged', 'skipped']].concat(
    begun.map(([kind, { read, made, unchanged, skipped }]) => [
      kind,
      ...[read, made, unchanged, sumOf(skipped)].map((count) => count.toLocaleString('en')),
    ]),
  )
  const table = lines.map(([first = '', ...rest]) => first.padEnd(14) + rest.map((each) => each.padStart(12)).join(''))
  const why = begun.flatMap(([kind, { skipped }]) =>
    [...skipped].map(
      ([reason, count]) =>
        `${kind.padEnd(14)}${count.toLocaleString('en').padStart(12)}  ${reason}: ${reasons[reason]}`,
    ),
  )
  return [...table, ...(why.length > 0 ? ['', 'Skipped:', ...why] : [])].join('\n')
}

function sumOf(counts: ReadonlyMap<Reason, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
