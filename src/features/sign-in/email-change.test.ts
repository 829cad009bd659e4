import assert from 'node:assert/strict'
import { test } from 'node:test'
import { me, newAddress, newPassword, onEmailChanges } from '../../../test/email-change.ts'
import { hold } from '../../../test/holding.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, codeOf, createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'

const world = await createWorld({ processes: 2, worker: true })
const { query } = world.postgres
const { tenantId: tenant } = world
const { request, open, undo, signUp, signIn, linkTo, change, wayBack, subjects, entries } = onEmailChanges(world)

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
    'This is now your email address for Guildhall',
    'Verify your new email address for Guildhall',
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

test('a password that is changed while it is being checked confirms nothing', async (t) => {
  const ann = await world.person()
  const change = `update users set password_hash = 'another' where id = $1`
  const release = await hold(t, world.postgres, change, [ann.id])
  const answer = request(ann, newAddress())
  await world.postgres.awaitLine(1)
  await release()

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
  const [row] = await query<{ seconds: number }>(
    `select extract(epoch from expires_at - now())::integer as seconds from mailed_tokens
    where user_id = $1 and purpose = 'change_email'`,
    [ann.id],
  )
  assert.ok((row?.seconds ?? 0) > 86_000 && (row?.seconds ?? 0) <= 86_400)

  await query('update mailed_tokens set expires_at = now() where user_id = $1', [ann.id])

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
  await query(`update tenants set allowed_email_domains = '{example.org}' where id = $1`, [tenant])
  try {
    for (const email of [newAddress(), owner.email]) {
      assert.deepEqual(codeOf(await request(ann, email)), [403, 'email_domain_not_allowed'])
    }
    assert.equal((await request(ann, newAddress().replace('example.com', 'example.org'))).status, 200)
  } finally {
    await query(`update tenants set allowed_email_domains = '{}' where id = $1`, [tenant])
  }
})

test('a pending change can be cancelled when the present address is outside the allowed domains', async () => {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  await request(ann, newAddress())
  await query(`update tenants set allowed_email_domains = '{elsewhere.example}' where id = $1`, [id])

  const cancelled = await request(ann, ann.email)

  assert.deepEqual([cancelled.status, cancelled.body.pendingEmail], [200, null])
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

test('an address does not change to a domain that the tenant has disallowed since', async () => {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const email = newAddress()
  await request(ann, email)
  const token = await world.mailedToken(email, 'verify-email', slug)
  await query(`update tenants set allowed_email_domains = '{elsewhere.example}' where id = $1`, [id])
  assert.deepEqual(codeOf(await open(ann, token)), [403, 'email_domain_not_allowed'])
})
