/** The process: serve | migrate | distribute | tenant | admin | user | access | key | application | import | export | doctor | openapi | version. */
import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'
import { loadConfig } from './platform/settings/config.ts'
import { version } from './platform/version.ts'
import { applicationCommand } from './process/application-command.ts'
import {
  accessCommand,
  adminCommand,
  distributeCommand,
  exportCommand,
  importCommand,
  keyCommand,
  tenantCommand,
  userCommand,
} from './process/commands.ts'
import { helpOf, UsageError, usageOf } from './process/usage.ts'

// Under load V8 lets the old space grow to several times of what lives in it before it collects. To twice of that costs a third less memory,
// and about one percent of the time (docs/performance.md).
setFlagsFromString('--heap-growing-percent=100')

/** Errors whose message is for the operator. Matched by name, because only the commands that need their modules load them. */
const operatorErrors = ['ConfigError', 'SchemaError', 'EmbeddedError', 'TenantError', 'TransferError', 'ServeError']

const [command = 'serve', ...args] = process.argv.slice(2)

// The reader may close the pipe before the end of our output, as in: guildhall openapi | head
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  const wantsHelp = [command, ...args].some((arg) => arg === '--help' || arg === '-h')
  if (!wantsHelp && ['serve', 'migrate', 'doctor', 'openapi', 'version'].includes(command) && args.length > 0) {
    throw new UsageError(`"${command}" takes no arguments, but got: ${args.join(' ')}`)
  }
  if (wantsHelp || command === 'help') console.log(helpOf(command === 'help' ? (args[0] ?? '') : command))
  else if (command === 'version' || command === '--version') console.log(version)
  else if (command === 'serve' && cluster.isWorker) await (await import('./process/cluster.ts')).serveForPrimary()
  else if (command === 'serve') await (await import('./process/serve.ts')).serve(loadConfig())
  else if (command === 'migrate') await (await import('./process/operations.ts')).migrateData(loadConfig())
  else if (command === 'distribute') await distributeCommand(loadConfig(), args)
  else if (command === 'tenant') await tenantCommand(loadConfig(), args)
  else if (command === 'admin') await adminCommand(loadConfig(), args)
  else if (command === 'user') await userCommand(loadConfig(), args)
  else if (command === 'access') await accessCommand(loadConfig(), args)
  else if (command === 'key') await keyCommand(loadConfig(), args)
  else if (command === 'application') await applicationCommand(loadConfig(), args)
  else if (command === 'import') await importCommand(loadConfig(), args)
  else if (command === 'export') await exportCommand(loadConfig(), args)
  else if (command === 'doctor') await (await import('./process/doctor.ts')).examine()
  else if (command === 'openapi') await (await import('./process/serve.ts')).printOpenApi()
  else throw new UsageError(`There is no command "${command}".`)
} catch (error) {
  if (error instanceof UsageError) console.error(`guildhall: ${error.message}\n\n${usageOf(command)}`)
  else if (error instanceof Error && operatorErrors.includes(error.name)) console.error(`guildhall: ${error.message}`)
  else console.error(error)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

// The IPC channel to the launcher or the primary must not keep this process alive after its work is done or its start has failed.
process.channel?.unref()
