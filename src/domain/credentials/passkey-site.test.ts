import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/world.ts'
import { readConfig } from '../../platform/settings/config.ts'
import { getPasskeyTenant, type PasskeyTenant, passkeySite } from './passkey-site.ts'

const world = await createWorld()
const plain: PasskeyTenant = { passkeyDomain: null, signInDomain: null, domains: [], allowedOrigins: [] }
const publicUrl = 'https://accounts.example.com'

test('the RP id is the passkey domain, else the sign-in domain, else the only domain, else the host of PUBLIC_URL', () => {
  const rpIdOf = (tenant: Partial<PasskeyTenant>) => passkeySite({ publicUrl }, { ...plain, ...tenant })?.rpId
  const domains = ['login.shop.example', 'shop.example']
  const signInDomain = 'login.shop.example'

  assert.equal(rpIdOf({ domains, signInDomain, passkeyDomain: 'shop.example' }), 'shop.example')
  assert.equal(rpIdOf({ domains, signInDomain }), 'login.shop.example')
  assert.equal(rpIdOf({ domains: ['login.shop.example'] }), 'login.shop.example')
  assert.equal(rpIdOf({ domains }), 'accounts.example.com')
  assert.equal(rpIdOf({}), 'accounts.example.com')
})

test('pages of PUBLIC_URL, of the domains and of the allowed origins may ask, if they are under the RP id', () => {
  const tenant = {
    ...plain,
    domains: ['accounts.shop.example', 'shop.test'],
    passkeyDomain: 'shop.example',
    allowedOrigins: [
      'https://app.shop.example',
      'https://app.shop.example:8443',
      'https://evilshop.example',
      'https://shop.example.evil.example',
      'https://shop.example',
      'http://localhost:5173',
    ],
  }
  assert.deepEqual(passkeySite({ publicUrl }, tenant)?.origins, [
    'https://accounts.shop.example',
    'https://app.shop.example',
    'https://app.shop.example:8443',
    'https://shop.example',
  ])
  const own = passkeySite({ publicUrl }, { ...plain, allowedOrigins: ['https://app.example.com'] })
  assert.deepEqual(own, { rpId: 'accounts.example.com', origins: [publicUrl] })
  const parent = passkeySite({ publicUrl }, { ...plain, passkeyDomain: 'example.com' })
  assert.deepEqual(parent?.origins, [publicUrl])
})

test('a domain is reached at the port of PUBLIC_URL', () => {
  const tenant = { ...plain, domains: ['login.shop.example'] }
  const site = passkeySite({ publicUrl: 'https://accounts.example.com:8443' }, tenant)
  assert.deepEqual(site?.origins, ['https://login.shop.example:8443'])
})

test('on a machine of one’s own the RP id is localhost, also for an address', () => {
  for (const url of ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']) {
    const tenant = {
      ...plain,
      domains: ['shop.example'],
      allowedOrigins: ['http://localhost:5173', 'http://127.0.0.1:5173'],
    }
    const site = passkeySite(readConfig({ PUBLIC_URL: url }), tenant)
    assert.deepEqual(site, { rpId: 'localhost', origins: ['http://localhost:3000', 'http://localhost:5173'] }, url)
  }
})

test('over plain http, and at an IP address, there are no passkeys', () => {
  const tenant = { ...plain, domains: ['shop.example'] }
  assert.equal(passkeySite({ publicUrl: 'http://accounts.example.com' }, tenant), undefined)
  assert.equal(passkeySite({ publicUrl: 'https://192.0.2.1' }, plain), undefined)
  assert.equal(passkeySite({ publicUrl: 'https://[2001:db8::1]' }, plain), undefined)
  assert.equal(passkeySite({ publicUrl: 'https://192.0.2.1' }, tenant)?.rpId, 'shop.example')
})

test('a tenant is read with its domains and origins, and without those of others', async () => {
  const [one, other] = [await world.tenant({ domains: ['b.example', 'a.example'] }), await world.tenant()]
  await world.postgres.query(
    `update tenants set passkey_domain = 'a.example', sign_in_domain = 'b.example', allowed_origins = '{https://c.example}'
     where id = $1`,
    [one.id],
  )
  assert.deepEqual(await world.database.inTenant(one.id, getPasskeyTenant), {
    name: 'Another Tenant',
    passkeyDomain: 'a.example',
    signInDomain: 'b.example',
    domains: ['a.example', 'b.example'],
    allowedOrigins: ['https://c.example'],
  })
  assert.deepEqual(await world.database.inTenant(other.id, getPasskeyTenant), { name: 'Another Tenant', ...plain })
})
