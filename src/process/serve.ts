/** Serve: starts the service, prints its addresses, and stops it in the reverse order. */
import { type AppOptions, buildApp } from '../app.ts'
import { openTransport } from '../domain/mail/transport.ts'
import { builtConsole } from '../features/pages/console.ts'
import { describeLost, findLostPasskeys } from '../features/tenants/passkey-domain.ts'
import { createAdmin, hasAdmin, renewSetUpLink } from '../features/tenants/set-up.ts'
import { ensureDefaultTenant, getTenantBySlug, listTenants, TenantError } from '../features/tenants/tenants.ts'
import { Keyring, randomSecret } from '../platform/cryptography.ts'
import { Database } from '../platform/database/database.ts'
import { flushLog } from '../platform/http/log.ts'
import { type App, createServer, type Resources } from '../platform/http/server.ts'
import type { Worker } from '../platform/jobs/worker.ts'
import { type Config, mayOpenMailbox, readConfig } from '../platform/settings/config.ts'
import { isLoopback } from '../platform/settings/hosts.ts'
import { startTasks } from '../tasks.ts'
import { openCluster } from './cluster.ts'
import { describeTakenHost, type OpenResources, openResources, storePublicUrl } from './resources.ts'
import { type Front, openApp, openWatch, ServeError } from './serving.ts'
import { abortOn, awaitStop } from './stop.ts'

/** A running service. */
export interface Service {
  /** Undefined: there is no local mailbox. */
  readonly mailboxKey: string | undefined
  /** The data folder of the embedded database. Undefined: DATABASE_URL names another database. */
  readonly dataPath: string | undefined
  /** By slug, for each tenant without an admin. */
  readonly setUpLinks: ReadonlyMap<string, string>
  /** Finishes the running requests and jobs, then stops everything. */
  stop(): Promise<void>
}

/** Runs the service until a signal stops it or its launcher is gone. */
export async function serve(config: Config): Promise<void> {
  const stopRequested = awaitStop()
  let isStopping = false
  stopRequested.then(() => (isStopping = true))
  const service = await startService(config, { level: config.logLevel }, stopRequested).catch((error: unknown) => {
    // A stop during the start ends a migration and, of several serving processes, some before they listen. That is no failure.
    if (!isStopping || !(error instanceof ServeError)) throw error
  })
  if (!service) return
  announce(config, service)
  await stopRequested
  await service.stop()
  process.channel?.unref()
}

/**
 * Opens the database, migrates, starts the queue's worker and listens.
 *
 * @param stopRequested resolves when the process should stop: then a migration ends, with a ServeError, and serving processes that end are
 *   not replaced
 * @throws ConfigError, EmbeddedError, SchemaError, ServeError
 */
export async function startService(
  config: Config,
  log: AppOptions['log'],
  stopRequested: Promise<void> = new Promise(() => {}),
): Promise<Service> {
  // Set before the first request needs the database. Until then the start itself fails when a connection is lost.
  let front: Front | undefined
  const resources = await openResources(config, 'migrate', {
    onError: (error, message) => front?.log.warn({ err: error }, message),
    signal: abortOn(stopRequested, new ServeError('The start was stopped.')),
  })
  const { migrated, dataPath } = resources
  const mailboxKey = mailboxKeyOf(resources)
  const transport = openTransport(config)
  let worker: Worker | undefined
  let unwatch: (() => Promise<void>) | undefined
  const stop = async () => {
    // Concurrently, because each of them waits for its own timeout while the database does not answer.
    await Promise.all([front?.close(), worker?.stop()])
    await transport?.close()
    await unwatch?.()
    await resources.close()
  }

  try {
    await ensureDefaultTenant(resources.database)
    await checkPublicUrl(resources.database, config)
    await ensureAdmin(resources)
    const options = { log, mailboxKey, consoleFolder: builtConsole }
    front =
      config.workers === 1
        ? await openApp(resources, options)
        : openCluster(config, options, createServer(resources, log).log, stopRequested) // a server without routes, for its log
    unwatch = await openWatch(resources, front.log)
    worker = await startTasks({ ...resources, transport }, front.log)
    resources.relay.keepSweeping()
    if (config.limitsOff) front.log.warn('LIMITS is off: only guesses at passwords are limited')
    if (migrated.length > 0) front.log.info({ migrations: migrated }, 'migrated')
    await front.listen()
    if (dataPath !== undefined) await storePublicUrl(config)
    await warnOfStaleConsole(front)
    await warnOfLostPasskeys(resources, front)
    return {
      mailboxKey,
      dataPath,
      setUpLinks: await renewSetUpLinks(resources),
      stop: async () => {
        front?.log.info('stopping')
        await stop()
        front?.log.info('stopped')
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * @returns the key of the settings. Without one, the key is the same at each start on an embedded database, so that an open mailbox goes on
 *   working, and new at each start on another one. Undefined: there is no mailbox.
 */
function mailboxKeyOf({ config, keyring, dataPath }: OpenResources): string | undefined {
  if (config.smtpUrl !== undefined || !mayOpenMailbox(config)) return undefined
  if (config.mailboxKey !== undefined) return config.mailboxKey
  return dataPath === undefined ? randomSecret('mailbox') : keyring.hmac('mailbox').toString('base64url').slice(0, 24)
}

/** Only `npm start` builds the console. A package has no sources of it, and so nothing to compare with. */
async function warnOfStaleConsole({ log }: Front): Promise<void> {
  const isStale = await import('../../console/build.ts')
    .then(({ isConsoleStale }) => isConsoleStale())
    .catch(() => false)
  if (isStale) log.warn('the console is older than its sources: run npm start, or node console/build.ts, to build it')
}

async function warnOfLostPasskeys(resources: Resources, { log }: Front): Promise<void> {
  const lost = await findLostPasskeys(resources, await listTenants(resources.database))
  for (const each of lost) log.error({ tenant: each.tenant.slug }, describeLost(resources.config, each, true))
}

/** @throws ServeError when the host of PUBLIC_URL is a tenant's domain */
async function checkPublicUrl(database: Database, config: Config): Promise<void> {
  const taken = describeTakenHost(config, await listTenants(database))
  if (taken !== undefined) throw new ServeError(taken)
}

/**
 * Creates the admin that the settings name, unless the default tenant has an admin.
 *
 * @throws ServeError
 */
async function ensureAdmin({ config: { admin }, database, keyring }: OpenResources): Promise<void> {
  if (!admin) return
  const tenant = await getTenantBySlug(database, 'default')
  if (await database.inTenant(tenant.id, hasAdmin)) return // before the password is hashed
  try {
    await createAdmin({ database, keyring }, tenant, admin, { onlyFirst: true })
  } catch (error) {
    if (!(error instanceof TenantError)) throw error
    throw new ServeError(
      `No admin can be created from GUILDHALL_ADMIN_EMAIL and GUILDHALL_ADMIN_PASSWORD. ${error.message} ` +
        'Change them, or remove both and use the set-up link that the start prints.',
    )
  }
}

/** @returns a new set-up link for each tenant without an admin, by slug */
async function renewSetUpLinks({ database, config }: Resources): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>()
  for (const tenant of await listTenants(database)) {
    const link = await renewSetUpLink(database, config, tenant)
    if (link) links.set(tenant.slug, link)
  }
  return links
}

/** Prints the addresses of the service for the person who started it. */
function announce(config: Config, { mailboxKey, dataPath, setUpLinks }: Service): void {
  const { publicUrl } = config
  const lines = [
    ['Console', publicUrl],
    ['API', `${publicUrl}/api`],
    ['Documentation', `${publicUrl}/docs`],
    ...passkeyLine(publicUrl),
    ...(mailboxKey ? [['Mailbox', `${publicUrl}/mailbox#${mailboxKey}`]] : [['Mail', 'sent through SMTP_URL']]),
    ['Database', dataPath ? `embedded PostgreSQL in ${dataPath}` : 'PostgreSQL of DATABASE_URL'],
    ...[...setUpLinks].map(([slug, link]) => [slug === 'default' ? 'Set up' : `Set up ${slug}`, link]),
  ]
  const width = Math.max(...lines.map(([label = '']) => label.length))
  const text = lines.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`).join('\n')
  const hint =
    setUpLinks.size > 0
      ? '\n\n  The set-up link creates the first admin. It works once, within 24 hours. Until there is an admin, each start prints a new one.'
      : ''
  flushLog() // what was logged of the start comes first
  process.stdout.write(`\nGuildhall is running.\n\n${text}${hint}\n\n  Ctrl-C stops it.\n\n`)
}

/** On the machine itself, passkeys belong to `localhost`, because an IP address can have none. */
function passkeyLine(publicUrl: string): [string, string][] {
  const url = new URL(publicUrl)
  if (!isLoopback(url.hostname) || url.hostname === 'localhost') return []
  url.hostname = 'localhost'
  return [['Passkeys', `work at ${url.origin}, and not at an IP address`]]
}

/** Prints the OpenAPI document. It depends on the code alone and needs no database. */
export async function printOpenApi(): Promise<void> {
  const app = await buildUnused()
  process.stdout.write(`${JSON.stringify(app.swagger(), null, 2)}\n`)
}

/** Builds the app with default settings, only to describe it. It connects to nothing. */
export async function buildUnused(): Promise<App> {
  const config = readConfig({})
  const database = new Database('postgresql://nobody@127.0.0.1:1/none') // connects at the first statement, which never comes
  const app = await buildApp(
    { config, database, keyring: new Keyring(['never used']) },
    { log: false, mailboxKey: 'never used' },
  )
  await app.close()
  await database.close()
  return app
}
