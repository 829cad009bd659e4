/** Resources: what every command of the process works with, opened in order and closed in the opposite order. */
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { Keyring, randomSecret } from './cryptography.ts'
import { Database } from './database/database.ts'
import { openEmbedded } from './database/embedded.ts'
import { migrate } from './database/migrate.ts'
import type { Resources } from './http/server.ts'
import { migrateQueue } from './jobs/worker.ts'

export interface OpenResources extends Resources {
  /** The migrations that were applied on the way. */
  readonly migrated: readonly string[]
  /** Where the embedded database has its data, if it is the one. */
  readonly dataPath: string | undefined
  close(): Promise<void>
}

/**
 * Opens the database (the embedded one where DATABASE_URL names none), and brings its schema up to date.
 *
 * @param onError told of lost connections; the pool replaces them by itself
 * @throws EmbeddedError, SchemaError
 */
export async function openResources(
  config: Config,
  onError: (error: Error) => void = () => {},
): Promise<OpenResources> {
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataFolder) : undefined
  const url = embedded?.url ?? config.databaseUrl ?? ''
  const database = new Database(url, { onError })
  const close = async () => {
    await database.close()
    await embedded?.release()
  }
  try {
    const migrated = await migrate(url)
    await migrateQueue(database)
    const keyring = new Keyring(config.secrets.length > 0 ? config.secrets : [await keptSecret(config.dataFolder)])
    return { config, database, keyring, migrated, dataPath: embedded?.path, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The secret of an embedded service: made once and kept beside its data. Of two processes that begin together one writes. */
async function keptSecret(folder: string): Promise<string> {
  const file = join(folder, 'secret')
  const attempt = `${file}.${randomSecret(6)}`
  await mkdir(folder, { recursive: true })
  await writeFile(attempt, `${randomSecret()}\n`, { mode: 0o600, flush: true })
  try {
    await link(attempt, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // of node:fs
  } finally {
    await rm(attempt, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}
