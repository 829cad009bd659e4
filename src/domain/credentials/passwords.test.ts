import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { hashAtRealCost } from '../../../test/hash-cost.ts'
import { fillLine } from '../../../test/hashing.ts'
import { type Answer, createWorld, password } from '../../../test/world.ts'
import { cost } from '../../platform/cryptography.ts'
import { hashing, shareCores } from './hash-queue.ts'
import { verifyPassword } from './passwords.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres

const newAddress = () => `new-${randomBytes(5).toString('hex')}@example.com`
const signUp = (typed: unknown, email = newAddress()) =>
  world.nobody.post('/api/auth/sign-up', { email, password: typed })
const signIn = (email: string, typed: string) => world.nobody.post('/api/auth/sign-in', { email, password: typed })
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].pointer, body.errors?.[0].code]

async function storedHash(email: string): Promise<string> {
  const [row] = await query<{ password_hash: string }>('select password_hash from users where email = $1', [email])
  return row?.password_hash ?? ''
}

test('a password has 8 to 256 code points, however many bytes', async () => {
  const rocket = '🚀'
  for (const [typed, code] of [
    ['a1!x7zq', 'too_short'],
    [rocket.repeat(7), 'too_short'],
    ['x'.repeat(257), 'too_long'],
    [rocket.repeat(257), 'too_long'],
    ['', 'too_short'],
  ]) {
    assert.deepEqual(faultOf(await signUp(typed)), [400, '/password', code])
  }
  for (const typed of ['a1!x7zqk', rocket.repeat(8), 'x'.repeat(256), rocket.repeat(256)]) {
    const email = newAddress()
    assert.equal((await signUp(typed, email)).status, 201)
    assert.equal((await signIn(email, typed)).status, 200)
  }
})

test('code points are counted after normalization', async () => {
  const seven = 'e\u0301'.repeat(7) // 14 code points that NFKC makes 7
  assert.deepEqual(faultOf(await signUp(seven)), [400, '/password', 'too_short'])
  const longer = '\ufdfa'.repeat(20) // 20 code points that NFKC makes 360
  assert.deepEqual(faultOf(await signUp(longer)), [400, '/password', 'too_long'])
})

test('a password fits that has the right length when it is normalized', async () => {
  for (const typed of ['ﬃ'.repeat(3), 'u\u0308'.repeat(256)]) {
    const email = newAddress()
    assert.equal((await signUp(typed, email)).status, 201, typed)
    assert.equal((await signIn(email, typed)).status, 200, typed)
    assert.equal((await signIn(email, typed.normalize('NFKC'))).status, 200, typed)
  }
  for (const [typed, code] of [
    ['ﬃ'.repeat(2), 'too_short'],
    ['u\u0308'.repeat(257), 'too_long'],
    ['u\u0308'.repeat(20_000), 'too_long'],
  ])
    assert.deepEqual(faultOf(await signUp(typed)), [400, '/password', code])
})

test('a password is the same however a keyboard composes its characters', async () => {
  const email = newAddress()
  await signUp('cafe\u0301 ﬁnance Ⅸ', email)

  assert.equal((await signIn(email, 'caf\u00e9 finance IX')).status, 200)
})

test('a password is not trimmed, case-folded or cut: every character counts', async () => {
  const email = newAddress()
  const typed = ` Padded ${'x'.repeat(80)}A `
  await signUp(typed, email)

  for (const wrong of [typed.trim(), typed.toLowerCase(), ` Padded ${'x'.repeat(80)}B `, typed.slice(0, 72)]) {
    assert.equal((await signIn(email, wrong)).status, 401, JSON.stringify(wrong))
  }
  assert.equal((await signIn(email, typed)).status, 200)
})

test('no kinds of characters are required', async () => {
  for (const typed of ['zzxxvvkkjj', '8264019375', '        ´      ', 'ленивый кот спит']) {
    assert.equal((await signUp(typed)).status, 201, typed)
  }
})

test('the most common passwords are refused, with the reason', async () => {
  for (const typed of ['password', 'PASSWORD', '12345678', 'qwertyuiop', 'ｐａｓｓｗｏｒｄ', 'trustno1', 'iloveyou']) {
    const answer = await signUp(typed)
    assert.deepEqual(faultOf(answer), [400, '/password', 'common_password'], typed)
    assert.match(answer.body.errors[0].detail, /too common/)
  }
  const { body } = await signUp('qwertyuiop')
  assert.ok(!JSON.stringify(body).includes('qwertyuiop'), 'what was typed is not repeated')
})

test("the user's address, its local part and the product's name are refused as passwords", async () => {
  const local = `somebody-${randomBytes(4).toString('hex')}`
  const { slug } = await world.tenant() // named Another Tenant
  for (const typed of [`${local}@example.com`, local, local.toUpperCase(), 'guildhall', 'Guildhall']) {
    const answer = await signUp(typed, `${local}@example.com`)
    assert.deepEqual(faultOf(answer), [400, '/password', 'contains_identity'], typed)
  }
  const body = { email: newAddress(), password: 'another tenant' }
  const named = await world.nobody.post('/api/auth/sign-up', body, { 'guildhall-tenant': slug })
  assert.deepEqual(faultOf(named), [400, '/password', 'contains_identity'])
  for (const typed of ['AnotherTenant', 'another-tenant', 'another_TENANT']) {
    const joined = await world.nobody.post(
      '/api/auth/sign-up',
      { email: newAddress(), password: typed },
      { 'guildhall-tenant': slug },
    )
    assert.deepEqual(faultOf(joined), [400, '/password', 'contains_identity'], typed)
  }
  assert.equal((await signUp(`${local} and more`, `${local}@example.com`)).status, 201, 'only equality is refused')
})

test('the same rules apply to a changed password', async () => {
  const ann = await world.person()
  for (const [newPassword, code] of [
    ['short', 'too_short'],
    ['sunshine', 'common_password'],
    [ann.email, 'contains_identity'],
  ]) {
    const answer = await ann.post('/api/users/me/password', { currentPassword: password, newPassword })
    assert.deepEqual(faultOf(answer), [400, '/newPassword', code])
  }
  assert.equal((await signIn(ann.email, password)).status, 200, 'a refusal changes nothing')
  const unproven = { currentPassword: 'not the one of ann', newPassword: 'sunshine' }
  const answer = await ann.post('/api/users/me/password', unproven)
  assert.deepEqual(
    faultOf(answer),
    [400, '/newPassword', 'common_password'],
    'what can be said at once costs no attempt',
  )
})

test('a password that cannot be hashed as text is refused', async () => {
  for (const typed of [
    'with \u0000 in the middle',
    '\ud800 lone surrogate',
    12345678,
    null,
    ['a long enough one'],
    {},
  ]) {
    assert.equal((await signUp(typed)).status, 400, JSON.stringify(typed))
  }
  assert.equal((await signIn(newAddress(), 'x'.repeat(257))).status, 400)
})

test('the stored value is an Argon2id hash with its parameters and its own salt', async (t) => {
  hashAtRealCost(t)
  const hashes: string[] = []
  for (const email of [newAddress(), newAddress()]) {
    assert.equal((await signUp(password, email)).status, 201)
    hashes.push(await storedHash(email))
  }
  for (const hash of hashes) {
    const [, memory, passes, lanes] =
      /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]{22}\$[\w+/]{43}$/.exec(hash) ?? []
    assert.ok(Number(memory) >= 19 * 1024 && Number(passes) >= 2 && lanes === '1', hash)
  }
  assert.notEqual(hashes[0], hashes[1], 'the same password, twice')
})

/** A hash as an earlier version would have made it, with less work. */
function outdatedHash(typed: string): string {
  const nonce = randomBytes(16)
  const parameters = { memory: 8192, passes: 1, parallelism: 2 }
  const tag = argon2Sync('argon2id', { message: typed, nonce, ...parameters, tagLength: 32 })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=8192,t=1,p=2$${text(nonce)}$${text(tag)}`
}

test('a hash with outdated parameters is replaced when its password is next used', async (t) => {
  hashAtRealCost(t)
  const ann = await world.person()
  await query('update users set password_hash = $2 where id = $1', [ann.id, outdatedHash(password)])

  assert.equal((await signIn(ann.email, 'not the password')).status, 401)
  assert.match(await storedHash(ann.email), /m=8192,/)
  assert.equal((await signIn(ann.email, password)).status, 200)
  const renewed = await storedHash(ann.email)
  assert.match(renewed, /m=19456,t=2,p=1/)
  assert.equal((await signIn(ann.email, password)).status, 200)
  assert.equal(await storedHash(ann.email), renewed, 'one that is up to date stays')
})

test('concurrent sign-ins with an outdated hash all succeed', async () => {
  const ann = await world.person()
  await query('update users set password_hash = $2 where id = $1', [ann.id, outdatedHash(password)])

  const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(ann.email, password)))

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
})

test('a sign-in during a change of the password starts no session', async () => {
  for (let round = 0; round < 5; round++) {
    const ann = await world.person()
    const change = { currentPassword: password, newPassword: 'another long passphrase' }

    const [changed, ...started] = await Promise.all([
      ann.post('/api/users/me/password', change),
      ...Array.from({ length: 3 }, () => signIn(ann.email, password)),
    ])

    assert.equal(changed.status, 200)
    for (const { status, body } of started) {
      if (status !== 200) continue
      const bearer = { authorization: `Bearer ${body.session.token}` }
      assert.equal((await world.nobody.get('/api/users/me', bearer)).status, 401)
    }
  }
})

test('nobody can sign in to an account without a password', async () => {
  const ann = await world.person()
  await query('update users set password_hash = null where id = $1', [ann.id])

  for (const typed of [password, 'null', ' ']) assert.equal((await signIn(ann.email, typed)).status, 401)
  const erased = await ann.delete('/api/users/me', { password })
  assert.deepEqual([erased.status, erased.body.errors[0].pointer], [400, '/confirm'], 'a password proves nothing here')
})

test('the queue for hashes is limited, and other requests are served meanwhile', async (t) => {
  const ann = await world.person()
  await query('delete from password_attempts')
  const free = fillLine(t)

  const [answers, me] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => signIn(newAddress(), 'whatever it is'))),
    ann.get('/api/users/me'),
  ])

  const refused = answers.filter(({ status }) => status === 503)
  assert.ok(refused.length > 0)
  for (const { body, headers } of refused) {
    assert.equal(body.code, 'overloaded')
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
  }
  for (const { status } of answers) assert.ok(status === 503 || status === 401)
  assert.equal(me.status, 200)

  const counted = await query<{ failures: number }>('select failures from password_attempts where failures > 0')
  assert.ok(
    counted.length <= 2 * answers.filter(({ status }) => status === 401).length,
    'who was not looked at did not fail',
  )

  await free()
  assert.equal((await signIn(ann.email, password)).status, 200, 'and it goes on when the line is shorter')
})

test('an imported hash takes as much of the queue as its time', async () => {
  const slow = '$2b$11$abcdefghijklmnopqrstuue7mIt1q6oO04lXX9a9dShyRF5vd2ijm' // seven of ours
  const verifying = Array.from({ length: hashing().slots + 2 }, (_, each) =>
    verifyPassword({ account: `${each}`, network: '192.0.2.1' }, 'whatever it is', slow),
  )
  const { waiting } = hashing()
  await Promise.all(verifying)
  assert.equal(waiting, 13)
  assert.equal(hashing().waiting, 0)
})

test('after a hash that failed, a sign-in at an unknown address is checked again', async (t) => {
  const another = './passwords.ts?before-any-hash'
  const { verifyPassword } = (await import(another)) as typeof import('./passwords.ts') // the same file
  const verify = () => verifyPassword({ account: 'nobody', network: '192.0.2.1' }, 'whatever it is', null)
  const { memory } = cost
  t.after(() => Object.assign(cost, { memory }))

  Object.assign(cost, { memory: -1 })
  await assert.rejects(verify())
  Object.assign(cost, { memory })
  assert.equal((await verify()).matches, false)
})

test('serving processes share all cores but one for hashes, and each has one at least', () => {
  const cores = availableParallelism()
  const slotsOf = (processes: number) => {
    shareCores(processes)
    return hashing().slots
  }
  assert.deepEqual(
    [1, 2, cores, 16].map(slotsOf),
    [cores - 1, Math.floor((cores - 1) / 2), 0, 0].map((share) => Math.max(1, share)),
  )
  shareCores(1)
})
