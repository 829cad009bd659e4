/** Metadata and keys of providers: what is kept of them, however much a hostile provider sends. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { customFetch } from 'oauth4webapi'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'
import { Exchange } from './exchange.ts'
import type { ProviderFailure } from './failures.ts'
import { keysThrough } from './key-sets.ts'
import { kinds, type Provider } from './kinds.ts'
import { callsThrough, MetadataStore } from './metadata.ts'

const double = await startProviderDouble()
const calls = callsThrough(new Outbound(['127.0.0.1']).fetch)
const redirectUri = 'https://accounts.example.com/sign-in/callback/idp_1'
const provider: Provider = {
  type: 'oidc',
  clientId: 'guildhall',
  clientSecret: 'a secret of the client',
  issuer: double.origin,
  microsoftTenant: null,
  trustsEmail: true,
}

beforeEach(() => double.reset())

const read = () => new MetadataStore(calls).get(kinds.oidc, provider)
const isBad = (error: ProviderFailure) => error.reason === 'bad_metadata'

async function signIn() {
  const exchange = new Exchange(new Outbound(['127.0.0.1']).fetch)
  const begun = await exchange.beginSignIn(provider, { redirectUri })
  return exchange.exchangeCode(provider, begun, double.signIn(begun.url))
}

/** What is kept of the keys. */
async function readKeys(): Promise<unknown> {
  return (await keysThrough(calls)[customFetch](`${double.origin}/keys`, {})).json()
}

test('of metadata, only what a sign-in reads is kept', async () => {
  const methods = ['client_secret_post', 'x'.repeat(65), 7, ...Array(100).fill('private_key_jwt')]
  double.metadata = {
    id_token_signing_alg_values_supported: ['RS256', ...Array(1_000).fill('RS512')],
    token_endpoint_auth_methods_supported: methods,
    authorization_response_iss_parameter_supported: { much: Array(1_000).fill({}) },
    userinfo_endpoint: ['no text'],
    mtls_endpoint_aliases: { token_endpoint: `${double.origin}/other` },
    own: Array(5_000).fill({}),
  }
  const { origin } = double
  assert.deepEqual(await read(), {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/keys`,
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', ...Array(31).fill('private_key_jwt')],
    authorization_response_iss_parameter_supported: true,
  })
})

test('metadata of more than 64 KiB are refused', async () => {
  double.metadata = { own: 'x'.repeat(63 * 1024) }
  assert.equal((await read()).issuer, double.origin)
  double.metadata = { own: 'x'.repeat(64 * 1024) }
  await assert.rejects(read(), isBad)
})

for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
  test(`metadata whose ${name} has more than 2,000 characters are refused`, async () => {
    double.metadata = { [name]: `${double.origin}/`.padEnd(2_000, 'a') }
    assert.equal((await read()).issuer, double.origin)
    double.metadata = { [name]: `${double.origin}/`.padEnd(2_001, 'a') }
    await assert.rejects(read(), isBad)
  })

test('of key sets, only what checks signatures is kept', async () => {
  const [key = {}] = double.keys
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = { ...publicKey.export({ format: 'jwk' }), kid: 'other', alg: 'ES256' }
  double.keys = [
    { ...key, key_ops: ['verify'], x5c: ['x'.repeat(1_000)], own: Array(1_000).fill({}) },
    other,
    { ...key, kid: 'for secrets', use: 'enc' },
    { ...key, kid: 'for signing', key_ops: ['sign'] },
    { ...key, kid: { no: 'text' } },
    { kty: 'oct', k: 'x' },
    {},
  ]
  assert.deepEqual(await readKeys(), { keys: [key, other] })
  assert.equal((await signIn()).subject, 'ann')
})

test('key sets of more than 64 KiB, or with more than 100 keys, are refused', async () => {
  const [key = {}] = double.keys
  const [short, long] = ['x'.repeat(62 * 1024), 'x'.repeat(64 * 1024)]
  double.keys = [{ ...key, own: short }]
  assert.equal((await signIn()).subject, 'ann')
  double.keys = [{ ...key, own: long }]
  await assert.rejects(signIn(), isBad)
  const others = (count: number) => Array.from({ length: count }, (_, n) => ({ kty: 'RSA', kid: `other ${n}` }))
  double.keys = [key, ...others(99)]
  assert.equal((await signIn()).subject, 'ann')
  double.keys = [key, ...others(100)]
  await assert.rejects(signIn(), isBad)
})
