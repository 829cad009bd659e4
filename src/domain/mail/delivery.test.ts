/** Delivery: mails wait for the mail server, are retried, and are dropped when they are outdated. */
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import pino from 'pino'
import { linkIn, newAddress, onMailJobs, tokenOf } from '../../../test/mail-jobs.ts'
import { queueIsDone as wholeQueueIsDone } from '../../../test/queue.ts'
import { startSink } from '../../../test/smtp.ts'
import { createWorld, password, wakeWorkers } from '../../../test/world.ts'
import { sendMail, sendMailJob } from './mail.ts'
import { openTransport } from './transport.ts'

const sink = await startSink()

const world = await createWorld({
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
  },
  worker: true,
})

afterEach(async () => {
  sink.manner = 'take'
  await sink.start()
})

after(() => sink.stop())
const { failedJob, queueIsDone, signUp } = onMailJobs(world)

test('while the mail server is down requests are answered, and the mail is sent once when it is back', async () => {
  await sink.stop()
  const email = newAddress()
  const { status, body } = await signUp(email)
  assert.equal(status, 201)

  const { attempts, delay, lastError } = await failedJob(body.user.id, 1)
  assert.ok(delay > 0)
  assert.match(lastError ?? '', /^The mail server did not take the mail: ESOCKET|ECONNECTION/)
  await makeDue(body.user.id)
  const second = await failedJob(body.user.id, attempts + 1)
  assert.ok(second.delay > delay, 'the next try is farther off than the one before')

  await sink.start()
  await makeDue(body.user.id)
  const [arrived] = await sink.to(email)
  assert.ok(linkIn(arrived?.mail.text ?? ''))
  await queueIsDone(body.user.id)
  assert.equal((await sink.to(email)).length, 1)
})

for (const [at, code] of [
  ['connect', 421],
  ['mail', 451],
  ['mail', 550],
  ['rcpt', 450],
  ['rcpt', 452],
  ['data', 451],
] as const) {
  test(`a mail that is refused temporarily (${code} at ${at}) is tried again until it is accepted`, async () => {
    sink.manner = { at, code }
    const email = newAddress()
    const { body } = await signUp(email)
    const { lastError, text } = await failedJob(body.user.id, 1)
    assert.match(lastError ?? '', new RegExp(`did not take the mail: [A-Z]+ ${code}$`))
    assert.ok(!text.includes(email.slice(0, 12)), 'the queue keeps no address')

    sink.manner = 'take'
    sink.arrived.length = 0
    await makeDue(body.user.id)
    await sink.to(email)
    await queueIsDone(body.user.id)
    assert.equal((await sink.to(email)).length, 1)
  })
}

for (const at of ['rcpt', 'data'] as const) {
  test(`a mail that is refused permanently (550 at ${at}) is not tried again`, async () => {
    sink.manner = { at, code: 550 }
    const { body } = await signUp(newAddress())
    await queueIsDone(body.user.id)
  })
}

test('a mail that is refused permanently is a warning in the log, as one that failed is', async () => {
  sink.manner = { at: 'rcpt', code: 450 }
  const { body } = await signUp(newAddress())
  const { payload } = await failedJob(body.user.id, 1)
  const { config, database, keyring } = world.app
  const post = { config, database, keyring, transport: openTransport(config) }
  const lines: { level: number; msg: string; outcome?: string }[] = []
  const log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) })
  const run = { job: { id: '1', attempts: 1 } }

  await assert.rejects(sendMailJob(post, payload, run, log))
  sink.manner = { at: 'rcpt', code: 550 }
  await sendMailJob(post, payload, run, log)
  sink.manner = 'take'
  await sendMailJob(post, payload, run, log)
  const { warn, info } = pino.levels.values
  assert.deepEqual(
    lines.map(({ level, msg, outcome }) => [level, msg, outcome]),
    [
      [warn, 'mail not sent', undefined],
      [warn, 'mail', 'refused'],
      [info, 'mail', 'sent'],
    ],
  )
})

test('a mail whose acceptance was lost is sent again with the same Message-ID', async () => {
  sink.manner = 'drop'
  const email = newAddress()
  const { body } = await signUp(email)
  await failedJob(body.user.id, 1)

  sink.manner = 'take'
  await makeDue(body.user.id)
  const [first, second] = await sink.to(email, 2)
  assert.ok(first?.mail.messageId)
  assert.equal(first.mail.messageId, second?.mail.messageId)
  assert.equal(linkIn(first.mail.text ?? ''), linkIn(second?.mail.text ?? ''))
})

test('a mail that is sent again on request has a new Message-ID and a new link', async () => {
  const email = newAddress()
  const { body } = await signUp(email)
  await sink.to(email)
  await queueIsDone(body.user.id)
  const { status } = await world.nobody.post('/api/auth/verify-email/resend', undefined, {
    authorization: `Bearer ${body.session.token}`,
  })
  assert.equal(status, 202)
  const [first, second] = await sink.to(email, 2)
  assert.notEqual(first?.mail.messageId, second?.mail.messageId)
  assert.notEqual(linkIn(first?.mail.text ?? ''), linkIn(second?.mail.text ?? ''))
})

test('a transaction that is rolled back sends no mail', async () => {
  const { ann, path } = await world.organization()
  const email = newAddress()
  await world.postgres.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before insert on audit_entries for each row when (new.action = 'invitation.sent')
      execute function refuse()`)
  try {
    assert.equal((await ann.post(`${path}/invites`, { email })).status, 500)
  } finally {
    await world.postgres.query('drop trigger refuse on audit_entries; drop function refuse')
  }
  const later = newAddress()
  await ann.post(`${path}/invites`, { email: later })
  await sink.to(later)
  await wholeQueueIsDone(world.postgres)
  assert.deepEqual(
    sink.arrived.filter(({ recipients }) => recipients.includes(email)),
    [],
  )
})

test('the mail of an invitation that was revoked meanwhile is not sent', async () => {
  const { ann, path } = await world.organization()
  await sink.stop()
  const email = newAddress()
  const { body } = await ann.post(`${path}/invites`, { email })
  await failedJob(body.id, 1)
  assert.equal((await ann.delete(`${path}/invites/${body.id}`)).status, 200)

  await sink.start()
  await makeDue(body.id)
  await queueIsDone(body.id)
  assert.equal(sink.arrived.filter(({ recipients }) => recipients.includes(email)).length, 0)
})

test('if an invitation is resent before its first mail is sent, only the newer mail is sent', async () => {
  const { ann, path } = await world.organization()
  await sink.stop()
  const email = newAddress()
  const { body } = await ann.post(`${path}/invites`, { email })
  const { payload } = await failedJob(body.id, 1)
  assert.equal((await ann.post(`${path}/invites/${body.id}/resend`)).status, 200)

  await sink.start()
  await makeDue(body.id)
  const [arrived] = await sink.to(email)
  await queueIsDone(body.id)
  assert.equal((await sink.to(email)).length, 1)
  const token = tokenOf(linkIn(arrived?.mail.text ?? ''))
  assert.equal((await world.nobody.post(`/api/invites/${body.id}/preview`, { token })).status, 200)

  const { config, database, keyring } = world.app
  const post = { config, database, keyring, transport: openTransport(config) }
  assert.equal(await sendMail(post, payload), 'overtaken')
  assert.equal((await sink.to(email)).length, 1)
})

test('a waiting mail is not sent if its person verified the address or deleted the account meanwhile', async () => {
  await sink.stop()
  const [verified, deleted] = [newAddress(), newAddress()]
  const [one, other] = [await signUp(verified), await signUp(deleted)]
  const payloads = [await failedJob(one.body.user.id, 1), await failedJob(other.body.user.id, 1)]
  await world.postgres.query('update users set email_verified = true where id = $1', [one.body.user.id])
  const gone = await world.nobody.delete(
    '/api/users/me',
    { password },
    { authorization: `Bearer ${other.body.session.token}` },
  )
  assert.equal(gone.status, 200)

  await sink.start()
  for (const id of [one.body.user.id, other.body.user.id]) {
    await makeDue(id)
    await queueIsDone(id)
  }
  const { config, database, keyring } = world.app
  const transport = openTransport(config)
  for (const { payload } of payloads) {
    assert.equal(await sendMail({ config, database, keyring, transport }, payload), 'overtaken')
  }
  for (const address of [verified, deleted])
    assert.ok(!sink.arrived.some(({ recipients }) => recipients.includes(address)), address)
})

async function makeDue(id: string): Promise<void> {
  await world.postgres.query(
    `update graphile_worker._private_jobs set run_at = now() where payload::text like '%' || $1 || '%'`,
    [id],
  )
  await world.postgres.query(wakeWorkers)
}
