/** How many codes are mailed to an address, by who asks for them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, continueWith, mailedCodeOf, requestedCodeOf, visit } from '../../../test/sign-in.ts'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { readToken } from '../../domain/access/tokens.ts'

const world = await createWorld({
  settings: { LIMITS: 'on', LIMIT_MAIL: '2/3600', LIMIT_MAIL_NETWORK: '1000/3600', OUTBOUND_PRIVATE: '127.0.0.1' },
})
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { query } = world.postgres
await query('update tenants set mail_codes = true where id = $1', [world.tenantId])

/** Whether a code is mailed for the attempt. */
async function isMailed(token: string): Promise<boolean> {
  const jobs = await query(
    `select from graphile_worker._private_jobs j join attempts a on a.id = j.payload ->> 'attemptId'
     where j.payload ->> 'kind' = 'sign_in_code' and a.token_hash = $1`,
    [readToken(token).hash],
  )
  return jobs.length > 0
}

/** Asks for a code. The answer is always the same. @returns whether it is mailed */
async function request(
  body: Json,
  headers: Record<string, string> = {},
  client: Person | typeof world.nobody = world.nobody,
) {
  const answer = await client.post('/api/auth/sign-in/mail-code', body, headers)
  assert.deepEqual([answer.status, Object.keys(answer.body)], [202, ['attempt']])
  return isMailed(answer.body.attempt.token)
}

/** A person and the token of a device on which they were signed in. */
async function owner() {
  const person = await world.person()
  const { body } = await world.nobody.post('/api/auth/sign-in', { email: person.email, password })
  return { person, email: person.email, deviceToken: body.session.deviceToken as string }
}

/**
 * Comes back from a provider that names the address.
 *
 * @param fields of the request that continues
 * @param headers of the request that begins
 * @returns the token of the attempt to link
 */
async function beginToLink(email: string, fields: Json = {}, headers: Record<string, string> = {}): Promise<string> {
  const claims = { sub: Math.random().toString(36), email, email_verified: false }
  const callback = await visit(world, double, providerId, claims, {}, headers)
  const { body } = await world.nobody.post('/api/auth/sign-in/continue', { ...callback, ...fields })
  assert.ok(body.attempt?.methods.includes('mail_code'), JSON.stringify(body))
  return body.attempt.token
}

async function beginToConfirm(person: Person): Promise<string> {
  await query('update users set password_hash = null where id = $1', [person.id])
  return (await person.post('/api/auth/confirm', {})).body.attempt.token
}

/** Uses up the codes that a stranger gets mailed. */
async function useUp(request: () => Promise<boolean>): Promise<void> {
  assert.deepEqual([await request(), await request(), await request()], [true, true, false])
}

test('a stranger who asks for codes by address stops none on a known device, in a session or to link', async () => {
  const { person, email, deviceToken } = await owner()
  await useUp(() => request({ email }))
  await useUp(() => request({ email: 'nobody-at-all@example.com' }))

  assert.equal(await request({ email, deviceToken }), true)
  assert.equal(await request({ attempt: await beginToLink(email) }), true)
  assert.equal(await request({ attempt: await beginToConfirm(person) }, {}, person), true)
})

/** What a page on the service's own origin sends with its request. */
const asBrowser = (deviceToken: string) => ({
  'guildhall-session': 'cookie',
  'sec-fetch-site': 'same-origin',
  cookie: `guildhall-device=${deviceToken}`,
})

test('a browser with the cookie of a known device is known', async () => {
  const { email, deviceToken } = await owner()
  await useUp(() => request({ email }))
  assert.equal(await request({ email }, asBrowser(deviceToken)), true)
  const { 'guildhall-session': _, ...withoutHeader } = asBrowser(deviceToken)
  assert.equal(await request({ email }, withoutHeader), false)
})

test('a browser that begins at a provider with the cookie of a known device is known when it links', async () => {
  const { email, deviceToken } = await owner()
  await useUp(async () => request({ attempt: await beginToLink(email) }))
  assert.equal(await request({ attempt: await beginToLink(email, {}, asBrowser(deviceToken)) }), true)
})

test('another site spends no code of a known device', async () => {
  const { email, deviceToken } = await owner()
  for (const site of ['cross-site', 'same-site', 'none']) {
    const headers = { ...asBrowser(deviceToken), 'sec-fetch-site': site }
    for (const [path, body] of [
      ['mail-code', { email }],
      ['provider', { providerId }],
    ] as const) {
      const answer = await world.nobody.post(`/api/auth/sign-in/${path}`, body, headers)
      assert.deepEqual([answer.status, answer.body.code], [403, 'cross_site'])
    }
  }
  await useUp(() => request({ email }, asBrowser(deviceToken)))
})

test('a stranger who asks for codes to link stops none on a known device or in a session', async () => {
  const { person, email, deviceToken } = await owner()
  await useUp(async () => request({ attempt: await beginToLink(email) }))

  assert.equal(await request({ attempt: await beginToLink(email, { deviceToken }) }), true)
  assert.equal(await request({ attempt: await beginToConfirm(person) }, {}, person), true)
})

test('a device of another account, or a made-up one, is a stranger’s', async () => {
  const { email } = await owner()
  const { deviceToken } = await owner()
  await useUp(() => request({ email }))
  for (const other of [deviceToken, 'd'.repeat(43)]) assert.equal(await request({ email, deviceToken: other }), false)
})

test('known devices and sessions of an account are limited together', async () => {
  const { person, email, deviceToken } = await owner()
  await useUp(() => request({ email, deviceToken }))
  assert.equal(await request({ attempt: await beginToConfirm(person) }, {}, person), false)
  assert.equal(await request({ email }), true)
})

test('a code that was not mailed proves nothing, and one that is asked for then does', async () => {
  const { person, email, deviceToken } = await owner()
  const toLink = await beginToLink(email)
  const toConfirm = await beginToConfirm(person)
  await useUp(() => request({ email }))
  const toSignIn: string = (await world.nobody.post('/api/auth/sign-in/mail-code', { email })).body.attempt.token
  const beginnings = [
    ['to confirm', toConfirm, person, {}],
    ['to link', toLink, world.nobody, {}],
    ['to sign in', toSignIn, world.nobody, { deviceToken }],
  ] as const
  for (const [name, attempt, client, fields] of beginnings) {
    const prove = (mailCode: string) => client.post('/api/auth/sign-in/continue', { attempt, mailCode })

    const unmailed = await prove(await mailedCodeOf(world, attempt))

    assert.deepEqual([unmailed.status, unmailed.body.code], [403, 'wrong_proof'], name)
    const mailed = await prove(await requestedCodeOf(world, attempt, client, fields))
    assert.equal(mailed.status, 200, `${name}: ${JSON.stringify(mailed.body)}`)
  }
})

test('of the attempts of an address without a mailed code twenty live, whether or not it has an account, and those with a code go on', async () => {
  const begin = async (email: string): Promise<string> =>
    (await world.nobody.post('/api/auth/sign-in/mail-code', { email })).body.attempt.token
  const live = async (tokens: readonly string[]): Promise<number[]> => {
    const rows = await query<{ tokenHash: Buffer }>('select token_hash as "tokenHash" from attempts')
    return tokens.flatMap((token, index) =>
      rows.some(({ tokenHash }) => tokenHash.equals(readToken(token).hash)) ? [index] : [],
    )
  }
  const { email } = await world.person()
  for (const address of [email, 'nobody-with-many@example.com']) {
    const tokens: string[] = []
    for (let each = 0; each < 25; each++) tokens.push(await begin(address))
    assert.deepEqual(await live(tokens), [0, 1, ...Array.from({ length: 20 }, (_, index) => index + 5)])

    const last = await continueWith(world, tokens.at(-1) ?? '', { mailCode: '000000' })
    assert.deepEqual([last.status, last.body.code], [403, 'wrong_proof'])
    if (address !== email) continue
    const signedIn = await continueWith(world, tokens[0] ?? '', {
      mailCode: await mailedCodeOf(world, tokens[0] ?? ''),
    })
    assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
  }
})
