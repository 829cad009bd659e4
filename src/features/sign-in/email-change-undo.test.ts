import assert from 'node:assert/strict'
import { test } from 'node:test'
import { me, newAddress, newPassword, onEmailChanges } from '../../../test/email-change.ts'
import { requestKey } from '../../../test/key-requests.ts'
import { makeLink } from '../../../test/membership-requests.ts'
import { addPasskey, enrol } from '../../../test/sign-in.ts'
import { offerWebhooks, requestWebhook, webhookUrl } from '../../../test/webhook-requests.ts'
import { type Answer, Client, codeOf, createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { mailToken } from '../../domain/credentials/mailed-tokens.ts'

const world = await createWorld({ processes: 2, worker: true })
const { query } = world.postgres
const { tenantId: tenant } = world
const { request, open, undo, signUp, signIn, linkTo, change, wayBack, subjects, entries } = onEmailChanges(world)

/** Sets a new password by the link in a mail to the address. The mail was requested, or the service sent it by itself. */
async function reset(email: string, typed = newPassword, isAskedFor = false): Promise<Answer> {
  if (isAskedFor) await world.nobody.post('/api/auth/forgot-password', { email })
  const token = await world.mailedToken(email, 'reset-password')
  return world.nobody.post('/api/auth/reset-password', { token, newPassword: typed })
}

test('undoing a change sends a reset link at once, whatever mails the address got before', async () => {
  const ann = await world.person()
  const email = newAddress()
  await change(ann, email)
  await undo(await wayBack(ann.email))
  const token = await world.mailedToken(ann.email, 'reset-password')
  const { status } = await world.nobody.post('/api/auth/reset-password', { token, newPassword })
  assert.deepEqual([status, (await signIn(ann.email, newPassword)).status], [200, 200])
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
  assert.ok((await subjects(ann.email)).includes('Your email address for Guildhall was restored'))
  const mail = (await world.mails(ann.email)).find(({ subject }) => subject.endsWith('was restored'))
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

  const [row] = await query('select email from users where id = $1', [ann.id])
  assert.equal(row?.email, ann.email)
  for (const token of theirs) assert.deepEqual(codeOf(await undo(token)), [410, 'token_spent'])
})

test('each earlier address has its own undo link; the link of an earlier one undoes more', async () => {
  const ann = await world.person()
  const [second, third] = [newAddress(), newAddress()]
  await change(ann, second) // her own doing
  await change(ann, third) // a thief's

  assert.equal((await undo(await wayBack(second))).status, 200)
  const [row] = await query('select email from users where id = $1', [ann.id])
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
  const [row] = await query<{ seconds: number }>(
    `select extract(epoch from expires_at - now())::integer as seconds from mailed_tokens
    where user_id = $1 and purpose = 'undo_email_change'`,
    [ann.id],
  )
  assert.ok((row?.seconds ?? 0) > 71 * 3600 && (row?.seconds ?? 0) <= 72 * 3600)

  const answers = await Promise.all(Array.from({ length: 20 }, () => undo(token)))
  await query('update mailed_tokens set expires_at = now() where user_id = $1', [ben.id])

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
  const rows = await query(`select from mailed_tokens where user_id = $1 and purpose = 'undo_email_change'`, [ann.id])
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

  await query(`update mailed_tokens set expires_at = now() where user_id = $1`, [ann.id])
  assert.equal((await signUp(ann.email)).status, 201)
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
    const owners = await query('select id from users where email = $1', [ann.email])
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
    const [row] = await query('select email, pending_email, password_hash from users where id = $1', [ann.id])
    assert.deepEqual(row, { email: ann.email, pending_email: null, password_hash: null })
  }
})

/** Somebody with an authenticator app and recovery codes, both 73 hours old, who has asked for another address. */
async function changing(): Promise<Person> {
  const { person } = await enrol(world)
  await query(`update factors set created_at = now() - interval '73 hours' where user_id = $1`, [person.id])
  await query(`update recovery_codes set created_at = now() - interval '73 hours' where user_id = $1`, [person.id])
  assert.equal((await person.patch('/api/users/me', { email: newAddress() })).status, 200)
  return person
}

/** Opens the undo link that was mailed to the address before. */
async function undoLast({ id }: Person): Promise<void> {
  const [row] = await query<{ generation: number }>(
    `select max(generation) as generation from mailed_tokens where user_id = $1 and purpose = 'undo_email_change'`,
    [id],
  )
  const token = makeMailedToken(world.keyring, 'undo_email_change', { tenant, id, generation: row?.generation ?? 0 })
  assert.equal((await world.nobody.post('/api/auth/undo-email-change', { token })).status, 200)
}

/** What the person has left: the types of factors, and the number of recovery codes. */
async function leftOf({ id }: Person): Promise<[string[], number]> {
  const factors = await query<{ type: string }>('select type from factors where user_id = $1', [id])
  const codes = await query('select from recovery_codes where user_id = $1', [id])
  return [factors.map(({ type }) => type), codes.length]
}

test('undoing a change of address keeps the factors and recovery codes from more than 72 hours before it', async () => {
  const person = await changing()
  await undoLast(person)
  assert.deepEqual(await leftOf(person), [['totp'], 10])
})

test('the mail about the reset after an undo lists the linked accounts that stay', async () => {
  const ann = await world.person()
  await query(
    `insert into providers (tenant_id, id, type, name, client_id) values ($1, 'idp_2', 'github', 'Elsewhere', 'x')`,
    [tenant],
  )
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject, created_at)
     values ($1, 'idn_of_thief', $2, 'idp_2', 'x', 'thief', now() - interval '73 hours')`,
    [tenant, ann.id],
  )
  await change(ann, newAddress())
  await undo(await wayBack(ann.email))

  assert.equal((await reset(ann.email)).status, 200)

  assert.ok((await subjects(ann.email)).includes('Your password for Guildhall was changed'))
  const mail = (await world.mails(ann.email)).find(({ subject }) => subject.startsWith('Your password'))
  assert.match(mail?.text ?? '', /These can sign in to it, too: Elsewhere\./)
})

test('undoing a change of address takes back factors, recovery codes and linked accounts from the 72 hours before it, and since', async () => {
  const person = await changing()
  await query(
    `insert into providers (tenant_id, id, type, name, client_id) values ($1, 'idp_1', 'github', 'GitHub', 'x')`,
    [tenant],
  )
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject, created_at)
     select $1, 'idn_' || n, $2, 'idp_1', 'x', n::text, now() - n * interval '1 hour' from unnest(array[0, 71, 73]) n`,
    [tenant, person.id],
  )
  assert.equal((await addPasskey(person)).answer.status, 201)
  assert.equal((await person.post('/api/users/me/recovery-codes')).status, 200)
  await undoLast(person)
  assert.deepEqual(await leftOf(person), [['totp'], 0])
  assert.deepEqual(await query('select id from identities where user_id = $1', [person.id]), [{ id: 'idn_73' }])
})

test('undoing a change of address ends invitations, links and keys that were made since, and begins the grace of rotated keys', async () => {
  const { ann, id, path } = await world.organization()
  const guest = await world.person('Eve')
  await query('update tenants set organization_keys = true where id = $1', [tenant])
  const made = async () => ({
    invitation: (await ann.post(`${path}/invites`, { email: newAddress() })).body.id,
    link: (await makeLink(ann, id)).id,
    key: (await requestKey(ann, `${path}/keys`)).key.id,
  })
  const resendable = await made()
  const [before, program] = [await made(), await requestKey(ann, `${path}/keys`, { scopes: ['invitations:write'] })]
  const rotated = program.key.id
  for (const table of ['invitations', 'links', 'api_keys', 'api_key_secrets'])
    await query(`update ${table} set created_at = now() - interval '1 hour' where tenant_id = $1`, [tenant])
  const { status } = await ann.patch('/api/users/me', { email: newAddress(), currentPassword: password })
  assert.equal(status, 200)
  const since = await made()
  const { body: stolen, status: isRotated } = await ann.post(`${path}/keys/${rotated}/rotate`)
  assert.equal(isRotated, 200)
  const again = await ann.post(`${path}/invites/${resendable.invitation}/resend`, {})
  assert.equal(again.status, 200)
  const wayIn = { email: guest.email, role: 'owner', mail: false, expiresInDays: 30 }
  const { body: planted } = await ann.post(`${path}/invites`, wayIn)
  const thief = new Client(world, { authorization: `Bearer ${stolen.secret}` })
  const byKey = await thief.post(`${path}/invites`, { email: newAddress(), mail: false })
  assert.equal(byKey.status, 201)

  await undoLast(ann)

  assert.deepEqual(codeOf(await guest.post(`/api/invites/${planted.id}/accept`)), [410, 'invitation_revoked'])
  const stateOf = async ({ invitation, link, key }: typeof before) => [
    ...(await query<{ state: string }>('select status as state from invitations where id = $1', [invitation])),
    ...(await query<{ state: string }>('select reason as state from links where id = $1', [link])),
    ...(await query<{ state: string | null }>(
      `select case when holder_left_at is not null then 'grace' else ended_because end as state from api_keys where id = $1`,
      [key],
    )),
  ]
  const states = async (each: typeof before) => (await stateOf(each)).map(({ state }) => state)
  assert.deepEqual(await states(before), ['pending', null, null])
  assert.deepEqual(await states(since), ['revoked', 'maker', 'reset'])
  assert.deepEqual(await states({ ...resendable, key: rotated }), ['revoked', null, 'grace'])
  assert.deepEqual(await states({ ...before, invitation: byKey.body.id }), ['revoked', null, null])
  const entries = await query<{ cause: string }>(
    `select details->>'cause' as cause from audit_entries where action = 'invitation.revoked' and target_id = $1`,
    [planted.id],
  )
  assert.deepEqual(entries, [{ cause: 'inviter_reset' }])
})

test('undoing a change of address disables webhooks whose URL the account has set since', async () => {
  await offerWebhooks(world)
  const { ann, ben, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
  const list = `${path}/webhooks`
  const make = async (maker: Person) => (await requestWebhook(maker, list)).webhook.id
  const change = async (person: Person, id: string, body: object) =>
    assert.equal((await person.patch(`${list}/${id}`, body)).status, 200)
  const url = `${webhookUrl}/of/another`
  const [moved, kept, bens] = [await make(ann), await make(ann), await make(ben)]
  await change(ann, kept, { url })
  await query(
    `update webhooks set created_at = now() - interval '2 hours', url_set_at = url_set_at - interval '1 hour' where tenant_id = $1`,
    [tenant],
  )
  const { status } = await ann.patch('/api/users/me', { email: newAddress(), currentPassword: password })
  assert.equal(status, 200)
  const made = await make(ann)
  await change(ann, moved, { url })
  await change(ann, kept, { name: 'Renamed' })
  await change(ben, bens, { url })

  await undoLast(ann)

  const { body } = await ben.get(list)
  const disabled = body.data.filter((each: { status: string }) => each.status === 'disabled')
  assert.deepEqual(disabled.map(({ id }: { id: string }) => id).sort(), [made, moved].sort())
  assert.deepEqual([disabled[0].disabledBecause, disabled[1].disabledBecause], ['person', 'person'])
  const { body: log } = await ben.get(`${path}/audit?action=webhook.disabled`)
  assert.equal(log.data.length, 2)
})
