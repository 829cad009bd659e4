/** Resources: settings, database and keys that every command works with. They are opened in order and closed in reverse. */
import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { selectWakes } from '../domain/webhooks/schedule.ts'
import { ensureDefaultTenant, type TenantRecord } from '../features/tenants/tenants.ts'
import { Keyring, randomBytes, randomSecret } from '../platform/cryptography.ts'
import { Database } from '../platform/database/database.ts'
import {
  checkEmbedded,
  EmbeddedError,
  makeDataFolder,
  openEmbedded,
  readOrCreate,
} from '../platform/database/embedded.ts'
import { checkSchema, migrate } from '../platform/database/migrate.ts'
import type { Resources } from '../platform/http/server.ts'
import { Relay } from '../platform/jobs/relay.ts'
import type { Config } from '../platform/settings/config.ts'

export interface OpenResources extends Resources {
  /** Names of the migrations that were applied. */
  readonly migrated: readonly string[]
  /** The data folder of the embedded database. Undefined: DATABASE_URL names another database. */
  readonly dataPath: string | undefined
  readonly relay: Relay
  /** Relays what this process has committed, then closes. */
  close(): Promise<void>
}

/**
 * Opens the database: the embedded one, unless DATABASE_URL names another.
 *
 * @param schema  `migrate` brings the schema up to date; `check` throws if it is not
 * @param options.onError called with a message for the log: for each lost connection, which the pool replaces, and each failure of the
 *   relay or of a start of the embedded database, which are tried again
 * @param options.signal  ends a migration when it is aborted
 * @throws EmbeddedError, SchemaError, or the reason of the signal
 */
export async function openResources(
  config: Config,
  schema: 'migrate' | 'check',
  {
    onError = () => {},
    signal,
  }: { readonly onError?: (error: Error, message: string) => void; readonly signal?: AbortSignal } = {},
): Promise<OpenResources> {
  // The secret is made before the data: data without a secret always means a lost secret.
  const secrets = config.secrets.length > 0 ? config.secrets : [await storedSecret(config.dataFolder)]
  const embedded =
    config.databaseUrl === undefined
      ? await openEmbedded(config.dataFolder, {
          onError: (error) => onError(error, 'the embedded database has not come back; it is tried again'),
        })
      : undefined
  const url = embedded?.url ?? config.databaseUrl ?? ''
  const { isPooled } = config
  const database = new Database(url, {
    size: poolSize(config),
    onError: (error) => onError(error, 'lost a connection to the database'),
    isPooled,
  })
  const relay = new Relay(
    database,
    (error) => onError(error, 'the outbox was not relayed; it is tried again'),
    selectWakes,
  )
  const close = async () => {
    await relay.stop()
    await database.close()
    await embedded?.release()
  }
  try {
    const migrated = schema === 'migrate' ? await migrate(url, { isPooled, signal, onWait: sayThatItWaits }) : []
    // Loaded here: a serving process of several neither migrates nor works on the queue.
    if (schema === 'migrate') await (await import('../platform/jobs/worker.ts')).migrateQueue(database, signal)
    else await checkSchema(url, isPooled)
    return { config, database, keyring: new Keyring(secrets), migrated, dataPath: embedded?.path, relay, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** For people: neither a start nor `guildhall migrate` has printed anything yet. */
function sayThatItWaits(): void {
  console.error('guildhall: Another process migrates the database. This one waits until the other has ended.')
}

/**
 * @returns the number of connections for the requests of one process. A serving process has at most three more (rates, the embedded
 *   database), the primary eight (queue, start). For any WORKERS the sum is at most 90; PostgreSQL's default `max_connections` is 100.
 */
function poolSize({ workers }: Config): number {
  return Math.min(10, Math.floor(40 / workers))
}

/** In characters, as in GUILDHALL_SECRET. A file that is shorter was cut off: with an empty secret, everybody would know all keys. */
const shortestSecret = 32

/**
 * Reads the secret that is stored beside the embedded data, and creates it if neither exists yet.
 *
 * @throws EmbeddedError when there is data but no secret, if it is not whole, or if it cannot be read or created
 */
async function storedSecret(folder: string): Promise<string> {
  const home = await makeDataFolder(folder)
  const file = join(home, 'secret')
  if (existsSync(join(home, 'postgres')) && !existsSync(file)) {
    throw new EmbeddedError(`The file ${file} is missing. It holds the secret of the data beside it. ${remedy}`)
  }
  const make = () => randomSecret('root')
  const secret = await readOrCreate(file, 'the secret of this installation', make, (text) => text.trim())
  if (secret.length < shortestSecret)
    throw new EmbeddedError(
      `The file ${file}, which holds the secret of the data beside it, has fewer than ${shortestSecret} characters. ${remedy}`,
    )
  return secret
}

const remedy =
  'Restore it from the backup. If it is lost, set GUILDHALL_SECRET to a new secret (openssl rand -base64 32). ' +
  'Links that were mailed before then stop working.'

/** Stores the URL of the service beside its data, for commands that run without PUBLIC_URL. They read the old one or the new one. */
export async function storePublicUrl({
  dataFolder,
  publicUrl,
}: Pick<Config, 'dataFolder' | 'publicUrl'>): Promise<void> {
  const file = join(dataFolder, 'public-url')
  const attempt = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(attempt, `${publicUrl}\n`, { flush: true })
    await rename(attempt, file)
  } finally {
    await rm(attempt, { force: true })
  }
}

/** @returns the URL of the service at its last start; undefined if it has never started */
export async function readPublicUrl(folder: string): Promise<string | undefined> {
  const text = (await readFile(join(folder, 'public-url'), 'utf8').catch(() => '')).trim()
  return URL.canParse(text) ? text : undefined
}

/** Opens existing data, runs `work` and closes it. Creates the tenant `default` if it is missing, as a start of the service does. */
export async function withResources(config: Config, work: (resources: OpenResources) => Promise<void>): Promise<void> {
  await withData(config, async (resources) => {
    await ensureDefaultTenant(resources.database)
    await work(resources)
  })
}

/**
 * Opens existing data, runs `work` and closes it. It creates no data, because the command may run in the wrong folder.
 *
 * @throws EmbeddedError, SchemaError
 */
export async function withData(config: Config, work: (resources: OpenResources) => Promise<void>): Promise<void> {
  if (config.databaseUrl === undefined) checkEmbedded(config.dataFolder)
  const resources = await openResources({ ...config, publicUrl: await findPublicUrl(config) }, 'check')
  try {
    await work(resources)
  } finally {
    await resources.close()
  }
}

/** @returns the URL of the service: from the settings if they say it, else as its last start stored it beside the data */
async function findPublicUrl({ publicUrl, databaseUrl, dataFolder }: Config): Promise<string> {
  if (isLocationSet() || databaseUrl !== undefined) return publicUrl
  return (await readPublicUrl(dataFolder)) ?? publicUrl
}

/**
 * Whether `publicUrl` is where the service is, for a command: the environment says so, or the last start beside the data did. Else a command
 * without PUBLIC_URL has only a default, and PORT may be that of another service, unless the last start had the same.
 */
export async function isLocationKnown({
  publicUrl,
  databaseUrl,
  dataFolder,
}: Pick<Config, 'publicUrl' | 'databaseUrl' | 'dataFolder'>): Promise<boolean> {
  if (process.env.PUBLIC_URL) return true
  if (databaseUrl !== undefined) return false
  const stored = await readPublicUrl(dataFolder)
  return stored !== undefined && (!process.env.PORT || stored === publicUrl)
}

/** @returns why no service starts at this URL: its host is a domain of a tenant, so every request to it would belong to that tenant */
export function describeTakenHost(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  tenants: readonly TenantRecord[],
): string | undefined {
  const { hostname } = new URL(publicUrl)
  const owner = tenants.find(({ domains }) => domains.includes(hostname))
  if (!owner) return undefined
  return (
    `The host of PUBLIC_URL, ${hostname}, is a domain of the tenant "${owner.slug}". Use another host, or remove the domain: ` +
    `guildhall tenant update ${owner.slug} --domain …`
  )
}

/** Whether the environment of this command says where the service is. */
export function isLocationSet(): boolean {
  return Boolean(process.env.PUBLIC_URL || process.env.PORT)
}
