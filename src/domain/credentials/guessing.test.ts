import assert from 'node:assert/strict'
import { test } from 'node:test'
import { from } from '../../../test/devices.ts'
import { createGuessWorld, newAddress } from '../../../test/guesses.ts'
import { type Answer, Person, password } from '../../../test/world.ts'

const { world, attempt, accountOf, counted, moveNextAttempt } = await createGuessWorld()
const { query } = world.postgres

/** Fails as often as is free. */
async function failFiveTimes(email: string, ip?: string): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let each = 0; each < 5; each++) answers.push(await attempt(email, undefined, ip))
  return answers
}

test('after five failures in a row even the right password is not checked', async () => {
  const ann = await world.person()

  const answers = await failFiveTimes(ann.email)
  await moveNextAttempt(ann.email, 'far away')
  const sixth = await attempt(ann.email, password)

  for (const { status, body } of answers) assert.deepEqual([status, body.code], [401, 'invalid_credentials'])
  assert.deepEqual([sixth.status, sixth.body.code], [429, 'too_many_attempts'])
  assert.match(sixth.headers.get('retry-after') ?? '', /^(900|8\d\d)$/)
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
  await query('update password_attempts set failures = 9 where account = $1', [accountOf(email)])
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
  await query('update password_attempts set failures = 13 where account = $1', [accountOf(email)])
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
  const rows = await query<{ text: string }>(
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
