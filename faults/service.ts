/** The service itself is killed, or asked to stop. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { servingProcesses } from '../test/processes.ts'
import { queueIsDone } from '../test/queue.ts'
import { until } from '../test/smtp.ts'
import { password } from '../test/world.ts'
import { send } from './requests.ts'
import { raise, stopInTurn } from './stage.ts'

/** Kills the service under load and starts it again, several times. */
export async function killedService(t: TestContext, rounds = 4): Promise<string> {
  const stage = await raise(t)
  const [service] = stage.services
  assert.ok(service)
  const load = stage.load()
  for (let round = 0; round < rounds; round++) {
    await setTimeout(1_500)
    await service.kill()
    await service.start()
  }
  await setTimeout(1_000)
  await stage.later(load)
  return stage.check({ mostMails: 1 + rounds })
}

/** Two services use one database; each is killed and restarted in turn. */
export async function killedInTurn(t: TestContext, rounds = 2): Promise<string> {
  const stage = await raise(t, { services: 2 })
  const load = stage.load()
  for (let round = 0; round < rounds; round++) {
    for (const service of stage.services) {
      await setTimeout(1_500)
      await service.kill()
      await setTimeout(500)
      await service.start()
    }
  }
  await stage.later(load)
  return stage.check({ mostMails: 2 + 2 * rounds })
}

/** Two processes serve on one port. One at a time is killed, and its primary replaces it. */
export async function killedServing(t: TestContext, rounds = 4): Promise<string> {
  const stage = await raise(t, { env: { WORKERS: '2' } })
  const [service] = stage.services
  assert.ok(service)
  const load = stage.load()
  for (let round = 0; round < rounds; round++) {
    await setTimeout(1_500)
    const before = servingProcesses(service.process)
    assert.equal(before.length, 2)
    const [pid] = before
    process.kill(pid as number, 'SIGKILL') // there are two
    await until(async () => {
      const now = servingProcesses(service.process)
      return now.length === 2 && !now.includes(pid as number)
    }, 'another serving process')
  }
  await setTimeout(1_000)
  await load.finish()
  return `${await stage.check()}; ${rounds} killed, and replaced`
}

/** Two services are asked to stop and restarted in turn, while requests come without a pause: all are answered. */
export async function stoppedUnderLoad(t: TestContext, rounds = 2): Promise<string> {
  const stage = await raise(t, { services: 2 })
  return stopInTurn(stage, rounds, 1_000)
}

/** Kills the service after PostgreSQL has committed a change and before the client gets the answer. */
export async function killedBetweenCommitAndAnswer(t: TestContext): Promise<string> {
  const stage = await raise(t)
  const { proxy, services, postgres } = stage
  const [service] = services
  assert.ok(service)
  const { url } = service
  const mark = randomBytes(6).toString('hex')
  const signedUp = await send(url, {
    method: 'POST',
    path: '/api/auth/sign-up',
    body: { email: `ann-${mark}@example.com`, password },
  })
  const { token } = signedUp.body.session
  const change = {
    method: 'POST',
    path: '/api/organizations',
    body: { name: `Hall ${mark}` },
    token,
    key: randomUUID(),
  }
  await queueIsDone(postgres) // the mail, which commits too

  let killed: Promise<void> | undefined
  proxy.inspect = (from, piece) => {
    if (from === 'client' || !piece.includes('COMMIT\0')) return 'pass'
    killed ??= service.kill()
    return 'lose'
  }
  await assert.rejects(send(url, change), { code: 'ECONNRESET' })
  proxy.inspect = undefined
  await killed
  const made = () => postgres.query('select id from organizations')
  assert.equal((await made()).length, 1, 'it was committed')

  await service.start()
  const again = await send(url, change)
  assert.equal(again.status, 201)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual(await made(), [{ id: again.body.id }])
  assert.equal(again.headers.location, `/api/organizations/${again.body.id}`)
  const entries = await postgres.query(`select from audit_entries where action = 'organization.created'`)
  assert.equal(entries.length, 1)
  const other = await send(url, { ...change, body: { name: 'Another' } })
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  return 'answered from what was kept, one effect, one entry'
}
