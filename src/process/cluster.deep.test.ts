/** Several processes on one port, as the operator meets them. */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { send } from '../../faults/requests.ts'
import { freePort } from '../../test/ports.ts'
import {
  databaseRuns,
  get,
  killDatabase,
  makeFolder,
  post,
  type Running,
  run,
  servingProcesses,
  start,
} from '../../test/processes.ts'
import { scrape, sumOf } from '../../test/scrape.ts'
import { until } from '../../test/smtp.ts'
import { speak } from '../../test/sockets.ts'
import { password } from '../../test/world.ts'
import { hashing, shareCores } from '../domain/credentials/hash-queue.ts'
import { getCluster } from '../platform/database/embedded-cluster.ts'
import { findServer } from '../platform/database/embedded-server.ts'

const env = { WORKERS: '2', LOG_LEVEL: 'info' }
const metrics = await freePort()
const service = await start({ env: { ...env, METRICS_PORT: String(metrics) } })
const messages = () => [...service.out.matchAll(/"msg":"(.*?)"/g)].map(([, message]) => message)

/** Requests that take a while, of which the first has been answered. */
async function startBurst(service: Running): Promise<ReturnType<typeof post>[]> {
  const burst = Array.from({ length: 6 }, (_, index) =>
    post(service, '/api/auth/sign-up', { email: `guest-${index}@example.com`, password }),
  )
  await Promise.race(burst)
  return burst
}

/** @returns how many processes use the embedded database, by the lock that each of them holds */
async function usersOf({ folder }: Running): Promise<number> {
  const cluster = await getCluster(join(folder, '.guildhall'), { sync: false })
  const port = (await findServer(cluster)) ?? 0
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: cluster.passwords.superuser })
  await client.connect()
  const { rowCount } = await client.query(`select from pg_locks where locktype = 'advisory' and mode = 'ShareLock'`)
  await client.end()
  return rowCount ?? 0
}

async function assertAnswered(burst: readonly ReturnType<typeof post>[]): Promise<void> {
  const codes = (await Promise.all(burst)).map(({ status, body }) => body.code ?? status)
  assert.deepEqual(
    codes,
    burst.map(() => 201),
  )
}

const counted = async () => {
  const labels = { http_route: '/livez' }
  return sumOf((await scrape(metrics)).samples, 'http_server_request_duration_seconds_count', labels) ?? 0
}

/** Of one that does not answer within a second, as a busy one may not, only the totals count. @returns a scrape of as many processes */
const scrapeOf = (processes: number) =>
  until(async () => {
    const { samples } = await scrape(metrics)
    return sumOf(samples, 'guildhall_processes') === processes ? samples : undefined
  }, `a scrape of ${processes} processes`)

test('one scrape of metrics covers all processes, including one that hangs', async () => {
  await Promise.all(Array.from({ length: 20 }, () => scrape(metrics)))
  const first = await scrapeOf(3)
  assert.equal(service.err, '', 'however many ask at once')
  shareCores(2)
  const { line } = hashing()
  shareCores(1)
  assert.equal(sumOf(first, 'guildhall_password_hashes_waiting_max'), 2 * line, 'of those alone that answer requests')
  assert.equal(sumOf(first, 'db_client_connection_max'), 20)
  const stray = await speak(`http://127.0.0.1:${metrics}`, 'GET // HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(stray, /^HTTP\/1\.1 404 /)
  for (let sent = 0; sent < 20; sent++) await fetch(`${service.url}/livez`, { headers: { connection: 'close' } })
  await until(async () => (await counted()) === 20, 'all requests to be counted')

  const [hangs = 0] = servingProcesses(service)
  process.kill(hangs, 'SIGSTOP')
  try {
    await scrapeOf(2)
    assert.equal(await counted(), 20)
  } finally {
    process.kill(hangs, 'SIGCONT')
  }
})

test('a killed serving process is replaced while the other one answers', async () => {
  const { body } = await post(service, '/api/auth/sign-up', { email: 'ann@example.com', password })
  const { token } = body.session
  const me = { method: 'GET', path: '/api/users/me', token }
  const [killed = 0, other, ...more] = servingProcesses(service)
  assert.deepEqual([typeof other, more], ['number', []], 'two serve')

  process.kill(killed, 'SIGKILL')
  await until(() => !servingProcesses(service).includes(killed), 'it to be gone')
  assert.equal((await send(service.url, me, new Agent())).status, 200)
  await until(() => messages().includes('another serving process took its place'), 'another to serve')
  const serving = servingProcesses(service)
  assert.deepEqual([serving.length, serving.includes(killed), serving.includes(other ?? 0)], [2, false, true])
  assert.equal(await counted(), 20, 'what was counted does not become less')
  await scrapeOf(3)
})

test('a mail is sent once, however many processes serve', async () => {
  const [, key = ''] = /\/mailbox#(\S+)$/m.exec(service.out) ?? []
  const mailbox = { 'guildhall-mailbox-key': key }
  const mails = () => get(service, '/api/mailbox?to=ann@example.com', mailbox)
  await until(async () => (await mails()).body.data.length === 1, 'a mail to Ann')
  await until(() => messages().includes('mail'), 'the queue to say so')
  assert.equal(messages().filter((message) => message === 'mail').length, 1)
})

test('on a taken port several processes refuse to start, and say so once', async () => {
  const { folder, port } = service
  const child = run(['serve'], { folder, port, env: { ...env, LOG_LEVEL: 'silent' } })
  assert.deepEqual(
    [await child.ended, child.out, child.err],
    [1, '', `guildhall: Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or set PORT.\n`],
  )
})

test('after SIGTERM all serving processes finish their requests, then the service and its database stop', async () => {
  const burst = await startBurst(service)
  service.child.kill('SIGTERM')
  await assertAnswered(burst)
  assert.equal(await service.ended, 0)
  assert.ok(!databaseRuns(service), 'the embedded database was stopped')
  await assert.rejects(get(service, '/livez'))
  assert.equal(service.err, '')
  assert.deepEqual(
    messages().filter((message) => message !== 'answered' && message !== 'mail'),
    [
      `listening at ${service.url}`,
      'a serving process ended',
      'another serving process took its place',
      'stopping',
      'stopped',
    ],
  )
})

test('serving processes survive a kill of PostgreSQL; after a kill of their primary they finish their requests and leave nothing behind', async () => {
  const service = await start({ env })
  const pids = servingProcesses(service)
  const isReplaced = killDatabase(service)
  // So many that each process is among those that answer.
  const isReady = async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => get(service, '/readyz')))
    return answers.every(({ status }) => status === 200)
  }
  await until(isReplaced, 'another PostgreSQL to start')
  await until(isReady, 'PostgreSQL to be there again')
  assert.deepEqual(servingProcesses(service), pids)
  // A process that is ready joins the server of its own accord soon after. Until then, the last one that leaves it would stop it.
  await until(async () => (await usersOf(service)) === 3, 'all processes to use it')

  const burst = await startBurst(service)
  service.child.kill('SIGKILL')
  await assertAnswered(burst)
  await service.ended // they had the same standard output, and have closed it too
  await assert.rejects(get(service, '/livez'))
  assert.ok(!databaseRuns(service), 'the embedded database was stopped')
  assert.equal(service.err, '')
})

test('if the primary is killed before the serving processes are ready, they end too', async () => {
  const starting = run(['serve'], { folder: await makeFolder({ data: true }), port: await freePort(), env })
  await until(() => servingProcesses(starting).length === 2, 'serving processes to be started')
  let hasEnded = false
  starting.ended.then(() => (hasEnded = true)) // they had the same standard output, and have closed it too
  starting.child.kill('SIGKILL')
  await until(() => hasEnded, 'serving processes to end')
})
