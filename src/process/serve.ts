/** Serve: starts everything in order, says where it is, and stops it in the opposite order. */
import { type AppOptions, buildApp } from '../app.ts'
import { openTransport } from '../domain/mail/mail.ts'
import { builtConsole } from '../features/pages/console.ts'
import { createAdmin, hasAdmin, renewSetUpLink } from '../features/tenants/set-up.ts'
import { ensureDefaultTenant, getTenantBySlug, listTenants, TenantError } from '../features/tenants/tenants.ts'
import { Keyring, randomSecret } from '../platform/cryptography.ts'
import { Database } from '../platform/database/database.ts'
import { type App, createServer, type Resources } from '../platform/http/server.ts'
import type { Worker } from '../platform/jobs/worker.ts'
import { type Config, mailboxMayOpen, readConfig } from '../platform/settings/config.ts'
import { startTasks } from '../tasks.ts'
import { openCluster } from './cluster.ts'
import { notePublicUrl, type OpenResources, openResources } from './resources.ts'
import { awaitStop, type Front, openApp, openWatch, ServeError } from './serving.ts'

/** A service that runs. */
export interface Service {
  readonly mailboxKey: string | undefined
  /** Where the embedded database has its data, if it is the one. */
  readonly dataPath: string | undefined
  /** For each tenant without an admin, by slug. */
  readonly setUpLinks: ReadonlyMap<string, string>
  /** Finishes what is under way, then stops everything. */
  stop(): Promise<void>
}

/** Runs the service until a signal asks it to stop, or its launcher is gone. */
export async function serve(config: Config): Promise<void> {
  const asked = awaitStop()
  let isAsked = false
  asked.then(() => (isAsked = true))
  const service = await startService(config, { level: config.logLevel }, asked).catch((error: unknown) => {
    // Of several processes that are all asked to stop, some have gone before the start is through.
    if (!isAsked || !(error instanceof ServeError)) throw error
  })
  if (!service) return
  announce(config, service)
  await asked
  await service.stop()
  process.channel?.unref()
}

/**
 * Opens the database, migrates, starts the queue's worker and listens.
 *
 * @throws ConfigError, EmbeddedError, SchemaError, ServeError
 */
export async function startService(
  config: Config,
  log: AppOptions['log'],
  asked: Promise<void> = new Promise(() => {}),
): Promise<Service> {
  // It is there before any request needs the database; until then a lost connection shows in the start's own error.
  let front: Front | undefined
  const resources = await openResources(config, 'migrate', (error) =>
    front?.log.warn({ err: error }, 'lost a connection to the database'),
  )
  const { migrated, dataPath } = resources
  const hasMailbox = config.smtpUrl === undefined && mailboxMayOpen(config)
  const mailboxKey = hasMailbox ? (config.mailboxKey ?? randomSecret('mailbox')) : undefined
  const transport = openTransport(config)
  let worker: Worker | undefined
  let unwatch: (() => Promise<void>) | undefined
  const stop = async () => {
    // At the same time: while the database is silent, each of them waits for it as long as it may.
    await Promise.all([front?.close(), worker?.stop()])
    transport?.close()
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
        : openCluster(config, options, createServer(resources, log).log, asked) // a server without routes has a log too
    unwatch = await openWatch(resources, front.log)
    worker = await startTasks({ ...resources, transport }, front.log)
    if (config.limitsOff) front.log.warn('LIMITS is off: nothing is limited but guesses at passwords')
    if (migrated.length > 0) front.log.info({ migrations: migrated }, 'migrated')
    await front.listen()
    if (dataPath !== undefined) await notePublicUrl(config)
    await warnOfStaleConsole(front)
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

/** Only npm start builds the console anew. Where its sources are not there, what was built is all there is. */
async function warnOfStaleConsole({ log }: Front): Promise<void> {
  const isStale = await import('../../console/build.ts')
    .then(({ isConsoleStale }) => isConsoleStale())
    .catch(() => false)
  if (isStale)
    log.warn('the console was built from other sources than those here: npm start, or node console/build.ts, builds it')
}

/** @throws ServeError where a tenant has the host of PUBLIC_URL for its own: everything sent there would be about that tenant */
async function checkPublicUrl(database: Database, { publicUrl }: Config): Promise<void> {
  const { hostname } = new URL(publicUrl)
  const owner = (await listTenants(database)).find(({ domains }) => domains.includes(hostname))
  if (!owner) return
  throw new ServeError(
    `PUBLIC_URL has the host ${hostname}, which is a domain of the tenant "${owner.slug}". Choose another, or take the domain away: ` +
      `guildhall tenant update ${owner.slug} --domain …`,
  )
}

/**
 * Makes the admin that the settings name, unless the default tenant has one.
 *
 * @throws ServeError
 */
async function ensureAdmin({ config: { admin }, database, keyring }: OpenResources): Promise<void> {
  if (!admin) return
  const tenant = await getTenantBySlug(database, 'default')
  if (await database.inTenant(tenant.id, hasAdmin)) return
  try {
    await createAdmin({ database, keyring }, tenant, admin)
  } catch (error) {
    if (!(error instanceof TenantError)) throw error
    throw new ServeError(
      `GUILDHALL_ADMIN_EMAIL and GUILDHALL_ADMIN_PASSWORD make no admin. ${error.message} ` +
        'Change them, or take both away and use the set-up link that the start prints.',
    )
  }
}

/** @returns a new set-up link for each tenant that has no admin, by slug */
async function renewSetUpLinks({ database, config }: Resources): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>()
  for (const tenant of await listTenants(database)) {
    const link = await renewSetUpLink(database, config, tenant)
    if (link) links.set(tenant.slug, link)
  }
  return links
}

/** Says where everything is, in words for the person who started it. */
function announce(config: Config, { mailboxKey, dataPath, setUpLinks }: Service): void {
  const { publicUrl } = config
  const lines = [
    ['Console', publicUrl],
    ['API', `${publicUrl}/api`],
    ['Documentation', `${publicUrl}/docs`],
    ...(mailboxKey ? [['Mailbox', `${publicUrl}/mailbox#${mailboxKey}`]] : [['Mail', 'goes out through SMTP_URL']]),
    ['Database', dataPath ? `embedded PostgreSQL in ${dataPath}` : 'the one of DATABASE_URL'],
    ...[...setUpLinks].map(([slug, link]) => [slug === 'default' ? 'Set up' : `Set up ${slug}`, link]),
  ]
  const width = Math.max(...lines.map(([label = '']) => label.length))
  const text = lines.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`).join('\n')
  const hint =
    setUpLinks.size > 0
      ? '\n\n  The set-up link makes the first admin. It works once, for 24 hours; each start makes a new one.'
      : ''
  process.stdout.write(`\nGuildhall is running.\n\n${text}${hint}\n\n  Ctrl-C stops it.\n\n`)
}

/** Prints the OpenAPI document. It follows from the code alone, so it needs no database. */
export async function printOpenApi(): Promise<void> {
  const app = await buildUnused()
  process.stdout.write(`${JSON.stringify(app.swagger(), null, 2)}\n`)
}

/** The app as it is without any settings, to be described and not to be used: it connects to nothing. */
export async function buildUnused(): Promise<App> {
  const config = readConfig({})
  const database = new Database('postgresql://nobody@127.0.0.1:1/none') // connects to nothing before it is asked
  const app = await buildApp(
    { config, database, keyring: new Keyring(['never used']) },
    { log: false, mailboxKey: 'never used' },
  )
  await app.close()
  await database.close()
  return app
}
