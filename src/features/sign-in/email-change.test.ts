import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { mailToken } from '../../domain/credentials/mailed-tokens.ts'

const world = await createWorld({ worker: true })
const { ask } = world.postgres
const { tenantId: tenant } = world

const newPassword = 'another long passphrase'
const newAddress = () => `new-${randomBytes(5).toString('hex')}@example.com`
const codeOf = ({ status, body }: Answer) => [status, body.code]
const me = async (person: Person): Promise<Json> => (await person.get('/api/users/me')).body
const request = (person: Person, email: string, currentPassword = password) =>
  person.patch('/api/users/me', { email, currentPassword })
const open = (person: Pick<Person, 'post'>, token: string) => person.post('/api/auth/verify-email', { token })
const undo = (token: string) => world.nobody.post('/api/auth/undo-email-change', { token })
const signUp = (email: string) => world.nobody.post('/api/auth/sign-up', { email, password })
const signIn = (email: string, typed = password) => world.nobody.post('/api/auth/sign-in', { email, password: typed })
const linkTo = (email: string) => world.mailedToken(email, 'verify-email')

/** Changes a person's address by the link that is mailed there. */
async function change(person: Person, email: string, typed = password): Promise<void> {
  assert.equal((await request(person, email, typed)).status, 200)
  assert.deepEqual((await open(person, await linkTo(email))).body, { email, emailVerified: true })
}

/** The way back in the mail whose subject ends so. */
async function wayBack(
  email: string,
  subject: 'was changed' | 'for your account at Guildhall' = 'was changed',
): Promise<string> {
  return until(async () => {
    const mails = await world.mails(email)
    const found = mails.find((mail) => mail.subject.endsWith(subject) && mail.text.includes('/undo-email-change#'))
    return /#token=(\S+)/.exec(found?.text ?? '')?.[1]
  }, `the way back for ${email}`)
}

/** Sets a new password by the link in a mail to the address. The mail was requested, or the service sent it by itself. */
async function reset(email: string, typed = newPassword, isAskedFor = false): Promise<Answer> {
  if (isAskedFor) await world.nobody.post('/api/auth/forgot-password', { email })
  const token = await world.mailedToken(email, 'reset-password')
  return world.nobody.post('/api/auth/reset-password', { token, newPassword: typed })
}

async function subjects(email: string): Promise<string[]> {
  await until(async () => (await ask('select from graphile_worker._private_jobs')).length === 0, 'the queue to be done')
  return (await world.mails(email)).map(({ subject }) => subject).sort()
}

async function entries(person: Person, action = 'email.*'): Promise<Json[]> {
  const rows = await ask<Json>(
    `select e.action, e.actor_type as actor, d.details from audit_entries e
    join audit_details d on d.entry_id = e.id and d.user_id = $1
    where e.action like replace($2, '*', '%') order by e.id`,
    [person.id, action],
  )
  return rows
}

test('an address changes when the link sent to the new one is opened, and both addresses get a mail', async () => {
  const ann = await world.person()
  const email = newAddress()

  const asked = await request(ann, ` ${email.toUpperCase()} `)
  assert.equal(asked.status, 200)
  assert.deepEqual([asked.body.email, asked.body.pendingEmail], [ann.email, email])
  assert.equal((await signIn(email)).status, 401, 'nothing has changed yet')
  const opened = await open(ann, await linkTo(email))

  assert.deepEqual([opened.status, opened.body], [200, { email, emailVerified: true }])
  const { email: present, emailVerified, pendingEmail } = await me(ann)
  assert.deepEqual([present, emailVerified, pendingEmail], [email, true, null])
  assert.deepEqual(await subjects(email), [
    'Verify your new email address for Guildhall',
    'Your email address for Guildhall was changed',
  ])
  assert.deepEqual([(await signIn(email)).status, (await signIn(ann.email)).status], [200, 401])
  const told = (await subjects(ann.email)).filter((subject) => !subject.startsWith('Verify')) // at the sign-up
  assert.deepEqual(told, [
    'A new email address for your account at Guildhall',
    'Your email address for Guildhall was changed',
  ])
  const details = { email: { from: ann.email, to: email } }
  assert.deepEqual(await entries(ann), [
    { action: 'email.change_requested', actor: 'user', details },
    { action: 'email.changed', actor: 'user', details },
  ])
})

test('a change of address needs the password (kratos be5e98716)', async () => {
  const ann = await world.person()
  const email = newAddress()

  const without = await ann.patch('/api/users/me', { email })
  const wrong = await request(ann, email, 'not the password')

  assert.deepEqual([without.status, without.body.errors[0].pointer], [400, '/currentPassword'])
  assert.deepEqual(codeOf(wrong), [403, 'wrong_password'])
  assert.equal((await me(ann)).pendingEmail, null)
  const alone = await ann.patch('/api/users/me', { currentPassword: password })
  assert.deepEqual([alone.status, alone.body.errors[0].pointer], [400, '/email'])
})

test('a password that is changed while it is being checked confirms nothing', async () => {
  const ann = await world.person()
  await ask('begin')
  await ask(`update users set password_hash = 'another' where id = $1`, [ann.id])
  const answer = request(ann, newAddress())
  await world.postgres.awaitLine(1)
  await ask('commit')

  assert.deepEqual(codeOf(await answer), [403, 'wrong_password'])
})

test('one request can change a profile and an address', async () => {
  const ann = await world.person()
  const email = newAddress()
  const { body } = await ann.patch('/api/users/me', { name: 'Anne', email, currentPassword: password })
  assert.deepEqual([body.name, body.pendingEmail], ['Anne', email])
})

test('the link works only for the signed-in person it was made for', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const email = newAddress()
  await request(ann, email)
  const token = await linkTo(email)

  assert.deepEqual(codeOf(await open(ben, token)), [403, 'sign_in_required'])
  assert.deepEqual(codeOf(await open(world.nobody, token)), [403, 'sign_in_required'])

  assert.equal((await me(ben)).email, ben.email)
  assert.equal((await open(ann, token)).status, 200, 'a refusal does not spend it')
})

test('if many requests open the link at once, one changes the address', async () => {
  const ann = await world.person()
  const email = newAddress()
  await request(ann, email)
  const token = await linkTo(email)

  const answers = await Promise.all(Array.from({ length: 20 }, () => open(ann, token)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 410)])
  assert.equal((await entries(ann, 'email.changed')).length, 1)
})

test('a link is valid for a day, and a newer one invalidates it', async () => {
  const ann = await world.person()
  const [first, second] = [newAddress(), newAddress()]
  await request(ann, first)
  const older = await linkTo(first)
  await request(ann, second)
  const newer = await linkTo(second)
  assert.deepEqual(codeOf(await open(ann, older)), [410, 'token_spent'])
  const [row] = await ask<{ seconds: number }>(
    `select extract(epoch from expires_at - now())::integer as seconds from mailed_tokens
    where user_id = $1 and purpose = 'change_email'`,
    [ann.id],
  )
  assert.ok((row?.seconds ?? 0) > 86_000 && (row?.seconds ?? 0) <= 86_400)

  await ask('update mailed_tokens set expires_at = now() where user_id = $1', [ann.id])

  assert.deepEqual(codeOf(await open(ann, newer)), [410, 'token_spent'])
  assert.equal((await me(ann)).email, ann.email)
})

test('requesting the present address cancels a pending change', async () => {
  const ann = await world.person()
  const email = newAddress()
  await request(ann, email)
  const token = await linkTo(email)

  const cancelled = await request(ann, ann.email)

  assert.deepEqual([cancelled.status, cancelled.body.pendingEmail], [200, null])
  assert.deepEqual(codeOf(await open(ann, token)), [410, 'token_spent'])
  await request(ann, ann.email)
  assert.deepEqual(
    (await entries(ann, 'email.change_cancelled')).map(({ details }) => details),
    [{ pendingEmail: { from: email, to: null } }],
    'where nothing is pending, nothing changes',
  )
  await undo(await wayBack(ann.email, 'for your account at Guildhall'))
  assert.equal((await me(ann)).code, 'unauthenticated', 'a thief who knew the password may not cancel the way back')
})

test('a password change, a reset and ending all other sessions invalidate the link', async () => {
  const acts: ((ann: Person) => Promise<Answer>)[] = [
    (ann) => ann.post('/api/users/me/password', { currentPassword: password, newPassword }),
    (ann) => ann.delete('/api/users/me/devices'),
  ]
  for (const act of acts) {
    const ann = await world.person()
    const email = newAddress()
    await request(ann, email)
    const token = await linkTo(email)
    assert.equal((await act(ann)).status, 200)
    assert.deepEqual(codeOf(await open(ann, token)), [410, 'token_spent'])
    assert.equal((await me(ann)).pendingEmail, null, 'what cannot come any more is not waited for')
    const told = (await entries(ann, '*')).filter(({ details }) => details?.pendingEmail)
    assert.deepEqual(
      told.map(({ details }) => details.pendingEmail),
      [{ from: email, to: null }],
    )
  }
})

test('undoing a change sends a reset link at once, whatever mails the address got before', async () => {
  const ann = await world.person()
  const email = newAddress()
  await change(ann, email)
  await undo(await wayBack(ann.email))
  const token = await world.mailedToken(ann.email, 'reset-password')
  const { status } = await world.nobody.post('/api/auth/reset-password', { token, newPassword })
  assert.deepEqual([status, (await signIn(ann.email, newPassword)).status], [200, 200])
})

test('a taken address is answered like a free one, and its owner gets a mail (Logto 8eeba717c0, better-auth PR#8097)', async () => {
  const [ann, ben, owner] = [await world.person(), await world.person(), await world.person('Olga')]
  const free = `olgb-${owner.email.slice('olga-'.length)}`

  const answers = [await request(ann, owner.email), await request(ben, free)]

  const shown = answers.map(({ status, headers, body }) => ({
    status,
    names: [...headers.keys()].sort(),
    body: { ...body, id: '', email: '', pendingEmail: '', createdAt: '', updatedAt: '', lastActiveAt: '' },
  }))
  assert.deepEqual(shown[0], shown[1])
  assert.deepEqual([answers[0]?.status, answers[0]?.body.pendingEmail], [200, owner.email])
  assert.equal((await me(ann)).pendingEmail, owner.email)
  assert.ok((await subjects(owner.email)).includes('Your email address is in use at Guildhall'))
  const told = (await world.mails(owner.email)).find(({ subject }) => subject.includes('is in use'))
  assert.ok(!told?.text.includes('#token=') && !told?.html.includes('href='), 'there is no link in it')
  assert.deepEqual(
    (await entries(ann)).map(({ action }) => action),
    (await entries(ben)).map(({ action }) => action),
  )
})

test('the link to a taken address is refused while the other account exists, and works once it is deleted', async () => {
  const ann = await world.person()
  const email = newAddress()
  await request(ann, email)
  const token = await linkTo(email)
  const { body: other } = await signUp(email)

  const refused = await open(ann, token)

  assert.deepEqual(codeOf(refused), [409, 'email_taken'])
  assert.deepEqual([(await me(ann)).email, (await me(ann)).pendingEmail], [ann.email, email])
  await world.nobody.delete('/api/users/me', { password }, { authorization: `Bearer ${other.session.token}` })
  assert.deepEqual((await open(ann, token)).body, { email, emailVerified: true }, 'nobody had proven it there')
})

test('if two people change to the same address at once, one gets it', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, () => world.person()))
  const email = newAddress()
  await Promise.all(people.map((person) => request(person, email)))
  const tokens = people.map(({ id }) => makeMailedToken(world.keyring, 'change_email', { tenant, id, generation: 1 }))

  const answers = await Promise.all(people.map((person, index) => open(person, tokens[index] ?? '')))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
})

test("a new address outside the tenant's allowed domains is refused before anything is looked up", async () => {
  const ann = await world.person()
  const owner = await world.person()
  await ask(`update tenants set allowed_email_domains = '{example.org}' where id = $1`, [tenant])
  try {
    for (const email of [newAddress(), owner.email]) {
      assert.deepEqual(codeOf(await request(ann, email)), [403, 'email_domain_not_allowed'])
    }
    assert.equal((await request(ann, newAddress().replace('example.com', 'example.org'))).status, 200)
  } finally {
    await ask(`update tenants set allowed_email_domains = '{}' where id = $1`, [tenant])
  }
})

test('the old address can undo the change for 72 hours: its owner has the account again, and a thief is signed out', async () => {
  const ann = await world.person()
  const thief = await world.signIn(ann)
  const email = newAddress()
  await change(thief, email)

  const answer = await undo(await wayBack(ann.email))

  assert.deepEqual([answer.status, answer.body], [200, {}])
  assert.deepEqual([(await me(ann)).code, (await me(thief)).code], ['unauthenticated', 'unauthenticated'])
  for (const each of [ann.email, email]) assert.deepEqual(codeOf(await signIn(each)), [401, 'invalid_credentials'])
  assert.ok((await subjects(ann.email)).includes('Signing in to Guildhall needs a new password'))
  const mail = (await world.mails(ann.email)).find(({ subject }) => subject.startsWith('Signing in'))
  assert.match(mail?.text ?? '', /The change of your email address at Guildhall was undone\./)
  assert.equal((await reset(ann.email)).status, 200)
  const { body } = await signIn(ann.email, newPassword)
  assert.deepEqual([body.user.id, body.user.email, body.user.emailVerified], [ann.id, ann.email, true])
  const told = await entries(ann, '%')
  for (const [action, actor] of [
    ['email.change_undone', 'anonymous'],
    ['password.switched_off', 'anonymous'],
    ['password.reset', 'user'],
  ]) {
    assert.equal(told.filter((each) => each.action === action && each.actor === actor).length, 1, action)
  }
})

test('a change can be undone before it is done, too', async () => {
  const ann = await world.person()
  const email = newAddress()
  await request(ann, email)
  const link = await linkTo(email)

  assert.equal((await undo(await wayBack(ann.email, 'for your account at Guildhall'))).status, 200)

  assert.equal((await reset(ann.email)).status, 200)
  const { body } = await signIn(ann.email, newPassword)
  assert.deepEqual([body.user.email, body.user.pendingEmail], [ann.email, null])
  const again = await world.nobody.post(
    '/api/auth/verify-email',
    { token: link },
    { authorization: `Bearer ${body.session.token}` },
  )
  assert.deepEqual(codeOf(again), [410, 'token_spent'])
})

test('a thief cannot prevent the undo: not by a new password, a reset, or ending all sessions', async () => {
  const ann = await world.person()
  const thief = await world.signIn(ann)
  const email = newAddress()
  await change(thief, email)
  const token = await wayBack(ann.email)
  await thief.post('/api/users/me/password', { currentPassword: password, newPassword })
  await thief.delete('/api/users/me/devices')
  assert.equal((await reset(email, 'the thief’s own passphrase', true)).status, 200)
  await world.nobody.post('/api/auth/forgot-password', { email })
  const { body } = await signIn(email, 'the thief’s own passphrase')

  assert.equal((await undo(token)).status, 200)

  assert.equal((await signIn(email, 'the thief’s own passphrase')).status, 401)
  assert.equal((await signIn(ann.email, 'the thief’s own passphrase')).status, 401)
  const bearer = { authorization: `Bearer ${body.session.token}` }
  assert.equal((await world.nobody.get('/api/users/me', bearer)).status, 401)
  const stolen = await world.mailedToken(email, 'reset-password')
  const late = await world.nobody.post('/api/auth/reset-password', { token: stolen, newPassword })
  assert.deepEqual(codeOf(late), [410, 'token_spent'])
})

test("if a thief changes the address repeatedly, only the first address can undo it, and the thief's cannot", async () => {
  const ann = await world.person()
  const thief = await world.signIn(ann)
  const [second, third, fourth] = [newAddress(), newAddress(), newAddress()]
  for (const email of [second, third, fourth]) await change(thief, email)
  const theirs = [await wayBack(second), await wayBack(third)] // before the first one ends them

  assert.equal((await undo(await wayBack(ann.email))).status, 200)

  const [row] = await ask('select email from users where id = $1', [ann.id])
  assert.equal(row?.email, ann.email)
  for (const token of theirs) assert.deepEqual(codeOf(await undo(token)), [410, 'token_spent'])
})

test('each earlier address has its own undo link; the link of an earlier one undoes more', async () => {
  const ann = await world.person()
  const [second, third] = [newAddress(), newAddress()]
  await change(ann, second) // her own doing
  await change(ann, third) // a thief's

  assert.equal((await undo(await wayBack(second))).status, 200)
  const [row] = await ask('select email from users where id = $1', [ann.id])
  assert.equal(row?.email, second)

  assert.equal((await undo(await wayBack(ann.email))).status, 200)
  assert.equal((await undo(await wayBack(second))).status, 410)
})

test('the mails of two changes do not replace each other in the queue', async () => {
  const ann = await world.person()
  const second = newAddress()
  await world.database.inTenant(tenant, async (sql) => {
    await mailToken(sql, 'email_changed', ann.id, ann.email)
    await mailToken(sql, 'email_changed', ann.id, second)
  })
  assert.notEqual(await wayBack(ann.email), await wayBack(second))
})

test('an undo link works once, for 72 hours', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  for (const person of [ann, ben]) await change(person, newAddress())
  const [token, late] = [await wayBack(ann.email), await wayBack(ben.email)]
  const [row] = await ask<{ seconds: number }>(
    `select extract(epoch from expires_at - now())::integer as seconds from mailed_tokens
    where user_id = $1 and purpose = 'undo_email_change'`,
    [ann.id],
  )
  assert.ok((row?.seconds ?? 0) > 71 * 3600 && (row?.seconds ?? 0) <= 72 * 3600)

  const answers = await Promise.all(Array.from({ length: 20 }, () => undo(token)))
  await ask('update mailed_tokens set expires_at = now() where user_id = $1', [ben.id])

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 410)])
  assert.equal((await entries(ann, 'email.change_undone')).length, 1)
  assert.deepEqual(codeOf(await undo(late)), [410, 'token_spent'])
  assert.equal((await me(ben)).code, undefined, 'nothing happened')
})

test('a token of another kind, generation, person or tenant undoes nothing', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  await change(ann, newAddress())
  const { id: abroad } = await world.tenant()
  const [head = '', , mac = ''] = (await wayBack(ann.email)).split('.')
  for (const token of [
    makeMailedToken(world.keyring, 'change_email', { tenant, id: ann.id, generation: 2 }),
    makeMailedToken(world.keyring, 'undo_email_change', { tenant, id: ann.id, generation: 1 }),
    makeMailedToken(world.keyring, 'undo_email_change', { tenant: abroad, id: ann.id, generation: 2 }),
    `${head}.${ben.id.slice('user_'.length)}.${mac}`,
  ]) {
    assert.deepEqual(codeOf(await undo(token)), [410, 'token_spent'], token)
  }
  assert.equal((await me(ann)).code, undefined)
})

test('an unverified address cannot undo a change, and is free at once', async () => {
  const ann = await world.person('Ann', { verified: false }) // a slip of the pen: it may be somebody else's
  await change(ann, newAddress())

  assert.ok((await subjects(ann.email)).every((subject) => subject.startsWith('Verify')))
  const rows = await ask(`select from mailed_tokens where user_id = $1 and purpose = 'undo_email_change'`, [ann.id])
  assert.equal(rows.length, 0)
  assert.equal((await signUp(ann.email)).status, 201)
})

test('a former address stays reserved for its owner for 72 hours', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  await request(ben, ann.email)
  await change(ann, newAddress())
  const token = makeMailedToken(world.keyring, 'change_email', { tenant, id: ben.id, generation: 1 })

  assert.deepEqual(codeOf(await signUp(ann.email)), [409, 'email_taken'])
  assert.deepEqual(codeOf(await open(ben, token)), [409, 'email_taken'])
  const { slug } = await world.tenant()
  await world.person('Ann', { tenant: slug, email: ann.email }) // another tenant's is another address

  await ask(`update mailed_tokens set expires_at = now() where user_id = $1`, [ann.id])
  assert.equal((await signUp(ann.email)).status, 201)
})

test('the owner of a former address can change back to it in the usual way', async () => {
  const ann = await world.person()
  await change(ann, newAddress())
  const before = await world.mails(ann.email)
  await request(ann, ann.email)
  const token = await until(async () => {
    const mails = await world.mails(ann.email)
    const fresh = mails.filter(({ id }) => !before.some((each) => each.id === id))
    return /verify-email#token=(\S+)/.exec(fresh.map(({ text }) => text).join())?.[1]
  }, 'the link')
  assert.deepEqual((await open(ann, token)).body, { email: ann.email, emailVerified: true })
})

test('nobody can take an address at the moment when it is changed or restored', async () => {
  for (let round = 0; round < 4; round++) {
    const [ann, ben] = [await world.person(), await world.person('Ben')]
    await request(ben, ann.email)
    const theirs = makeMailedToken(world.keyring, 'change_email', { tenant, id: ben.id, generation: 1 })
    const email = newAddress()
    await request(ann, email)
    const token = await linkTo(email)
    const grab = () => [open(ben, theirs), ...Array.from({ length: 6 }, () => signUp(ann.email))]

    const [opened, ...refused] = await Promise.all([open(ann, token), ...grab()])
    assert.equal(opened.status, 200)
    assert.deepEqual([...new Set(refused.map(({ body }) => body.code))], ['email_taken'])

    const [undone, ...again] = await Promise.all([undo(await wayBack(ann.email)), ...grab()])
    assert.equal(undone.status, 200)
    assert.deepEqual([...new Set(again.map(({ body }) => body.code))], ['email_taken'])
    const owners = await ask('select id from users where email = $1', [ann.email])
    assert.deepEqual(owners, [{ id: ann.id }])
  }
})

test('a change at the same time as an undo, a password change or another change leaves one address and its undo link', async () => {
  for (let round = 0; round < 4; round++) {
    const ann = await world.person()
    const [second, third] = [newAddress(), newAddress()]
    await change(ann, second)
    const [way, before] = [await wayBack(ann.email), await request(ann, third)]
    assert.equal(before.status, 200)
    const link = await linkTo(third)

    const [undone, opened, wanted] = await Promise.all([undo(way), open(ann, link), request(ann, newAddress())])

    assert.equal(undone.status, 200)
    assert.ok([200, 401, 410].includes(opened.status), `${opened.status}`)
    assert.ok([200, 401, 403].includes(wanted.status), `${wanted.status}`)
    const [row] = await ask('select email, pending_email, password_hash from users where id = $1', [ann.id])
    assert.deepEqual(row, { email: ann.email, pending_email: null, password_hash: null })
  }
})

test('an address does not change to a domain that the tenant has disallowed since', async () => {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const email = newAddress()
  await request(ann, email)
  const token = await world.mailedToken(email, 'verify-email', slug)
  await ask(`update tenants set allowed_email_domains = '{elsewhere.example}' where id = $1`, [id])
  assert.deepEqual(codeOf(await open(ann, token)), [403, 'email_domain_not_allowed'])
})
