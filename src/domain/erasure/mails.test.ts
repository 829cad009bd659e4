import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { dump, traces } from '../../../test/dump.ts'
import { finishJobs } from '../../../test/queue.ts'
import { until as eventually, startSink } from '../../../test/smtp.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { queueMail } from '../mail/queue.ts'

const world = await createWorld()
const { query } = world.postgres

const erase = (person: Person, typed = password) => person.delete('/api/users/me', { password: typed })

test('the deletion notice exists only as an encrypted job, is sent once, and is dropped within a day', async () => {
  const ann = await world.person()
  await finishJobs(world)
  assert.equal((await erase(ann)).status, 200)

  const jobs = () => query<{ payload: Record<string, string> }>('select payload from graphile_worker._private_jobs')
  const [job, ...others] = await jobs()
  assert.deepEqual(others, [])
  assert.deepEqual(Object.keys(job?.payload ?? {}).sort(), ['kind', 'mailId', 'sealed', 'tenantId'])
  assert.equal(job?.payload.kind, 'account_deleted')
  const { email, until } = JSON.parse(world.keyring.open('job', job?.payload.sealed ?? '', world.tenantId) ?? '')
  assert.equal(email, ann.email)
  // A failed try is at most 22,026 s before the next, and the next one finds that its time is over.
  assert.ok(Date.parse(until) - Date.now() + 22_026_000 < 86_400_000)
  assert.deepEqual(traces(await dump(query), { email: ann.email }), [])

  const late = world.keyring.seal(
    'job',
    JSON.stringify({ email: `late-${ann.email}`, until: new Date() }),
    world.tenantId,
  )
  await world.database.inTenant(world.tenantId, (sql) => queueMail(sql, { kind: 'account_deleted', sealed: late }))
  const sink = await startSink()
  const worker = await world.startWorker({ smtpUrl: `smtp://127.0.0.1:${sink.port}` })
  try {
    await eventually(async () => (await jobs()).length === 0, 'the end of the queue')
  } finally {
    await worker.stop()
    await sink.stop()
  }
  assert.deepEqual(
    sink.arrived.map(({ recipients, mail }) => [recipients, mail.subject]),
    [[[ann.email], 'Your account at Guildhall was deleted']],
  )
  assert.deepEqual(traces(await dump(query), { email: ann.email }), [])
})

test("a mail that is being sent while its person's account is deleted leaves no job", async () => {
  const ann = await world.person('Ann', { verified: false })
  const sockets = new Set<Socket>()
  const stalls = createServer((socket) => sockets.add(socket.on('error', () => {})))
  stalls.listen(0, '127.0.0.1')
  await once(stalls, 'listening')
  const { port } = stalls.address() as AddressInfo // of a server that listens on TCP
  const worker = await world.startWorker({ smtpUrl: `smtp://127.0.0.1:${port}` })
  const jobsOfAnn = () => query(`select from graphile_worker._private_jobs where payload->>'userId' = $1`, [ann.id])
  try {
    const isTried = async () =>
      (
        await query(
          `select from graphile_worker._private_jobs where payload->>'userId' = $1 and locked_at is not null`,
          [ann.id],
        )
      ).length > 0
    await eventually(async () => sockets.size > 0 && (await isTried()), 'the mail to be under way')

    assert.equal((await erase(ann)).status, 200)
    stalls.close()
    await eventually(async () => {
      for (const socket of sockets) socket.destroy()
      return (await jobsOfAnn()).length === 0
    }, 'no job to be left')
  } finally {
    stalls.close()
    for (const socket of sockets) socket.destroy()
    await worker.stop()
  }
  assert.deepEqual(traces(await dump(query), { 'user id': ann.id, email: ann.email }), [])
})
