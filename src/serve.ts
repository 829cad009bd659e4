/** Serve: starts everything in order, says where it is, and stops it in the opposite order. */
import { type AppOptions, buildApp } from './app.ts'
import { type Config, mailboxMayOpen, readConfig } from './config.ts'
import { Keyring, randomSecret } from './cryptography.ts'
import { Database } from './database/database.ts'
import type { App, Resources } from './http/server.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { openTransport } from './mail/mail.ts'
import { builtConsole } from './pages/console.ts'
import { notePublicUrl, openResources } from './resources.ts'
import { createAdmin, hasAdmin, renewSetUpLink } from './tenants/set-up.ts'
import { ensureDefaultTenant, getTenantBySlug, listTenants, TenantError } from './tenants/tenants.ts'

/** The service cannot start; the message says why. */
export class ServeError extends Error {
  override readonly name = 'ServeError'
}

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
  let asked: (() => void) | undefined
  const stopAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  // A terminal's Ctrl-C comes twice, from the terminal and from the launcher; the second one asks for nothing new.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => asked?.())
  process.on('disconnect', () => asked?.())
  process.on('unhandledRejection', (error) => {
    console.error(error)
    process.exitCode = 1
    asked?.()
  })

  const service = await startService(config, { level: config.logLevel })
  announce(config, service)
  await stopAsked
  await service.stop()
  process.channel?.unref()
}

/**
 * Opens the database, migrates, starts the queue's worker and listens.
 *
 * @throws ConfigError, EmbeddedError, SchemaError, ServeError
 */
export async function startService(config: Config, log: AppOptions['log']): Promise<Service> {
  // The app is there before any request needs the database; until then a lost connection shows in the start's own error.
  let app: App | undefined
  const resources = await openResources(config, 'migrate', (error) =>
    app?.log.warn({ err: error }, 'lost a connection to the database'),
  )
  const { migrated, dataPath } = resources
  const hasMailbox = config.smtpUrl === undefined && mailboxMayOpen(config)
  const mailboxKey = hasMailbox ? (config.mailboxKey ?? randomSecret('mailbox')) : undefined
  const transport = openTransport(config)
  let worker: Worker | undefined
  const stop = async () => {
    // A client that never ends its request must not keep the service from stopping.
    const patience = setTimeout(() => app?.server.closeAllConnections(), 15_000).unref()
    await app?.close()
    clearTimeout(patience)
    await worker?.stop()
    transport?.close()
    await resources.close()
  }

  try {
    await ensureDefaultTenant(resources.database)
    await checkPublicUrl(resources.database, config)
    await ensureAdmin(resources.database, config)
    app = await buildApp(resources, { log, mailboxKey, consoleFolder: builtConsole })
    worker = await startWorker({ ...resources, transport }, app.log)
    if (config.limitsOff) app.log.warn('LIMITS is off: nothing is limited but guesses at passwords')
    if (migrated.length > 0) app.log.info({ migrations: migrated }, 'migrated')
    await listen(app, config)
    if (dataPath !== undefined) await notePublicUrl(config)
    await warnOfStaleConsole(app)
    return {
      mailboxKey,
      dataPath,
      setUpLinks: await renewSetUpLinks(resources),
      stop: async () => {
        app?.log.info('stopping')
        await stop()
        app?.log.info('stopped')
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Only npm start builds the console anew. Where its sources are not there, what was built is all there is. */
async function warnOfStaleConsole(app: App): Promise<void> {
  const isStale = await import('../console/build.ts').then(({ isConsoleStale }) => isConsoleStale()).catch(() => false)
  if (isStale)
    app.log.warn(
      'the console was built from other sources than those here: npm start, or node console/build.ts, builds it',
    )
}

/** @throws ServeError */
async function listen(app: App, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: (address) => `listening at ${address}` })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // of node:net
    if (code === 'EADDRINUSE') throw new ServeError(`Port ${port} on ${host} is taken. Stop what uses it, or set PORT.`)
    if (code === 'EACCES')
      throw new ServeError(`Port ${port} may not be used by this user. Set PORT to one above 1023.`)
    if (code === 'EADDRNOTAVAIL') throw new ServeError(`This machine has no address ${host}. Set HOST.`)
    throw error
  }
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
async function ensureAdmin(database: Database, { admin }: Config): Promise<void> {
  if (!admin) return
  const tenant = await getTenantBySlug(database, 'default')
  if (await database.inTenant(tenant.id, hasAdmin)) return
  try {
    await createAdmin(database, tenant, admin)
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
