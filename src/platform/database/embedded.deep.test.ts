import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../../test/ports.ts'
import { until } from '../../../test/smtp.ts'
import { timeout } from '../../../test/timeout.ts'
import { openEmbedded } from './embedded.ts'
import { getCluster } from './embedded-cluster.ts'
import { findServer, startServer, stopServer } from './embedded-server.ts'

const settings = { fsync: 'off', full_page_writes: 'off' }
/** The connections of the processes that use the server, the oldest first. */
const users = `select pid from pg_stat_activity where application_name = 'guildhall embedded' order by backend_start`
const folders: string[] = []
const folder = await makeFolder(0o755)

after(async () => {
  for (const each of folders) {
    // If the database's user cannot enter root's folder, the cluster is elsewhere.
    await rm(await realpath(join(each, 'postgres')), { recursive: true })
    await rm(each, { recursive: true })
  }
})

test('data survives the last release and the next opening', async () => {
  const first = await openEmbedded(folder, { settings })
  await query(first.url, 'create table things (name text); insert into things values ($$kept ü$$)')
  await first.release()
  assert.equal(await isUp(first.url), false)
  const second = await openEmbedded(folder, { settings })
  assert.deepEqual(await query(second.url, 'select name from things'), [{ name: 'kept ü' }])
  await second.release()
})

test("the service's role has no rights outside its own database, and every connection needs a password", async () => {
  const database = await openEmbedded(folder, { settings })
  const rights = 'rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication as any'
  const [role] = await query(database.url, `select ${rights} from pg_roles where rolname = current_user`)
  assert.deepEqual(role, { any: false })
  await assert.rejects(query(database.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), { code: '28P01' })
  await database.release()
})

test('the last process to leave stops the server, and no earlier one does', async () => {
  const [first, second] = await Promise.all([openEmbedded(folder, { settings }), openEmbedded(folder, { settings })])
  assert.equal(first.url, second.url)
  await first.release()
  assert.equal(await isUp(second.url), true)
  await second.release()
  assert.equal(await isUp(second.url), false)
})

test('processes that open and release the database at the same time always find a server, and leave none running', async () => {
  const use = async () => {
    const database = await openEmbedded(folder, { settings })
    assert.equal(await isUp(database.url), true)
    await database.release()
    return database.url
  }
  const urls: string[] = []
  for (let round = 0; round < 5; round++) urls.push(...(await Promise.all([use(), use(), delay(round * 20).then(use)])))
  for (const url of urls) assert.equal(await isUp(url), false)
})

test('the next process takes over the server of a killed process, and stops it', async () => {
  const child = open(folder)
  const url = await child.url
  child.kill('SIGKILL')
  await child.ended
  assert.equal(await isUp(url), true)
  const database = await openEmbedded(folder, { settings })
  assert.equal(database.url, url)
  await waitUntilAlone(database)
  await database.release()
  assert.equal(await isUp(url), false)
})

test('a signal to the process group, such as Ctrl-C, does not reach the server', async () => {
  const child = open(folder)
  const url = await child.url
  process.kill(-child.pid, 'SIGINT')
  await child.ended
  assert.equal(await isUp(url), true)
  const database = await openEmbedded(folder, { settings })
  await waitUntilAlone(database)
  await database.release()
})

test('a killed server comes back with its data, under the same address', async () => {
  const database = await openEmbedded(folder, { settings })
  process.kill(await postmaster(), 'SIGKILL')
  const second = await openEmbedded(folder, { settings })
  assert.equal(second.url, database.url)
  assert.deepEqual(await query(second.url, 'select name from things'), [{ name: 'kept ü' }])
  await second.release()
  // Whether or not the one who was there before was back when the second left: it has its server again.
  await until(() => isUp(database.url), 'the server to be back')
  await database.release()
  assert.equal(await isUp(database.url), false)
})

test('a killed server that cannot start is started until it can, and each failure is reported', async () => {
  const errors: Error[] = []
  const database = await openEmbedded(folder, { settings, onError: (error) => errors.push(error) })
  const control = join(await realpath(join(folder, 'postgres')), 'global', 'pg_control')
  const pid = await postmaster()
  await rename(control, `${control}.away`)
  process.kill(pid, 'SIGKILL')
  await until(() => errors.length > 1, 'the start to fail twice')
  await rename(`${control}.away`, control)

  await until(() => isUp(database.url), 'the server to be back')
  for (const { name, message } of errors) {
    assert.equal(name, 'EmbeddedError')
    assert.match(message, /^The embedded database did not start: [\s\S]*pg_control/)
  }
  await database.release()
  assert.equal(await isUp(database.url), false)
})

test('a process is released while its server cannot start', async () => {
  const failed = Promise.withResolvers<Error>()
  const database = await openEmbedded(folder, { settings, onError: failed.resolve })
  const control = join(await realpath(join(folder, 'postgres')), 'global', 'pg_control')
  const pid = await postmaster()
  await rename(control, `${control}.away`)
  process.kill(pid, 'SIGKILL')
  await failed.promise
  await database.release()
  await rename(`${control}.away`, control)
  assert.equal(await isUp(database.url), false)
})

test('a server that is started again does not move to another port, on which nobody would look for it', async () => {
  const cluster = await getCluster(folder, { sync: false })
  const [other, port] = [createServer(), await freePort()]
  await once(other.listen(port, '127.0.0.1'), 'listening')
  await assert.rejects(startServer(cluster, settings, port), new Error(`port ${port} is in use`))
  other.close()
  await once(other, 'close')
  assert.equal(await startServer(cluster, settings, port), port)
  assert.equal((await findServer(cluster)) ?? 'none', port)
  await stopServer(cluster)
})

test('a lock left by a crash does not stop the next start, even if its pid is in use by another program', async () => {
  const database = await openEmbedded(folder, { settings })
  const path = await realpath(join(folder, 'postgres'))
  const lock = await readFile(join(path, 'postmaster.pid'), 'utf8')
  await database.release()
  const { uid, gid } = await stat(path)
  const other = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
  try {
    await writeFile(join(path, 'postmaster.pid'), lock.replace(/^\d+/, String(other.pid)), { mode: 0o600 })
    await chown(join(path, 'postmaster.pid'), uid, gid)
    const next = await openEmbedded(folder, { settings })
    assert.equal(await isUp(next.url), true)
    await next.release()
  } finally {
    other.kill()
  }
})

test('two processes can make the first start together, in a folder that nobody else can open', async () => {
  const closed = await makeFolder(0o700)
  const children = [open(closed), open(closed)]
  const [first, second] = await Promise.all(children.map((child) => child.url))
  assert.equal(first, second)
  for (const child of children) child.kill('SIGTERM')
  assert.deepEqual(await Promise.all(children.map((child) => child.ended)), [0, 0])
  assert.equal(await isUp(String(first)), false)
})

/** What a first start has begun to make in a folder. */
const attemptIn = async (fresh: string) => (await readdir(fresh)).find((name) => name.startsWith('.new-'))

/** Kills a first start at some moment. @returns its folder, unless it was done before */
async function killFirstStart(): Promise<string | undefined> {
  const fresh = await makeFolder(0o755)
  const child = open(fresh)
  let isDone = false
  child.url
    .catch(() => {})
    .finally(() => {
      isDone = true
    })
  await until(async () => isDone || (await attemptIn(fresh)), 'the start to have begun')
  child.kill('SIGSTOP') // what it has started goes on, and it cannot be done meanwhile
  await delay(150)
  child.kill('SIGKILL')
  await child.ended
  if (await attemptIn(fresh)) return fresh
  const database = await openEmbedded(fresh, { settings })
  await waitUntilAlone(database)
  await database.release()
  return undefined
}

test('a first start that was killed half-way does not prevent the next one', async () => {
  const fresh = await until(killFirstStart, 'a first start to be killed half-way')
  const database = await openEmbedded(fresh, { settings })
  assert.equal(await isUp(database.url), true)
  assert.equal(await attemptIn(fresh), undefined)
  await database.release()
})

test('a process leaves a server that does not answer, and the next one stops it', async () => {
  const user = open(folder)
  const url = await user.url
  const admin = await openEmbedded(folder, { settings })
  const [silent] = (await query(admin.adminUrl, users)) as [{ pid: number }]
  process.kill(silent.pid, 'SIGSTOP')
  try {
    user.kill('SIGTERM')
    assert.equal(await user.ended, 0)
  } finally {
    process.kill(silent.pid, 'SIGCONT')
  }
  await waitUntilAlone(admin)
  await admin.release()
  assert.equal(await isUp(url), false)
})

test('a data folder has a .gitignore that keeps it out of a repository', async () => {
  const data = await makeFolder(0o755)
  await rm(data, { recursive: true })
  const database = await openEmbedded(data, { settings })
  assert.equal(await readFile(join(data, '.gitignore'), 'utf8'), '*\n')
  await database.release()
  assert.equal(database.path, await realpath(join(data, 'postgres')))
})

test('if the data folder cannot be created, the error names it and says what to do', async () => {
  const place = join(folder, 'postgres.json', 'data') // below a file nobody makes a folder, root neither
  await assert.rejects(openEmbedded(place, { settings }), {
    name: 'EmbeddedError',
    message: /The data folder \S+data cannot be created \(ENOTDIR\)\. Set GUILDHALL_DATA/,
  })
})

async function makeFolder(mode: number): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'guildhall-embedded-'))
  await chmod(made, mode)
  folders.push(made)
  return made
}

/** @returns the pid of the folder's server */
async function postmaster(): Promise<number> {
  const lock = join(await realpath(join(folder, 'postgres')), 'postmaster.pid')
  return Number((await readFile(lock, 'utf8')).split('\n')[0])
}

/** Waits until only this process uses the server, which may notice a while later that another process has ended. */
async function waitUntilAlone({ adminUrl }: { readonly adminUrl: string }): Promise<void> {
  await until(async () => (await query(adminUrl, users)).length === 1, 'the others to be gone')
}

/** A process in a group of its own that opens the folder's database, and releases it at SIGTERM. */
function open(path: string) {
  const code = `
    const { openEmbedded } = await import(${JSON.stringify(import.meta.resolve('./embedded.ts'))})
    const database = await openEmbedded(${JSON.stringify(path)}, { settings: ${JSON.stringify(settings)} })
    process.once('SIGTERM', () => database.release())
    console.log(database.url)`
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { detached: true, stdio: [...stdio] })
  const ended = once(child, 'exit').then(([exitCode]) => exitCode as number | null)
  const url = new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()))
    void ended.then(() => reject(new Error('ended early')))
  })
  return { url, ended, pid: child.pid ?? 0, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeout })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function isUp(url: string): Promise<boolean> {
  return await query(url, 'select 1').then(
    () => true,
    () => false,
  )
}
