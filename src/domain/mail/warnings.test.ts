/** Warnings: mails that tell somebody what was done with their account, perhaps by somebody else. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSink, until } from '../../../test/smtp.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { Keyring } from '../../platform/cryptography.ts'
import { makeMailedToken } from '../access/tokens.ts'

// Behind a proxy, so that callers can come from many networks. No worker runs until a test wants the mails to go out.
const sink = await startSink()
const secret = 'the secret that everything was made with'
const world = await createWorld({
  settings: {
    TRUST_PROXY: '127.0.0.1',
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'guildhall@example.com',
    GUILDHALL_SECRET: secret,
  },
})
after(() => sink.stop())
const { query } = world.postgres
const { tenantId: tenant } = world
const newPassword = 'another long passphrase'

const waiting = async () =>
  (await query<{ kind: string }>(`select payload->>'kind' as kind from graphile_worker._private_jobs order by id`)).map(
    ({ kind }) => kind,
  )

/** Does what the queue holds. */
async function deliver(keyring: Keyring): Promise<void> {
  const worker = await world.startWorker({ smtpUrl: world.app.config.smtpUrl, keyring })
  try {
    await until(async () => (await waiting()).length === 0, 'the queue to be done')
  } finally {
    await worker.stop()
  }
}

/** Signs in on a new device and changes the password there. */
async function takeOver(person: Person): Promise<Person> {
  const thief = await world.signIn(person, { 'x-forwarded-for': '198.51.100.1' })
  const change = { currentPassword: password, newPassword }
  assert.equal((await thief.post('/api/users/me/password', change)).status, 200)
  return thief
}

test("a waiting warning goes to the address of the time of the event, even if the address and the operator's secret change meanwhile", async () => {
  const ann = await world.person()
  const thief = await takeOver(ann)
  const email = `thief-${ann.email}`
  assert.equal((await thief.patch('/api/users/me', { email, currentPassword: newPassword })).status, 200)
  const token = makeMailedToken(world.keyring, 'change_email', { tenant, id: ann.id, generation: 1 })
  assert.equal((await thief.post('/api/auth/verify-email', { token })).body.email, email)

  await deliver(new Keyring(['a secret that is newer than the other', secret]))

  const subjectsTo = (address: string) =>
    sink.arrived.filter(({ recipients }) => recipients.includes(address)).map(({ mail }) => mail.subject)
  const warned = sink.arrived.find(({ mail }) => mail.subject === 'Your password for Guildhall was changed')
  assert.match(warned?.mail.text ?? '', /were signed out, except the one it was changed on\./)
  assert.deepEqual(subjectsTo(email), ['This is now your email address for Guildhall'])
  for (const warning of [/^New sign-in/, /^Your password .* was changed$/]) {
    assert.equal(subjectsTo(ann.email).filter((subject) => warning.test(subject ?? '')).length, 1, String(warning))
  }
})

test("a waiting warning is deleted with its person's account", async () => {
  const ann = await world.person()
  await takeOver(ann)
  assert.deepEqual(await waiting(), ['new_device', 'password_changed'])

  const session = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: newPassword })
  const headers = { authorization: `Bearer ${session.body.session.token}` }
  assert.equal((await world.nobody.delete('/api/users/me', { password: newPassword }, headers)).status, 200)

  assert.deepEqual(await waiting(), ['account_deleted'])
  await deliver(world.keyring)
})

test('an unverified address gets no mail about a new device, a changed password or a deleted account', async () => {
  const stranger = await world.person('Stranger', { verified: false })
  const elsewhere = await takeOver(stranger)
  assert.deepEqual(await waiting(), [], 'and no link, which the change of the password has spent')

  assert.equal((await elsewhere.delete('/api/users/me', { password: newPassword })).status, 200)

  assert.deepEqual(await waiting(), [])
})

test('an unverified address gets no mail about a disabled password either; the log has it', async () => {
  const stranger = await world.person('Stranger', { verified: false })
  const guess = (ip: string) =>
    world.nobody.post('/api/auth/sign-in', { email: stranger.email, password: 'a guess' }, { 'x-forwarded-for': ip })
  assert.equal((await guess('198.51.100.1')).status, 401)
  await query(`update password_attempts set failures = 99 where source = ''`)

  assert.equal((await guess('198.51.100.2')).status, 401)
  await deliver(world.keyring)

  const entries = await query(
    `select from audit_entries e join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id
     where e.action = 'password.switched_off' and d.user_id = $1`,
    [stranger.id],
  )
  assert.equal(entries.length, 1)
  assert.deepEqual(
    sink.arrived.filter(({ recipients }) => recipients.includes(stranger.email)).map(({ mail }) => mail.subject),
    ['Verify your email address for Guildhall'],
  )
})
