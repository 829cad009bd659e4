/** A PostgreSQL whose clock a test moves, by libfaketime. Nothing else has another time: not the service, and not this process. */
import { globSync } from 'node:fs'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getCluster } from '../src/platform/database/embedded-cluster.ts'
import { startServer, stopServer } from '../src/platform/database/embedded-server.ts'
import { borrowServer } from './database.ts'
import { makeFolder } from './processes.ts'

const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')

/** Why the clock cannot be moved; false if it can. Under `CI` a missing library fails the test instead. */
export const withoutClock =
  library === undefined && process.env.CI !== 'true' && 'libfaketime is missing. Debian: apt-get install libfaketime.'

export interface MovedPostgres {
  /** Moves the clock to so many seconds ahead of the true one. */
  move(seconds: number): Promise<void>
  /** To be called when all databases on it are dropped. */
  stop(): Promise<void>
}

/** Starts it for all databases that this process makes from now on. */
export async function startMovedPostgres(): Promise<MovedPostgres> {
  if (library === undefined) throw new Error('libfaketime is missing. Debian: apt-get install libfaketime.')
  const cluster = await getCluster(join(await makeFolder({ data: true }), '.guildhall'), { sync: false })
  const folder = join(await makeFolder(), 'moved')
  await mkdir(folder)
  const file = join(folder, 'clock')
  const move = (seconds: number) => writeFile(file, `+${seconds}`)
  await move(0)
  // The server gets almost nothing of our environment, so a program of its name sets what libfaketime reads.
  const program = join(folder, 'postgres')
  await writeFile(
    program,
    `#!/bin/sh
export LD_PRELOAD=${library} FAKETIME_TIMESTAMP_FILE=${file} FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
exec ${join(cluster.binaries, 'postgres')} "$@"
`,
  )
  await symlink(join(cluster.binaries, 'pg_ctl'), join(folder, 'pg_ctl'))
  // The server's own user reads them.
  for (const path of [join(folder, '..'), folder, program]) await chmod(path, 0o755)
  const moved = { ...cluster, binaries: folder }
  const port = await startServer(moved, { fsync: 'off', max_connections: '200' })
  const url = (user: string, word: string) => `postgresql://${user}:${word}@127.0.0.1:${port}/guildhall`
  borrowServer({
    url: url('guildhall', cluster.passwords.guildhall),
    adminUrl: url('postgres', cluster.passwords.superuser),
  })
  return { move, stop: () => stopServer(cluster) }
}
