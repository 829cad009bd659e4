/** The disk of PostgreSQL is full. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { mkdir, rm, rmdir, statfs, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ignoring } from '../src/platform/database/embedded-binaries.ts'
import { makeFolder } from '../test/processes.ts'
import { startPostgres } from './postgres.ts'
import { awaitRecovery, awaitUnready, raise } from './stage.ts'

/** The size of the disk: the data of a first start, and some segments of the log. */
const size = '256m'

/**
 * At first PostgreSQL refuses what needs room, then it stops, since it cannot write its log. Once there is room again and it runs, the service
 * goes on, and has lost nothing.
 */
export async function fullDisk(t: TestContext): Promise<string> {
  const folder = join(await makeFolder({ data: true }), '.guildhall')
  const disk = await moveToSmallDisk(t, folder)
  if (!disk) return 'SKIPPED: a file system can be mounted by root alone'
  const postgres = await startPostgres({ folder, settings: { min_wal_size: '32MB', max_wal_size: '48MB' } })
  const stage = await raise(t, { postgres })
  const load = stage.load()
  await setTimeout(1_500)

  const filler = join(disk, 'filler')
  const { bavail, bsize } = await statfs(disk)
  // The database writes meanwhile, so the last bytes may be gone already.
  await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(ignoring('ENOSPC'))
  await setTimeout(2_000)
  const succeeds = (text: string) =>
    postgres.query(text).then(
      () => true,
      () => false,
    )
  // Fills the segments of the log that are there, until one is needed that is not.
  while (await succeeds(`select pg_logical_emit_message(true, 'filler', repeat('x', 4000000))`));
  await Promise.all(stage.services.map(awaitUnready))
  await rm(filler)
  if (!(await succeeds('select 1'))) await postgres.start()
  const recovered = await awaitRecovery(stage, performance.now())
  await setTimeout(1_000)
  await load.finish()
  return `${await stage.check({ mostMails: 4 })}; ${recovered}`
}

/** Moves a cluster to a file system of its own. @returns where it is mounted; undefined if it cannot be mounted */
async function moveToSmallDisk(t: TestContext, folder: string): Promise<string | undefined> {
  const link = join(folder, 'postgres')
  const cluster = realpathSync(link)
  const disk = `${cluster}-disk` // beside it, because the database's user can reach it there
  await mkdir(disk)
  t.after(async () => {
    spawnSync('umount', ['--lazy', disk]) // the server may still use it
    await rmdir(disk)
  })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'guildhall-faults', disk]).status !== 0) return undefined
  const moved = join(disk, 'postgres')
  assert.equal(spawnSync('mv', [cluster, moved]).status, 0)
  await unlink(link)
  await symlink(moved, link)
  return disk
}
