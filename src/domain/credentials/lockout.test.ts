import assert from 'node:assert/strict'
import { test } from 'node:test'
import { from } from '../../../test/devices.ts'
import { createGuessWorld, newAddress } from '../../../test/guesses.ts'
import { fillLine } from '../../../test/hashing.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'
import { beginAttempt } from '../sessions/attempts.ts'

const { world, sink, attempt, accountOf, counted, moveNextAttempt } = await createGuessWorld()
const { query } = world.postgres

/** How often all unknown devices together have failed. */
async function countedUnknown(email: string): Promise<number> {
  const [row] = await query<{ failures: number }>(
    `select failures from password_attempts where account = $1 and source = ''`,
    [accountOf(email)],
  )
  return row?.failures ?? 0
}

/** Fails a hundred times, each time from another network. */
async function failHundredTimes(email: string): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let ten = 0; ten < 10; ten++) {
    const networks = Array.from({ length: 10 }, (_, index) => `198.51.100.${10 * ten + index}`)
    answers.push(...(await Promise.all(networks.map((ip) => attempt(email, undefined, ip)))))
  }
  return answers
}

/** Stores a count of failures from unknown devices. */
async function pretend(email: string, failures: number): Promise<void> {
  await attempt(email, undefined, '203.0.113.1')
  await query(`update password_attempts set failures = $2 where account = $1 and source = ''`, [
    accountOf(email),
    failures,
  ])
}

/** The entries about somebody with this action. */
async function entriesOf({ id }: Person, action: string): Promise<unknown[]> {
  return query(
    `select e.id from audit_entries e join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id where d.user_id = $1 and e.action = $2`,
    [id, action],
  )
}

const switchedOff = (email: string) =>
  sink.arrived.filter(({ recipients, mail }) => recipients.includes(email) && mail.subject?.endsWith('was turned off'))

test('after a hundred failures no unknown device can sign in, even with the right password, until a reset (NIST SP 800-63B-4, 3.2.2)', async () => {
  const ann = await world.person()
  const { deviceToken } = (await attempt(ann.email, password)).body.session
  const answers = await failHundredTimes(ann.email)
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401])

  for (const ip of ['203.0.113.5', '2001:db8::1']) {
    const { status, body } = await attempt(ann.email, password, ip)
    assert.deepEqual([status, body.code], [401, 'invalid_credentials'])
  }
  assert.equal((await attempt(ann.email, password, '203.0.113.5', deviceToken)).status, 200, 'a known device gets in')
  assert.equal((await ann.get('/api/users/me')).status, 200, 'nobody is signed out')

  await until(() => switchedOff(ann.email).length > 0, 'the mail that tells')
  await world.nobody.post('/api/auth/forgot-password', { email: ann.email })
  await until(
    () =>
      sink.arrived.some(({ recipients, mail }) => recipients.includes(ann.email) && mail.subject?.startsWith('Reset')),
    'the link',
  )
  const token = makeMailedToken(world.keyring, 'reset_password', {
    tenant: world.tenantId,
    id: ann.id,
    generation: 1,
  })
  const newPassword = 'another long passphrase'
  assert.equal((await world.nobody.post('/api/auth/reset-password', { token, newPassword })).status, 200)

  assert.equal((await attempt(ann.email, newPassword, '203.0.113.6')).status, 200)
  assert.equal(await countedUnknown(ann.email), 0)
})

test('while unknown devices are switched off, the right password does not prove an account to be linked either', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  await query(
    `insert into providers (tenant_id, id, type, name, client_id) values ($1, 'idp_1', 'github', 'GitHub', 'x')`,
    [world.tenantId],
  )
  await pretend(ann.email, 100)

  /** Comes from the provider with an unknown identity, then proves the account of the address by its password. */
  const prove = async ({ id: userId, email }: Person): Promise<Answer> => {
    const link = { provider: { id: 'idp_1', name: 'GitHub' }, issuer: 'x', subject: userId, email }
    const { attempt } = await world.database.inTenant(world.tenantId, (sql) =>
      beginAttempt(sql, world.keyring, {
        ...{ purpose: 'sign_in', next: 'first_factor', methods: ['password', 'passkey', 'mail_code'], proven: [] },
        ...{ wantedAssurance: 1, userId, sessionId: null, providerId: 'idp_1', details: { email, basis: {}, link } },
      }),
    )
    return world.nobody.post('/api/auth/sign-in/continue', { attempt: attempt.token, password }, from('203.0.113.7'))
  }
  const [refused, linked] = [await prove(ann), await prove(ben)]

  assert.deepEqual([refused.status, refused.body.code], [403, 'wrong_proof'])
  assert.equal(linked.status, 200)
  assert.deepEqual(await query('select user_id from identities'), [{ user_id: ben.id }])
})

test('one mail and one entry in the log say that unknown devices can no longer sign in', async () => {
  const ann = await world.person()
  await pretend(ann.email, 98)
  assert.deepEqual(await entriesOf(ann, 'password.switched_off'), [])

  for (let each = 1; each <= 5; each++) await attempt(ann.email, undefined, `198.51.100.${each}`)
  await until(() => switchedOff(ann.email).length > 0, 'the mail')
  await attempt(ann.email, password, '198.51.100.77')
  await queueIsDone(world.postgres)

  assert.equal(switchedOff(ann.email).length, 1)
  assert.equal((await entriesOf(ann, 'password.switched_off')).length, 1)
  assert.equal(await countedUnknown(ann.email), 100, 'further ones are not counted')
})

test('the mail is sent even if the hundredth attempt was never checked', async () => {
  const ann = await world.person()
  await pretend(ann.email, 100) // as a process leaves it that was killed, or had too much to do

  assert.equal((await attempt(ann.email, password, '198.51.100.1')).status, 401)

  await until(() => switchedOff(ann.email).length > 0, 'the mail')
})

test('a wait that was counted while the clock of the database was ahead is over when the clock is right', async () => {
  const ann = await world.person()
  for (let each = 1; each <= 5; each++) await attempt(ann.email)
  await moveNextAttempt(ann.email, 'far away')
  assert.equal((await attempt(ann.email, password)).status, 429)
  await query(
    `update password_attempts set next_at = next_at + interval '1 day', updated_at = updated_at + interval '1 day'
     where account = $1 and source <> ''`,
    [accountOf(ann.email)],
  )
  assert.equal((await attempt(ann.email, password)).status, 200)
})

test('guesses at an address are forgotten when an account gets it', async () => {
  const email = newAddress()
  await pretend(email, 100)
  await world.person('Ann', { email })
  assert.equal((await attempt(email, password, '198.51.100.1')).status, 200)
})

test('an attempt that is refused under load delays no later one, and opens no account that is switched off', async (t) => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  await pretend(ann.email, 100)
  await pretend(ben.email, 13)
  await query('update password_attempts set failures = 13 where account = $1', [accountOf(ben.email)])
  const free = fillLine(t, '203.0.113.1')
  const [bens, ...answers] = await Promise.all([
    attempt(ben.email, password, '203.0.113.1'),
    ...Array.from({ length: 3 }, () => attempt(ann.email, password, '203.0.113.1')),
  ])
  assert.equal(bens.status, 503)
  assert.ok(answers.some(({ status }) => status === 503))
  await free()
  assert.deepEqual(await counted(ben.email), [{ failures: 13, blocked: false }])
  assert.equal((await attempt(ben.email, password, '203.0.113.1')).status, 200)
  assert.equal(await countedUnknown(ann.email), 100)
  assert.equal((await attempt(ann.email, password, '198.51.100.77')).status, 401)
})

test('the hundredth attempt succeeds with the right password, and takes back only its own failure', async () => {
  const ann = await world.person()
  await pretend(ann.email, 97)
  for (let each = 0; each < 2; each++) await attempt(ann.email, undefined, '198.51.100.1')
  assert.equal(await countedUnknown(ann.email), 99)

  assert.equal((await attempt(ann.email, password, '198.51.100.1')).status, 200)

  assert.equal(await countedUnknown(ann.email), 97)
})

test('an address without an account is switched off in the same way, without a mail', async () => {
  const email = newAddress()
  await pretend(email, 99)

  const answers = []
  for (let each = 1; each <= 3; each++) answers.push(await attempt(email, password, `198.51.100.${each}`))

  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    Array.from({ length: 3 }, () => [401, 'invalid_credentials']),
  )
  assert.equal(await countedUnknown(email), 100)
  assert.equal(switchedOff(email).length, 0)
})

test('processes on one database count together', async (t) => {
  const other = await world.otherApp()
  t.after(() => other.close())
  const there = (email: string, typed: string, ip: string, deviceToken?: string) => {
    const payload = { email, password: typed, deviceToken }
    return other.inject({ method: 'POST', url: '/api/auth/sign-in', headers: from(ip), payload })
  }
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const { deviceToken } = (await attempt(ben.email, password)).body.session

  for (let each = 0; each < 3; each++) await attempt(ann.email)
  for (let each = 0; each < 2; each++) await there(ann.email, 'not the password', '192.0.2.1')
  await moveNextAttempt(ann.email, 'far away')
  assert.equal((await there(ann.email, password, '192.0.2.1')).statusCode, 429)
  assert.equal((await attempt(ann.email, password)).status, 429)

  await pretend(ben.email, 98)
  await attempt(ben.email, undefined, '198.51.100.1')
  await there(ben.email, 'not the password', '198.51.100.2')
  assert.equal((await attempt(ben.email, password, '198.51.100.3')).status, 401)
  assert.equal((await there(ben.email, password, '198.51.100.4')).statusCode, 401)
  assert.equal((await there(ben.email, password, '198.51.100.4', deviceToken)).statusCode, 200)
})
