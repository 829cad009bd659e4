import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillLine, holdSlots } from '../../../test/hashing.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { addPasskey } from '../../../test/sign-in.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { hasherOf, hashing } from '../../domain/credentials/hash-queue.ts'
import { mailToken } from '../../domain/credentials/mailed-tokens.ts'
import { verifyPassword } from '../../domain/credentials/passwords.ts'

const world = await createWorld({ processes: 2, worker: true })
const { query } = world.postgres
const { tenantId: tenant } = world

const newPassword = 'another long passphrase'
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].pointer, body.errors?.[0].code]
const forgot = (email: string, headers = {}) => world.nobody.post('/api/auth/forgot-password', { email }, headers)
const reset = (token: string, typed = newPassword, headers = {}) =>
  world.nobody.post('/api/auth/reset-password', { token, newPassword: typed }, headers)
const signIn = async (email: string, typed: string) =>
  (await world.nobody.post('/api/auth/sign-in', { email, password: typed })).status
const statusOf = async (person: Person) => (await person.get('/api/users/me')).status
const tokenOf = (person: Person, generation = 1) =>
  makeMailedToken(world.keyring, 'reset_password', { tenant, id: person.id, generation })

/** Asks for a link and waits until it was mailed. */
async function linkFor(person: Person): Promise<string> {
  assert.equal((await forgot(person.email)).status, 202)
  return world.mailedToken(person.email, 'reset-password')
}

const subjects = async ({ email }: Person): Promise<string[]> =>
  (await world.mails(email)).map(({ subject }) => subject).sort()

test('a user who forgot the password gets a link by mail, and chooses a new one with it', async () => {
  const ann = await world.person()

  const asked = await forgot(` ${ann.email.toUpperCase()} `)
  assert.deepEqual([asked.status, asked.body], [202, {}])
  const token = await world.mailedToken(ann.email, 'reset-password')
  const answer = await reset(token)

  assert.deepEqual([answer.status, answer.body], [200, { email: ann.email }])
  assert.deepEqual(answer.headers.getSetCookie(), [], 'nobody is signed in by it')
  assert.deepEqual([await signIn(ann.email, password), await signIn(ann.email, newPassword)], [401, 200])
})

test('a reset proves the address: it verifies it, ends every session and cancels a pending change of address', async () => {
  const ann = await world.person('Ann', { verified: false })
  const phone = await world.signIn(ann)
  const email = `next-${ann.email}`
  assert.equal((await ann.patch('/api/users/me', { email, currentPassword: password })).body.pendingEmail, email)
  const change = await world.mailedToken(email, 'verify-email')

  assert.equal((await reset(await linkFor(ann))).status, 200)

  assert.deepEqual([await statusOf(ann), await statusOf(phone)], [401, 401])
  const { body } = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: newPassword })
  assert.deepEqual([body.user.emailVerified, body.user.pendingEmail], [true, null])
  const bearer = { authorization: `Bearer ${body.session.token}` }
  const opened = await world.nobody.post('/api/auth/verify-email', { token: change }, bearer)
  assert.deepEqual(codeOf(opened), [410, 'token_spent'])
})

test("a stranger who made an account with somebody's address loses it to the owner of the mailbox (better-auth GHSA-qq9h-g4jm-xgf3)", async () => {
  const stranger = await world.person('Stranger', { verified: false })
  const verification = await world.mailedToken(stranger.email, 'verify-email')

  assert.equal((await reset(await linkFor(stranger))).status, 200)

  assert.equal(await statusOf(stranger), 401)
  assert.equal(await signIn(stranger.email, password), 401)
  assert.equal((await stranger.post('/api/auth/verify-email', { token: verification })).status, 401)
})

test('a link works once: of twenty requests at once one succeeds', async () => {
  const ann = await world.person()
  const token = await linkFor(ann)
  const typed = Array.from({ length: 20 }, (_, index) => `passphrase of try ${index}`)

  const answers = await Promise.all(typed.map((each) => reset(token, each)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 410)])
  const winner = typed[answers.findIndex(({ status }) => status === 200)] ?? ''
  assert.equal(await signIn(ann.email, winner), 200)
  assert.deepEqual(codeOf(await reset(token)), [410, 'token_spent'])
  const entries = await query(
    `select from audit_entries e join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id
    where d.user_id = $1 and e.action = 'password.reset'`,
    [ann.id],
  )
  assert.equal(entries.length, 1)
})

test('twenty requests for a link in a row are all answered, and one link works', async () => {
  const ann = await world.person()

  const answers = await Promise.all(Array.from({ length: 20 }, () => forgot(ann.email)))

  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202])
  await world.mailedToken(ann.email, 'reset-password')
  await queueIsDone(world.postgres)
  const tokens = (await world.mails(ann.email)).flatMap(
    ({ text }) => /reset-password#token=(\S+)/.exec(text)?.[1] ?? [],
  )
  const outcomes: number[] = []
  for (const token of tokens) outcomes.push((await reset(token)).status)
  assert.deepEqual(
    outcomes.filter((status) => status !== 410),
    [200],
  )
})

test('a new link invalidates the older one, and each is valid for an hour', async () => {
  const ann = await world.person()
  const first = await linkFor(ann)
  await forgot(ann.email)
  let second = first
  while (second === first) second = await world.mailedToken(ann.email, 'reset-password')
  const [row] = await query<{ seconds: number }>(
    `select extract(epoch from expires_at - now())::integer as seconds from mailed_tokens
    where user_id = $1 and purpose = 'reset_password'`,
    [ann.id],
  )
  assert.ok((row?.seconds ?? 0) > 3500 && (row?.seconds ?? 0) <= 3600)
  assert.deepEqual(codeOf(await reset(first)), [410, 'token_spent'])

  await query('update mailed_tokens set expires_at = now() where user_id = $1', [ann.id])

  assert.deepEqual(codeOf(await reset(second)), [410, 'token_spent'])
  assert.equal(await signIn(ann.email, password), 200)
})

const spending: Readonly<Record<string, (ann: Person) => Promise<unknown>>> = {
  'a password change': (ann) => ann.post('/api/users/me/password', { currentPassword: password, newPassword }),
  'ending all other sessions': (ann) => ann.delete('/api/users/me/devices'),
  'a new address': async (ann) => {
    const email = `new-${ann.email}`
    await ann.patch('/api/users/me', { email, currentPassword: password })
    return ann.post('/api/auth/verify-email', { token: await world.mailedToken(email, 'verify-email') })
  },
  'a suspension': (ann) => query(`update users set status = 'suspended' where id = $1`, [ann.id]),
  'deleting the account': (ann) => ann.delete('/api/users/me', { password }),
}

for (const [what, act] of Object.entries(spending)) {
  test(`${what} invalidates the link`, async () => {
    const ann = await world.person()
    const token = await linkFor(ann)
    await act(ann)
    assert.deepEqual(codeOf(await reset(token)), [410, 'token_spent'])
  })
}

test('a thief who has only an open session cannot take the link away by ending all other sessions', async () => {
  const ann = await world.person()
  await query(`update sessions set created_at = now() - interval '11 minutes' where user_id = $1`, [ann.id])
  const thief = ann
  const token = await linkFor(ann)

  assert.equal((await thief.delete('/api/users/me/devices')).status, 200)

  assert.equal((await reset(token)).status, 200)
  assert.equal(await statusOf(thief), 401)
})

test('a link proves only its own address: one sent to an older address resets nothing (Keycloak CVE-2026-9087)', async () => {
  const ann = await world.person()
  const token = await linkFor(ann)
  await query('update users set email = $2 where id = $1', [ann.id, `changed-${ann.email}`])

  assert.deepEqual(codeOf(await reset(token)), [410, 'token_spent'])
})

test('neither a suspended user nor an unknown address gets a link', async () => {
  const ann = await world.person()
  await query(`update users set status = 'suspended' where id = $1`, [ann.id])
  const unknown = `un${ann.email}`

  assert.deepEqual([(await forgot(ann.email)).status, (await forgot(unknown)).status], [202, 202])
  await queueIsDone(world.postgres)

  assert.ok(!(await subjects(ann)).some((subject) => subject.startsWith('Reset')))
  assert.deepEqual(await world.mails(unknown), [])
  assert.deepEqual(codeOf(await reset(tokenOf(ann))), [410, 'token_spent'])
})

test('a token that is altered, or of another purpose, person or tenant, resets nothing', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const token = await linkFor(ann)
  const [head = '', row = '', mac = ''] = token.split('.')
  const { slug, id: abroad } = await world.tenant()
  const forged = [
    `${head}.${row}.${mac[0] === 'A' ? 'B' : 'A'}${mac.slice(1)}`,
    `${head}.${ben.id.slice('user_'.length)}.${mac}`,
    tokenOf(ann, 2),
    makeMailedToken(world.keyring, 'reset_password', { tenant: abroad, id: ann.id, generation: 1 }),
    makeMailedToken(world.keyring, 'verify_email', { tenant, id: ann.id, generation: 1 }),
    makeMailedToken(world.keyring, 'set_password', { tenant, id: ann.id, generation: 1 }),
    makeMailedToken(world.keyring, 'end_session', { tenant, id: ann.id, generation: 1 }),
    `ghm_${'0'.repeat(26)}.${row}.${mac}`,
    token.slice(0, -1),
    `${token}A`,
    token.replace('ghm_', 'ghs_'),
    'wrong',
  ]
  for (const each of forged) assert.deepEqual(codeOf(await reset(each)), [410, 'token_spent'], each)
  assert.deepEqual(codeOf(await reset('')), [400, 'invalid_request'])
  assert.deepEqual(codeOf(await reset(token, newPassword, { 'guildhall-tenant': slug })), [400, 'tenant_mismatch'])
  assert.equal(await signIn(ann.email, password), 200)
  assert.equal((await reset(token)).status, 200, 'a refusal does not spend it')
})

test('the rules of passwords apply to the new one, and a refusal leaves the link valid', async () => {
  const ann = await world.person()
  const token = await linkFor(ann)
  for (const [typed, code] of [
    ['short', 'too_short'],
    ['x'.repeat(257), 'too_long'],
    ['sunshine', 'common_password'],
    [ann.email, 'contains_identity'],
    ['Guildhall', 'contains_identity'],
  ] as const) {
    assert.deepEqual(faultOf(await reset(token, typed)), [400, '/newPassword', code])
  }
  await query('update tenants set password_minimum = 30 where id = $1', [tenant])
  try {
    assert.deepEqual(faultOf(await reset(token)), [400, '/newPassword', 'too_short'])
    assert.deepEqual(faultOf(await reset(tokenOf(ann, 9))), [400, '/newPassword', 'too_short'], 'before the link')
  } finally {
    await query('update tenants set password_minimum = 8 where id = $1', [tenant])
  }
  assert.equal((await reset(token)).status, 200)
})

test('an invalid link is refused before a password is hashed', async (t) => {
  const ann = await world.person()
  fillLine(t)

  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => reset(tokenOf(ann, index + 2))))

  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [410], 'nothing is overloaded for them')
})

test('guesses of strangers that wait to be hashed keep nobody from a reset', async (t) => {
  const ann = await world.person()
  const token = await linkFor(ann)
  const free = holdSlots(t)
  const guesses = Array.from({ length: 20 }, (_, each) =>
    verifyPassword(hasherOf({ ip: `192.0.2.${each}` }, tenant, ann.email), 'a guess', null),
  )

  const answer = reset(token)
  await until(() => hashing().waiting > guesses.length, 'the new password to wait for its hash')
  free()

  assert.equal((await answer).status, 200)
  await Promise.all(guesses)
})

test('the link of an account that an admin created is accepted too', async () => {
  const ann = await world.person('Ann', { verified: false })
  await query('update users set password_hash = null where id = $1', [ann.id])
  await world.database.inTenant(tenant, (sql) => mailToken(sql, 'set_password', ann.id, ann.email))
  const token = await world.mailedToken(ann.email, 'reset-password')

  assert.equal((await reset(token)).status, 200)

  assert.equal(await signIn(ann.email, newPassword), 200)
  assert.deepEqual(codeOf(await reset(token)), [410, 'token_spent'])
})

test('a reset clears the count of wrong passwords', async () => {
  const ann = await world.person()
  for (let each = 0; each < 5; each++) await signIn(ann.email, 'not the password')
  await query(`update password_attempts set next_at = now() + interval '15 minutes' where next_at > to_timestamp(0)`)
  assert.equal(await signIn(ann.email, password), 429)

  assert.equal((await reset(await linkFor(ann))).status, 200)

  const account = world.keyring.hmac('guessing', 'account', tenant, ann.email)
  assert.deepEqual(await query('select from password_attempts where account = $1', [account]), [])
  assert.equal(await signIn(ann.email, newPassword), 200)
})

test('a reset sends a mail, and both steps are recorded: the request without actor, IP address and device', async () => {
  const ann = await world.person('Ann', { verified: false })
  await reset(await linkFor(ann))
  await queueIsDone(world.postgres)

  const mail = (await world.mails(ann.email)).find(
    ({ subject }) => subject === 'Your password for Guildhall was changed',
  )
  assert.match(mail?.text ?? '', /was changed\. All devices were signed out\./)
  const again = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: newPassword })
  const bearer = { authorization: `Bearer ${again.body.session.token}` }
  const { body } = await world.nobody.get('/api/users/me/audit?action=password.*', bearer)
  const [done, asked] = body.data
  assert.equal(body.data.length, 2)
  assert.deepEqual([done.action, done.actor.id, done.ip], ['password.reset', ann.id, '127.0.0.1'])
  assert.deepEqual(done.details, { endedSessions: 1 })
  assert.deepEqual([asked.action, asked.actor.type, asked.target.id], ['password.reset_requested', 'anonymous', ann.id])
  assert.deepEqual([asked.ip, asked.device], [null, null])
  const [kept] = await query<{ ip: string }>('select ip from audit_details where entry_id = $1', [asked.id])
  assert.equal(kept?.ip, '127.0.0.1', 'the tenant’s admins may know')
})

test('a reset records that the address was verified, and that a pending change was cancelled, if so', async () => {
  for (const verified of [false, true]) {
    const ann = await world.person('Ann', { verified })
    const next = `next-${ann.email}`
    if (!verified) await ann.patch('/api/users/me', { email: next, currentPassword: password })
    assert.equal((await reset(await linkFor(ann))).status, 200)

    const { body } = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: newPassword })
    const bearer = { authorization: `Bearer ${body.session.token}` }
    const audit = '/api/users/me/audit?action=email.verified,email.change_cancelled,password.reset'
    const { data } = (await world.nobody.get(audit, bearer)).body
    const told = data.map(({ action, actor, details }: Json) => [action, actor.id, details])
    const cancelled = ['email.change_cancelled', ann.id, { pendingEmail: { from: next, to: null } }]
    assert.deepEqual(told, [
      ...(verified ? [] : [['email.verified', ann.id, { email: ann.email }]]),
      ['password.reset', ann.id, { endedSessions: 1 }],
      ...(verified ? [] : [cancelled]),
    ])
  }
})

test('the mail about a reset of an account that had no password lists what else signs in to it', async () => {
  const ann = await world.person()
  const { answer } = await addPasskey(ann)
  assert.equal(answer.status, 201)
  assert.equal((await ann.delete('/api/users/me/password')).status, 200)

  await reset(await linkFor(ann))
  await queueIsDone(world.postgres)

  const mail = (await world.mails(ann.email)).find(({ subject }) => subject.endsWith('was changed'))
  assert.match(mail?.text ?? '', new RegExp(`These can sign in to it, too: ${answer.body.factor.name}\\.`))
})

test('a user who sets a first password gets no mail about a change', async () => {
  const tess = await world.tenantAdmin()
  const email = `made-${tess.email}`
  await tess.post('/api/admin/users', { email })
  assert.equal((await reset(await world.mailedToken(email, 'reset-password'))).status, 200)
  await queueIsDone(world.postgres)
  assert.deepEqual(
    (await world.mails(email)).map(({ subject }) => subject),
    ['Your account at Guildhall'],
  )
})

test("a tenant's links work only in that tenant", async () => {
  const { slug } = await world.tenant()
  const ann = await world.person()
  const twin = await world.person('Ann', { tenant: slug, email: ann.email })
  assert.equal((await forgot(ann.email, { 'guildhall-tenant': slug })).status, 202)

  assert.equal((await reset(await world.mailedToken(ann.email, 'reset-password', slug))).status, 200)

  assert.deepEqual([await statusOf(twin), await statusOf(ann)], [401, 200])
  assert.equal(await signIn(ann.email, password), 200)
})
