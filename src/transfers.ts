/** Transfers: what `guildhall import` and `guildhall export` do, also while the service runs. */
import type { Config } from './config.ts'
import { withResources } from './operations.ts'
import { getTenantBySlug } from './tenants/tenants.ts'
import { exportFiles } from './transfer/export.ts'
import { TransferError } from './transfer/files.ts'
import { type Files, importFiles } from './transfer/import.ts'
import { openProgress } from './transfer/progress.ts'
import { describe, openReport } from './transfer/report.ts'

/** @throws EmbeddedError, SchemaError, TenantError, TransferError */
export async function importData(
  config: Config,
  slug: string,
  files: Files,
  { reportPath, isTrial }: { readonly reportPath: string | undefined; readonly isTrial: boolean },
): Promise<void> {
  await withResources(config, async ({ database }) => {
    const { id } = await getTenantBySlug(database, slug)
    const report = openReport(reportPath)
    const stopping = new AbortController()
    const stop = () => stopping.abort(new TransferError('Stopped. The same command goes on with what is left.'))
    process.once('SIGINT', stop).once('SIGTERM', stop)
    const options = { report, progress: openProgress(process.stderr), isTrial, signal: stopping.signal }
    let isWhole = false
    try {
      await importFiles(database, id, files, options)
      isWhole = true
    } finally {
      await report.close(isWhole)
      console.log(describe(report))
      process.off('SIGINT', stop).off('SIGTERM', stop)
    }
    if (isTrial) console.log('\nThis was a trial: nothing was made.')
  })
}

/** @throws EmbeddedError, SchemaError, TenantError, TransferError */
export async function exportData(config: Config, slug: string, files: Files, withHashes: boolean): Promise<void> {
  await withResources(config, async ({ database }) => {
    const { id } = await getTenantBySlug(database, slug)
    await exportFiles(database, id, files, { progress: openProgress(process.stderr), withHashes })
  })
}
