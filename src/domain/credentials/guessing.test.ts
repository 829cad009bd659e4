import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { fillLine } from '../../../test/hashing.ts'
import { startSink, until } from '../../../test/smtp.ts'
import { type Answer, createWorld, Person, password } from '../../../test/world.ts'
import { Database } from '../../platform/database/database.ts'
import { makeMailedToken } from '../access/tokens.ts'

// Behind a proxy, so that attempts can come from many networks.
const sink = await startSink()
const world = await createWorld({
  settings: {
    TRUST_PROXY: '127.0.0.1',
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'guildhall@example.com',
  },
  worker: true,
})
after(() => sink.stop())
const { ask } = world.postgres

const newAddress = () => `nobody-${randomBytes(5).toString('hex')}@example.com`
const from = (ip: string) => ({ 'x-forwarded-for': ip })

function attempt(email: string, typed = 'not the password', ip = '192.0.2.1', deviceToken?: string): Promise<Answer> {
  return world.nobody.post('/api/auth/sign-in', { email, password: typed, deviceToken }, from(ip))
}

/** Fails as often as is free. */
async function failFiveTimes(email: string, ip?: string): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let each = 0; each < 5; each++) answers.push(await attempt(email, undefined, ip))
  return answers
}

function accountOf(email: string): Buffer {
  return world.keyring.hmac('guessing', 'account', world.tenantId, email)
}

/** What is counted of an account, from every network and known device. */
async function counted(email: string): Promise<{ failures: number; blocked: boolean }[]> {
  return ask(
    `select failures, next_at > to_timestamp(0) as blocked
    from password_attempts where account = $1 and source <> '' order by failures`,
    [accountOf(email)],
  )
}

/** How often all unknown devices together have failed. */
async function countedUnknown(email: string): Promise<number> {
  const [row] = await ask<{ failures: number }>(
    `select failures from password_attempts where account = $1 and source = ''`,
    [accountOf(email)],
  )
  return row?.failures ?? 0
}

/** Moves the time of the next attempt, so that no test depends on how fast it runs. */
async function moveNextAttempt(email: string, to: 'into the past' | 'far away'): Promise<void> {
  await ask(
    `update password_attempts set next_at = now() + make_interval(hours => $2)
    where account = $1 and next_at > to_timestamp(0)`,
    [accountOf(email), to === 'far away' ? 1 : -1],
  )
}

test('after five failures in a row even the right password is not checked', async () => {
  const ann = await world.person()

  const answers = await failFiveTimes(ann.email)
  await moveNextAttempt(ann.email, 'far away')
  const sixth = await attempt(ann.email, password)

  for (const { status, body } of answers) assert.deepEqual([status, body.code], [401, 'invalid_credentials'])
  assert.deepEqual([sixth.status, sixth.body.code], [429, 'too_many_attempts'])
  assert.match(sixth.headers.get('retry-after') ?? '', /^3[56]\d\d$/)
})

test('four failures block nothing, and a success resets the count', async () => {
  const ann = await world.person()
  for (let round = 0; round < 2; round++) {
    for (let each = 0; each < 4; each++) assert.equal((await attempt(ann.email)).status, 401)
    assert.equal((await attempt(ann.email, password)).status, 200)
    assert.deepEqual(await counted(ann.email), [])
  }
})

test('the wait doubles with each failure, up to fifteen minutes', async () => {
  const email = newAddress()
  await failFiveTimes(email)
  // From the tenth failure on the waits are too long for a slow machine to sleep through.
  await ask('update password_attempts set failures = 9 where account = $1', [accountOf(email)])
  const waits: number[] = []
  for (let each = 0; each < 7; each++) {
    await moveNextAttempt(email, 'into the past')
    assert.equal((await attempt(email)).status, 401)
    const refused = await attempt(email)
    assert.equal(refused.status, 429)
    waits.push(Number(refused.headers.get('retry-after')))
  }

  for (const [index, most] of [32, 64, 128, 256, 512, 900, 900].entries()) {
    const wait = waits[index] ?? 0
    assert.ok(wait <= most && wait > most / 2, `wait ${index + 1} is ${wait}, of ${most}`)
  }
})

test('a refused attempt is not counted', async () => {
  const email = newAddress()
  await failFiveTimes(email)
  await moveNextAttempt(email, 'far away')

  for (let each = 0; each < 5; each++) assert.equal((await attempt(email)).status, 429)

  assert.deepEqual(await counted(email), [{ failures: 5, blocked: true }])
})

test('of fifty wrong passwords at once, at most five are checked', async () => {
  const ann = await world.person()
  const started = Date.now()

  const answers = await Promise.all(Array.from({ length: 50 }, () => attempt(ann.email)))

  // On a machine so slow that a wait passed meanwhile, that wait's attempt was looked at too.
  const passed = Math.floor((Date.now() - started) / 1000)
  const lookedAt = answers.filter(({ status }) => status === 401).length
  assert.ok(lookedAt >= 5 && lookedAt <= 5 + passed, `${lookedAt} were looked at in ${passed} s`)
  assert.equal(answers.filter(({ status }) => status === 429).length, 50 - lookedAt)
  assert.deepEqual(await counted(ann.email), [{ failures: lookedAt, blocked: true }])
})

test('of fifty attempts that wait for the end of a block, one is checked', async () => {
  const email = newAddress()
  await failFiveTimes(email)
  await ask('update password_attempts set failures = 13 where account = $1', [accountOf(email)])
  await moveNextAttempt(email, 'into the past')

  const answers = await Promise.all(Array.from({ length: 50 }, () => attempt(email)))

  assert.equal(answers.filter(({ status }) => status === 401).length, 1)
})

test('unknown accounts are counted and answered like existing ones', async () => {
  const ann = await world.person()
  const addresses = [ann.email, newAddress()]
  const answers: Answer[][] = []
  for (const email of addresses) {
    const five = await failFiveTimes(email)
    await moveNextAttempt(email, 'far away')
    answers.push([...five, await attempt(email)])
  }

  const shown = answers.map((each) =>
    each.map(({ status, body, headers }) => {
      const { requestId: _, ...rest } = body
      const names = [...headers.keys()].sort()
      return { status, rest, names }
    }),
  )
  assert.deepEqual(shown[0], shown[1])
  assert.deepEqual(await counted(addresses[0] ?? ''), await counted(addresses[1] ?? ''))
})

test('different spellings of an address count as one account', async () => {
  const ann = await world.person()
  await failFiveTimes(ann.email.toUpperCase())
  await moveNextAttempt(ann.email, 'far away')

  assert.equal((await attempt(` ${ann.email} `, password)).status, 429)
})

test('failures count per account and per network', async () => {
  const ann = await world.person()
  const ben = await world.person('Ben')
  await failFiveTimes(ann.email, '192.0.2.1')
  await moveNextAttempt(ann.email, 'far away')

  assert.equal((await attempt(ann.email, password, '192.0.2.1')).status, 429)
  assert.equal((await attempt(ann.email, password, '192.0.2.2')).status, 200)
  assert.equal((await attempt(ben.email, password, '192.0.2.1')).status, 200)
  assert.equal(
    (await attempt(ann.email, password, '192.0.2.1')).status,
    429,
    'another network’s success forgives nothing',
  )
})

test('the same address in another tenant is another account', async () => {
  const { slug } = await world.tenant()
  const ann = await world.person()
  await world.person('Ann', { tenant: slug, email: ann.email })
  await failFiveTimes(ann.email)
  await moveNextAttempt(ann.email, 'far away')

  const headers = { ...from('192.0.2.1'), 'guildhall-tenant': slug }
  const there = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password }, headers)

  assert.equal(there.status, 200)
})

test('an IPv6 network is a /64 (better-auth CVE-2026-45364)', async () => {
  const ann = await world.person()
  for (let each = 1; each <= 5; each++) await attempt(ann.email, undefined, `2001:db8:1:2:${each}::${each}`)
  await moveNextAttempt(ann.email, 'far away')

  assert.equal((await attempt(ann.email, password, '2001:db8:1:2:ffff:ffff:ffff:ffff')).status, 429)
  assert.equal((await attempt(ann.email, password, '2001:DB8:1:3::1')).status, 200)
})

test('a forwarded address may be any text', async () => {
  const ann = await world.person()
  for (const forwarded of ['unknown', '192.0.2.7:4711', '"[2001:db8::1]:4711"', 'x'.repeat(500), '']) {
    const answer = await attempt(ann.email, password, forwarded)
    assert.equal(answer.status, 200, forwarded)
  }
})

test('a client of the proxy cannot choose the network it is counted under', async () => {
  const email = newAddress()
  for (let each = 1; each <= 5; each++) await attempt(email, undefined, `10.0.0.${each}, 192.0.2.9`)
  await moveNextAttempt(email, 'far away')

  assert.equal((await attempt(email, undefined, '10.0.0.99, 192.0.2.9')).status, 429)
})

const guarded: [string, (person: Person, typed: string) => Promise<Answer>][] = [
  [
    'a password change',
    (person, typed) =>
      person.post(
        '/api/users/me/password',
        { currentPassword: typed, newPassword: 'another long passphrase' },
        from('192.0.2.1'),
      ),
  ],
  [
    'a deletion of the account',
    (person, typed) => person.delete('/api/users/me', { password: typed }, from('192.0.2.1')),
  ],
]

for (const [what, act] of guarded) {
  test(`a wrong password of ${what} counts with those of sign-ins on the device`, async () => {
    const { email } = await world.person()
    const { user, session } = (await attempt(email, password)).body
    const ann = new Person(world, session.token, user, {})
    const signIn = (typed?: string) => attempt(email, typed, undefined, session.deviceToken)
    for (let each = 0; each < 3; each++) {
      const answer = await act(ann, 'not the password')
      assert.deepEqual([answer.status, answer.body.code], [403, 'wrong_password'])
    }
    for (let each = 0; each < 2; each++) assert.equal((await signIn()).status, 401)
    await moveNextAttempt(ann.email, 'far away')

    const refused = await act(ann, password)
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts'])
    assert.ok(refused.headers.get('retry-after'))
    assert.equal((await signIn(password)).status, 429)

    await moveNextAttempt(ann.email, 'into the past')
    assert.equal((await act(ann, password)).status, 200)
    assert.deepEqual(await counted(ann.email), [], 'the right password ends the row of failures')
  })
}

test('of fifty wrong passwords in a stolen session, at most five are checked', async () => {
  const ann = await world.person()
  const started = Date.now()

  const answers = await Promise.all(
    Array.from({ length: 50 }, () => ann.delete('/api/users/me', { password: 'a guess' }, from('192.0.2.1'))),
  )

  const passed = Math.floor((Date.now() - started) / 1000)
  const lookedAt = answers.filter(({ status }) => status === 403).length
  assert.ok(lookedAt >= 5 && lookedAt <= 5 + passed, `${lookedAt} were looked at in ${passed} s`)
})

test('the stored counts reveal neither the address nor the network', async () => {
  const email = newAddress()
  await attempt(email, undefined, '203.0.113.99')
  const rows = await ask<{ text: string }>(
    'select row_to_json(p)::text as text from password_attempts p where account = $1',
    [accountOf(email)],
  )
  assert.equal(rows.length, 2)
  for (const { text } of rows) {
    for (const word of [email, '203.0.113.99']) {
      assert.ok(!text.includes(word))
      assert.ok(!text.includes(Buffer.from(word).toString('hex')))
    }
  }
})

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
  await ask(`update password_attempts set failures = $2 where account = $1 and source = ''`, [
    accountOf(email),
    failures,
  ])
}

/** The entries about somebody with this action. */
async function entriesOf({ id }: Person, action: string): Promise<unknown[]> {
  return ask(
    `select e.id from audit_entries e join audit_details d on d.entry_id = e.id where d.user_id = $1 and e.action = $2`,
    [id, action],
  )
}

const switchedOff = (email: string) =>
  sink.arrived.filter(
    ({ recipients, mail }) => recipients.includes(email) && mail.subject?.endsWith('needs a new password'),
  )

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

test('one mail and one entry in the log say that unknown devices can no longer sign in', async () => {
  const ann = await world.person()
  await pretend(ann.email, 98)
  assert.deepEqual(await entriesOf(ann, 'password.switched_off'), [])

  for (let each = 1; each <= 5; each++) await attempt(ann.email, undefined, `198.51.100.${each}`)
  await until(() => switchedOff(ann.email).length > 0, 'the mail')
  await attempt(ann.email, password, '198.51.100.77')
  await until(async () => (await ask('select from graphile_worker._private_jobs')).length === 0, 'the queue to be done')

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

test('guesses at an address are forgotten when an account gets it', async () => {
  const email = newAddress()
  await pretend(email, 100)
  await world.person('Ann', { email })
  assert.equal((await attempt(email, password, '198.51.100.1')).status, 200)
})

test('an attempt that is refused under load delays no later one, and opens no account that is switched off', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  await pretend(ann.email, 100)
  await pretend(ben.email, 13)
  await ask('update password_attempts set failures = 13 where account = $1', [accountOf(ben.email)])
  const busy = fillLine('203.0.113.1')
  const [bens, ...answers] = await Promise.all([
    attempt(ben.email, password, '203.0.113.1'),
    ...Array.from({ length: 3 }, () => attempt(ann.email, password, '203.0.113.1')),
  ])
  assert.equal(bens.status, 503)
  assert.ok(answers.some(({ status }) => status === 503))
  await busy
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
  const database = new Database(world.postgres.url)
  const other = await world.otherApp(database)
  t.after(async () => {
    await other.close()
    await database.close()
  })
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
