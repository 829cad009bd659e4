/** PostgreSQL stops or misbehaves. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { buildApp } from '../src/app.ts'
import { ensureDefaultTenant } from '../src/features/tenants/tenants.ts'
import { Keyring } from '../src/platform/cryptography.ts'
import { Database } from '../src/platform/database/database.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { until } from '../test/smtp.ts'
import { password } from '../test/world.ts'
import { checkUnavailable, type Sent, send } from './requests.ts'
import { awaitRecovery, awaitUnready, raise, signUp } from './stage.ts'

/** Ends the server and starts it again: killed, stopped without a checkpoint, stopped in order. */
export async function endedPostgres(t: TestContext, outage = 4_000): Promise<string> {
  const stage = await raise(t)
  const { postgres, services } = stage
  const load = stage.load()
  const recovered: string[] = []
  for (const how of ['SIGKILL', 'immediate', 'fast'] as const) {
    await setTimeout(1_500)
    await postgres.end(how)
    await Promise.all([...services.map(awaitUnready), setTimeout(outage)])
    await postgres.start()
    recovered.push(`${how}: ${await awaitRecovery(stage, performance.now())}`)
  }
  await setTimeout(1_000)
  await load.finish()
  return `${await stage.check({ mostMails: 4 })}; ${recovered.join(', ')}`
}

/** Kills the embedded server, which the service restarts by itself; then kills both. */
export async function killedEmbedded(t: TestContext, rounds = 2): Promise<string> {
  const stage = await raise(t, { isEmbedded: true })
  const { postgres, services } = stage
  const [service] = services
  assert.ok(service)
  const load = stage.load()
  const recovered: string[] = []
  for (let round = 0; round < rounds; round++) {
    await setTimeout(1_500)
    const [from, killed] = [performance.now(), await postgres.pid()]
    await postgres.end('SIGKILL')
    await until(async () => (await postgres.pid().catch(() => killed)) !== killed, 'another PostgreSQL')
    recovered.push(await awaitRecovery(stage, from))
  }
  await setTimeout(1_000)
  await Promise.all([service.kill(), postgres.end('SIGKILL')])
  await service.start()
  await setTimeout(1_000)
  await stage.later(load)
  return `${await stage.check({ mostMails: 2 + rounds })}; ${recovered.join(', ')}`
}

/** Ends every connection of the services, many times a second. */
export async function terminatedConnections(t: TestContext, seconds = 6): Promise<string> {
  const stage = await raise(t)
  const { postgres } = stage
  const load = stage.load()
  let count = 0
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await setTimeout(150)) {
    const ended = await postgres.query(`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'guildhall'`)
    count += ended.length
  }
  // If one server process crashes, the others end too, and PostgreSQL recovers as after its own crash.
  const [backend] = await postgres.query<{ pid: number }>(`
    select pid from pg_stat_activity where application_name = 'guildhall' limit 1`)
  if (backend) process.kill(backend.pid, 'SIGKILL')
  const recovered = await awaitRecovery(stage, performance.now())
  await setTimeout(1_000)
  await load.finish()
  return `${await stage.check({ mostMails: 10 })}; ${count} connections ended, ${recovered}`
}

/** The server has become a standby: then nobody is served. Later, transactions are read-only by default: then reads continue. */
export async function readOnlyPostgres(t: TestContext): Promise<string> {
  const stage = await raise(t)
  const { postgres, services, journal } = stage
  const [service] = services
  assert.ok(service)
  const before = stage.load()
  await setTimeout(1_000)
  await before.finish()
  const reader = before.stories.find(({ ann }) => ann.deleted === undefined && ann.sessions.length > 0)?.ann
  assert.ok(reader?.sessions[0])
  const { token } = reader.sessions[0]
  const read: Sent = { method: 'GET', path: '/api/users/me', token }
  const writes: Sent[] = [
    { method: 'PATCH', path: '/api/users/me', body: { locale: 'fr' }, token },
    { method: 'POST', path: '/api/organizations', body: { name: 'Never' }, token },
    { method: 'POST', path: '/api/auth/sign-in', body: { email: reader.email, password } },
  ]
  const refuses = async (requests: readonly Sent[]) => {
    for (const request of requests) checkUnavailable(request, await send(service.url, request))
  }

  await postgres.end('fast')
  await postgres.beStandby()
  await postgres.start()
  await awaitUnready(service)
  await refuses([read, ...writes])
  const during = stage.load(2)
  await setTimeout(1_000)
  await postgres.query('select pg_promote()')
  const recovered = await awaitRecovery(stage, performance.now())
  await during.finish()

  await postgres.query('alter database guildhall set default_transaction_read_only = on')
  // The default applies to new connections.
  await postgres.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'guildhall'`)
  await refuses(writes)
  assert.equal((await journal.read('/api/users/me', token)).body.locale, null)
  const again = stage.load(2)
  await setTimeout(1_000)
  await postgres.query(
    'set default_transaction_read_only = off; alter database guildhall reset default_transaction_read_only',
  )
  const writable = await awaitRecovery(stage, performance.now())
  await setTimeout(1_000)
  await again.finish()
  return `${await stage.check({ mostMails: 4 })}; promoted: ${recovered}, writable: ${writable}`
}

/** Another client locks a table, so that every connection is taken by a request that waits for it, while 200 clients come. */
export async function starvedPool(t: TestContext): Promise<string> {
  const stage = await raise(t)
  const { postgres, services, journal } = stage
  const url = services[0]?.url ?? ''
  const token = (await signUp(journal)) ?? ''
  const load = stage.load(4)
  await setTimeout(1_500)
  const release = await postgres.lock('users')
  const [unavailable] = await Promise.all([crowd(url, token, 200), ...services.map(awaitUnready), setTimeout(7_000)])
  await release()
  assert.ok(unavailable > 0, 'everybody was served')
  const recovered = await awaitRecovery(stage, performance.now())
  await load.finish()
  return `${await stage.check({ mostMails: 4 })}; ${unavailable} of 200 refused with a time to retry, ${recovered}`
}

/** Two connections for 200 clients at once: each request is served in turn or answered with a retry time, and no connection is lost. */
export async function poolOfTwo(t: TestContext): Promise<string> {
  const stage = await raise(t, { services: 0 })
  const database = new Database(stage.postgres.url(), { size: 2 })
  await ensureDefaultTenant(database)
  const config = readConfig({ LOG_LEVEL: 'silent', LIMITS: 'off' })
  const app = await buildApp(
    { config, database, keyring: new Keyring(['only for faults']) },
    { log: false, mailboxKey: undefined },
  )
  t.after(async () => {
    await app.close()
    await database.close()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` // listens on TCP
  stage.journal.urls.push(url)
  const token = (await signUp(stage.journal)) ?? ''
  const served = 200 - (await crowd(url, token, 200))
  const release = await stage.postgres.lock('users')
  const unavailable = await crowd(url, token, 200)
  assert.ok(unavailable >= 198, `only ${unavailable} were refused with a time to retry`)
  await release()
  assert.equal(await crowd(url, token, 50), 0, 'somebody was not served afterwards')
  const [left] = await stage.postgres.query<{ count: number }>(`
    select count(*)::integer as count from pg_stat_activity where application_name = 'guildhall' and state <> 'idle'`)
  assert.equal(left?.count, 0, 'a connection was left in a transaction')
  return `${served} of 200 served by two connections; ${unavailable} of 200 refused with a time to retry while both were taken`
}

/** A number of clients read their own user at once. @returns how many were answered with a retry time */
async function crowd(url: string, token: string, count: number): Promise<number> {
  const me = { method: 'GET', path: '/api/users/me', token }
  const answers = await Promise.all(Array.from({ length: count }, () => send(url, me)))
  for (const answer of answers) if (answer.status !== 200) checkUnavailable(me, answer)
  return answers.filter(({ status }) => status === 503).length
}
