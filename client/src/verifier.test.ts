/** The verifier, with tokens of the real service, and with those that an attacker makes. */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { system } from '../../src/domain/access/actors.ts'
import { rotateKeys } from '../../src/domain/signing-keys/rotation.ts'
import { uuidToTenantId } from '../../src/platform/http/schemas.ts'
import { createGuildhall } from '../../test/patient-client.ts'
import { freePort } from '../../test/ports.ts'
import { createWorld, type Json, type Program } from '../../test/world.ts'
import { GuildhallError } from './index.ts'
import { createVerifier } from './verifier.ts'

const port = await freePort()
const world = await createWorld({ port, settings: { PUBLIC_URL: `http://127.0.0.1:${port}` } })
const tenantId = uuidToTenantId(world.tenantId)
const issuer = `http://127.0.0.1:${port}/api/tenants/${tenantId}`

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const signed = (header: object, claims: object, key: KeyObject) => {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

async function codeOf(verifying: Promise<unknown>): Promise<string> {
  const error = await verifying.then(
    () => assert.fail('it is believed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof GuildhallError, String(error))
  return error.code
}

/** A tenant's key set and a key of it, in the hands of somebody who makes tokens that the service would never make. */
async function startIssuer(t: TestContext) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }
  let answers = 0
  let caching: string | undefined
  const server = createServer((request, response) => {
    answers++
    caching = request.headers['cache-control']
    if (request.url?.endsWith(`${tenantId}/jwks.json`)) return response.end(JSON.stringify({ keys: [jwk] }))
    response.statusCode = 404
    return response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/tenants/${tenantId}`
  const now = Math.floor(Date.now() / 1_000)
  const claims = {
    ...{ iss: own, sub: 'user_1', aud: 'notes', client_id: 'guildhall', iat: now, exp: now + 300 },
    ...{ jti: 'one', scope: 'notes:read', sid: 'dev_1' },
  }
  const header = { alg: 'RS256', typ: 'at+jwt', kid: 'one' }
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { issuer: own, claims, header, privateKey, pem, jwk, answers: () => answers, caching: () => caching }
}

test('a token of the service is believed, and tells who its user is and what they may do', async () => {
  const { ann, id, slug } = await world.organization()
  const guildhall = createGuildhall({ url: world.url, token: ann.token })
  const verify = createVerifier({ issuer, audience: tenantId, maxAge: 60 })

  const { token, expiresAt } = await guildhall.tokens.create({ organization: slug, permissions: ['members:read'] })

  const { claims, ...verified } = await verify(token)
  const { session } = await guildhall.caller()
  assert.deepEqual(verified, {
    userId: ann.id,
    sessionId: session?.id,
    keyId: null,
    organization: { id, slug, role: 'owner', roles: ['owner', 'admin', 'member'] },
    permissions: new Set(['members:read']),
    expiresAt: new Date(expiresAt),
  })
  assert.equal(claims.iss, issuer)
  const alone = await verify((await guildhall.tokens.create()).token)
  assert.deepEqual([alone.organization, alone.permissions.size], [undefined, 0])
})

test('a token that a key has made names the key, and its person if it has one', async () => {
  const { ann, id } = await world.organization()
  await world.postgres.query('update tenants set personal_keys = true, organization_keys = true')
  const verify = createVerifier({ issuer, audience: tenantId })
  const tokenBy = async ({ token: key }: Program) =>
    (await createGuildhall({ url: world.url, key }).tokens.create({ organization: id })).token
  const scopes = ['tokens:create', 'members:read']
  const own = await world.key(scopes, { person: ann })
  const shared = await world.key(scopes, { organization: id })

  const [anns, theirs] = [await verify(await tokenBy(own)), await verify(await tokenBy(shared))]

  assert.deepEqual([anns.userId, anns.sessionId, anns.keyId, anns.organization?.role], [ann.id, null, own.id, 'owner'])
  assert.deepEqual([theirs.userId, theirs.sessionId, theirs.keyId], [null, null, shared.id])
  assert.deepEqual([theirs.organization?.role, theirs.organization?.roles], [null, []])
})

test('a token for another service or of another tenant is refused', async () => {
  const there = await world.person('There', { tenant: (await world.tenant()).slug })
  const [own, foreign] = await Promise.all(
    [await world.person(), there].map(async (person) => (await person.post('/api/tokens')).body.token as string),
  )
  const verify = createVerifier({ issuer, audience: tenantId })
  assert.ok(own && foreign)
  assert.ok(await verify(own))

  assert.equal(await codeOf(verify(foreign)), 'unauthenticated')
  assert.equal(await codeOf(createVerifier({ issuer, audience: 'notes' })(own)), 'unauthenticated')
  const [head, , signature] = foreign.split('.')
  assert.equal(await codeOf(verify(`${head}.${own.split('.')[1]}.${signature}`)), 'unauthenticated')
})

test('what no issuer of ours makes is refused', async (t) => {
  const attacked = await startIssuer(t)
  const { claims, header, privateKey, pem, jwk } = attacked
  const verify = createVerifier({ issuer: attacked.issuer, audience: 'notes', maxAge: 300 })
  const by = (changed: Json, also: Json = {}) => signed({ ...header, ...changed }, { ...claims, ...also }, privateKey)
  const without = (name: string) =>
    signed(header, Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)), privateKey)
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const hmac = (secret: string) => {
    const text = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const good = by({})
  assert.equal((await verify(good)).userId, 'user_1')

  const refused: Record<string, string> = {
    'no algorithm': `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`,
    'no algorithm, with a signature': by({ alg: 'none' }),
    'an HMAC under the public key': hmac(pem),
    'an HMAC under the key set': hmac(JSON.stringify(jwk)),
    'another algorithm of RSA': by({ alg: 'PS256' }),
    'a curve': signed({ ...header, alg: 'ES256' }, claims, curve.privateKey),
    'a key of somebody else': signed(header, claims, stranger.privateKey),
    'a key of its own': signed(
      { ...header, jwk: stranger.publicKey.export({ format: 'jwk' }) },
      claims,
      stranger.privateKey,
    ),
    'a place of its own': signed({ ...header, jku: `${attacked.issuer}/mine.json` }, claims, stranger.privateKey),
    'an unknown key': by({ kid: '../../../etc/passwd' }),
    'an ID token': by({ typ: 'JWT' }),
    'no type': by({ typ: undefined }),
    'an extension that must be understood': by({ crit: ['b64'], b64: false }),
    'an unknown extension that must be understood': by({ crit: ['exp'], exp: 1 }),
    'another audience': by({}, { aud: 'billing' }),
    'another issuer': by({}, { iss: issuer }),
    'an issuer with a slash': by({}, { iss: `${attacked.issuer}/` }),
    'an end in the past': by({}, { exp: claims.iat - 10 }),
    'a beginning in the future': by({}, { nbf: claims.iat + 60 }),
    'too old': by({}, { iat: claims.iat - 400 }),
    'a changed payload': good.replace(/\.[^.]+\./, `.${encode({ ...claims, sub: 'user_2' })}.`),
    'a cut signature': good.slice(0, -4),
    'two tokens': `${good}.${good}`,
    nothing: '',
    'a session': `ghs_${'0'.repeat(26)}.${'A'.repeat(43)}`,
  }
  for (const [what, token] of Object.entries(refused))
    assert.equal(await codeOf(verify(token)), 'unauthenticated', what)
  for (const name of Object.keys(claims).filter((key) => key !== 'nbf'))
    assert.equal(await codeOf(verify(without(name))), 'unauthenticated', `without ${name}`)
  assert.equal(attacked.answers(), 1, 'the keys are read once, and nothing that a token names')
})

test('the keys are read past every HTTP cache, so that a withdrawn one is believed for ten minutes at most', async (t) => {
  const { issuer: own, claims, header, privateKey, caching } = await startIssuer(t)

  await createVerifier({ issuer: own, audience: 'notes' })(signed(header, claims, privateKey))

  assert.equal(caching(), 'no-cache') // by `cache: 'no-store'`
})

test('if the keys cannot be read, that is no fault of the token', async () => {
  const { ann } = await world.organization()
  const { token } = (await ann.post('/api/tokens')).body
  const nowhere = issuer.replace(String(port), '1')
  assert.equal(await codeOf(createVerifier({ issuer: nowhere, audience: tenantId })(token)), 'unreachable')
  const untouched = issuer.replace(tenantId, uuidToTenantId((await world.tenant()).id))
  assert.equal(await codeOf(createVerifier({ issuer: untouched, audience: tenantId })(token)), 'unreachable')
})

test('a verifier needs an issuer and an audience, and an age in seconds if it has one', () => {
  for (const wrong of ['', 'https://accounts.example.com', `${issuer}/`, `ftp://a/api/tenants/${tenantId}`])
    assert.throws(() => createVerifier({ issuer: wrong, audience: 'notes' }), TypeError, wrong)
  for (const audience of ['', undefined, ['notes']])
    assert.throws(() => createVerifier({ issuer, audience } as never), TypeError)
  for (const maxAge of [Number.NaN, -1, Number.POSITIVE_INFINITY, null, '60'])
    assert.throws(() => createVerifier({ issuer, audience: 'notes', maxAge } as never), TypeError, `${maxAge}`)
  createVerifier({ issuer, audience: 'notes', maxAge: 0 })
})

test('while a key is replaced, no token is refused; after it is withdrawn, its tokens are', async () => {
  const { slug, id } = await world.tenant()
  const people = await Promise.all(Array.from({ length: 4 }, () => world.person('Ann', { tenant: slug })))
  const own = issuer.replace(tenantId, uuidToTenantId(id))
  const options = { issuer: own, audience: uuidToTenantId(id) }
  const mint = async (person = people[0]) => (await person?.post('/api/tokens'))?.body.token as string
  await createVerifier(options)(await mint()) // makes the first key
  await rotateKeys(world.app, id, system, { isNow: false })
  const verify = createVerifier(options) // as every verifier does within a day
  const counts = new Map<string, number>()
  const isDone = () => counts.size === 2 && [...counts.values()].every((count) => count >= 20)

  await Promise.all([
    ...people.map(async (person) => {
      while (!isDone()) {
        const token = await mint(person)
        await verify(token)
        const kid = token.split('.')[0] ?? ''
        counts.set(kid, (counts.get(kid) ?? 0) + 1)
      }
    }),
    (async () => {
      while ([...counts.values()].every((count) => count < 20)) await verify(await mint())
      await world.postgres.query(
        'update signing_keys set signs_from = now() where tenant_id = $1 and signs_from > now()',
        [id],
      )
    })(),
  ])
  const token = await mint()
  await verify(token)

  await rotateKeys(world.app, id, system, { isNow: true })

  const later = createVerifier(options)
  assert.ok(await later(await mint()))
  assert.equal(await codeOf(later(token)), 'unauthenticated')
})
