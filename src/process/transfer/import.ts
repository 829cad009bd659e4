/**
 * Import: creates users, organizations, memberships, identities, applications and webhooks from files that another product has exported.
 *
 * Invariant: each user and organization is inserted in one transaction with its external id. So a second import of the same files creates
 * nothing, and an import after an abort creates only the rest.
 */
import { stat } from 'node:fs/promises'
import { type KeyStore, makeFirstKey } from '../../domain/signing-keys/signing-keys.ts'
import { chunksOf } from '../../platform/chunks.ts'
import { type Sql, statement } from '../../platform/database/database.ts'
import type { Config } from '../../platform/settings/config.ts'
import { importApplications } from './applications.ts'
import { batchesOf, RowNumbers, retryWhileUnavailable } from './batches.ts'
import { findOrganizations } from './external-ids.ts'
import { checkRecords, readRecords, TransferError } from './files.ts'
import { importIdentities } from './identities.ts'
import { findRoles, importMemberships, refusalOf } from './memberships.ts'
import { findOwners, importOrganizations, type Owner } from './organizations.ts'
import { pictureColumns, pictureLength, withPicture } from './pictures.ts'
import type { Progress } from './progress.ts'
import type { Report } from './report.ts'
import {
  type BadRow,
  buildReader,
  columnsOf,
  isValidRow,
  type Kind,
  kinds,
  type MembershipRow,
  nameOf,
  type OrganizationRow,
  type Outcome,
  type Row,
  type RowOf,
} from './rows.ts'
import { importUsers } from './users.ts'
import { importWebhooks } from './webhooks.ts'

/** The path of each file, by its kind. */
export type Files = Readonly<Partial<Record<Kind, string>>>

export interface ImportOptions {
  readonly report: Report
  readonly progress: Progress
  /** Whether everything is rolled back at the end. */
  readonly isTrial: boolean
  /** Aborts the import: the batch under way is still done. */
  readonly signal: AbortSignal
}

/** The number of rows in one transaction; fewer, if they have large pictures. */
const batch = 1_000
/** The number of organizations whose owners are searched at once; fewer with logos. Each search reads the whole file of memberships. */
const chunk = 20_000
/** The number of memberships that are searched for owners at once. */
const searchBatch = 10_000

type InBatch = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

/** What an import works with. */
export interface ImportResources extends KeyStore {
  readonly config: Pick<Config, 'publicUrl'>
}

interface Import extends ImportOptions {
  readonly resources: ImportResources
  readonly tenant: string
  readonly inBatch: InBatch
  readonly files: Files
}

/**
 * Imports the files into a tenant.
 *
 * @param tenant its id
 * @throws TransferError when a file cannot be read to its end; the batches before stay committed
 */
export async function importFiles(
  resources: ImportResources,
  tenant: string,
  files: Files,
  options: ImportOptions,
): Promise<void> {
  const { database } = resources
  const all = { ...options, resources, tenant, files }
  if (!options.isTrial) {
    const inBatch: InBatch = (work) => retryWhileUnavailable(() => database.inTenant(tenant, work), options.signal)
    await importAll({ ...all, inBatch })
    return
  }
  // A trial does everything in one transaction and rolls it back. Only so the effect of rows on later rows is known.
  let failure: unknown
  const work = async (sql: Sql) => {
    await importAll({ ...all, inBatch: (work) => work(sql) }).catch((error: unknown) => {
      failure = error instanceof TransferError ? error : toInterruption(error)
    })
    // Also after a failure: `inTenant` would repeat some of them, and every row would be reported twice.
    throw new RollBack()
  }
  await database.inTenant(tenant, work, { first: { noIdleTimeout } }).catch((error: unknown) => {
    if (!(error instanceof RollBack)) throw error
  })
  if (failure !== undefined) throw failure
}

/** Between two statements, a trial encodes the pictures of a whole batch. */
const noIdleTimeout = statement`set local idle_in_transaction_session_timeout = 0`

function toInterruption(error: unknown): TransferError {
  const { message, cause } = error as Error
  const said = cause instanceof Error ? `${message} ${cause.message}` : message
  return new TransferError(`The trial was interrupted: ${said}`, { cause: error })
}

class RollBack extends Error {}

async function importAll(all: Import): Promise<void> {
  const given = kinds.flatMap((kind) => {
    const path = all.files[kind]
    return path === undefined ? [] : [{ kind, path }]
  })
  for (const { kind } of given) all.report.begin(kind)
  // All files are checked before the first row is inserted.
  for (const { kind, path } of given) await checkRecords(path, columnsOf(kind))
  await eachBatch(all, 'users', batch, async (rows) => {
    const outcomes = await all.inBatch((sql) => importUsers(sql, all.resources, rows, all.isTrial))
    note(all, 'users', rows, outcomes)
  })
  const ownerRows = new RowNumbers()
  await eachBatch(all, 'organizations', chunk, async (rows) => {
    const owners = await findOwnersOf(all, rows)
    for (const some of chunksOf(rows, batch)) {
      all.signal.throwIfAborted()
      const outcomes = await all.inBatch((sql) => importOrganizations(sql, all.resources, some, owners, all.isTrial))
      for (const [at, { content }] of some.entries()) {
        const owner = outcomes[at] === 'made' ? owners.get(content.externalId) : undefined
        if (owner) ownerRows.add(owner.membership.number)
      }
      note(all, 'organizations', some, outcomes)
    }
  })
  const returned = all.isTrial ? new Set<string>() : undefined
  await eachBatch(all, 'memberships', batch, async (rows) => {
    const outcomes = await all.inBatch((sql) => importMemberships(sql, rows, returned))
    // This import has already inserted the first owners, together with their organizations.
    const adjusted = outcomes.map((outcome, at) => (ownerRows.has(rows[at]?.number ?? 0) ? 'made' : outcome))
    note(all, 'memberships', rows, adjusted)
  })
  await eachBatch(all, 'identities', batch, async (rows) => {
    const outcomes = await all.inBatch((sql) => importIdentities(sql, rows, all.isTrial))
    note(all, 'identities', rows, outcomes)
  })
  await eachBatch(all, 'applications', batch, async (rows) => {
    if (rows.length > 0 && !all.isTrial) await makeFirstKey(all.resources, all.tenant)
    const outcomes = await all.inBatch((sql) => importApplications(sql, all.resources, rows, all.isTrial))
    note(all, 'applications', rows, outcomes)
  })
  await eachBatch(all, 'webhooks', batch, async (rows) => {
    const outcomes = await all.inBatch((sql) => importWebhooks(sql, all.resources, rows, all.isTrial))
    note(all, 'webhooks', rows, outcomes)
  })
}

/** Calls `work` with the valid rows of a file in batches, and reports the others. */
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
  const lengthOf = (row: Row<RowOf[K]> | BadRow) => (isValidRow(row) ? pictureLength(kind, row.content) : 0)
  let working: Promise<void> = Promise.resolve()
  const workOn = async (rows: readonly (Row<RowOf[K]> | BadRow)[]) => {
    for (const row of rows) if (!isValidRow(row)) report.note(kind, row.number, row.name, row.skipped)
    await work(rows.filter(isValidRow))
    await report.settle()
    done += rows.length
    progress.advance(bytes, done)
  }
  try {
    for await (const rows of batchesOf(readRows(kind, path, count), size, signal, lengthOf)) {
      await working
      signal.throwIfAborted()
      working = workOn(rows) // runs while the next batch is read
      working.catch(() => {}) // awaited in the next turn, or below
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
  for await (const record of readRecords(path, columnsOf(kind), onBytes)) yield withItsPicture(kind, read(record))
}

async function withItsPicture<K extends Kind>(kind: K, row: Row<RowOf[K]> | BadRow): Promise<Row<RowOf[K]> | BadRow> {
  if (!isValidRow(row)) return row
  const { number } = row
  const content = await withPicture(kind, row.content)
  if (content !== undefined) return { number, content }
  const column = kind === 'users' ? pictureColumns.users : pictureColumns.organizations // no other kind has pictures
  const skipped = { reason: 'invalid', faults: [{ column, code: 'invalid_format' }] } as const
  return { number, name: nameOf(kind, row.content), skipped }
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

/** @returns the first owners of the organizations that do not exist yet, by external id */
async function findOwnersOf(all: Import, rows: readonly Row<OrganizationRow>[]): Promise<Map<string, Owner>> {
  const owners = new Map<string, Owner>()
  const wanted = new Set(rows.map(({ content }) => content.externalId))
  for (const some of chunksOf([...wanted], batch)) {
    for (const known of (await all.inBatch((sql) => findOrganizations(sql, some))).keys()) wanted.delete(known)
  }
  if (wanted.size === 0 || all.files.memberships === undefined) return owners
  const read = buildReader('memberships')
  const roles = await all.inBatch(findRoles)
  const isAccepted = ({ content }: Row<MembershipRow>) => refusalOf(content, roles) === undefined
  const memberships = readRecords(all.files.memberships, columnsOf('memberships'))
  for await (const records of batchesOf(memberships, searchBatch, all.signal)) {
    const offered = records.filter(({ fields }) => fields?.role === 'owner' && isIn(wanted, fields.organization))
    await all.inBatch((sql) => findOwners(sql, offered.map(read).filter(isValidRow).filter(isAccepted), owners))
    if (owners.size === wanted.size) break
  }
  return owners
}

/** Whether a value, which may be anything that JSON has, is one of the ids. */
function isIn(ids: ReadonlySet<string>, value: unknown): boolean {
  return typeof value === 'string' && ids.has(value)
}
