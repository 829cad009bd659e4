/** The process: serve | migrate | tenant | admin | openapi. */
import { adminCommand, migrateCommand, tenantCommand, UsageError } from './commands.ts'
import { ConfigError, loadConfig } from './config.ts'
import { EmbeddedError } from './database/embedded.ts'
import { SchemaError } from './database/migrate.ts'
import { printOpenApi, ServeError, serve } from './serve.ts'
import { TenantError } from './tenants/tenants.ts'

const usage = `guildhall: organizations and users for SaaS products

  guildhall serve      start the service (what "npm start" does)
  guildhall migrate    bring the database's schema up to date, and stop
  guildhall openapi    print the OpenAPI document
  guildhall tenant list
  guildhall tenant create <slug> --name <name> [--domain <host>]… [--mail-from <address>] [--base-url <url>] [--origin <url>]…
  guildhall tenant update <slug> [--slug <new>] [--name …] [--domain …]… [--mail-from …] [--base-url …] [--origin …]…
  guildhall tenant delete <slug> --yes
  guildhall admin create --email <address> [--tenant <slug>]

Of a tenant, "" takes the domains, the sender, the base URL or the origins away; what is given replaces the whole list.
Deleting one is for good, with everything in it. The password of a new admin is read from GUILDHALL_ADMIN_PASSWORD, or
typed. Settings come from the environment and from .env; see .env.example.`

const [command = 'help', ...args] = process.argv.slice(2)

// Who reads our output may have enough of it, as in: guildhall openapi | head
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  const wantsHelp = [command, ...args].some((arg) => arg === '--help' || arg === '-h')
  if (!wantsHelp && ['serve', 'migrate', 'openapi'].includes(command) && args.length > 0) {
    throw new UsageError(`"${command}" takes no arguments, and was given: ${args.join(' ')}`)
  }
  if (wantsHelp || command === 'help') console.log(usage)
  else if (command === 'serve') await serve(loadConfig())
  else if (command === 'migrate') await migrateCommand(loadConfig())
  else if (command === 'tenant') await tenantCommand(loadConfig(), args)
  else if (command === 'admin') await adminCommand(loadConfig(), args)
  else if (command === 'openapi') await printOpenApi()
  else throw new UsageError(`There is no command "${command}".`)
} catch (error) {
  const isForeseen = [ConfigError, SchemaError, EmbeddedError, TenantError, ServeError].some(
    (kind) => error instanceof kind,
  )
  if (error instanceof UsageError) console.error(`guildhall: ${error.message}\n\n${usageOf(command)}`)
  else if (isForeseen && error instanceof Error) console.error(`guildhall: ${error.message}`)
  else console.error(error)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

function usageOf(name: string): string {
  const lines = usage.split('\n').filter((line) => line.startsWith(`  guildhall ${name} `))
  return lines.join('\n') || 'See: guildhall help'
}

// The launcher's channel alone must not keep a process alive that has done its work, or failed to start.
process.channel?.unref()
