/**
 * The report of an import: what became of each row.
 *
 * Invariant: of what the rows say it tells external ids and what their fields are called, and no value else.
 */
import { once } from 'node:events'
import { type FileHandle, lstat, open, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { explained, TransferError } from './files.ts'
import { type Kind, kinds, type Outcome, type Reason, reasons } from './rows.ts'

/** What was read is made, unchanged or skipped. */
export interface Tally {
  read: number
  made: number
  unchanged: number
  readonly skipped: Map<Reason, number>
}

export interface Report {
  readonly tallies: ReadonlyMap<Kind, Tally>
  /** Tells of a file from now on, also when no row of it is noted. */
  begin(kind: Kind): void
  /** @param name what the row calls whom it is about */
  note(kind: Kind, number: number, name: Readonly<Record<string, string>>, outcome: Outcome): void
  /** Waits until the file takes more. */
  settle(): Promise<void>
  /** @param isWhole whether every file was read to its end */
  close(isWhole: boolean): Promise<void>
}

/**
 * @param path   of a file with a line for each row that was skipped and one for each kind; an older one is replaced
 * @param inputs what is read meanwhile
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
      if (!tally) throw new Error('A row of a file was noted that was not begun.')
      tally.read++
      if (typeof outcome === 'string') tally[outcome]++
      else {
        tally.skipped.set(outcome.reason, (tally.skipped.get(outcome.reason) ?? 0) + 1)
        write({ file: kind, row: number, ...name, ...outcome })
      }
    },
    settle: async () => {
      check()
      if (file?.writableNeedDrain) await once(file, 'drain').catch(() => {}) // then there is a failure
    },
    close: async (isWhole) => {
      for (const [kind, { skipped, ...tally }] of tallies)
        write({ file: kind, ...tally, skipped: sumOf(skipped), reasons: Object.fromEntries(skipped), isWhole })
      if (file && !failure) {
        file.end()
        await once(file, 'close').catch(() => {}) // then there is a failure
      }
      check()
    },
  }
}

/**
 * Makes the file anew, with its own mode. What a link leads to is not touched, and neither is a device.
 *
 * @throws TransferError
 */
async function replaceReport(path: string, inputs: readonly string[]): Promise<FileHandle> {
  const older = await lstat(path).catch(() => undefined) // it is told in a moment why there is none
  const refused = (why: string) => new TransferError(`${basename(path)}: the report does not replace ${why}.`)
  if (older && !older.isFile()) throw refused('what is no ordinary file')
  for (const input of inputs) {
    const read = await stat(input).catch(() => undefined)
    if (older && read?.dev === older.dev && read.ino === older.ino) throw refused('a file that is to be imported')
  }
  try {
    await rm(path, { force: true })
    return await open(path, 'wx', 0o600)
  } catch (error) {
    throw explained(basename(path), error)
  }
}

/** @returns a table of what became of the rows, and of why some were skipped */
export function describe({ tallies }: Report): string {
  const told = kinds.flatMap((kind) => {
    const tally = tallies.get(kind)
    return tally ? [[kind, tally] as const] : []
  })
  const lines = [['', 'read', 'made', 'unchanged', 'skipped']].concat(
    told.map(([kind, { read, made, unchanged, skipped }]) => [
      kind,
      ...[read, made, unchanged, sumOf(skipped)].map((count) => count.toLocaleString('en')),
    ]),
  )
  const table = lines.map(([first = '', ...rest]) => first.padEnd(14) + rest.map((each) => each.padStart(12)).join(''))
  const why = told.flatMap(([kind, { skipped }]) =>
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
