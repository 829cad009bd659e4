import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { queueIsDone } from '../../../test/queue.ts'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken, type UserPurpose } from '../access/tokens.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { tenantId: tenant } = world

const newAddress = () => `new-${randomBytes(5).toString('hex')}@example.com`
const want = (person: Person, email: string) => person.patch('/api/users/me', { email, currentPassword: password })
const pendingOf = async (person: Person) => (await person.get('/api/users/me')).body.pendingEmail
const erase = async (person: Person) => assert.equal((await person.delete('/api/users/me', { password })).status, 200)

/** The newest link of a purpose that somebody has. */
async function linkOf(person: Person, purpose: UserPurpose): Promise<string> {
  const [row] = await query<{ generation: number }>(
    'select max(generation) as generation from mailed_tokens where user_id = $1 and purpose = $2',
    [person.id, purpose],
  )
  return makeMailedToken(world.keyring, purpose, { tenant, id: person.id, generation: row?.generation ?? 0 })
}

/** Changes somebody's address, as the link mailed to the new one does. */
async function moveTo(person: Person, email: string): Promise<void> {
  assert.equal((await want(person, email)).status, 200)
  const opened = await person.post('/api/auth/verify-email', { token: await linkOf(person, 'change_email') })
  assert.equal(opened.body.email, email)
}

/** The tables that hold a word. In mails the dots of an address are broken. */
async function tablesWith(word: string): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker')`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await query(`select from ${name} t where strpos(replace(to_jsonb(t)::text, U&'\\2060', ''), $1) > 0`, [
      word,
    ])
    if (rows.length > 0) found.push(name)
  }
  return found
}

test("deleting an account with somebody else's unverified address leaves invitations to and requests for that address", async () => {
  const { ann, path } = await world.organization()
  const bob = await world.person('Bob')
  const email = newAddress()
  const { body: invited } = await ann.post(`${path}/invites`, { email })
  await want(bob, email)
  await queueIsDone(world.postgres)
  const subjects = async () => (await world.mails(email)).map(({ subject }: Json) => subject)
  const before = await subjects()
  assert.equal(before.length, 2)

  const stranger = await world.person('Stranger', { email, verified: false })
  await queueIsDone(world.postgres)
  await erase(stranger)

  await queueIsDone(world.postgres)
  assert.deepEqual(await tablesWith(stranger.id), [])
  assert.deepEqual(await subjects(), before, 'and nothing of the stranger’s')
  const { status, email: kept } = (await ann.get(`${path}/invites/${invited.id}`)).body
  assert.deepEqual([status, kept], ['pending', email])
  assert.equal(await pendingOf(bob), email)
  const { body: log } = await bob.get('/api/users/me/audit?action=email.*')
  assert.deepEqual(log.data[0].details, { email: { from: bob.email, to: email } })
  const opened = await bob.post('/api/auth/verify-email', { token: await linkOf(bob, 'change_email') })
  assert.deepEqual([opened.status, opened.body.email], [200, email])
})

test('an address that somebody gave up unverified was never theirs', async () => {
  const { ann, path } = await world.organization()
  const email = newAddress()
  const { body: invited } = await ann.post(`${path}/invites`, { email })
  const stranger = await world.person('Stranger', { email, verified: false })
  const own = newAddress()
  await moveTo(stranger, own)

  await erase(stranger)

  await queueIsDone(world.postgres)
  assert.deepEqual(await tablesWith(own), [])
  assert.equal((await ann.get(`${path}/invites/${invited.id}`)).body.status, 'pending')
})

test('a former address belongs to its next owner: invitations sent since stay, earlier ones are erased', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  const [ann, bob] = [await world.person(), await world.person('Bob')]
  const early = (await one.ann.post(`${one.path}/invites`, { email: ann.email })).body
  await moveTo(ann, newAddress())
  const late = (await other.ann.post(`${other.path}/invites`, { email: ann.email })).body
  await want(bob, ann.email)
  await queueIsDone(world.postgres)

  await erase(ann)

  const { body: revoked } = await one.ann.get(`${one.path}/invites/${early.id}`)
  const { body: kept } = await other.ann.get(`${other.path}/invites/${late.id}`)
  assert.deepEqual([revoked.status, revoked.email, kept.status, kept.email], ['revoked', null, 'pending', ann.email])
  assert.equal(await pendingOf(bob), ann.email)
  const mails = await query<{ invitation_id: string }>(
    'select invitation_id from mails where recipient = $1 and invitation_id is not null',
    [ann.email],
  )
  assert.deepEqual(
    mails.map(({ invitation_id }) => invitation_id),
    [late.id],
  )
})

test('deleting an account erases the address that a thief had set, even if the change was undone', async () => {
  const { ann: host, path } = await world.organization()
  const ann = await world.person()
  const email = newAddress()
  await moveTo(ann, email)
  const { body: invited } = await host.post(`${path}/invites`, { email })
  const token = await linkOf(ann, 'undo_email_change')
  assert.equal((await world.nobody.post('/api/auth/undo-email-change', { token })).status, 200)
  const reset = { token: await world.mailedToken(ann.email, 'reset-password'), newPassword: password }
  assert.equal((await world.nobody.post('/api/auth/reset-password', reset)).status, 200)

  await erase(await world.signIn(ann))

  await queueIsDone(world.postgres)
  assert.deepEqual(await tablesWith(email), [])
  assert.equal((await host.get(`${path}/invites/${invited.id}`)).body.status, 'revoked')
})

test("deleting an account erases other people's requests for its address: pending, cancelled, replaced, or ended by a reset", async () => {
  const ann = await world.person()
  const [bob, cleo, dan, eve] = await Promise.all(['Bob', 'Cleo', 'Dan', 'Eve'].map((name) => world.person(name)))
  assert.ok(bob && cleo && dan && eve)
  for (const person of [bob, cleo, dan, eve]) assert.equal((await want(person, ann.email)).status, 200)
  await queueIsDone(world.postgres)
  await want(cleo, cleo.email)
  const next = newAddress()
  await want(dan, next)
  await world.nobody.post('/api/auth/forgot-password', { email: eve.email })
  const reset = { token: await world.mailedToken(eve.email, 'reset-password'), newPassword: password }
  assert.equal((await world.nobody.post('/api/auth/reset-password', reset)).status, 200)
  await queueIsDone(world.postgres)
  const tables = ['audit_details', 'mailed_tokens', 'mails', 'user_words', 'users'].map((name) => `public.${name}`)
  assert.deepEqual((await tablesWith(ann.email)).sort(), tables, 'the proof needs it there before')

  await erase(ann)

  await queueIsDone(world.postgres)
  assert.deepEqual(await tablesWith(ann.email), [])
  assert.deepEqual([await pendingOf(bob), await pendingOf(dan)], [null, next])
})

test('the row of a used link no longer has the requested address', async () => {
  const ann = await world.person()
  const email = newAddress()
  await want(ann, email)
  await want(ann, ann.email)

  const tokens = await query<{ email: string }>(
    `select email from mailed_tokens where user_id = $1 and purpose = 'change_email'`,
    [ann.id],
  )
  assert.deepEqual(tokens, [{ email: '' }])
})

test("deleting an account erases another user's request for its address, even if an undo link cancelled that request", async () => {
  const [una, pat] = [await world.person('Una'), await world.person('Pat')]
  const passing = newAddress()
  await moveTo(una, passing)
  const token = await linkOf(una, 'undo_email_change')
  await want(una, pat.email)
  await queueIsDone(world.postgres)
  assert.equal((await world.nobody.post('/api/auth/undo-email-change', { token })).status, 200)
  const told = () =>
    query<Json>(
      `select e.action, d.details from audit_entries e join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id
      where d.user_id = $1 and e.action in ('email.change_undone', 'email.change_cancelled') order by e.id`,
      [una.id],
    )
  const undone = {
    action: 'email.change_undone',
    details: { email: { from: passing, to: una.email }, endedSessions: 1 },
  }
  const action = 'email.change_cancelled'
  assert.deepEqual(await told(), [{ action, details: { pendingEmail: { from: pat.email, to: null } } }, undone])

  await erase(pat)

  await queueIsDone(world.postgres)
  assert.deepEqual(await tablesWith(pat.email), [])
  assert.deepEqual(await told(), [{ action, details: null }, undone])
})

test('deleting an account erases its address from an entry that an older release wrote beside another address', async () => {
  const [una, pat] = [await world.person('Una'), await world.person('Pat')]
  const passing = newAddress()
  await moveTo(una, passing)
  const token = await linkOf(una, 'undo_email_change')
  assert.equal((await world.nobody.post('/api/auth/undo-email-change', { token })).status, 200)
  const asBefore = {
    email: { from: passing, to: una.email },
    pendingEmail: { from: pat.email, to: null },
    endedSessions: 1,
  }
  const [written] = await query(
    `update audit_details d set details = $2
    from audit_entries e
    where e.tenant_id = d.tenant_id and e.id = d.entry_id and e.action = 'email.change_undone' and d.user_id = $1
    returning d.entry_id`,
    [una.id, asBefore],
  )
  assert.ok(written)
  await queueIsDone(world.postgres)

  await erase(pat)

  await queueIsDone(world.postgres)
  assert.deepEqual(await tablesWith(pat.email), [])
})

test('an address that somebody signed up with and never proved leaves their log when they change from it', async () => {
  const email = newAddress()
  const stranger = await world.person('Stranger', { email, verified: false })
  await moveTo(stranger, newAddress())
  const owner = await world.person('Owner', { email })

  await erase(owner)

  await queueIsDone(world.postgres)
  assert.deepEqual(await tablesWith(email), [])
})
