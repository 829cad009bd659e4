import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formats } from './formats.ts'
import {
  Id,
  metadataFault,
  Nullable,
  newId,
  normalizeEmail,
  normalizeName,
  OneOf,
  searchKey,
  Timestamp,
  tenantIdToUuid,
  uuidToTenantId,
} from './schemas.ts'

test('an email address is stored in one form: trimmed, lower case, its domain in A-labels', () => {
  const forms = {
    ' Ann@Example.COM\n': 'ann@example.com',
    "o'neil+tag@example.com": "o'neil+tag@example.com",
    'a@b.co': 'a@b.co',
    '\u200eann@example.com\u200f\ufeff': 'ann@example.com',
    'ann@münchen.example': 'ann@xn--mnchen-3ya.example',
    'ann@MÜNCHEN.example': 'ann@xn--mnchen-3ya.example',
    'ann@xn--mnchen-3ya.example': 'ann@xn--mnchen-3ya.example',
    'ann@ｅｘａｍｐｌｅ.com': 'ann@example.com',
    'ann@example。com': 'ann@example.com',
    [`${'a'.repeat(64)}@example.com`]: `${'a'.repeat(64)}@example.com`,
  }
  for (const [typed, kept] of Object.entries(forms)) assert.equal(normalizeEmail(typed), kept)
})

test('text that is no email address is refused', () => {
  for (const text of [
    '',
    '@',
    'ann',
    'ann@',
    '@example.com',
    'ann@@example.com',
    'ann@localhost',
    'ann@example',
    'ann@example.com.',
    'ann@.example.com',
    'ann@example..com',
    'ann@-a.com',
    'ann@a-.com',
    'a nn@example.com',
    'ann@exam ple.com',
    'ann@1.2.3.4',
    'ann@[::1]',
    'ann@0x7f.1',
    'ann@example.c0m-',
    '.ann@example.com',
    'ann.@example.com',
    'a..n@example.com',
    '"a"@example.com',
    'a(b)@example.com',
    'ä@example.com',
    'ann@a%2eb.com',
    'ann@a_b.com',
    'ann@example.com\u0000',
    'ann\u0000@example.com',
    'ann\r\n@example.com',
    'ann@exa\u00admple\u0000.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(125)}com`,
  ]) {
    assert.equal(normalizeEmail(text), undefined, JSON.stringify(text))
  }
})

test('normalizing an email address twice changes nothing more, and the result fits its column', () => {
  const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(part, part, part, (local, domain, top) => {
      const email = normalizeEmail(`${local}@${domain}.${top}`)
      if (email === undefined) return
      assert.equal(normalizeEmail(email), email)
      assert.match(email, /^[\x21-\x7e]{3,254}$/)
      assert.equal(email, email.toLowerCase())
    }),
  )
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      const email = normalizeEmail(address)
      if (email !== undefined) assert.equal(normalizeEmail(email.toUpperCase()), email)
    }),
  )
})

test('no text makes the check of a format throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      for (const [name, { fits }] of Object.entries(formats)) assert.equal(typeof fits(text), 'boolean', name)
    }),
  )
})

test('names are composed, visible, and cannot reverse the direction of text', () => {
  const { fits: name } = formats.name
  for (const text of ['A', 'Zoe\u0308', '李', '🦄'.repeat(100), 'a b', 'שלום', "O'Neil", '<b>'])
    assert.ok(name(text), text)
  for (const text of [
    '',
    ' ',
    '\u3000',
    '\u3164',
    '\u2800\u115f',
    'a\tb',
    'a\u0000',
    'a\u007f',
    'a\u0085',
    '\u202ea',
    '\u2066a',
    'a\u2028b',
    'a'.repeat(101),
    '\u0958'.repeat(51),
  ])
    assert.ok(!name(text), JSON.stringify(text))
  assert.equal(normalizeName('Zoe\u0308'), 'Zoë')
  for (const pasted of ['\u200fAnn', ' Ann\u00a0', '\u061c Ann\u200e', '\ufeffAnn\n', 'A\u200enn\u200b']) {
    assert.ok(name(pasted), JSON.stringify(pasted))
    assert.equal(normalizeName(pasted), 'Ann')
  }
  assert.equal(normalizeName('علی‌رضا'), 'علی‌رضا')
})

test('a text of a million spaces takes no longer than its length', () => {
  const long = `a${' '.repeat(1_000_000)}a` // a pattern that tries at each space would take hours
  assert.equal(normalizeName(` ${long} `), long)
  assert.equal(normalizeEmail(long), undefined)
})

test('links are https, without credentials, and nothing that a browser would execute', () => {
  const { fits } = formats['https-url']
  for (const text of [
    'https://example.com',
    'https://example.com/a%20b?c=d#e',
    'HTTPS://EXAMPLE.com/',
    'https://münchen.example/ü',
  ])
    assert.ok(fits(text), text)
  for (const text of [
    '',
    'http://example.com',
    'https:example.com',
    'https:/example.com',
    '//example.com',
    'javascript:alert(1)',
    'data:,x',
    'https://a:b@example.com',
    'https://a@example.com',
    'https://exa mple.com',
    'https://example.com\n',
    ' https://example.com',
    'https:\\\\example.com',
    'https://',
    'https://?',
    'https://[',
    'https://a\u202e.com',
  ])
    assert.ok(!fits(text), JSON.stringify(text))
})

test('times have a zone, exist, and are within the range of the database', () => {
  const { fits } = formats['date-time']
  const { maxLength } = JSON.parse(JSON.stringify(Timestamp))
  for (const text of [
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.123456Z',
    '2026-01-31T09:30:00.123456+00:00',
    '2026-01-31T09:30:00.123456789+02:00',
    '2024-02-29T00:00:00+05:30',
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00-14:00',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.9994+14:00',
    '2026-01-31t09:30:00z',
  ])
    assert.ok(fits(text) && text.length <= maxLength, text)
  for (const text of [
    '',
    '2026-01-31',
    '2026-01-31T09:30Z',
    '2026-01-31T09:30:00',
    '2026-01-31 09:30:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-12-31T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '0000-12-31T23:59:59-14:00',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-14:00',
    '9999-12-31T23:59:59.9999999Z',
    '9999-12-31T23:59:59.999499999Z',
    '2026-01-01T00:00:00+15:00',
    '2026-01-01T00:00:00+2:00',
    '12026-01-01T00:00:00Z',
    'infinity',
    'now',
  ])
    assert.ok(!fits(text), text)
})

test('metadata is at most five levels deep and eight KiB large', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
  assert.equal(metadataFault(nested(5)), undefined)
  assert.equal(metadataFault(nested(6)), 'out_of_range')
  assert.equal(metadataFault({ a: [[[[1]]]] }), undefined)
  assert.equal(metadataFault({ a: [[[[[1]]]]] }), 'out_of_range')
  assert.equal(metadataFault({ a: 'x'.repeat(8192 - 8) }), undefined)
  assert.equal(metadataFault({ a: 'x'.repeat(8192 - 7) }), 'too_long')
  assert.equal(metadataFault({ a: 'ü'.repeat(4093) }), 'too_long', 'bytes are counted, not letters')
  assert.equal(metadataFault({ a: Array(20).fill(1e308) }), undefined)
  assert.equal(metadataFault({ a: Array(27).fill(1e308) }), 'too_long', 'numbers are written out')
})

test('ids tell their type, sort by the time of their creation, and are unique', () => {
  const made = Array.from({ length: 1000 }, () => newId('org'))
  assert.equal(new Set(made).size, 1000)
  const pattern = new RegExp(JSON.parse(JSON.stringify(Id('org'))).pattern)
  for (const id of made) assert.match(id, pattern)
  const times = made.map((id) => id.slice(0, 14))
  assert.deepEqual([...times].sort(), times)

  const tenant = newId('ten')
  assert.match(tenantIdToUuid(tenant), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(uuidToTenantId(tenantIdToUuid(tenant)), tenant)
  assert.throws(() => tenantIdToUuid(newId('org')))
})

test('a nullable schema keeps the rules of its type', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(Nullable(OneOf(['a', 'b'])))), {
    type: ['string', 'null'],
    enum: ['a', 'b', null],
  })
})

test('a search treats different forms of a letter as the same', () => {
  assert.equal(searchKey('ＡＣＭＥ'), 'acme')
  assert.equal(searchKey('Zoe\u0308'), searchKey('ZOË'))
  assert.equal(searchKey('ﬁ'), 'fi')
})
