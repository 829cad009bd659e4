/** Transfers: `guildhall import` and `guildhall export`. Both may run while the service runs. */
import { getTenantBySlug } from '../features/tenants/tenants.ts'
import type { Config } from '../platform/settings/config.ts'
import { isLocationKnown, type OpenResources, withResources } from './resources.ts'
import { exportFiles } from './transfer/export.ts'
import { TransferError } from './transfer/files.ts'
import { type Files, importFiles } from './transfer/import.ts'
import { checkNoPictures } from './transfer/picture-search.ts'
import { openProgress } from './transfer/progress.ts'
import { describe, openReport } from './transfer/report.ts'

/** @throws EmbeddedError, SchemaError, TenantError, TransferError */
export async function importData(
  config: Config,
  slug: string,
  files: Files,
  { reportPath, isTrial }: { readonly reportPath: string | undefined; readonly isTrial: boolean },
): Promise<void> {
  if (!(await isLocationKnown(config))) await checkNoPictures(files)
  await transfer(
    config,
    slug,
    'Stopped. Run the same command again to import the rest.',
    async (resources, tenant, signal) => {
      const report = await openReport(reportPath, Object.values(files))
      let isComplete = false
      try {
        await importFiles(resources, tenant, files, { report, progress: openProgress(process.stderr), isTrial, signal })
        isComplete = true
      } finally {
        // The summary is printed first: closing the report fails if the disk is full.
        console.log(describe(report))
        await report.close(isComplete)
      }
      if (isTrial) console.log('\nThis was a trial: nothing was imported.')
    },
  )
}

/** @throws EmbeddedError, SchemaError, TenantError, TransferError */
export async function exportData(config: Config, slug: string, files: Files, withHashes: boolean): Promise<void> {
  await transfer(config, slug, 'Stopped. No file was written.', ({ database }, tenant, signal) =>
    exportFiles(database, tenant, files, { progress: openProgress(process.stderr), withHashes, signal }),
  )
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Works on a tenant's data. The first SIGINT, SIGTERM or SIGHUP aborts `work` and closes everything in order; a second one, at least a
 * second later, ends the process at once. Ctrl-C in a terminal arrives twice, directly and through the launcher, and counts once.
 *
 * @param slug    of the tenant
 * @param message of the TransferError that the first signal causes
 * @param work    gets the tenant's id and the signal that aborts it
 * @throws TransferError
 */
async function transfer(
  config: Config,
  slug: string,
  message: string,
  work: (resources: OpenResources, tenant: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController()
  let abortedAt = 0
  const removeHandlers = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  const stop = (signal: NodeJS.Signals) => {
    if (!stopping.signal.aborted) abortedAt = performance.now()
    else if (performance.now() - abortedAt > 1_000) {
      removeHandlers()
      process.kill(process.pid, signal)
    }
    stopping.abort(new TransferError(message))
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    await withResources(config, async (resources) => {
      stopping.signal.throwIfAborted()
      const { id } = await getTenantBySlug(resources.database, slug)
      await work(resources, id, stopping.signal)
    })
  } finally {
    removeHandlers()
  }
}
