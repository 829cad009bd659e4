/** Debian's PyJWT, as a service in Python uses it: it checks tokens of the service, and refuses others. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { partsOf } from './jwt.ts'
import { freePort } from './ports.ts'
import { createWorld } from './world.ts'

/** Debian's own: another one in the path has none of its packages. */
const python = '/usr/bin/python3'
const isMissing = spawnSync(python, ['-c', 'import jwt, cryptography']).status !== 0
const skip =
  isMissing &&
  process.env.CI !== 'true' &&
  'PyJWT is missing. Debian: apt-get install python3-jwt python3-cryptography.'

/** As the documents of PyJWT have it. */
const program = `
import json, sys, jwt
issuer, audience, token = sys.argv[1:]
key = jwt.PyJWKClient(issuer + '/jwks.json').get_signing_key_from_jwt(token)
try:
    claims = jwt.decode(token, key.key, algorithms=['RS256'], audience=audience, issuer=issuer,
        options={'require': ['exp', 'iat', 'iss', 'aud', 'sub', 'jti']})
    print(json.dumps([jwt.get_unverified_header(token)['typ'], claims['sub'], claims['org']['role'], claims['scope']]))
except jwt.InvalidTokenError as error:
    print(json.dumps(type(error).__name__))
`

test('PyJWT believes a token of the service, and refuses it for another audience, from another issuer, or changed', {
  skip,
}, async () => {
  assert.ok(!isMissing, 'PyJWT is missing')
  const port = await freePort()
  const world = await createWorld({ port, settings: { PUBLIC_URL: `http://127.0.0.1:${port}` } })
  const tenantId = uuidToTenantId(world.tenantId)
  const issuer = `${world.app.config.publicUrl}/api/tenants/${tenantId}`
  const { ben, id } = await world.organization()
  const body = { organization: id, permissions: ['members:read', 'organization:delete'] }
  const { token }: { token: string } = (await ben.post('/api/tokens', body)).body
  const check = async (from: string, audience: string, given: string) =>
    JSON.parse((await promisify(execFile)(python, ['-c', program, from, audience, given])).stdout)

  assert.deepEqual(await check(issuer, tenantId, token), ['at+jwt', ben.id, 'admin', 'members:read'])

  assert.equal(await check(issuer, 'another', token), 'InvalidAudienceError')
  assert.equal(await check(issuer.replace('127.0.0.1', 'localhost'), tenantId, token), 'InvalidIssuerError')
  const forged = Buffer.from(JSON.stringify({ ...partsOf(token).claims, sub: 'user_1' })).toString('base64url')
  assert.equal(await check(issuer, tenantId, token.replace(/\.[^.]+\./, `.${forged}.`)), 'InvalidSignatureError')
})
