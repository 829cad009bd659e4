import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFault, linesOf } from './addresses.ts'

const faults = (kind: 'server' | 'browser' | 'native', ...addresses: string[]) =>
  addresses.map((address) => findFault(address, kind)?.fault)

test('addresses with https, and of the own machine, are right for every application', () => {
  const right = [
    'https://app.example.com/callback',
    'http://localhost:3000/cb',
    'http://127.0.0.1:8080/',
    'http://[::1]/a?b=c',
  ]
  for (const kind of ['server', 'browser', 'native'] as const)
    assert.deepEqual(
      faults(kind, ...right),
      right.map(() => undefined),
    )
})

test('only an app on a device has a scheme of its own, with a dot', () => {
  assert.deepEqual(faults('native', 'com.acme.app:/callback', 'acme:/callback'), [undefined, 'app_scheme'])
  assert.deepEqual(faults('server', 'com.acme.app:/callback', 'acme:/callback'), ['scheme', 'scheme'])
})

test('an address that a browser would read as another one has a fault', () => {
  const wrong = {
    'app.example.com/callback': 'form',
    'http://app.example.com/callback': 'scheme',
    'https://app.example.com/#callback': 'fragment',
    'https://ann@app.example.com/': 'person',
    'https://*.example.com/': 'wildcard',
    'https://APP.example.com/': 'spelling',
    'https://app.example.com': 'spelling',
    'https://app.example.com/a/../b': 'spelling',
  }
  assert.deepEqual(faults('server', ...Object.keys(wrong)), Object.values(wrong))
  assert.equal(findFault('https://APP.example.com', 'server')?.spelling, 'https://app.example.com/')
})

test('there is one address a line, and the first fault is named', () => {
  const text = ' https://a.example/ \n\nhttps://b.example/#x\nhttp://c.example/'
  assert.deepEqual(linesOf(text), ['https://a.example/', 'https://b.example/#x', 'http://c.example/'])
  assert.equal(findFault(text, 'server')?.address, 'https://b.example/#x')
})
