/**
 * The report of an import: what became of each row.
 *
 * Invariant: of what the rows say it tells external ids alone; never a hash, an address or a name.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { TransferError } from './files.ts'
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
  /** @param name what the row calls whom it is about */
  note(kind: Kind, number: number, name: Readonly<Record<string, string>>, outcome: Outcome): void
  /** Waits until the file takes more. */
  settle(): Promise<void>
  /** @param isWhole whether every file was read to its end */
  close(isWhole: boolean): Promise<void>
}

/** @param path of a file with a line for each row that was skipped and one for each kind; an older one is replaced */
export function openReport(path: string | undefined): Report {
  const file = path === undefined ? undefined : createWriteStream(path, { mode: 0o600 })
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
    note: (kind, number, name, outcome) => {
      const tally = tallies.get(kind) ?? { read: 0, made: 0, unchanged: 0, skipped: new Map() }
      tallies.set(kind, tally)
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
