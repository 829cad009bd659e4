/** Resources: what every command of the process works with, opened in order and closed in the opposite order. */
import { existsSync } from 'node:fs'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Keyring, randomBytes, randomSecret } from '../platform/cryptography.ts'
import { Database } from '../platform/database/database.ts'
import { EmbeddedError, makeDataFolder, openEmbedded } from '../platform/database/embedded.ts'
import { checkSchema, migrate } from '../platform/database/migrate.ts'
import type { Resources } from '../platform/http/server.ts'
import { migrateQueue } from '../platform/jobs/worker.ts'
import type { Config } from '../platform/settings/config.ts'

export interface OpenResources extends Resources {
  /** The migrations that were applied. */
  readonly migrated: readonly string[]
  /** Where the embedded database has its data, if it is the one. */
  readonly dataPath: string | undefined
  close(): Promise<void>
}

/**
 * Opens the database (the embedded one where DATABASE_URL names none).
 *
 * @param schema  whether it is brought up to date, or must be so already
 * @param onError told of lost connections; the pool replaces them by itself
 * @throws EmbeddedError, SchemaError
 */
export async function openResources(
  config: Config,
  schema: 'migrate' | 'check',
  onError: (error: Error) => void = () => {},
): Promise<OpenResources> {
  // Before the data is made that it belongs to: data without it is data whose secret was lost.
  const secrets = config.secrets.length > 0 ? config.secrets : [await keptSecret(config.dataFolder)]
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataFolder) : undefined
  const url = embedded?.url ?? config.databaseUrl ?? ''
  const { isPooled } = config
  const database = new Database(url, { size: poolSize(config), onError, isPooled })
  const close = async () => {
    await database.close()
    await embedded?.release()
  }
  try {
    const migrated = schema === 'migrate' ? await migrate(url, { isPooled }) : []
    if (schema === 'migrate') await migrateQueue(database)
    else await checkSchema(url, isPooled)
    return { config, database, keyring: new Keyring(secrets), migrated, dataPath: embedded?.path, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Connections for the requests of one process. A serving process has three more at most (rates, the embedded database), its primary
 * eight (the queue, the start): whatever WORKERS is, together they are 90 of the hundred that a PostgreSQL lets in as it comes.
 */
function poolSize({ workers }: Config): number {
  return Math.min(10, Math.floor(40 / workers))
}

/**
 * The secret of an embedded service: made once and kept beside its data. Of two processes that begin together one writes.
 *
 * @throws EmbeddedError where there is data, and its secret is gone
 */
async function keptSecret(folder: string): Promise<string> {
  const home = await makeDataFolder(folder)
  const file = join(home, 'secret')
  if (existsSync(join(home, 'postgres')) && !existsSync(file)) {
    throw new EmbeddedError(
      `The file ${file} is missing, which has the secret of the data beside it. Put it back from the backup. ` +
        'If it is lost, set GUILDHALL_SECRET to a new one (openssl rand -base64 32): links that were mailed before do not work then.',
    )
  }
  const attempt = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(attempt, `${randomSecret('root')}\n`, { mode: 0o600, flush: true })
  try {
    await link(attempt, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // of node:fs
  } finally {
    await rm(attempt, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}

/** Notes beside the data where the service is, for commands that are not told. */
export async function notePublicUrl({ dataFolder, publicUrl }: Config): Promise<void> {
  await writeFile(join(dataFolder, 'public-url'), `${publicUrl}\n`)
}

/** @returns where the service was when it last started; undefined where it never did */
export async function readPublicUrl(folder: string): Promise<string | undefined> {
  const text = (await readFile(join(folder, 'public-url'), 'utf8').catch(() => '')).trim()
  return URL.canParse(text) ? text : undefined
}
