import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider } from '../../../test/sign-in.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Json } from '../../../test/world.ts'

const double = await startProviderDouble()

/** The calls that are open, and the most at once. */
let [open, most] = [0, 0]
/** Answers its metadata at once, and codes never. */
const slow = createServer((request, response) => {
  if (!request.url?.includes('well-known')) {
    most = Math.max(most, ++open)
    return response.once('close', () => open--)
  }
  const issuer = `http://${request.headers.host}`
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/a`,
    token_endpoint: `${issuer}/t`,
    jwks_uri: `${issuer}/k`,
  }
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
})
await new Promise<void>((done) => slow.listen(0, '0.0.0.0', done))
after(() => slow.close())
const { port } = slow.address() as AddressInfo

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.0/8' } })

test('slow providers of one tenant keep nobody from signing in at providers of another', async () => {
  const providerId = await addProvider(world, double.origin)
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const headers = { 'guildhall-tenant': slug }
  const proofs: Json[] = []
  for (const host of [2, 3, 4, 5]) {
    const issuer = `http://127.0.0.${host}:${port}`
    const made = await admin.post('/api/admin/providers', { type: 'oidc', name: `Slow ${host}`, clientId: 'x', issuer })
    for (let each = 0; each < 9; each++) {
      const begun = await world.nobody.post('/api/auth/sign-in/provider', { providerId: made.body.id }, headers)
      const { attempt, url } = begun.body
      const callback = { code: 'x', state: new URL(url).searchParams.get('state') }
      proofs.push({ attempt: attempt.token, callback })
    }
  }
  const exchanges = proofs.map((proof) => world.nobody.post('/api/auth/sign-in/continue', proof, headers))
  await until(() => most >= 8, 'the slow providers to be called')

  const answer = await world.nobody.post('/api/auth/sign-in/provider', { providerId })

  assert.equal(answer.status, 200)
  assert.equal(most, 8, 'of a tenant, 8 sign-ins call at once')
  slow.closeAllConnections()
  const over = setInterval(() => slow.closeAllConnections(), 100)
  await Promise.all(exchanges)
  clearInterval(over)
})
