import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { dump, traces } from '../../../test/dump.ts'
import { finishJobs } from '../../../test/queue.ts'
import { until as eventually, startSink } from '../../../test/smtp.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'
import { queueMail } from '../mail/queue.ts'

const world = await createWorld()
const { query } = world.postgres

const erase = (person: Person, typed = password) => person.delete('/api/users/me', { password: typed })
const jobs = () => query<{ payload: Record<string, string> }>('select payload from graphile_worker._private_jobs')

/** Sends all mails that wait. @returns what has arrived */
async function deliver() {
  const sink = await startSink()
  const worker = await world.startWorker({ smtpUrl: `smtp://127.0.0.1:${sink.port}` })
  try {
    await eventually(async () => (await jobs()).length === 0, 'the end of the queue')
  } finally {
    await worker.stop()
    await sink.stop()
  }
  return sink.arrived
}

/** Changes a person's address by the link that is mailed to the new one. */
async function change(person: Person, email: string): Promise<void> {
  assert.equal((await person.patch('/api/users/me', { email, currentPassword: password })).status, 200)
  const generation = await generationOf(person, 'change_email')
  const token = makeMailedToken(world.keyring, 'change_email', { tenant: world.tenantId, id: person.id, generation })
  assert.equal((await person.post('/api/auth/verify-email', { token })).status, 200)
}

async function generationOf({ id }: Person, purpose: string): Promise<number> {
  const [row] = await query<{ generation: number }>(
    'select max(generation) as generation from mailed_tokens where user_id = $1 and purpose = $2',
    [id, purpose],
  )
  return row?.generation ?? 0
}

test('the deletion notice exists only as an encrypted job, is sent once, and is dropped within a day', async () => {
  const ann = await world.person()
  await finishJobs(world)
  assert.equal((await erase(ann)).status, 200)

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
  assert.deepEqual(
    (await deliver()).map(({ recipients, mail }) => [recipients, mail.subject]),
    [[[ann.email], 'Your account at Guildhall was deleted']],
  )
  assert.deepEqual(traces(await dump(query), { email: ann.email }), [])
})

test('an address that could still undo a change gets one mail: that the account was deleted', async () => {
  const ann = await world.person()
  await finishJobs(world)
  const thief = await world.signIn(ann)
  const [second, third] = [`second-${ann.email}`, `third-${ann.email}`]
  await change(thief, second)
  await query(`update mailed_tokens set expires_at = now() where user_id = $1 and purpose = 'undo_email_change'`, [
    ann.id,
  ])
  await change(thief, third)
  const generation = await generationOf(ann, 'undo_email_change')

  assert.equal((await erase(thief)).status, 200)

  const arrived = (await deliver()).map(({ recipients, mail }) => ({ ...mail, to: recipients.join() }))
  const subject = 'Your account at Guildhall was deleted'
  assert.deepEqual(
    arrived.map((mail) => [mail.to, mail.subject]).sort(),
    [second, third].map((to) => [to, subject]),
    'the first address can undo nothing any more',
  )
  const [before, after] = [second, third].map((to) => arrived.find((mail) => mail.to === to)?.text ?? '')
  assert.match(before ?? '', /changed from this one to another\. .*can’t be undone/)
  assert.doesNotMatch(after ?? '', /changed/)
  const token = makeMailedToken(world.keyring, 'undo_email_change', { tenant: world.tenantId, id: ann.id, generation })
  assert.equal((await world.nobody.post('/api/auth/undo-email-change', { token })).body.code, 'token_spent')
  assert.deepEqual(traces(await dump(query), { email: ann.email, second, third, 'user id': ann.id }), [])
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
