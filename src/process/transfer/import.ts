/**
 * Import: makes users, organizations and memberships of what another product has written into files.
 *
 * Invariant: whatever was made has its external id from the same transaction, so that to import the same files again makes nothing, and
 * after an abort what was still to be made.
 */
import { stat } from 'node:fs/promises'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Database, Sql } from '../../platform/database/database.ts'
import { batchesOf, parted, patiently, RowNumbers } from './batches.ts'
import { findOrganizations } from './external-ids.ts'
import { checkRecords, readRecords, TransferError } from './files.ts'
import { importMemberships } from './memberships.ts'
import { findOwners, importOrganizations, type Owner } from './organizations.ts'
import type { Progress } from './progress.ts'
import type { Report } from './report.ts'
import {
  type BadRow,
  buildReader,
  columnsOf,
  fits,
  type Kind,
  kinds,
  nameOf,
  type OrganizationRow,
  type Outcome,
  type Row,
  type RowOf,
} from './rows.ts'
import { importUsers } from './users.ts'

/** Paths, by what stands in the files. */
export type Files = Readonly<Partial<Record<Kind, string>>>

export interface ImportOptions {
  readonly report: Report
  readonly progress: Progress
  /** Whether to make nothing in the end. */
  readonly isTrial: boolean
  /** Ends the import between two batches. */
  readonly signal: AbortSignal
}

/** Rows of one transaction. */
const batch = 1_000
/** Organizations whose owners are looked for at once, each time through all memberships. */
const chunk = 20_000
/** Memberships that are looked through at once for owners. */
const glance = 10_000

type InBatch = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

interface Import extends ImportOptions {
  readonly inBatch: InBatch
  readonly keyring: Keyring
  readonly files: Files
}

/** @throws TransferError where a file cannot be read on: what was made until then stays */
export async function importFiles(
  { database, keyring }: { readonly database: Database; readonly keyring: Keyring },
  tenant: string,
  files: Files,
  options: ImportOptions,
): Promise<void> {
  if (!options.isTrial) {
    const inBatch: InBatch = (work) => patiently(() => database.inTenant(tenant, work), options.signal)
    await importAll({ ...options, files, keyring, inBatch })
    return
  }
  // A trial does everything, in one transaction that is undone: only so what rows do to each other is known.
  await database
    .inTenant(tenant, async (sql) => {
      await importAll({ ...options, files, keyring, inBatch: (work) => work(sql) }).catch((error: unknown) => {
        // Not as it was: it would be tried again, and every row told twice.
        throw error instanceof TransferError ? error : new TransferError('The trial was cut off.', { cause: error })
      })
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
}

class Undone extends Error {}

async function importAll(all: Import): Promise<void> {
  const given = kinds.flatMap((kind) => {
    const path = all.files[kind]
    return path === undefined ? [] : [{ kind, path }]
  })
  for (const { kind } of given) all.report.begin(kind)
  // Before anything is made.
  for (const { kind, path } of given) await checkRecords(path, columnsOf(kind))
  await eachBatch(all, 'users', batch, async (rows) => {
    const outcomes = await all.inBatch((sql) => importUsers(sql, all.keyring, rows, all.isTrial))
    note(all, 'users', rows, outcomes)
  })
  const ownerRows = new RowNumbers()
  await eachBatch(all, 'organizations', chunk, async (rows) => {
    const owners = await findOwnersOf(all, rows)
    for (const some of parted(rows, batch)) {
      all.signal.throwIfAborted()
      const outcomes = await all.inBatch((sql) => importOrganizations(sql, some, owners, all.isTrial))
      for (const [at, { content }] of some.entries()) {
        const owner = outcomes[at] === 'made' ? owners.get(content.externalId) : undefined
        if (owner) ownerRows.add(owner.membership.number)
      }
      note(all, 'organizations', some, outcomes)
    }
  })
  await eachBatch(all, 'memberships', batch, async (rows) => {
    const outcomes = await all.inBatch((sql) => importMemberships(sql, rows, all.isTrial))
    // Owners with whom an organization was made are there already, by this import.
    const whole = outcomes.map((outcome, at) => (ownerRows.has(rows[at]?.number ?? 0) ? 'made' : outcome))
    note(all, 'memberships', rows, whole)
  })
}

/** Hands on the rows that fit, so many at a time, and notes the others. */
async function eachBatch<K extends Kind>(
  { files, report, progress, signal }: Import,
  kind: K,
  size: number,
  work: (rows: readonly Row<RowOf[K]>[]) => Promise<void>,
): Promise<void> {
  const path = files[kind]
  if (path === undefined) return
  let [bytes, done] = [0, 0]
  progress.begin(kind, (await stat(path)).size)
  const count = (more: number) => {
    bytes += more
  }
  let working: Promise<void> = Promise.resolve()
  const workOn = async (rows: readonly (Row<RowOf[K]> | BadRow)[]) => {
    for (const row of rows) if (!fits(row)) report.note(kind, row.number, row.name, row.skipped)
    await work(rows.filter(fits))
    await report.settle()
    done += rows.length
    progress.advance(bytes, done)
  }
  try {
    for await (const rows of batchesOf(readRows(kind, path, count), size)) {
      await working
      signal.throwIfAborted()
      working = workOn(rows) // while the next ones are read
      working.catch(() => {}) // it is awaited in a moment
    }
  } finally {
    await working
  }
  progress.end()
}

async function* readRows<K extends Kind>(
  kind: K,
  path: string,
  onBytes?: (count: number) => void,
): AsyncGenerator<Row<RowOf[K]> | BadRow> {
  const read = buildReader(kind)
  for await (const record of readRecords(path, columnsOf(kind), onBytes)) yield read(record)
}

function note<K extends Kind>(
  { report }: Import,
  kind: K,
  rows: readonly Row<RowOf[K]>[],
  outcomes: readonly Outcome[],
) {
  for (const [at, { number, content }] of rows.entries())
    report.note(kind, number, nameOf(kind, content), outcomes[at] as Outcome) // there is one for each row
}

/** @returns the first owners of those organizations that are not there yet */
async function findOwnersOf(all: Import, rows: readonly Row<OrganizationRow>[]): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>()
  const wanted = new Set(rows.map(({ content }) => content.externalId))
  for (const some of parted([...wanted], batch)) {
    for (const known of (await all.inBatch((sql) => findOrganizations(sql, some))).keys()) wanted.delete(known)
  }
  if (wanted.size === 0 || all.files.memberships === undefined) return owners
  const read = buildReader('memberships')
  for await (const records of batchesOf(readRecords(all.files.memberships, columnsOf('memberships')), glance)) {
    all.signal.throwIfAborted()
    const offered = records.filter(({ fields }) => fields?.role === 'owner' && wanted.has(String(fields.organization)))
    await all.inBatch((sql) => findOwners(sql, offered.map(read).filter(fits), owners))
    if (owners.size === wanted.size) break
  }
  return owners
}
