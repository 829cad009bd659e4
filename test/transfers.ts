/** Imports and exports for tests, in a folder of their own. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TenantRecord } from '../src/features/tenants/tenants.ts'
import { exportFiles } from '../src/process/transfer/export.ts'
import { type Files, importFiles } from '../src/process/transfer/import.ts'
import type { Progress } from '../src/process/transfer/progress.ts'
import { describe, openReport } from '../src/process/transfer/report.ts'
import { type Kind, kinds } from '../src/process/transfer/rows.ts'
import { atEnd } from './ending.ts'
import type { Answer, Json, World } from './world.ts'

/** A hash of another product, and its password. */
export const foreign = {
  hash: '$2b$04$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm',
  password: 'a long enough passphrase',
}
export const quiet: Progress = { begin: () => {}, advance: () => {}, end: () => {} }

const folder = await mkdtemp(join(tmpdir(), 'guildhall-transfer-'))
atEnd(() => rmSync(folder, { recursive: true })) // several test files use it
let files = 0

export function newPath(ending: string): string {
  return join(folder, `${files++}.${ending}`)
}

/** @param lines CSV if the first is a text that is no JSON, else NDJSON */
export async function file(...lines: readonly (string | object)[]): Promise<string> {
  const isCsv = typeof lines[0] === 'string' && !lines[0].startsWith('{')
  const path = newPath(isCsv ? 'csv' : 'ndjson')
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  await writeFile(path, `${text}\n`)
  return path
}

/** Imports, and checks that every row is reported once. @returns the lines of the report */
export async function bring(
  world: World,
  tenant: TenantRecord,
  paths: Files,
  { isTrial = false, progress = quiet, signal = new AbortController().signal } = {},
): Promise<Json[]> {
  const path = newPath('report')
  const report = await openReport(path)
  let isWhole = false
  try {
    await importFiles(world.app, tenant.id, paths, { report, progress, isTrial, signal })
    isWhole = true
  } finally {
    await report.close(isWhole)
  }
  for (const { read, made, unchanged, skipped } of report.tallies.values())
    assert.equal(read, made + unchanged + [...skipped.values()].reduce((sum, count) => sum + count, 0))
  assert.ok(describe(report).includes('skipped'))
  return (await readFile(path, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Exports everything into new files. */
export async function take(
  world: World,
  tenant: TenantRecord,
  ending: string,
  withHashes = false,
): Promise<Record<Kind, string>> {
  const paths = Object.fromEntries(kinds.map((kind) => [kind, newPath(ending)])) as Record<Kind, string>
  await exportFiles(world.database, tenant.id, paths, {
    progress: quiet,
    withHashes,
    signal: new AbortController().signal,
  })
  return paths
}

/** @returns a report's counts of created, unchanged and skipped rows, for each file */
export function counts(report: readonly Json[]): [string, number, number, number][] {
  return report
    .filter((line) => 'read' in line)
    .map(({ file, made, unchanged, skipped }) => [file, made, unchanged, skipped])
}

/** Signs in with the password of `foreign`. */
export function signIn(world: World, tenant: TenantRecord, email: string): Promise<Answer> {
  return world.nobody.post(
    '/api/auth/sign-in',
    { email, password: foreign.password },
    { 'guildhall-tenant': tenant.slug },
  )
}
