import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Json, mailboxKey, password } from '../../../test/world.ts'
import { sendMail } from '../../domain/mail/mail.ts'

const world = await createWorld({ worker: true })
const withKey = { 'guildhall-mailbox-key': mailboxKey }

test('the mailbox lists the mails of a tenant, newest first, with working links', async () => {
  const { ann, path } = await world.organization()
  const [first, second] = [newAddress(), newAddress()]
  const { body: one } = await ann.post(`${path}/invites`, { email: first })
  await mailsTo(first)
  const { body: two } = await ann.post(`${path}/invites`, { email: second })
  await mailsTo(second)

  const { status, body } = await world.nobody.get('/api/mailbox', withKey)
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.slice(0, 2).map(({ to }: Json) => to),
    [second, first],
  )
  for (const [mail, { id }] of [
    [body.data[0], two],
    [body.data[1], one],
  ]) {
    const token = /\/invitation#token=(\S+)/.exec(mail.text)?.[1] ?? ''
    assert.ok(mail.html.includes(`/invitation#token=${token}"`))
    assert.equal((await world.nobody.post(`/api/invites/${id}/preview`, { token })).status, 200)
  }
})

test('a verification link from the mailbox verifies the signed-in person who opens it', async () => {
  const ann = await world.person('Ann', { verified: false })
  const token = await world.mailedToken(ann.email, 'verify-email')

  const answer = await ann.post('/api/auth/verify-email', { token })

  assert.deepEqual([answer.status, answer.body], [200, { email: ann.email, emailVerified: true }])
})

test('mails are found by address, however it is written', async () => {
  const email = newAddress()
  await world.person('Ann', { verified: false, email })
  await mailsTo(email)
  const [local, domain] = email.split('@')
  for (const to of [email, email.toUpperCase(), `${local}@${domain?.toUpperCase()}`, ` ${email} `]) {
    const { body } = await world.nobody.get(`/api/mailbox?to=${encodeURIComponent(to)}`, withKey)
    assert.deepEqual(
      body.data.map((mail: Json) => mail.to),
      [email],
      to,
    )
  }
  const { body: none } = await world.nobody.get(`/api/mailbox?to=${newAddress()}`, withKey)
  assert.deepEqual(none, { data: [], nextCursor: null })
  assert.equal((await world.nobody.get('/api/mailbox?to=nobody', withKey)).status, 400)
})

test('pages of mails have no gap and no repetition, and a cursor works only for its own query', async () => {
  const { ann, path } = await world.organization()
  const email = newAddress()
  const { body: invitation } = await ann.post(`${path}/invites`, { email })
  for (let sent = 1; sent < 5; sent++) {
    await mailsTo(email, sent)
    await ann.post(`${path}/invites/${invitation.id}/resend`)
  }
  const all = await mailsTo(email, 5)

  const seen: string[] = []
  let next = `/api/mailbox?limit=2&to=${email}`
  for (;;) {
    const { body, headers } = await world.nobody.get(next, withKey)
    assert.ok(body.data.length <= 2)
    seen.push(...body.data.map(({ id }: Json) => id))
    if (body.nextCursor === null) break
    next = `/api/mailbox?limit=2&to=${email}&cursor=${body.nextCursor}`
    assert.ok(headers.get('link')?.endsWith('rel="next"'))
    const elsewhere = await world.nobody.get(`/api/mailbox?cursor=${body.nextCursor}`, withKey)
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [400, 'invalid_cursor'])
  }
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  )
  assert.equal(new Set(seen).size, 5)
})

test("a tenant's mailbox shows only its own mails", async () => {
  const { slug } = await world.tenant()
  const email = newAddress()
  await world.person('Ann', { verified: false, tenant: slug, email })
  await until(async () => (await world.mails(email, slug)).length === 1, 'its mail')

  assert.deepEqual(await world.mails(email), [])
  const { body } = await world.nobody.get('/api/mailbox', { ...withKey, 'guildhall-tenant': slug })
  assert.deepEqual(
    body.data.map(({ to }: Json) => to),
    [email],
  )
  assert.match(body.data[0].text, new RegExp(`/t/${slug}/verify-email#token=`))
})

test("a cursor of one tenant's mailbox does not work in another's", async () => {
  const { slug } = await world.tenant()
  for (const tenant of ['default', slug]) {
    for (let mails = 0; mails < 2; mails++) await world.person('Ann', { verified: false, tenant })
  }
  const read = (tenant: string, query: string) =>
    world.nobody.get(`/api/mailbox?limit=1${query}`, {
      'guildhall-mailbox-key': mailboxKey,
      'guildhall-tenant': tenant,
    })
  const cursor = await until(async () => (await read('default', '')).body.nextCursor, 'two mails')
  assert.equal((await read('default', `&cursor=${cursor}`)).status, 200)
  assert.equal((await read(slug, `&cursor=${cursor}`)).body.code, 'invalid_cursor')
})

test('the mailbox does not exist without the right key, through a proxy, or under a name that is not loopback', async () => {
  const unknown = await read({ host: '127.0.0.1' }, '/api/nothing-here')
  const port = new URL(world.url).port
  const strangers: Record<string, string>[] = [
    {},
    { 'guildhall-mailbox-key': '' },
    { 'guildhall-mailbox-key': 'wrong' },
    { 'guildhall-mailbox-key': mailboxKey.slice(0, -1) },
    { 'guildhall-mailbox-key': `${mailboxKey}x` },
    { 'guildhall-mailbox-key': mailboxKey.toUpperCase() },
    { authorization: `Bearer ${mailboxKey}` },
    { ...withKey, forwarded: 'for=192.0.2.1' },
    { ...withKey, 'x-forwarded-for': '127.0.0.1' },
    { ...withKey, 'x-forwarded-host': 'localhost' },
    { ...withKey, 'x-forwarded-proto': 'https' },
    { ...withKey, 'x-forwarded-port': '443' },
    { ...withKey, 'x-real-ip': '127.0.0.1' },
    { ...withKey, via: '1.1 proxy' },
    { ...withKey, host: 'evil.example' },
    { ...withKey, host: `127.0.0.1.evil.example:${port}` },
    { ...withKey, host: `localhost.evil.example:${port}` },
    { ...withKey, host: '192.0.2.1' },
    { ...withKey, host: '0.0.0.0' },
    { ...withKey, host: '[::]' },
    { ...withKey, host: '2130706433' },
  ]
  for (const headers of strangers) {
    const { status, body } = await read(headers)
    assert.deepEqual([status, body.code], [404, 'not_found'], JSON.stringify(headers))
    assert.deepEqual([body.title, body.detail], [unknown.body.title, unknown.body.detail])
  }
  for (const host of [`127.0.0.1:${port}`, 'localhost', `LOCALHOST:${port}`, '[::1]:3000', '127.1.2.3']) {
    assert.equal((await read({ ...withKey, host })).status, 200, host)
  }
})

test('the token of a mailed link cannot be made from anything stored', async () => {
  const { ann, path } = await world.organization()
  const email = newAddress()
  const guest = await world.person('Guest', { verified: false, email })
  const verification = await world.mailedToken(guest.email, 'verify-email')
  await ann.post(`${path}/invites`, { email })
  const invitation = await world.mailedToken(email, 'invitation')
  await world.nobody.post('/api/auth/forgot-password', { email })
  const reset = await world.mailedToken(email, 'reset-password')

  const tables = await world.postgres.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker')`)
  assert.ok(tables.length > 10)
  let rows = 0
  for (const { name } of tables) {
    for (const { row } of await world.postgres.query<{ row: string }>(`select each::text as row from ${name} each`)) {
      rows++
      for (const token of [verification, invitation, reset]) {
        const mac = Buffer.from(token.split('.')[2] ?? '', 'base64url')
        assert.equal(mac.length, 32)
        for (const form of [token, token.split('.')[2] ?? '', mac.toString('hex'), mac.toString('base64')]) {
          assert.ok(!row.includes(form), `${name} holds a token: ${row}`)
        }
      }
    }
  }
  assert.ok(rows > 20)
})

test('a mail that is requested twice is stored once', async () => {
  const email = newAddress()
  const ann = await world.person('Ann', { verified: false, email })
  const [mail] = await mailsTo(email)
  const [tenant] = await world.postgres.query<{ id: string }>('select tenant_id as id from users where id = $1', [
    ann.id,
  ])
  const { config, database, keyring } = world.app
  const job = {
    kind: 'verify_email',
    mailId: mail?.id,
    tenantId: tenant?.id ?? '',
    userId: ann.id,
    generation: 1,
  } as const

  assert.equal(await sendMail({ config, database, keyring, transport: undefined }, job), 'kept')

  assert.equal((await world.mails(email)).length, 1)
})

test('a mail is deleted together with its recipient', async () => {
  const ann = await world.person()
  const email = ann.email
  await world.postgres.query('update users set email_verified = false where id = $1', [ann.id])
  await ann.post('/api/auth/verify-email/resend')
  await until(async () => (await world.mails(email)).length >= 1, 'the mail')

  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)

  assert.deepEqual(await world.mails(email), [])
})

function newAddress(): string {
  return `guest-${randomBytes(6).toString('hex')}@example.com`
}

function mailsTo(email: string, count = 1): Promise<Json[]> {
  return until(async () => {
    const mails = await world.mails(email)
    return mails.length >= count && mails
  }, `${count} mail(s) to ${email}`) as Promise<Json[]> // until() waits `false` away
}

/** By node:http, which lets a request name any host. */
function read(headers: Record<string, string>, path = '/api/mailbox'): Promise<{ status: number; body: Json }> {
  return new Promise((resolve, reject) => {
    request(world.url + path, { headers, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
    })
      .on('error', reject)
      .end()
  })
}
