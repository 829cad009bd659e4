import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asCookie, createCookieWorld, https, sameOrigin, secureName, setCookies } from '../../../test/cookies.ts'
import { holdRow } from '../../../test/holding.ts'
import { codeOf, password } from '../../../test/world.ts'

const { world, send, signIn, browser } = await createCookieWorld()

test('over https, the session cookie is bound to the host and hidden from scripts, and the token is nowhere else', async () => {
  const ann = await world.person()

  const answer = await signIn(ann, { ...https, ...sameOrigin })

  assert.equal(answer.status, 200)
  const cookies = setCookies(answer)
  assert.deepEqual(
    cookies.map(({ name }) => name),
    [secureName, `${secureName}-device`],
  )
  assert.match(cookies[0]?.value ?? '', /^ghs_[0-9a-z]{26}\.[\w-]{43}$/)
  for (const { attributes } of cookies) {
    const bounds = attributes.filter((each) => !each.startsWith('Max-Age=')).sort()
    assert.deepEqual(bounds, ['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'])
  }
  assert.ok(answer.headers.getSetCookie().every(({ length }) => length < 4096))
  assert.deepEqual(Object.keys(answer.body.session), ['device'])
  assert.ok(!JSON.stringify(answer.body).includes('ghs_'))
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('on plain http the cookie is set only for loopback', async () => {
  const ann = await world.person()

  const loopback = await signIn(ann, sameOrigin)
  const elsewhere = await signIn(ann, { ...sameOrigin, host: 'accounts.example.com' })
  const { body: devices } = await ann.get('/api/users/me/devices')

  const [set] = setCookies(loopback)
  assert.deepEqual([set?.name, set?.attributes.includes('Secure')], ['guildhall', false])
  assert.ok(set?.attributes.includes('HttpOnly'))
  const me = await send('/api/users/me', { headers: { cookie: `guildhall=${set?.value}` } })
  assert.equal(me.body.id, ann.id)
  assert.deepEqual(codeOf(elsewhere), [400, 'https_required'])
  assert.deepEqual(setCookies(elsewhere), [])
  assert.equal(devices.data.length, 2, 'the refused one started nothing')
})

test('without https, a sign-up with a cookie is refused before an account is created', async () => {
  const body = { email: 'plain-http@example.com', password }
  const headers = { ...asCookie, ...sameOrigin, host: 'accounts.example.com' }

  const refused = await send('/api/auth/sign-up', { method: 'POST', headers, body })
  const made = await send('/api/auth/sign-up', { method: 'POST', headers: { ...headers, ...https }, body })

  assert.deepEqual(codeOf(refused), [400, 'https_required'])
  assert.equal(made.status, 201)
  assert.equal(setCookies(made)[0]?.name, secureName)
  assert.deepEqual(Object.keys(made.body.session), ['device'])
})

test('without https, a confirmation with a cookie is refused before the token is replaced', async () => {
  const ann = await world.person()
  const authorization = `Bearer ${ann.token}`
  const headers = { ...asCookie, ...sameOrigin, host: 'accounts.example.com', authorization }

  const refused = await send('/api/auth/confirm', { method: 'POST', headers, body: { password } })

  assert.deepEqual(codeOf(refused), [400, 'https_required'])
  assert.equal((await ann.get('/api/users/me')).status, 200)
})

test('signing in ends the session of the cookie, and no other', async () => {
  const ann = await world.person()
  const first = await browser(ann)

  const again = await signIn(ann, { ...https, ...sameOrigin, cookie: first.cookie })

  assert.equal(again.status, 200)
  const second = setCookies(again)[0]?.value
  assert.notEqual(second, first.token)
  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${first.token}` } })).status, 401)
  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${second}` } })).status, 200)
  assert.equal((await ann.get('/api/users/me')).status, 200)
})

test('if another person signs in with the browser, the previous session ends', async () => {
  const ann = await world.person()
  const ben = await world.person('Ben')
  const first = await browser(ann)

  assert.equal((await signIn(ben, { ...https, ...sameOrigin, cookie: first.cookie })).status, 200)

  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${first.token}` } })).status, 401)
})

test('a sign-up that cannot end the session of the cookie sets the new cookie nevertheless', async (t) => {
  const { query, awaitLine, waiting } = world.postgres
  const ann = await world.person()
  const { cookie } = await browser(ann)
  const release = await holdRow(t, world.postgres, 'users', ann.id)
  const signedUp = send('/api/auth/sign-up', {
    method: 'POST',
    headers: { ...https, ...sameOrigin, ...asCookie, cookie },
    body: { email: 'after-ann@example.com', password },
  })
  await awaitLine(1)
  for (const { pid } of await waiting()) await query(`select pg_cancel_backend(${pid})`)
  const answer = await signedUp
  await release()

  assert.deepEqual([answer.status, answer.body.user?.email], [201, 'after-ann@example.com'])
  const [set] = setCookies(answer)
  assert.equal(set?.name, secureName)
  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${set?.value}` } })).status, 200)
})

test("signing in to another tenant ends the session of the browser's cookie", async () => {
  const { slug } = await world.tenant()
  const ann = await world.person()
  const there = await world.person('There', { tenant: slug })
  const { cookie, token } = await browser(ann)

  const answer = await signIn(there, { ...https, ...sameOrigin, cookie, 'guildhall-tenant': slug })

  assert.deepEqual([answer.status, answer.body.user.id], [200, there.id])
  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${token}` } })).status, 401)
})

test('a failed sign-in keeps the session of the cookie', async () => {
  const ann = await world.person()
  const { cookie, token } = await browser(ann)

  const failed = await send('/api/auth/sign-in', {
    method: 'POST',
    headers: { ...https, ...sameOrigin, ...asCookie, cookie },
    body: { email: ann.email, password: 'not the password' },
  })

  assert.equal(failed.status, 401)
  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${token}` } })).status, 200)
})

test('signing out ends the session and removes the cookie', async () => {
  const ann = await world.person()
  const { cookie, token } = await browser(ann)

  const out = await send('/api/auth/sign-out', { method: 'POST', headers: { ...https, ...sameOrigin, cookie } })

  assert.equal(out.status, 204)
  const [cleared] = setCookies(out)
  assert.deepEqual([cleared?.name, cleared?.value], [secureName, ''])
  for (const attribute of ['Path=/', 'Secure']) assert.ok(cleared?.attributes.includes(attribute), attribute)
  assert.ok(cleared?.attributes.some((each) => /^(Max-Age=0|Expires=Thu, 01 Jan 1970)/.test(each)))
  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${token}` } })).status, 401)
})

test('a bearer sign-in sets no cookie', async () => {
  const ann = await world.person()
  const answer = await send('/api/auth/sign-in', {
    method: 'POST',
    headers: https,
    body: { email: ann.email, password },
  })

  assert.equal(answer.status, 200)
  assert.deepEqual(setCookies(answer), [])
  assert.match(answer.body.session.token, /^ghs_/)
})
