/** Signing in to Notes with Guildhall, and how its sessions end; without its page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Browser, createPublicWorld, goodbye } from '../../test/relying-party.ts'
import { enrol } from '../../test/sign-in.ts'
import { until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'
import { createNotesServer } from './server.ts'
import { startNotes } from './testing.ts'

const world = await createPublicWorld()
const running = await startNotes(world)
const { origin, signIn, issuer, clientId, enter, signInAs, ask } = running

/** Whether a session of Notes lives. Guildhall is not asked. */
async function isIn(cookie: string): Promise<boolean> {
  return !(await ask('GET', '/', cookie)).body.includes('Create an account')
}

test('a person who is signed in at Guildhall comes in without a page, and their requests are theirs', async () => {
  const { ann, id } = await world.organization()
  const cookie = await signInAs(ann)
  const added = await ask('POST', `/api/organizations/${id}/notes`, cookie, JSON.stringify({ text: 'Mine' }))
  assert.deepEqual([added.status, added.body.authorId], [201, ann.id])
  assert.equal((await ask('GET', '/guildhall/api/users/me', cookie)).body.email, ann.email)
})

test('sign-ins in two tabs of a browser both end, and an answer that is opened again leads to Notes', async () => {
  const browser = new Browser(world)
  await browser.signIn(await world.person())
  const [first, second] = [await ask('GET', '/sign-in'), await ask('GET', '/sign-in')]
  const kept = [first, second].map(({ headers }) => headers.getSetCookie()[0]?.split(';')[0]).join('; ')
  const back = await browser.open(first.headers.get('location') ?? '')

  const done = await ask('GET', back.pathname + back.search, kept)
  const other = await browser.open(second.headers.get('location') ?? '')
  const both = await ask('GET', other.pathname + other.search, kept)

  assert.deepEqual(
    [done, both].map(({ status, headers }) => [status, headers.get('location')]),
    [
      [303, '/'],
      [303, '/'],
    ],
  )
  const cookie = both.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  assert.equal((await ask('GET', back.pathname + back.search, cookie)).headers.get('location'), '/')
  assert.equal(await isIn(cookie), true)
})

test('only the browser that has begun a sign-in finishes it', async (t) => {
  t.mock.method(console, 'error', () => {})
  const browser = new Browser(world)
  await browser.signIn(await world.person())
  const [mine, theirs] = [await ask('GET', '/sign-in'), await ask('GET', '/sign-in')]
  const back = await browser.open(mine.headers.get('location') ?? '')
  for (const [cookie, page, notice] of [
    ['', '/?unknown', /Allow cookies for this site/],
    [theirs.headers.getSetCookie()[0]?.split(';')[0], '/?unknown', /Allow cookies for this site/],
    [mine.headers.getSetCookie()[0]?.replace(/=.*/, '=x'), '/?failed', /The sign-in did not work/],
  ] as const) {
    const done = await ask('GET', back.pathname + back.search, cookie)
    assert.deepEqual([done.status, done.headers.get('location')], [303, page])
    assert.equal(done.headers.getSetCookie().length, 0)
    assert.match((await ask('GET', page)).body, notice)
  }
})

test('somebody who cancels is back without a session, and without an error', async () => {
  const browser = new Browser(world)
  const begun = await ask('GET', '/sign-in?new')
  const page = await browser.open(begun.headers.get('location') ?? '')
  assert.equal(await browser.step(page), 'sign_up')
  const { pathname, search } = await browser.cancelUrl(page)
  const done = await ask('GET', pathname + search, begun.headers.getSetCookie()[0]?.split(';')[0])
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/'])
})

test('a link with an organization leads into it, and asks for a second factor if it must', async () => {
  const { ann, id, slug, path } = await world.organization()
  const browser = new Browser(world)
  const session = await browser.signIn(ann)
  const begin = async (query: string) => {
    const begun = await signIn.begin(new URLSearchParams(query))
    return { page: await browser.open(begun.url), finish: (back: URL) => signIn.finish(back, begun.begun) }
  }
  const first = await begin(`iss=x&organization=${id}`)
  assert.equal((await first.finish(first.page)).organization, slug)

  const second = await begin(`second-factor&organization=${slug}`)
  assert.equal(await browser.step(second.page), 'second_factor')
  await enrol(world, session)
  assert.equal((await session.patch(path, { secondFactor: 'required' })).status, 200)
  assert.equal((await second.finish(await browser.goOn(second.page))).organization, slug)
})

test('an access token that ends is refreshed, also by two requests at once', async () => {
  const browser = new Browser(world)
  const ann = await browser.signIn(await world.person())
  const { url, begun } = await signIn.begin(new URLSearchParams())
  const first = await signIn.finish(await browser.open(url), begun)
  assert.equal(await signIn.tokenOf({ ...first }), first.accessToken)

  const [one, other] = [
    { ...first, refreshAt: 0 },
    { ...first, refreshAt: 0 },
  ]
  await Promise.all([signIn.tokenOf(one), signIn.tokenOf(other)])
  assert.notEqual(one.refreshToken, first.refreshToken)
  assert.deepEqual(other.refreshToken, one.refreshToken)
  assert.ok(one.refreshAt > Date.now())
  assert.equal((await running.guildhall.withToken(one.accessToken).me.get()).id, ann.id)

  assert.equal((await ann.post('/api/auth/sign-out')).status, 204)
  await assert.rejects(signIn.tokenOf({ ...one, refreshAt: 0 }), { status: 401 })
})

test('a refresh whose answer is lost is sent again, while Guildhall still answers it again', async (t) => {
  const browser = new Browser(world)
  await browser.signIn(await world.person())
  const { url, begun } = await signIn.begin(new URLSearchParams())
  const first = await signIn.finish(await browser.open(url), begun)
  const [ask, limit] = [fetch, AbortSignal.timeout]
  const [statuses, limits]: [number[], number[]] = [[], []]
  t.mock.method(AbortSignal, 'timeout', (milliseconds: number) => {
    limits.push(milliseconds)
    return limit.call(AbortSignal, milliseconds)
  })
  t.mock.method(globalThis, 'fetch', async (...request: Parameters<typeof fetch>) => {
    const answer = await ask(...request)
    if (`${request[0]}` !== `${issuer}/token`) return answer
    statuses.push(answer.status)
    if (statuses.length === 1) throw new TypeError('the connection is lost')
    return answer
  })

  const person = { ...first, refreshAt: 0 }
  assert.equal((await running.guildhall.withToken(await signIn.tokenOf(person)).me.get()).id, first.sub)

  assert.deepEqual(statuses, [200, 200])
  assert.notEqual(person.refreshToken, first.refreshToken)
  // Of the 30 seconds that Guildhall answers again, a lost answer takes a third.
  assert.equal(limits.filter((each) => each === 10_000).length, 2)
})

test('somebody who signs out of Notes is signed out of Guildhall', async () => {
  const browser = new Browser(world)
  await browser.signIn(await world.person())
  const cookie = await enter(browser)
  const { status, body } = await ask('POST', '/sign-out', cookie)
  assert.equal(status, 200)
  assert.equal(await isIn(cookie), false)
  const page = await browser.open(body.url)
  assert.equal(await browser.isAsked(page), false)
  assert.equal(`${await browser.signOut(page)}`, `${origin}/`)
  assert.equal(await browser.isSignedIn(), false)
  assert.deepEqual((await ask('POST', '/sign-out')).body, { url: '/' }, 'nobody is signed in')
})

test('a session that ends at Guildhall ends in Notes, and the others of the person go on', async () => {
  const ann = await world.person()
  const [laptop, phone] = [new Browser(world), new Browser(world)]
  await laptop.signIn(ann)
  const onPhone = await phone.signIn(ann)
  const [first, second] = [await enter(laptop), await enter(phone)]
  assert.deepEqual([await isIn(first), await isIn(second)], [true, true])

  assert.equal((await onPhone.post('/api/auth/sign-out')).status, 204)
  await until(async () => !(await isIn(second)), 'the session on the phone to end')
  assert.equal(await isIn(first), true)

  const admin = await world.tenantAdmin()
  assert.equal((await admin.patch(`/api/admin/users/${ann.id}`, { status: 'suspended' })).status, 200)
  await until(async () => !(await isIn(first)), 'the session of the suspended person to end')
})

test('all sessions of a person end when the account is deleted, and nobody else’s', async () => {
  const [ann, ben] = [await world.person(), await world.person()]
  const [anns, other, bens] = [await signInAs(ann), await signInAs(ann), await signInAs(ben)]
  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)
  await until(async () => !(await isIn(anns)) && !(await isIn(other)), 'the sessions to end')
  assert.equal(await isIn(bens), true)
})

test('if Notes was not told, the next request that Guildhall refuses ends the session', async () => {
  const browser = new Browser(world)
  const ann = await browser.signIn(await world.person())
  const cookie = await enter(browser)
  // It has expired, and the hourly job has not noticed yet.
  await world.postgres.query(`update sessions set last_active_at = now() - interval '15 days' where user_id = $1`, [
    ann.id,
  ])
  assert.equal(await isIn(cookie), true)
  const refused = await ask('GET', '/guildhall/api/users/me', cookie)
  assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
  assert.equal(await isIn(cookie), false)
})

test('only Guildhall ends sessions at the back channel', async () => {
  const ann = await world.person()
  const cookie = await signInAs(ann)
  const claims = { iss: issuer, aud: clientId, sub: ann.id, exp: 4_000_000_000, events: {} }
  const sign = (type: string, changes: object = {}) =>
    world.app.signer.sign(world.tenantId, undefined, type, { ...claims, ...changes })
  const post = async (token: string) => (await ask('POST', '/back-channel', '', `logout_token=${token}`)).status
  const real = await sign('logout+jwt')
  for (const token of [
    '',
    'x.y.z',
    real.replace(/\.[^.]+$/, '.AAAA'),
    await sign('JWT'),
    await sign('logout+jwt', { aud: 'app_01k9zq3v5hf8gs4m2y7c6t0wdn' }),
    await sign('logout+jwt', { iss: goodbye }),
    await sign('logout+jwt', { exp: 1 }),
    await sign('logout+jwt', { events: undefined }),
  ])
    assert.equal(await post(token), 400, token)
  assert.equal(await isIn(cookie), true)
  assert.equal(await post(real), 204)
  assert.equal(await isIn(cookie), false)
})

test('no script and no other site gets the cookie, and over https no network', async (t) => {
  const { headers } = await ask('GET', '/sign-in')
  assert.match(
    headers.get('set-cookie') ?? '',
    /^notes-sign-in-[\w-]+=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600$/,
  )
  const server = createNotesServer({ ...running, origin: 'https://notes.example' }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign-in` // listens on TCP
  const answer = await fetch(url, { redirect: 'manual', headers: { connection: 'close' } })
  assert.match(
    answer.headers.get('set-cookie') ?? '',
    /^__Host-notes-sign-in-.*; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=3600$/,
  )
})
