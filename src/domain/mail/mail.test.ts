import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, test } from 'node:test'
import { linkIn, newAddress, onMailJobs, tokenOf } from '../../../test/mail-jobs.ts'
import { startSink } from '../../../test/smtp.ts'
import { createWorld } from '../../../test/world.ts'
import { sendMail } from './mail.ts'
import { openTransport } from './transport.ts'

const sink = await startSink()

const world = await createWorld({
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
  },
  worker: true,
})

afterEach(() => {
  sink.manner = 'take'
})

after(() => sink.stop())
const { failedJob, queueIsDone, signUp } = onMailJobs(world)

/** What every mail has, and no more. */
const headers = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
  'x-auto-response-suppress',
]

for (const [sender, name] of [
  ['The Shop, Inc. <hello@shop.example>', 'The Shop, Inc.'],
  ['Support: Shop <hello@shop.example>', 'Support: Shop'],
  ['Shop (EU) <hello@shop.example>', 'Shop (EU)'],
  ['"Quoted, \\"Inc\\"" <hello@shop.example>', 'Quoted, "Inc"'],
  ['Jürgens Läden; Köln <hello@shop.example>', 'Jürgens Läden; Köln'],
  ['hello@shop.example', ''],
] as const) {
  test(`a mail of the sender ${sender} comes from that name and address`, async () => {
    const { slug } = await world.tenant()
    await world.updateTenant(slug, { mailFrom: sender })
    const email = newAddress()
    assert.equal((await signUp(email, { tenant: slug })).status, 201)

    const [arrived] = await sink.to(email)

    assert.deepEqual(arrived?.mail.from, { name, address: 'hello@shop.example' })
    assert.equal(arrived?.from, 'hello@shop.example')
    assert.match(arrived?.mail.messageId ?? '', /@shop\.example>$/)
  })
}

test('signing up sends one verification mail, as text and HTML, with a working link', async () => {
  const email = newAddress()
  const { body } = await signUp(email)

  const [arrived] = await sink.to(email)
  assert.ok(arrived)
  const { mail, recipients, from } = arrived
  assert.deepEqual([from, recipients], ['no-reply@guildhall.example', [email]])
  assert.deepEqual(mail.from, { name: 'Guildhall', address: 'no-reply@guildhall.example' })
  assert.deepEqual(mail.to, [{ name: '', address: email }])
  assert.equal(mail.subject, 'Verify your email address for Guildhall')
  assert.equal(header(mail, 'auto-submitted'), 'auto-generated')
  const link = linkIn(mail.text ?? '')
  assert.ok(link.startsWith(`${world.app.config.publicUrl}/verify-email#token=ghm_`), link)
  assert.deepEqual(new Set(hrefsIn(mail.html ?? '')), new Set([link]))

  const verified = await world.nobody.post(
    '/api/auth/verify-email',
    { token: tokenOf(link) },
    { authorization: `Bearer ${body.session.token}` },
  )
  assert.deepEqual([verified.status, verified.body], [200, { email, emailVerified: true }])
  await queueIsDone(body.user.id)
  assert.equal((await sink.to(email)).length, 1)
})

test('inviting sends one mail to the invited address, with a link that opens the invitation', async () => {
  const { ann, path, id } = await world.organization()
  const email = newAddress()
  const { body } = await ann.post(`${path}/invites`, { email, role: 'admin' })

  const [arrived] = await sink.to(email)
  assert.ok(arrived)
  assert.deepEqual(arrived.recipients, [email])
  assert.match(arrived.mail.subject ?? '', /^Ann invited you to Acme [0-9a-f]{8}$/)
  assert.match(arrived.mail.text ?? '', /Ann invited you to Acme [0-9a-f]{8} on Guildhall as an admin\./)
  const link = linkIn(arrived.mail.text ?? '')
  assert.ok(link.startsWith(`${world.app.config.publicUrl}/invitation#token=ghm_`), link)
  assert.deepEqual(new Set(hrefsIn(arrived.mail.html ?? '')), new Set([link]))

  const preview = await world.nobody.post(`/api/invites/${body.id}/preview`, { token: tokenOf(link) })
  assert.deepEqual([preview.status, preview.body.organization.id, preview.body.email], [200, id, email])
  await queueIsDone(body.id)
  assert.equal((await sink.to(email)).length, 1)
})

test("a tenant's mail has the tenant's sender and links to the tenant's URL", async () => {
  const { slug } = await world.tenant()
  await world.postgres.query(
    'update tenants set mail_from = $1, base_url = $2, name = $3, logo_url = $5 where slug = $4',
    ['Shop <hello@shop.example>', 'https://shop.example/accounts', 'The Shop', slug, 'https://shop.example/logo.png'],
  )
  const [own, other] = [newAddress(), newAddress()]
  await signUp(own, { tenant: slug })
  const { slug: plain } = await world.tenant()
  await signUp(other, { tenant: plain })

  const [branded] = await sink.to(own)
  assert.ok(branded)
  assert.deepEqual(branded.mail.from, { name: 'Shop', address: 'hello@shop.example' })
  assert.equal(branded.from, 'hello@shop.example')
  assert.match(branded.mail.messageId ?? '', /@shop\.example>$/)
  assert.match(branded.mail.html ?? '', /<img src="https:\/\/shop\.example\/logo\.png"/)
  assert.equal(branded.mail.subject, 'Verify your email address for The Shop')
  assert.ok(linkIn(branded.mail.text ?? '').startsWith('https://shop.example/accounts/verify-email#token='))
  const [unbranded] = await sink.to(other)
  assert.ok(
    linkIn(unbranded?.mail.text ?? '').startsWith(`${world.app.config.publicUrl}/t/${plain}/verify-email#token=`),
  )
})

test('a name cannot add a header or a recipient, or become markup or a link', async () => {
  const organization = '"Acme", <b>x@evil.example</b> http://evil.example/?a=b&c;, Bcc: spy@evil.example'
  const inviter = `Ann, "Boss" <boss@evil.example>; =?utf-8?q?x?= ${'\u{1f600}'.repeat(40)}`
  const ann = await world.person(inviter, { email: newAddress() })
  const { body: made } = await ann.post('/api/organizations', { name: organization })
  const email = newAddress()
  await ann.post(`/api/organizations/${made.id}/invites`, { email })

  const [arrived] = await sink.to(email)
  assert.ok(arrived)
  const { mail, raw, recipients } = arrived
  assert.deepEqual(recipients, [email])
  assert.deepEqual(mail.to, [{ name: '', address: email }])
  assert.deepEqual(mail.headers.map(({ key }) => key).sort(), headers)
  assert.doesNotMatch(raw.split('\r\n\r\n')[0] ?? '', /^(bcc|cc|reply-to|sender):/im)
  assert.ok((mail.subject ?? '').length < 200 && (mail.subject ?? '').includes('…'))
  for (const text of [mail.text ?? '', mail.html ?? '', mail.subject ?? '']) {
    assert.doesNotMatch(text.replaceAll(linkIn(mail.text ?? ''), ''), /evil\.example|https?:\/\/evil|[a-z]@evil/)
  }
  assert.doesNotMatch(mail.html ?? '', /<b>|<boss/)
  assert.match(mail.html ?? '', /&#60;b&#62;/)
})

test('any names of tenant, organization and inviter leave a mail with one recipient, the same headers and none of their markup', async () => {
  const { slug } = await world.tenant()
  const [ann, tess] = await Promise.all([
    world.person('Ann', { tenant: slug, email: newAddress() }),
    world.tenantAdmin(slug),
  ])
  const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
  for (const name of [
    '=?utf-8?q?Bcc=3A_spy=40evil=2Eexample?=', // ASCII alone, which a mailer need not encode
    '=?utf-8?b?DQpCY2M6IHNweUBldmlsLmV4YW1wbGU=?=',
    'Bcc: spy@evil.example, <spy@evil.example>; "x" \\',
    '"><img src=https://evil.example/x.png onerror=alert(1)>',
    '</title><a href="https://evil.example">Ann</a>&#60;',
    '%0d%0aBcc:spy@evil.example\\r\\nBcc: spy',
    `Z${'\u0300'.repeat(80)} \ufdfa`,
    'ａｎｎ＠evil．example \u{e0041}\u200b\ufeff',
    '👩🏽‍👩🏿‍👧‍👦'.repeat(9),
    '-- ',
    '.',
  ]) {
    assert.equal((await tess.patch('/api/admin/tenant', { name })).status, 200, name)
    assert.equal((await ann.patch('/api/users/me', { name })).status, 200, name)
    assert.equal((await ann.patch(`/api/organizations/${acme.id}`, { name })).status, 200, name)
    const [invited, signedUp] = [newAddress(), newAddress()]
    await ann.post(`/api/organizations/${acme.id}/invites`, { email: invited })
    await signUp(signedUp, { tenant: slug })

    for (const email of [invited, signedUp]) {
      const [arrived] = await sink.to(email)
      assert.ok(arrived)
      const { mail, raw, recipients, from } = arrived
      assert.deepEqual([from, recipients], ['no-reply@guildhall.example', [email]], name)
      assert.deepEqual([mail.to, mail.from?.address], [[{ name: '', address: email }], 'no-reply@guildhall.example'])
      assert.deepEqual(mail.headers.map(({ key }) => key).sort(), headers, name)
      const [head = ''] = raw.split('\r\n\r\n')
      assert.doesNotMatch(head, /^(bcc|cc|reply-to|sender)\s*:|[^\r]\n|\r[^\n]|[^ -~\r\n]/im, name)
      assert.doesNotMatch(mail.subject ?? '', /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u, name)
      const { text = '', html = '' } = mail
      for (const part of [mail.subject ?? '', text, html.replace(/<[^>]*>/g, '')])
        assert.doesNotMatch(part.replaceAll(linkIn(text), ''), /spy@evil|evil\.example|https?:\/\/evil/, name)
      assert.deepEqual(new Set(hrefsIn(html)), new Set([linkIn(text)]), name)
      assert.doesNotMatch(html, /<img|<script|onerror=[^&]*>|<\/title>.*<\/title>/s, name)
    }
  }
})

test('an address that looks like the words of a header is one recipient', async () => {
  const { ann, path } = await world.organization()
  const mark = randomBytes(4).toString('hex')
  for (const local of [`=?utf-8?q?${mark}?=`, `bcc${mark}`, `rcpt%0d%0a${mark}`, `a!b%c${mark}`, `{${mark}}$1`]) {
    const email = `${local}@example.com`
    assert.equal((await ann.post(`${path}/invites`, { email })).status, 201, email)
    const arrived = await sink.to(email)
    assert.deepEqual(
      arrived.map(({ recipients }) => recipients),
      [[email]],
    )
    assert.deepEqual(arrived[0]?.mail.headers.map(({ key }) => key).sort(), headers)
    assert.match(arrived[0]?.raw ?? '', /^to: \S+\r$/im)
    assert.ok(arrived[0]?.raw.includes(`To: ${email}\r\n`), arrived[0]?.raw.split('\r\n\r\n')[0])
  }
})

test('names and addresses that would break out of a header are refused before a mail is composed', async () => {
  const { ann, path } = await world.organization()
  const broken = ['a\r\nBcc: spy@evil.example', 'a\nb', 'a\u2028b', 'a\u0000b', 'a\u202eb']
  for (const name of broken) {
    assert.equal((await ann.patch('/api/users/me', { name })).status, 400, JSON.stringify(name))
    assert.equal((await ann.patch(path, { name })).status, 400, JSON.stringify(name))
  }
  const addresses = [
    'a@example.com\r\nRCPT TO:<spy@evil.example>',
    'a@example.com,spy@evil.example',
    'a@example.com;spy@evil.example',
    '"a b"@example.com',
    '"a\\"@evil.example"@example.com',
    'a b@example.com',
    'a@b@example.com',
    '<a@example.com>',
    'Ann <a@example.com>',
    'a(comment)@example.com',
    'a@[127.0.0.1]',
    'a@example.com>',
    'a,b@example.com',
    'ü@example.com',
    'a@example.com\u0000',
  ]
  for (const email of addresses) {
    assert.equal((await ann.post(`${path}/invites`, { email })).status, 400, JSON.stringify(email))
    assert.equal((await signUp(email)).status, 400, JSON.stringify(email))
  }
})

test('an unusual but valid address gets its one mail', async () => {
  const { ann, path } = await world.organization()
  const mark = randomBytes(4).toString('hex')
  for (const local of ["o'brien", 'a+b=c', '{x}|~', 'a%b', '!#$&*/?^_`', '-x-']) {
    const email = `${local}${mark}@example.com`
    assert.equal((await ann.post(`${path}/invites`, { email })).status, 201, email)
    const [arrived] = await sink.to(email)
    assert.deepEqual(arrived?.recipients, [email])
    assert.deepEqual(arrived?.mail.to, [{ name: '', address: email }])
  }
  const { body } = await ann.post(`${path}/invites`, { email: `A.${mark}@Bücher.example` })
  assert.equal(body.email, `a.${mark}@xn--bcher-kva.example`)
  assert.deepEqual((await sink.to(body.email))[0]?.recipients, [body.email])
})

test('the queue stores nothing personal, neither in a payload nor in the error of a failed try', async () => {
  const { ann, path } = await world.organization()
  const email = newAddress()
  sink.manner = { at: 'rcpt', code: 450 } // its text quotes the address
  const { body } = await ann.post(`${path}/invites`, { email })
  const { payload, text } = await failedJob(body.id, 1)

  assert.deepEqual(Object.keys(payload).sort(), ['generation', 'invitationId', 'kind', 'mailId', 'tenantId'])
  for (const personal of [email, email.split('@')[0] ?? '', 'Ann', 'Acme', 'ghm_', ann.email, '127.0.0.1']) {
    assert.ok(!text.includes(personal), `the queue keeps "${personal}": ${text}`)
  }
})

test('SMTP_URL signs in, uses STARTTLS if the server offers it, and refuses an untrusted certificate', async () => {
  const secured = await startSink({
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ username, password: given }, _session, done) =>
      username === 'user@corp' && given === 'p@ss:word'
        ? done(null, { user: username })
        : done(Object.assign(new Error('no'), { responseCode: 535 })),
  })
  try {
    const send = (userinfo: string, query: string) => {
      const smtpUrl = `smtp://${userinfo}127.0.0.1:${secured.port}${query}`
      return sendMail({ ...post, transport: openTransport({ smtpUrl }) }, job)
    }
    const email = newAddress()
    sink.manner = { at: 'mail', code: 451 } // leaves the job to us
    const { body } = await signUp(email)
    const { payload: job } = await failedJob(body.user.id, 1)
    const { config, database, keyring } = world.app
    const post = { config, database, keyring }

    const anyCertificate = '?tls.rejectUnauthorized=false'
    assert.equal(await send('user%40corp:p%40ss%3Aword@', anyCertificate), 'sent')
    const [arrived] = await secured.to(email)
    assert.deepEqual([arrived?.user, arrived?.encrypted], ['user@corp', true])

    await assert.rejects(
      send('user%40corp:wrong@', anyCertificate),
      /^Error: The mail server did not take the mail: EAUTH 535$/,
    )
    await assert.rejects(send('', anyCertificate), /530/)
    await assert.rejects(
      send('user%40corp:p%40ss%3Aword@', ''),
      /The mail server did not take the mail: (ETLS|ESOCKET)/,
    )
    assert.equal((await secured.to(email)).length, 1)
  } finally {
    await secured.stop()
  }
})

test('no password and no mail with its link crosses the network in plain text, unless the settings ask for it', async () => {
  const requires = async (smtpUrl: string) => {
    const transporter = await openTransport({ smtpUrl })?.open()
    assert.ok(transporter)
    return (transporter.options as { requireTLS?: boolean }).requireTLS // of SMTP
  }
  assert.equal(await requires('smtp://user:secret@mail.example.com'), true)
  assert.ok(!(await requires('smtp://user:secret@127.0.0.1:2525')))
  assert.equal(await requires('smtp://mail.example.com'), true)
  assert.ok(!(await requires('smtp://mail.example.com?requireTLS=false')))
})

test('with SMTP_URL the mailbox does not exist', async () => {
  for (const path of ['/api/mailbox', '/mailbox']) {
    assert.equal((await fetch(world.url + path)).status, 404, path)
  }
  assert.ok(!world.contract.operations.includes('GET /api/mailbox'))
  assert.deepEqual(await world.postgres.query('select * from mails'), [])
})

function hrefsIn(html: string): string[] {
  return [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) =>
    href.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  )
}

function header(
  mail: { readonly headers: readonly { key: string; value: string }[] },
  key: string,
): string | undefined {
  return mail.headers.find((each) => each.key === key)?.value
}
