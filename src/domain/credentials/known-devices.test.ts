import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { startSink, until } from '../../../test/smtp.ts'
import { type Answer, createWorld, type Person, password } from '../../../test/world.ts'
import { findTenantBySlug } from '../../features/tenants/tenants.ts'
import { makeMailedToken } from '../access/tokens.ts'

// Behind a proxy, so that callers can come from many networks.
const sink = await startSink()
const world = await createWorld({
  settings: {
    TRUST_PROXY: '127.0.0.1',
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'guildhall@example.com',
  },
  worker: true,
})
after(() => sink.stop())
const { ask } = world.postgres
const tenant = (await findTenantBySlug(world.database, 'default'))?.id ?? ''

const wrong = 'not the password'
const from = (ip: string) => ({ 'x-forwarded-for': ip })
const signIn = (email: string, ip: string, typed = password, headers: Record<string, string> = {}) =>
  world.nobody.post('/api/auth/sign-in', { email, password: typed }, { ...from(ip), ...headers })
const statusOf = async (person: Pick<Person, 'token'>) =>
  (await world.nobody.get('/api/users/me', { authorization: `Bearer ${person.token}` })).status

/** A browser: asks for cookies and keeps them. */
class Browser {
  readonly cookies = new Map<string, string>()

  get headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin', ...(cookie !== '' && { cookie }) }
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await world.nobody.post(path, body, { ...this.headers, ...headers })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  signIn(email: string, ip: string, typed = password): Promise<Answer> {
    return this.post('/api/auth/sign-in', { email, password: typed }, from(ip))
  }
}

/** Fails as often as is free, and keeps the next attempt away. */
async function block(email: string, attempt: () => Promise<Answer>): Promise<void> {
  for (let each = 0; each < 5; each++) assert.equal((await attempt()).status, 401)
  const account = world.keyring.hmac('guessing', 'account', tenant, email)
  await ask(
    `update password_attempts set next_at = now() + interval '1 hour' where account = $1 and next_at > to_timestamp(0)`,
    [account],
  )
  assert.equal((await attempt()).status, 429)
}

/** The links of the mails about new devices that went to an address. */
function links(email: string): string[] {
  return sink.arrived
    .filter(({ recipients }) => recipients.includes(email))
    .flatMap(({ mail }) => /\/end-session#token=(\S+)/.exec(mail.text ?? '')?.[1] ?? [])
}

async function newLink(email: string, count = 1): Promise<string> {
  await until(() => links(email).length >= count, `${count} mails about new devices to ${email}`)
  return links(email).at(-1) ?? ''
}

async function queueIsDone(): Promise<void> {
  await until(async () => (await ask('select from graphile_worker._private_jobs')).length === 0, 'the queue to be done')
}

const endSession = (token: string) => world.nobody.post('/api/auth/end-session', { token })

test('a stranger cannot lock a browser out that was signed in before, not even from the same network', async () => {
  const ann = await world.person()
  const browser = new Browser()
  assert.equal((await browser.signIn(ann.email, '192.0.2.1')).status, 200)

  const stranger = new Browser()
  await block(ann.email, () => stranger.signIn(ann.email, '192.0.2.1', wrong))
  await block(ann.email, () => signIn(ann.email, '198.51.100.1', wrong))

  assert.equal((await stranger.signIn(ann.email, '192.0.2.1')).status, 429, 'the right password is not looked at')
  assert.equal((await browser.signIn(ann.email, '192.0.2.1')).status, 200)
  assert.equal((await browser.signIn(ann.email, '203.0.113.1')).status, 200, 'wherever it is')
})

test('a stranger cannot lock a caller out in whose network the account is signed in', async () => {
  const ann = await world.person()
  await world.signIn(ann, from('192.0.2.1'))

  await block(ann.email, () => signIn(ann.email, '198.51.100.1', wrong))
  await block(ann.email, () => new Browser().signIn(ann.email, '192.0.2.1', wrong))

  assert.equal((await signIn(ann.email, '198.51.100.1')).status, 429)
  assert.equal((await signIn(ann.email, '192.0.2.1')).status, 200)
})

test('a known browser and a known network are counted, too: each on its own', async () => {
  const ann = await world.person()
  const browser = new Browser()
  await browser.signIn(ann.email, '192.0.2.1')

  await block(ann.email, () => browser.signIn(ann.email, '192.0.2.1', wrong))
  assert.equal((await signIn(ann.email, '192.0.2.1')).status, 200)
  await block(ann.email, () => signIn(ann.email, '192.0.2.1', wrong))

  const unknown = await ask(`select from password_attempts where account = $1 and source = ''`, [
    world.keyring.hmac('guessing', 'account', tenant, ann.email),
  ])
  assert.equal(unknown.length, 0, 'none of it counts as a stranger’s')
})

test('whoever makes up a device cookie for each guess is counted all the same', async () => {
  const ann = await world.person()
  await world.signIn(ann, from('192.0.2.1'))
  const madeUp = () => ({ cookie: `guildhall-device=${randomBytes(32).toString('base64url')}` })

  await block(ann.email, () => signIn(ann.email, '192.0.2.1', wrong, madeUp()))
  await block(ann.email, () => {
    const browser = new Browser()
    browser.cookies.set('guildhall-device', randomBytes(32).toString('base64url'))
    return browser.signIn(ann.email, '192.0.2.1', wrong)
  })
})

test('a browser is known to the accounts that were signed in on it, and to no others', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const browser = new Browser()
  await browser.signIn(ann.email, '192.0.2.1')

  await block(ben.email, () => new Browser().signIn(ben.email, '192.0.2.1', wrong))
  assert.equal((await browser.signIn(ben.email, '192.0.2.1')).status, 429)
})

test('a network counts as known for thirty days after the last use there', async () => {
  const ann = await world.person()
  await world.signIn(ann, from('192.0.2.1'))
  await block(ann.email, () => new Browser().signIn(ann.email, '192.0.2.1', wrong))
  const move = (days: number) =>
    ask(`update sessions set last_active_at = now() - make_interval(days => $2, hours => -1) where user_id = $1`, [
      ann.id,
      days,
    ])

  await move(30)
  assert.equal((await signIn(ann.email, '192.0.2.1')).status, 200)
  await move(31)
  assert.equal((await signIn(ann.email, '192.0.2.1')).status, 429)
})

test('a known IPv6 network is a /64', async () => {
  const ann = await world.person()
  await world.signIn(ann, from('2001:db8:1:2::1'))
  await world.signIn(ann, from('2001:db8:1:2:ffff::9'))
  await queueIsDone()
  assert.equal(links(ann.email).length, 1)
})

test('whoever is signed in is known by the session, wherever they went', async () => {
  const ann = await world.person()
  await block(ann.email, () => signIn(ann.email, '198.51.100.1', wrong))

  const change = { currentPassword: password, newPassword: 'another long passphrase' }
  assert.equal((await ann.post('/api/users/me/password', change, from('198.51.100.1'))).status, 200)
})

test('the device cookie is as safe as the session cookie, outlives sign-out, and is given anew each time', async () => {
  const ann = await world.person()
  for (const [name, headers] of [
    ['guildhall-device', {}],
    ['__Host-guildhall-device', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'accounts.example.com' }],
  ] as const) {
    const browser = new Browser()
    const post = (path: string, body: unknown) => browser.post(path, body, { ...from('192.0.2.1'), ...headers })
    const first = await post('/api/auth/sign-in', { email: ann.email, password })
    const token = browser.cookies.get(name) ?? ''
    assert.match(token, /^[\w-]{43}$/)
    const line = first.headers.getSetCookie().find((each) => each.startsWith(`${name}=`)) ?? ''
    for (const part of ['Path=/', 'HttpOnly', 'SameSite=Lax', 'Max-Age=34560000']) assert.ok(line.includes(part), line)
    assert.equal(line.includes('Secure'), name.startsWith('__Host-'))

    assert.equal((await post('/api/auth/sign-out', undefined)).status, 204)
    const again = await post('/api/auth/sign-in', { email: ann.email, password })
    assert.ok(again.headers.getSetCookie().some((each) => each.startsWith(`${name}=${token}`)))
    const kept = await ask<{ text: string }>(
      'select row_to_json(k)::text as text from known_devices k where user_id = $1',
      [ann.id],
    )
    assert.ok(
      kept.every(({ text }) => !text.includes(token)),
      'only the hash is kept',
    )
  }
  assert.equal((await ask('select from known_devices where user_id = $1', [ann.id])).length, 2)
  assert.deepEqual((await signIn(ann.email, '192.0.2.1')).headers.getSetCookie(), [], 'nothing for other callers')
})

test('a sign-in on a new device is told by mail; a sign-up, and a device that was seen before, are not', async () => {
  const ann = await world.person()
  const browser = new Browser()
  await signIn(ann.email, '127.0.0.1') // where the account was made
  await browser.signIn(ann.email, '192.0.2.1')
  await browser.signIn(ann.email, '203.0.113.1')
  const phone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1' }
  await signIn(ann.email, '198.51.100.1', password, phone)
  await signIn(ann.email, '198.51.100.1', password, phone)
  await queueIsDone()

  assert.equal(links(ann.email).length, 2)
  const told = sink.arrived.find(({ mail }) => mail.text?.includes('Safari on iOS'))
  assert.match(told?.mail.text ?? '', /Safari on iOS from 198\.51\.100\.1, on \d+ \w+ \d{4} at \d\d:\d\d UTC\./)
})

test('the link in that mail ends that session and no other, once', async () => {
  const ann = await world.person()
  const thief = await world.signIn(ann, from('198.51.100.1'))
  const token = await newLink(ann.email)

  const answer = await endSession(token)

  assert.deepEqual([answer.status, answer.body], [200, {}])
  assert.deepEqual([await statusOf(thief), await statusOf(ann)], [401, 200])
  const again = await endSession(token)
  assert.deepEqual([again.status, again.body.code], [410, 'token_spent'])
  const { body } = await ann.get('/api/users/me/audit?action=session.revoked')
  assert.deepEqual(
    body.data.map(({ actor, target, ip }: Answer['body']) => [actor.type, target.id, ip]),
    [['anonymous', ann.id, null]],
  )
})

test('a device whose session was ended that way is unknown again', async () => {
  const ann = await world.person()
  const browser = new Browser()
  for (const [count, act] of [
    [1, () => browser.signIn(ann.email, '192.0.2.1')],
    [3, () => signIn(ann.email, '198.51.100.1')],
  ] as const) {
    await act()
    assert.equal((await endSession(await newLink(ann.email, count))).status, 200)
    await act()
    await newLink(ann.email, count + 1)
  }
})

test('whoever signed in twice on a new device is out with one link, though one mail told of it', async () => {
  const ann = await world.person()
  const first = await world.signIn(ann, from('198.51.100.1'))
  const second = await world.signIn(ann, from('198.51.100.1'))
  const elsewhere = await world.signIn(ann, from('198.51.100.2'))
  const browser = new Browser()
  await browser.signIn(ann.email, '198.51.100.1')
  await queueIsDone()
  const token = links(ann.email)[0] ?? ''

  assert.equal((await endSession(token)).status, 200)

  const statuses = await Promise.all([first, second, elsewhere, ann].map(statusOf))
  assert.deepEqual(statuses, [401, 401, 200, 200])
  const { headers } = browser
  const { status } = await world.nobody.get('/api/users/me', { cookie: headers.cookie ?? '' })
  assert.equal(status, 401, 'whatever they used in that network')
})

test('what was started since on the device or in its network is out with one link, too', async () => {
  const ann = await world.person()
  const [browser, other] = [new Browser(), new Browser()]
  await browser.signIn(ann.email, '198.51.100.1')
  const token = await newLink(ann.email)
  const first = browser.headers.cookie ?? ''
  browser.cookies.delete('guildhall') // so that the second sign-in does not end the first
  await browser.signIn(ann.email, '198.51.100.9') // the same device in another network
  await other.signIn(ann.email, '198.51.100.1') // another device in the same network

  assert.equal((await endSession(token)).status, 200)

  for (const [cookie, status] of [
    [first, 401],
    [browser.headers.cookie ?? '', 401],
    [other.headers.cookie ?? '', 401],
  ] as const) {
    assert.equal((await world.nobody.get('/api/users/me', { cookie })).status, status)
  }
})

test('whoever goes on from the device to another network, and from there to another device, is out with one link', async () => {
  const ann = await world.person()
  const browser = new Browser()
  await browser.signIn(ann.email, '198.51.100.1')
  const token = await newLink(ann.email)
  browser.cookies.delete('guildhall') // so that the second sign-in does not end the first
  await browser.signIn(ann.email, '203.0.113.1') // the same device elsewhere: no mail
  const third = await world.signIn(ann, from('203.0.113.1')) // no device, but a network that is known by now: no mail
  const other = new Browser()
  await other.signIn(ann.email, '203.0.113.1')
  await queueIsDone()
  const mails = links(ann.email).length
  const mine = await world.signIn(ann, from('192.0.2.9'))

  assert.equal((await endSession(token)).status, 200)

  assert.deepEqual(await Promise.all([third, mine, ann].map(statusOf)), [401, 200, 200])
  for (const { headers } of [browser, other]) {
    assert.equal((await world.nobody.get('/api/users/me', { cookie: headers.cookie ?? '' })).status, 401)
  }
  const { body } = await ann.get('/api/users/me/audit?action=session.revoked')
  assert.deepEqual(
    body.data.map(({ details }: Answer['body']) => details.endedSessions),
    [4],
  )
  await signIn(ann.email, '203.0.113.1')
  await newLink(ann.email, mails + 2) // that of `mine`, and one of a network that is unknown again
})

test('of twenty who open the link at the same moment one ends the session', async () => {
  const ann = await world.person()
  await world.signIn(ann, from('198.51.100.1'))
  const token = await newLink(ann.email)

  const answers = await Promise.all(Array.from({ length: 20 }, () => endSession(token)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 410)])
})

test('the link lives for seven days, for that session alone, and once, though it ended meanwhile', async () => {
  const ann = await world.person()
  const late = await world.signIn(ann, from('198.51.100.1'))
  const token = await newLink(ann.email)
  await ask(`update sessions set created_at = now() - interval '7 days' where user_id = $1`, [ann.id])
  assert.deepEqual([(await endSession(token)).status, await statusOf(late)], [410, 200])

  const gone = await world.signIn(ann, from('198.51.100.2'))
  const other = await newLink(ann.email, 2)
  const again = await world.signIn(ann, from('198.51.100.2')) // from a network that is known by now: no mail
  await gone.post('/api/auth/sign-out')
  assert.deepEqual([(await endSession(other)).status, await statusOf(again)], [200, 401])
  assert.equal((await endSession(other)).status, 410)

  const [session] = await ask<{ id: string }>('select id from sessions where user_id = $1 and ended_at is null', [
    ann.id,
  ])
  const id = session?.id ?? ''
  for (const forged of [
    makeMailedToken(world.keyring, 'end_session', { tenant, id, generation: 2 }),
    makeMailedToken(world.keyring, 'reset_password', { tenant, id, generation: 1 }),
    makeMailedToken(world.keyring, 'end_session', { tenant, id: ann.id, generation: 1 }),
  ]) {
    assert.equal((await endSession(forged)).status, 410)
  }
  assert.equal(await statusOf(ann), 200)
})

test('a reset forgets every device: whoever made or used the account before may not be its owner', async () => {
  const stranger = await world.person('Stranger', { verified: false }) // with the address of somebody else
  const browser = new Browser()
  await browser.signIn(stranger.email, '198.51.100.1')
  await world.nobody.post('/api/auth/forgot-password', { email: stranger.email })
  await until(
    () =>
      sink.arrived.some(
        ({ recipients, mail }) => recipients.includes(stranger.email) && mail.subject?.startsWith('Reset'),
      ),
    'the link',
  )
  const token = makeMailedToken(world.keyring, 'reset_password', { tenant, id: stranger.id, generation: 1 })
  assert.equal((await world.nobody.post('/api/auth/reset-password', { token, newPassword: password })).status, 200)

  await signIn(stranger.email, '127.0.0.1')
  await newLink(stranger.email)
  await browser.signIn(stranger.email, '198.51.100.1')
  await newLink(stranger.email, 2)
})
