import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createDeviceWorld, from, wrong } from '../../../test/devices.ts'
import { until } from '../../../test/smtp.ts'
import { password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'

// Behind a proxy, so that callers can come from many networks.
const {
  world,
  tenant,
  sink,
  signIn,
  browser: newBrowser,
  block,
  links,
  newLink,
  queueIsDone,
} = await createDeviceWorld()
const { query } = world.postgres

test('a stranger cannot lock out a browser that was signed in before, not even from the same network', async () => {
  const ann = await world.person()
  const browser = newBrowser()
  assert.equal((await browser.signIn(ann.email, '192.0.2.1')).status, 200)

  const stranger = newBrowser()
  await block(ann.email, () => stranger.signIn(ann.email, '192.0.2.1', wrong))
  await block(ann.email, () => signIn(ann.email, '198.51.100.1', wrong))

  assert.equal((await stranger.signIn(ann.email, '192.0.2.1')).status, 429, 'the right password is not looked at')
  assert.equal((await browser.signIn(ann.email, '192.0.2.1')).status, 200)
  assert.equal((await browser.signIn(ann.email, '203.0.113.1')).status, 200, 'wherever it is')
})

test('a stranger cannot lock out a client with the device token of an earlier session, not even from the same network', async () => {
  const ann = await world.person()
  const { body } = await signIn(ann.email, '192.0.2.1')
  const { deviceToken } = body.session
  assert.match(deviceToken, /^[\w-]{43}$/)

  await block(ann.email, () => signIn(ann.email, '192.0.2.1', wrong))
  await block(ann.email, () => signIn(ann.email, '198.51.100.1', wrong))

  assert.equal((await signIn(ann.email, '192.0.2.1')).status, 429, 'the right password is not looked at')
  const again = await signIn(ann.email, '192.0.2.1', password, {}, deviceToken)
  assert.deepEqual([again.status, again.body.session.deviceToken], [200, deviceToken])
  assert.equal((await signIn(ann.email, '203.0.113.1', password, {}, deviceToken)).status, 200, 'wherever it is')
})

test("no answer reveals who has an account, even in the account's own network, with or without a cookie", async () => {
  const ann = await world.person()
  await world.signIn(ann, from('192.0.2.1'))
  const outcomes: unknown[] = []
  for (const email of [ann.email, `nobody-${randomBytes(5).toString('hex')}@example.com`]) {
    await block(email, () => signIn(email, '192.0.2.1', wrong))
    const { status, body } = await newBrowser().signIn(email, '192.0.2.1', wrong)
    const { requestId: _, ...rest } = body
    outcomes.push([status, rest])
  }
  assert.deepEqual(outcomes[0], outcomes[1])
})

test('failures of a known device are counted for that device', async () => {
  const ann = await world.person()
  const browser = newBrowser()
  await browser.signIn(ann.email, '192.0.2.1')
  const { deviceToken } = (await signIn(ann.email, '192.0.2.1')).body.session

  await block(ann.email, () => browser.signIn(ann.email, '192.0.2.1', wrong))
  assert.equal((await signIn(ann.email, '192.0.2.1', password, {}, deviceToken)).status, 200)
  await block(ann.email, () => signIn(ann.email, '192.0.2.1', wrong, {}, deviceToken))

  const unknown = await query(`select from password_attempts where account = $1 and source = ''`, [
    world.keyring.hmac('guessing', 'account', tenant, ann.email),
  ])
  assert.equal(unknown.length, 0, 'none of it counts as a stranger’s')
})

test('a made-up device token for each guess does not avoid the count', async () => {
  const ann = await world.person()
  const madeUp = () => randomBytes(32).toString('base64url')

  await block(ann.email, () =>
    signIn(ann.email, '192.0.2.1', wrong, { cookie: `guildhall-device=${madeUp()}` }, madeUp()),
  )
  await block(ann.email, () => {
    const browser = newBrowser()
    browser.cookies.set('guildhall-device', madeUp())
    return browser.signIn(ann.email, '192.0.2.2', wrong)
  })
})

test('a device token in another form is refused', async () => {
  const ann = await world.person()
  for (const token of ['', 'x', 'x'.repeat(44), `${'x'.repeat(42)}=`, 7, null]) {
    const body = { email: ann.email, password, deviceToken: token }
    const answer = await world.nobody.post('/api/auth/sign-in', body)
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, '/deviceToken'], String(token))
    const signUp = await world.nobody.post('/api/auth/sign-up', { ...body, email: 'new@example.com' })
    assert.deepEqual([signUp.status, signUp.body.errors?.[0].pointer], [400, '/deviceToken'], String(token))
  }
})

test('a browser is known to the accounts that were signed in on it, and to no others', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const browser = newBrowser()
  await browser.signIn(ann.email, '192.0.2.1')

  await block(ben.email, () => newBrowser().signIn(ben.email, '192.0.2.1', wrong))
  assert.equal((await browser.signIn(ben.email, '192.0.2.1')).status, 429)
})

test('a stranger cannot lock out the second person who signs up on a device, whose token is in the body', async () => {
  const first = (await signIn((await world.person()).email, '192.0.2.1')).body.session.deviceToken
  const email = `ben-${randomBytes(5).toString('hex')}@example.com`
  const made = await world.nobody.post('/api/auth/sign-up', { email, password, deviceToken: first })
  assert.deepEqual([made.status, made.body.session.deviceToken], [201, first])

  await block(email, () => signIn(email, '192.0.2.1', wrong))
  assert.equal((await signIn(email, '192.0.2.1')).status, 429)
  assert.equal((await signIn(email, '192.0.2.1', password, {}, first)).status, 200)
})

test('a signed-in user is known by the device of the session, in any network', async () => {
  const ann = await world.signIn(await world.person())
  await block(ann.email, () => signIn(ann.email, '198.51.100.1', wrong))

  const change = { currentPassword: password, newPassword: 'another long passphrase' }
  assert.equal((await ann.post('/api/users/me/password', change, from('198.51.100.1'))).status, 200)
})

test('a session of the previous release, which has no device, counts as a known device', async () => {
  const ann = await world.person()
  await query('update sessions set device_hash = null where user_id = $1', [ann.id])
  await block(ann.email, () => signIn(ann.email, '127.0.0.1', wrong))

  const change = { currentPassword: password, newPassword: 'another long passphrase' }
  assert.equal((await ann.post('/api/users/me/password', change)).status, 200)
})

test('the device cookie is as protected as the session cookie, outlives sign-out, and is renewed each time', async () => {
  const ann = await world.person()
  for (const [name, headers] of [
    ['guildhall-device', {}],
    ['__Host-guildhall-device', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'accounts.example.com' }],
  ] as const) {
    const browser = newBrowser()
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
    const kept = await query<{ text: string }>(
      'select row_to_json(k)::text as text from known_devices k where user_id = $1',
      [ann.id],
    )
    assert.ok(
      kept.every(({ text }) => !text.includes(token)),
      'only the hash is kept',
    )
  }
  assert.equal(
    (await query('select from known_devices where user_id = $1', [ann.id])).length,
    3,
    'and that of the sign-up',
  )
  assert.deepEqual((await signIn(ann.email, '192.0.2.1')).headers.getSetCookie(), [], 'nothing for other callers')
})

test('only the hash is stored of the device token that callers without cookies get', async () => {
  const email = `new-${randomBytes(5).toString('hex')}@example.com`
  const { body } = await world.nobody.post('/api/auth/sign-up', { email, password })
  const { deviceToken } = body.session
  assert.match(deviceToken, /^[\w-]{43}$/)
  const kept = await query<{ text: string }>(
    'select concat(row_to_json(k), row_to_json(s)) as text from known_devices k join sessions s using (user_id) where user_id = $1',
    [body.user.id],
  )
  assert.equal(kept.length, 1)
  assert.ok(!kept[0]?.text.includes(deviceToken))
  const browser = await newBrowser().post('/api/auth/sign-up', { email: `b-${email}`, password })
  assert.deepEqual(Object.keys(browser.body.session), ['device'], 'browsers have it in the cookie')
})

test('an account knows the hundred devices that were used last', async () => {
  const ann = await world.person()
  const { deviceToken } = (await signIn(ann.email, '192.0.2.1')).body.session
  await query(
    `insert into known_devices (tenant_id, user_id, token_hash, last_used_at)
     select tenant_id, id, decode(md5(n::text), 'hex'), now() - interval '1 day' from users, generate_series(1, 120) n where id = $1`,
    [ann.id],
  )

  assert.equal((await signIn(ann.email, '192.0.2.1', password, {}, deviceToken)).status, 200)

  const known = await query<{ age: string }>('select from known_devices where user_id = $1', [ann.id])
  assert.equal(known.length, 100)
  await block(ann.email, () => signIn(ann.email, '192.0.2.1', wrong))
  assert.equal((await signIn(ann.email, '192.0.2.1', password, {}, deviceToken)).status, 200)
})

test('a sign-in on a new device sends a mail; a sign-up, or a device seen before, does not', async () => {
  const ann = await world.person()
  const browser = newBrowser()
  await browser.signIn(ann.email, '192.0.2.1')
  await browser.signIn(ann.email, '203.0.113.1')
  const phone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1' }
  const { deviceToken } = (await signIn(ann.email, '198.51.100.1', password, phone)).body.session
  await signIn(ann.email, '203.0.113.9', password, phone, deviceToken)
  await queueIsDone()

  assert.equal(links(ann.email).length, 2)
  const told = sink.arrived.find(({ mail }) => mail.text?.includes('Safari on iOS'))
  assert.match(told?.mail.text ?? '', /Safari on iOS from 198\.51\.100\.1, on \d+ \w+ \d{4} at \d\d:\d\d UTC\./)
})

test("a sign-in on an unknown device sends a mail even in the account's own network", async () => {
  const ann = await world.person()
  await signIn(ann.email, '192.0.2.1')
  await signIn(ann.email, '192.0.2.1')
  await newLink(ann.email, 2)
})

test('a reset forgets every device, because its user may not be the owner of the mailbox', async () => {
  const stranger = await world.person('Stranger', { verified: false }) // with the address of somebody else
  const browser = newBrowser()
  await browser.signIn(stranger.email, '198.51.100.1')
  const { deviceToken } = (await signIn(stranger.email, '198.51.100.1')).body.session
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

  await signIn(stranger.email, '198.51.100.1', password, {}, deviceToken)
  await newLink(stranger.email)
  await browser.signIn(stranger.email, '198.51.100.1')
  await newLink(stranger.email, 2)
})

test('ending all other sessions makes every other device unknown; an admin who ends all makes every device unknown', async () => {
  const [ann, tess] = [await world.person(), await world.tenantAdmin()]
  const isKnown = async (deviceToken: string) => {
    const before = links(ann.email).length
    assert.equal((await signIn(ann.email, '192.0.2.1', password, {}, deviceToken)).status, 200)
    await queueIsDone()
    return links(ann.email).length === before
  }
  const own = (await signIn(ann.email, '192.0.2.1')).body.session
  const other = (await signIn(ann.email, '192.0.2.1')).body.session
  await queueIsDone()
  const bearer = { authorization: `Bearer ${own.token}` }

  assert.equal((await world.nobody.delete('/api/users/me/devices', undefined, bearer)).body.endedSessions, 2)
  assert.deepEqual([await isKnown(own.deviceToken), await isKnown(other.deviceToken)], [true, false])

  assert.equal((await tess.delete(`/api/admin/users/${ann.id}/devices`)).status, 200)
  assert.deepEqual([await isKnown(own.deviceToken), await isKnown(other.deviceToken)], [false, false])
})
