import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { giveBelongings } from '../../../test/belongings.ts'
import { dump, formsOf, traces } from '../../../test/dump.ts'
import { aPicture } from '../../../test/pictures.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { finishJobs } from '../../../test/queue.ts'
import { Client, createWorld, Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'

const double = await startProviderDouble()
// Behind a proxy, so that a request can come from anywhere. There the mailbox is shut and mail goes out by SMTP; the worker that
// keepMails() starts has no transport, so that mails are kept in the mailbox's table nevertheless.
const world = await createWorld({
  settings: {
    ...{ TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' },
    OUTBOUND_PRIVATE: '127.0.0.1',
  },
})
const { query } = world.postgres

/** Tables with personal columns in which nothing leads to the person, and why. */
const withoutTrace: Readonly<Record<string, string>> = {
  api_key_secrets: 'names a key by its id, which is public and tells of nobody once the key is gone; goes with the key',
}

const erase = (person: Person) => person.delete('/api/users/me', { password })
const keepMails = () => finishJobs(world)

/** The tables that can hold something personal, as the comments on their columns say. */
async function personalTables(): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `select distinct c.relname as name
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
       and col_description(c.oid, a.attnum) ~ '^personal'
     order by name`,
  )
  assert.ok(tables.length > 20)
  return tables.map(({ name }) => name)
}

/** Changes somebody's address, as the link mailed to the new one does. */
async function moveTo(person: Person, email: string, generation = 1): Promise<void> {
  assert.equal((await person.patch('/api/users/me', { email, currentPassword: password })).status, 200)
  const token = makeMailedToken(world.keyring, 'change_email', { tenant: world.tenantId, id: person.id, generation })
  assert.equal((await person.post('/api/auth/verify-email', { token })).body.email, email)
}

test('after deleting an account, the database has no data of the person', async () => {
  const canary = randomBytes(5).toString('hex')
  const headers = { 'x-forwarded-for': '198.51.100.77', 'user-agent': `Kestrel${canary}/7.1` }
  const elsewhere = { 'x-forwarded-for': '2001:db8:77:88::99', 'user-agent': `Osprey${canary}/2.0` }
  const local = `zeb.o'quag+mire_${canary}`
  const email = `${local}@mail-${canary}.example`
  const former = `quagmire+before_${canary}@mail-${canary}.example`
  const name = `Zebulon Quagmire ${canary}`

  // The person, with a profile and several sessions, one of them ended.
  const signedUp = await new Client(world, headers).post('/api/auth/sign-up', {
    email: former,
    password,
    name: `Old ${name}`,
  })
  const { session, user } = signedUp.body
  const arrived = new Person(world, session.token, user, headers)
  await keepMails()
  const token = makeMailedToken(world.keyring, 'verify_email', { tenant: world.tenantId, id: user.id, generation: 1 })
  assert.equal((await arrived.post('/api/auth/verify-email', { token })).status, 200)
  await moveTo(arrived, email)
  const zeb = new Person(world, session.token, { ...user, email }, headers)
  const avatarUrl = `https://pictures.example/${canary}-avatar.png`
  const profile = { name, avatarUrl, locale: 'cy-GB', timeZone: 'Pacific/Chatham' }
  const metadata = { hobby: `kites-${canary}`, deep: { er: [`falcons-${canary}`] } }
  assert.equal((await zeb.patch('/api/users/me', { ...profile, metadata })).status, 200)
  const { body: pictured } = await zeb.put('/api/users/me/avatar', aPicture)
  const ownName = /[\w-]{32}$/.exec(pictured.avatarUrl)?.[0] ?? assert.fail()
  const phone = await world.signIn(zeb, elsewhere)
  const tablet = await world.signIn(zeb, headers)
  const browser = { ...headers, 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' }
  assert.equal((await new Client(world, browser).post('/api/auth/sign-in', { email, password })).status, 200)
  const { body: devices } = await zeb.get('/api/users/me/devices')
  const tabletId = (await tablet.get('/api/users/me/devices')).body.data.find(
    (each: { current: boolean }) => each.current,
  ).id
  await phone.delete(`/api/users/me/devices/${tabletId}`)

  // Organizations: one alone, one as an owner among others, one as a member.
  await zeb.post('/api/organizations', { name: 'Alone' })
  const ours = await world.organization()
  await world.join(ours.ann, ours.id, zeb, 'owner')
  const theirs = await world.organization()
  await world.join(theirs.ann, theirs.id, zeb, 'member')

  // Invitations sent: accepted, pending with its mail kept, and taken over by somebody else.
  const eve = await world.person('Eve')
  await world.join(zeb, ours.id, eve, 'admin')
  const sent = await zeb.post(`${ours.path}/invites`, { email: `sent-${canary}-x@example.com` })
  const overtaken = await zeb.post(`${ours.path}/invites`, { email: 'overtaken@example.com' })
  // Received: pending, declined, revoked.
  const other = await world.organization()
  const third = await world.organization()
  const fourth = await world.organization()
  const pending = await other.ben.post(`${other.path}/invites`, { email })
  const declined = await third.ann.post(`${third.path}/invites`, { email })
  await zeb.post(`/api/invites/${declined.body.id}/decline`)
  const revoked = await fourth.ann.post(`${fourth.path}/invites`, { email })
  await fourth.ann.delete(`${fourth.path}/invites/${revoked.body.id}`)
  await keepMails()
  assert.equal((await ours.ann.post(`${ours.path}/invites/${overtaken.body.id}/resend`)).status, 200)

  // Acts of theirs, and acts of others upon them.
  const eveAsMember = (await zeb.get(`${ours.path}/members?query=eve`)).body.data[0]
  assert.equal((await zeb.patch(`${ours.path}/members/${eveAsMember.id}`, { role: 'member' })).status, 200)
  const asMember = (await theirs.ann.get(`${theirs.path}/members?query=zebulon`)).body.data[0]
  assert.equal((await theirs.ann.patch(`${theirs.path}/members/${asMember.id}`, { role: 'admin' })).status, 200)
  await zeb.patch(ours.path, { metadata: { edited: true } })
  await new Client(world, elsewhere).post('/api/auth/sign-in', { email, password: 'wrong' })
  await keepMails()
  await zeb.post('/api/users/me/password', { currentPassword: password, newPassword: `${password} anew` })

  // An organization that went, one that they were put out of, and one that they hand on.
  const sixth = await world.organization()
  await world.join(sixth.ann, sixth.id, zeb, 'admin')
  await sixth.ann.delete(sixth.path, { confirm: sixth.slug })
  const seventh = await world.organization()
  const { id: seventhMember } = await world.join(seventh.ann, seventh.id, zeb)
  await seventh.ann.delete(`${seventh.path}/members/${seventhMember}`)
  assert.equal((await zeb.post(`${ours.path}/transfer`, { memberId: eveAsMember.id })).status, 200)
  await keepMails()
  const roles = [{ key: 'keeper', name: 'Keeper', permissions: ['audit:read'] }]
  const tess = await world.tenantAdmin()
  assert.equal((await tess.put('/api/admin/access', { permissions: [], roles })).status, 200)
  const grants = [{ role: 'keeper' }]
  assert.equal((await theirs.ann.patch(`${theirs.path}/members/${asMember.id}`, { grants })).status, 200)
  const belongings = await giveBelongings(world, zeb, { double, path: ours.path, mark: canary })
  await keepMails()
  const kinds = await query<{ kind: string }>('select distinct kind from mails where user_id = $1 order by kind', [
    zeb.id,
  ])
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    [
      'email_changed',
      'email_is_new',
      'key_made',
      'member_removed',
      'member_role_changed',
      'new_device',
      'organization_deleted',
      'ownership_transferred',
      'password_changed',
      'sign_in_changed',
      'verify_email',
    ],
  )

  // Jobs that nobody has worked on: a refused sign-in, a verification, invitations sent and received.
  await new Client(world, headers).post('/api/auth/sign-in', { email, password: 'wrong' })
  await query('update users set email_verified = false where id = $1', [zeb.id])
  assert.equal((await zeb.post('/api/auth/verify-email/resend')).status, 202)
  await query('update users set email_verified = true where id = $1', [zeb.id])
  const waiting = [(await zeb.post(`${ours.path}/invites`, { email: 'another@example.com' })).body.id]
  const fifth = await world.organization()
  waiting.push((await fifth.ann.post(`${fifth.path}/invites`, { email })).body.id)
  const jobsAbout = (ids: readonly string[]) =>
    query(`select payload from graphile_worker._private_jobs where payload->>'invitationId' = any($1)`, [ids])
  const [jobs] = await query<{ jobs: number }>('select count(*)::integer as jobs from graphile_worker._private_jobs')
  assert.ok((jobs?.jobs ?? 0) >= 4)
  assert.equal((await jobsAbout(waiting)).length, 2)

  const words: Record<string, string> = {
    ...belongings,
    email,
    'former email': former,
    'local part': local,
    'word of the local part': 'zeb.oquag', // as a search knows it
    'domain of the email': `mail-${canary}`,
    name,
    'part of the name': 'Quagmire',
    'search key of the name': name.toLowerCase(),
    ip: headers['x-forwarded-for'],
    'other ip': elsewhere['x-forwarded-for'],
    'user agent': `Kestrel${canary}`,
    'other user agent': `Osprey${canary}`,
    avatar: avatarUrl,
    'uploaded picture': ownName,
    'time zone': profile.timeZone,
    locale: profile.locale,
    metadata: metadata.hobby,
    'deep metadata': `falcons-${canary}`,
    'user id': zeb.id,
    'suffix of the user id': zeb.id.slice(5),
    'id of a membership': asMember.id,
  }
  for (const { id } of devices.data) {
    words[`session ${id}`] = id
    words[`suffix of session ${id}`] = id.slice(4)
  }
  assert.equal(devices.data.length, 4)

  const before = await dump(query)
  const lower = before.toLowerCase()
  for (const [what, word] of Object.entries(words)) {
    assert.ok(lower.includes(word.toLowerCase()), `the proof needs the ${what} in the database before`)
  }
  const lines = traces(before, words)
  const untraced = (await personalTables()).filter(
    (table) => !lines.some((line) => line.includes(`: public.${table} `)),
  )
  assert.deepEqual(untraced, Object.keys(withoutTrace), 'the proof needs a trace in every table that can have one')
  assert.ok(lines.some((line) => line.includes(': graphile_worker._private_jobs ')))
  await query('create schema proof')
  await query('create table proof.forms (as_text text, as_bytes bytea)')
  const everyForm = Object.values(words).flatMap(formsOf)
  for (const form of everyForm) await query('insert into proof.forms values ($1, null)', [form])
  for (const word of Object.values(words)) {
    await query('insert into proof.forms values (null, sha256($1))', [Buffer.from(word)])
    await query('insert into proof.forms values (null, $1)', [Buffer.from(word)])
  }
  const found = traces(await dump(query), words).filter((line) => line.includes(': proof.forms '))
  assert.ok(
    found.length >= everyForm.length + 2 * Object.keys(words).length,
    'the search finds encoded and hashed words',
  )
  await query('drop schema proof cascade')

  const secrets = () => query('select from api_key_secrets')
  assert.equal((await secrets()).length, 1)
  const account = world.keyring.hmac('guessing', 'account', world.tenantId, email)
  const attempts = () => query('select from password_attempts where account = $1', [account])
  assert.ok((await attempts()).length > 0)

  // Their session has a second factor: in place of the password they type their address.
  const erased = await zeb.delete('/api/users/me', { confirm: email })

  assert.equal(erased.status, 200, JSON.stringify(erased.body))
  assert.deepEqual(traces(await dump(query), words), [])
  assert.deepEqual(await jobsAbout(waiting), [], 'jobs about their invitations are gone')
  assert.deepEqual(await attempts(), [])
  assert.deepEqual(await secrets(), [])
  await keepMails()
  assert.deepEqual(traces(await dump(query), words), [], 'what the queue still did left nothing either')

  // What belongs to others stays, and speaks of a person whom nobody can name.
  const { body: log } = await ours.ann.get(`${ours.path}/audit?limit=100`)
  const theirActs = log.data.filter((entry: { actor: { type: string } }) => entry.actor.type === 'deleted_user')
  const acts = theirActs.map(({ action }: { action: string }) => action)
  for (const action of [
    'invitation.sent',
    'member.role_changed',
    'organization.updated',
    'organization.ownership_transferred',
    'member.joined',
    'member.left',
  ]) {
    assert.ok(acts.includes(action), action)
  }
  const subjects = new Set(theirActs.map(({ actor }: { actor: { id: string } }) => actor.id))
  assert.equal(subjects.size, 1)
  const left = theirActs.find(({ action }: { action: string }) => action === 'member.left')
  assert.deepEqual(left.actor, left.target)
  assert.match(left.actor.id, /^sub_/)
  assert.equal(left.actor.name, null)

  const { body: elsewhereLog } = await theirs.ann.get(`${theirs.path}/audit?action=member.*`)
  const changed = elsewhereLog.data.find(({ action }: { action: string }) => action === 'member.role_changed')
  assert.equal(changed.actor.id, theirs.ann.id)
  assert.equal(changed.target.type, 'deleted_user')
  assert.ok(!subjects.has(changed.target.id), 'nobody can follow the person from one organization to another')

  assert.equal((await ours.ann.get(`${ours.path}/invites/${sent.body.id}`)).body.status, 'revoked')
  const received = (await other.ann.get(`${other.path}/invites/${pending.body.id}`)).body
  assert.deepEqual([received.status, received.email], ['revoked', null])
  const taken = (await ours.ann.get(`${ours.path}/invites/${overtaken.body.id}`)).body
  assert.deepEqual([taken.status, taken.invitedBy.id], ['pending', ours.ann.id], 'an invitation taken over stays')
})

test('invitations to an earlier address of the person lose it too, whatever their state', async () => {
  const eve = await world.person('Eve')
  const [old, next] = [eve.email, `new-${eve.email}`]
  const organizations = await Promise.all(Array.from({ length: 4 }, () => world.organization()))
  const invited = []
  for (const [index, { ann, path }] of organizations.entries()) {
    const { body } = await ann.post(`${path}/invites`, { email: old })
    if (index < 2) assert.equal((await eve.post(`/api/invites/${body.id}/accept`)).status, 200)
    if (index === 1) assert.equal((await eve.delete(`${path}/members/me`)).status, 200)
    if (index === 2) assert.equal((await eve.post(`/api/invites/${body.id}/decline`)).status, 200)
    invited.push({ ann, path: `${path}/invites/${body.id}` })
  }
  await keepMails()
  await moveTo(eve, next)

  assert.equal((await erase(eve)).status, 200)

  const left = await Promise.all(invited.map(({ ann, path }) => ann.get(path)))
  assert.deepEqual(
    left.map(({ body }) => [body.email, body.status]),
    [
      [null, 'accepted'],
      [null, 'accepted'],
      [null, 'declined'],
      [null, 'revoked'],
    ],
  )
  await keepMails()
  assert.deepEqual(traces(await dump(query), { 'earlier email': old, 'present email': next, 'user id': eve.id }), [])
})

test("a temporary address of the person is erased too, even if the log about it is gone, and so are other people's requests for it", async () => {
  const { ann, path } = await world.organization()
  const eve = await world.person('Eve')
  const [first, second] = [eve.email, `second-${eve.email}`]
  await moveTo(eve, second)
  await ann.post(`${path}/invites`, { email: second })
  await moveTo(eve, first, 2)
  await world.postgres.query('delete from audit_entries')
  const zoe = await world.person('Zoe')
  await zoe.patch('/api/users/me', { email: first, currentPassword: password })
  assert.equal((await zoe.get('/api/users/me')).body.pendingEmail, first)
  await keepMails()

  assert.equal((await erase(eve)).status, 200)

  await keepMails()
  assert.deepEqual(
    traces(await dump(query), { 'present email': first, 'email for a while': second, 'user id': eve.id }),
    [],
  )
  assert.equal((await zoe.get('/api/users/me')).body.pendingEmail, null)
})

test('an earlier address that belongs to somebody else now keeps its invitations', async () => {
  const { ann, path } = await world.organization()
  const eve = await world.person('Eve')
  await moveTo(eve, `new-${eve.email}`)
  await query(`update mailed_tokens set expires_at = now() where user_id = $1`, [eve.id])
  const other = await world.person('Another Eve', { email: eve.email })
  const { body } = await ann.post(`${path}/invites`, { email: eve.email })

  assert.equal((await erase(eve)).status, 200)

  const { data } = (await other.get('/api/users/me/invites')).body
  assert.deepEqual(
    data.map(({ id, email, status }: { id: string; email: string; status: string }) => [id, email, status]),
    [[body.id, eve.email, 'pending']],
  )
})
