/** The process: serve | migrate | distribute | tenant | admin | user | access | key | application | import | export | doctor | openapi | version. */
import cluster from 'node:cluster'
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { type Config, loadConfig } from './platform/settings/config.ts'
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

// In milliseconds: how long each address of a name has before the next one is tried. Node's 250 are too few for a server far away, and
// the next address may be of a family that this machine does not have.
setDefaultAutoSelectFamilyAttemptTimeout(2_000)

/** Errors whose message is for the operator. Matched by name, because only the commands that need their modules load them. */
const operatorErrors = ['ConfigError', 'SchemaError', 'EmbeddedError', 'TenantError', 'TransferError', 'ServeError']

/** The commands without arguments. */
const plain: Readonly<Record<string, () => Promise<unknown>>> = {
  serve: async () =>
    cluster.isWorker
      ? (await import('./process/cluster.ts')).serveForPrimary()
      : (await import('./process/serve.ts')).serve(loadConfig()),
  migrate: async () => (await import('./process/operations.ts')).migrateData(loadConfig()),
  doctor: async () => (await import('./process/doctor.ts')).examine(),
  openapi: async () => (await import('./process/serve.ts')).printOpenApi(),
  version: async () => console.log(version),
}

/** The commands that parse arguments. */
const withArguments: Readonly<Record<string, (config: Config, args: readonly string[]) => Promise<void>>> = {
  distribute: distributeCommand,
  tenant: tenantCommand,
  admin: adminCommand,
  user: userCommand,
  access: accessCommand,
  key: keyCommand,
  application: applicationCommand,
  import: importCommand,
  export: exportCommand,
}

const [command = 'serve', ...args] = process.argv.slice(2)

// The reader may close the pipe before the end of our output, as in: guildhall openapi | head
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  const wantsHelp = [command, ...args].some((arg) => arg === '--help' || arg === '-h')
  const runPlain = commandOf(plain)
  const run = commandOf(withArguments)
  if (wantsHelp || command === 'help') console.log(helpOf(command === 'help' ? (args[0] ?? '') : command))
  else if (command === '--version') console.log(version)
  else if (runPlain && args.length > 0)
    throw new UsageError(`"${command}" takes no arguments, but got: ${args.join(' ')}`)
  else if (runPlain) await runPlain()
  else if (run) await run(loadConfig(), args)
  else throw new UsageError(`There is no command "${command}".`)
} catch (error) {
  if (error instanceof UsageError) console.error(`guildhall: ${error.message}\n\n${usageOf(command)}`)
  else if (error instanceof Error && operatorErrors.includes(error.name)) console.error(`guildhall: ${error.message}`)
  else console.error((await import('./platform/http/log.ts')).traceOf(error)) // properties of errors have values of rows
  process.exitCode = error instanceof UsageError ? 2 : 1
}

// The IPC channel to the launcher or the primary must not keep this process alive after its work is done or its start has failed.
process.channel?.unref()

function commandOf<Command>(commands: Readonly<Record<string, Command>>): Command | undefined {
  return Object.hasOwn(commands, command) ? commands[command] : undefined
}
