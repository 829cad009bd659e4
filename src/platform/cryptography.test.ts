import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecretly, isEqual, Keyring, randomSecret, sha256, verifySecretly } from './cryptography.ts'
import { macs, seals, secrets } from './keys.ts'

const keyring = new Keyring(['a secret of at least 32 characters'])
const uses = Object.keys(macs) as (keyof typeof macs)[]
const kinds = Object.keys(secrets) as (keyof typeof secrets)[]

test('a sealed text opens only for its purpose and context, unchanged', () => {
  for (const text of ['', 'ann@example.com', 'Zoë 🦄 \u0000\u2028', 'x'.repeat(10_000)]) {
    const sealed = keyring.seal('job', text, 'tenant')
    assert.equal(keyring.open('job', sealed, 'tenant'), text)
    assert.equal(keyring.open('cursor', sealed, 'tenant'), undefined)
    for (const context of ['', 'Tenant', 'tenant ', 'tenan'])
      assert.equal(keyring.open('job', sealed, context), undefined)
  }
})

test('a sealed text does not open if any byte is changed, cut off or added', () => {
  const bytes = Buffer.from(keyring.seal('job', 'ann@example.com', 'tenant'), 'base64url')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.equal(keyring.open('job', changed.toString('base64url'), 'tenant'), undefined, `byte ${index}`)
    assert.equal(keyring.open('job', bytes.subarray(0, index).toString('base64url'), 'tenant'), undefined)
  }
  const sealed = bytes.toString('base64url')
  for (const text of [`${sealed}AAAA`, `${sealed}=`, ` ${sealed}`, sealed.replace(/.$/, '.'), '', 'x']) {
    assert.equal(keyring.open('job', text, 'tenant'), undefined, text)
  }
})

test('no two sealed texts have the same nonce', () => {
  const sealed = Array.from({ length: 2_000 }, () => keyring.seal('cursor', 'the same text', 'the same context'))
  assert.equal(new Set(sealed.map((text) => text.slice(0, 16))).size, sealed.length)
})

test('a MAC is valid only for its purpose and its list of parts', () => {
  const mac = keyring.hmac('rate', 'ab', 'c')
  assert.equal(mac.length, 32)
  assert.ok(keyring.verifies(mac, 'rate', 'ab', 'c'))
  for (const parts of [['a', 'bc'], ['abc'], ['ab', 'c', ''], ['ab'], ['2:ab1:c'], []])
    assert.ok(!keyring.verifies(mac, 'rate', ...parts), parts.join())
  assert.ok(!keyring.verifies(mac.subarray(0, 31), 'rate', 'ab', 'c'))
  const all = uses.map((use) => keyring.hmac(use, 'ab', 'c').toString('hex'))
  assert.equal(new Set(all).size, uses.length)
})

test('hashes, MACs and sealed texts are SHA-256, HMAC and AES-256-GCM: another implementation computes and opens the same', async () => {
  // NIST, of “abc”
  assert.equal(sha256('abc').toString('hex'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  const { subtle } = globalThis.crypto
  const text = new TextEncoder()
  const secret = await subtle.importKey('raw', text.encode('a secret of at least 32 characters'), 'HKDF', false, [
    'deriveKey',
  ])
  const keyOf = (purpose: string, algorithm: { name: string; hash?: string }, use: 'sign' | 'decrypt') => {
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: text.encode(`guildhall ${purpose}`) }
    return subtle.deriveKey(hkdf, secret, { length: 256, ...algorithm }, false, [use])
  }

  const signing = await keyOf('rate', { name: 'HMAC', hash: 'SHA-256' }, 'sign')
  const mac = await subtle.sign('HMAC', signing, text.encode('2:ab1:c'))
  assert.deepEqual(keyring.hmac('rate', 'ab', 'c'), Buffer.from(mac))

  const sealed = Buffer.from(keyring.seal('job', 'Zoë 🦄', 'tenant'), 'base64url')
  const [iv, tag, body] = [sealed.subarray(0, 12), sealed.subarray(12, 28), sealed.subarray(28)]
  const algorithm = { name: 'AES-GCM', iv, additionalData: text.encode('tenant') }
  const opened = await subtle.decrypt(
    algorithm,
    await keyOf('job', { name: 'AES-GCM' }, 'decrypt'),
    Buffer.concat([body, tag]),
  )
  assert.equal(Buffer.from(opened).toString(), 'Zoë 🦄')
})

test('after a rotation the new secret is used, and the old one is accepted until it is removed', () => {
  const [old, fresh] = ['the secret of last year, 32 letters', 'the secret of this year, 32 letters']
  const [before, both, after] = [[old], [fresh, old], [fresh]].map((list) => new Keyring(list)) as [
    Keyring,
    Keyring,
    Keyring,
  ]
  for (const use of Object.keys(seals) as (keyof typeof seals)[]) {
    assert.equal(both.open(use, before.seal(use, 'text', 'context'), 'context'), 'text')
    assert.equal(after.open(use, both.seal(use, 'text', 'context'), 'context'), 'text')
    assert.equal(after.open(use, before.seal(use, 'text', 'context'), 'context'), undefined)
  }
  for (const use of uses) {
    assert.ok(both.verifies(before.hmac(use, 'part'), use, 'part'))
    assert.deepEqual(both.hmac(use, 'part'), after.hmac(use, 'part'))
    assert.ok(!after.verifies(before.hmac(use, 'part'), use, 'part'))
  }
})

test('secrets are random, have at least 128 bits, and never repeat', () => {
  for (const kind of kinds) {
    const made = Array.from({ length: 1_000 }, () => randomSecret(kind))
    assert.equal(new Set(made).size, made.length)
    assert.ok(made.every((text) => Buffer.from(text, 'base64url').length === secrets[kind].bytes))
    assert.ok(secrets[kind].bytes >= 16)
  }
  const ones = Array.from({ length: 1_000 }, () => Buffer.from(randomSecret('ghs'), 'base64url'))
  const share = ones.flatMap((bytes) => [...bytes]).reduce((sum, byte) => sum + byte, 0) / (1_000 * 32 * 255)
  assert.ok(share > 0.49 && share < 0.51, `the mean of the bytes is ${share}`)
})

test('texts of different lengths compare as different, without an error', () => {
  assert.ok(isEqual('key', 'key'))
  for (const other of ['', 'ke', 'kez', 'key ', 'KEY']) assert.ok(!isEqual('key', other))
})

test('a malformed stored hash is an error, and not a wrong password', async () => {
  const hash = await hashSecretly('correct horse battery staple')
  assert.deepEqual(await verifySecretly('correct horse battery staple', hash), { matches: true, outdated: false })
  for (const stored of ['', 'plain text', '$2b$12$abcdefghijklmnopqrstuv', hash.replace('argon2id', 'argon2d')])
    await assert.rejects(verifySecretly('correct horse battery staple', stored), /unknown form/)
})
