import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, proxiesOf, siteOf } from './address.ts'

test('a network is an IPv4 address, however it is written, or an IPv6 /64', () => {
  assert.equal(networkOf('203.0.113.5'), networkOf('::ffff:203.0.113.5'))
  assert.notEqual(networkOf('203.0.113.5'), networkOf('203.0.113.6'))
  assert.equal(networkOf('2001:db8::1'), networkOf('2001:0db8:0:0:ffff::'))
  assert.notEqual(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'))
})

test('a site is an IPv4 address, or the /48 of an IPv6 network', () => {
  assert.equal(siteOf(networkOf('203.0.113.5')), '203.0.113.5')
  assert.equal(siteOf(networkOf('2001:db8:1:ffff::1')), siteOf(networkOf('2001:db8:1::1')))
  assert.notEqual(siteOf(networkOf('2001:db8:1::1')), siteOf(networkOf('2001:db8:2::1')))
})

test('a proxy is named by its address or its network, however either is written', () => {
  const isProxy = proxiesOf(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::ffff:198.51.100.0/120'])
  for (const address of ['10.1.2.3', '192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1::1', '198.51.100.9'])
    assert.equal(isProxy(address), true, address)
  for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '198.51.101.1', '10.1', 'unknown', '', undefined])
    assert.equal(isProxy(address), false, address)
  assert.equal(proxiesOf([])('127.0.0.1'), false)
})
