/** Transfers: what `guildhall import` and `guildhall export` do, also while the service runs. */
import { getTenantBySlug } from '../features/tenants/tenants.ts'
import type { Config } from '../platform/settings/config.ts'
import { withResources } from './operations.ts'
import type { OpenResources } from './resources.ts'
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
  await transfer(
    config,
    slug,
    'Stopped. The same command goes on with what is left.',
    async (resources, tenant, signal) => {
      const report = await openReport(reportPath, Object.values(files))
      let isWhole = false
      try {
        await importFiles(resources, tenant, files, { report, progress: openProgress(process.stderr), isTrial, signal })
        isWhole = true
      } finally {
        // What was made is told first: the report may have no room left.
        console.log(describe(report))
        await report.close(isWhole)
      }
      if (isTrial) console.log('\nThis was a trial: nothing was made.')
    },
  )
}

/** @throws EmbeddedError, SchemaError, TenantError, TransferError */
export async function exportData(config: Config, slug: string, files: Files, withHashes: boolean): Promise<void> {
  await transfer(config, slug, 'Stopped. No file was made.', ({ database }, tenant, signal) =>
    exportFiles(database, tenant, files, { progress: openProgress(process.stderr), withHashes, signal }),
  )
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Works on a tenant's data. Ctrl-C, SIGTERM and a closed terminal end that in order, so that what was opened is closed; one that comes
 * later ends the process. A terminal sends Ctrl-C to the launcher as well, which hands it on: two at once are one.
 *
 * @param message what is said where it was ended so
 */
async function transfer(
  config: Config,
  slug: string,
  message: string,
  work: (resources: OpenResources, tenant: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController()
  let since = 0
  const letGo = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  const stop = (signal: NodeJS.Signals) => {
    if (!stopping.signal.aborted) since = performance.now()
    else if (performance.now() - since > 1_000) {
      letGo()
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
    letGo()
  }
}
