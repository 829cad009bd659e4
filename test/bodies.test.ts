/** Bodies: their form on every route, and how their values come back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { unfold } from './contract.ts'
import { operationsOf, plainly } from './plain.ts'
import { timeout } from './timeout.ts'
import { createWorld, type Json } from './world.ts'

const world = await createWorld()
const send = plainly(world.url)
const { ann, id: orgId, members } = await world.organization()
const ended = await world.signIn(ann)
await ended.post('/api/auth/sign-out')
const ids: Readonly<Record<string, string>> = {
  orgId,
  memberId: members.cleo.id,
  inviteId: 'inv_01k9zq3v5hf8gs4m2y7c6t0wdn',
  userId: ann.id,
  deviceId: 'dev_01k9zq3v5hf8gs4m2y7c6t0wdn',
}
const operations = operationsOf(unfold(world.app.swagger()), ids)
const bearer = { authorization: `Bearer ${ann.token}` }
const json = { 'content-type': 'application/json' }

test('bodies are JSON, but for forms of applications: any other media type or encoding is 415', async () => {
  for (const { name, method, path, takesBody, takesForm } of operations) {
    if (!takesBody || takesForm) continue
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': 'text/json' },
      { 'content-type': 'application/jsonp' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-type': 'application/xml' },
      { 'content-type': 'nonsense' },
      { 'content-type': '' },
      {},
      { ...json, 'content-encoding': 'gzip' },
    ] as Record<string, string>[]) {
      const answer = await send(method, path, { ...bearer, ...headers }, '{}')
      assert.deepEqual(
        [answer.status, answer.code],
        [415, 'unsupported_media_type'],
        `${name} ${JSON.stringify(headers)}`,
      )
    }
  }
  for (const type of [
    'application/json',
    'APPLICATION/JSON; charset=UTF-8',
    'application/merge-patch+json',
    'application/json;charset="utf-8"',
  ]) {
    const answer = await send('PATCH', '/api/users/me', { ...bearer, 'content-type': type }, '{"name":"Ann"}')
    assert.equal(answer.status, 200, type)
  }
})

test('an answer to a body of another media type says what was sent, and what is wanted', async () => {
  const token = `/api/tenants/${uuidToTenantId(world.tenantId)}/token`
  const json = 'Send uncompressed JSON in UTF-8 with `Content-Type: application/json`.'
  const form = 'Send an uncompressed form with `Content-Type: application/x-www-form-urlencoded`.'
  const parameter = 'The `Content-Type` has another parameter than `charset=utf-8`.'
  const neither = 'The `Content-Type` is neither that of JSON nor that of a form.'
  for (const [type, toJson, toForm] of [
    ['application/x-www-form-urlencoded', 'The body is a form.', undefined],
    ['application/json', undefined, 'The body is JSON.'],
    ['application/json; charset=latin1', parameter, 'The body is JSON.'],
    ['application/x-www-form-urlencoded; charset=latin1', 'The body is a form.', parameter],
    ['multipart/form-data; boundary=x', neither, neither],
    ['nonsense', neither, neither],
    [undefined, 'The request has no `Content-Type`.', 'The request has no `Content-Type`.'],
  ] as const) {
    const headers = type === undefined ? {} : { 'content-type': type }
    if (toJson) assert.equal(await refusalOf('PATCH', '/api/users/me', { ...bearer, ...headers }), `${toJson} ${json}`)
    if (toForm) assert.equal(await refusalOf('POST', token, headers), `${toForm} ${form}`)
  }
  const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  assert.equal(await refusalOf('PATCH', '/api/users/me', { ...bearer, ...gzip }), `The body is compressed. ${json}`)
})

/** @returns what a 415 says in detail */
async function refusalOf(method: string, path: string, headers: Record<string, string>): Promise<string> {
  const { status, text } = await send(method, path, headers, 'a=1')
  const { detail, error_description = detail } = JSON.parse(text)
  assert.equal(status, 415)
  return error_description
}

test('a body that is not JSON in UTF-8 is malformed', async () => {
  for (const body of [
    '{',
    '{"name":"Ann"',
    '{"name":}',
    "{'name':'Ann'}",
    '{"name":"Ann",}',
    '{name:"Ann"}',
    'NaN',
    'undefined',
    '{"name":"An\nn"}',
    '{}{}',
    '01',
    '{"name":"\\x41"}',
    '/* */{}',
    Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
    Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    Buffer.from('{"name":"Ann"}', 'utf16le'),
    Buffer.from([0xc0, 0x80]),
    '\u0000',
  ]) {
    const answer = await send('PATCH', '/api/users/me', { ...bearer, ...json }, body)
    assert.deepEqual([answer.status, answer.code], [400, 'malformed_json'], String(body))
  }
  assert.equal((await ann.get('/api/users/me')).body.name, 'Ann')
})

test('a body may be as large as the limit and no larger, with or without a Content-Length', async () => {
  const { length } = '{"metadata":{"text":""}}'
  const body = (size: number) => `{"metadata":{"text":"${'x'.repeat(size - length)}"}}`
  const chunked = { ...bearer, ...json, 'transfer-encoding': 'chunked' }

  assert.equal((await send('PATCH', '/api/users/me', { ...bearer, ...json }, body(65_536))).code, 'invalid_request')
  assert.equal((await send('PATCH', '/api/users/me', chunked, body(65_536))).code, 'invalid_request')
  assert.equal((await send('PATCH', '/api/users/me', { ...bearer, ...json }, body(65_537))).code, 'too_large')
  assert.equal((await send('PATCH', '/api/users/me', chunked, body(65_537))).code, 'too_large')
})

test('bodies nested thirty thousand levels deep are refused', async () => {
  const arrays = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  const objects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  for (const nested of [arrays, objects]) {
    for (const body of [nested, `{"metadata":${nested}}`, `{"metadata":{"a":${nested}}}`, `{"name":${nested}}`]) {
      const answer = await send('PATCH', '/api/users/me', { ...bearer, ...json }, body)
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_request'])
    }
    assert.equal((await send('POST', '/api/auth/sign-out', json, nested)).status, 400)
  }
})

test('a body may have ten thousand values, and twice as many where bodies may be larger', async () => {
  const bulk = `/api/organizations/${orgId}/invites/bulk`
  const firstFault = async (method: string, path: string, values: number) => {
    const body = `{"x":[${Array(values - 2)
      .fill('0')
      .join()}]}`
    const { status, text } = await send(method, path, { ...bearer, ...json }, body)
    assert.equal(status, 400)
    return JSON.parse(text).errors[0]
  }
  for (const [method, path, most] of [
    ['PATCH', '/api/users/me', 10_000],
    ['POST', bulk, 20_000],
    ['PUT', '/api/admin/access', 20_000],
  ] as const) {
    assert.notEqual((await firstFault(method, path, most)).code, 'out_of_range', path)
    assert.deepEqual(
      await firstFault(method, path, most + 1),
      { pointer: '', code: 'out_of_range', detail: `At most ${most} values are allowed.` },
      path,
    )
  }
})

test('what has as many values as it may is not refused for their number', async () => {
  const metadata = { a: Array(2_700).fill(0), b: [[], {}] }
  const { status, body } = await (await world.person()).patch('/api/users/me', { metadata })
  assert.equal(status, 200, JSON.stringify(body))
  const token = `/api/tenants/${uuidToTenantId(world.tenantId)}/token`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const parameters = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')
  const detailOf = async (count: number) =>
    JSON.parse((await send('POST', token, form, parameters(count))).text).error_description
  assert.match(await detailOf(100), /grant_type/)
  assert.match(await detailOf(101), /At most 100 parameters are allowed/)
})

test('no body of 64 KiB keeps the service busy for long', { timeout }, async () => {
  const repeated = (depth: number, times: number) =>
    `${'['.repeat(depth)}{${Array(times).fill('"":1').join()}}${']'.repeat(depth)}`
  const bodies = [
    ...[31, 2_000, 6_000, 20_000].map((depth) => repeated(depth, 8_000 - Math.ceil(depth / 2.5) + 1)),
    `{${Array.from({ length: 31 }, (_, depth) => `"${'k'.repeat(2_000)}${depth}":{`).join('')}${'}'.repeat(31)},"":1,"":2}`,
    JSON.stringify({ name: '\u0300\u0323\u0327\u0316'.repeat(8_000) }),
    JSON.stringify({ email: `${'\u0300\u0323'.repeat(8_000)}@example.com`, locale: 'x-'.repeat(10_000) }),
    `{"metadata":{"a":[${Array(10_000).fill('1e308').join()}]}}`,
  ]
  for (const body of bodies) {
    const { status, code } = await send('PATCH', '/api/users/me', { ...bearer, ...json }, body)
    assert.deepEqual([status, code], [400, 'invalid_request'], body.slice(0, 80))
  }
})

test('a route without a body accepts none or {}, with or without a content type', async () => {
  for (const { name, method, path, takesBody, takesPicture, needsSession } of operations) {
    if (takesBody || takesPicture || method === 'GET') continue
    const expected = needsSession ? 401 : 204
    for (const type of [
      undefined,
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'nonsense/type; x=y',
    ]) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      for (const body of [undefined, '', '{}', ' {} \n']) {
        const { status } = await send(method, path, headers, body)
        assert.equal(status, expected, `${name} with ${JSON.stringify(body)} as ${type}`)
      }
    }
    for (const [body, code] of [
      ['{"a":1}', 'invalid_request'],
      ['[]', 'invalid_request'],
      ['null', 'invalid_request'],
      ['"x"', 'invalid_request'],
      ['{"__proto__":1}', 'invalid_request'],
      ['{', 'malformed_json'],
    ] as const) {
      const answer = await send(method, path, { ...json, authorization: `Bearer ${ended.token}` }, body)
      assert.deepEqual([answer.status, answer.code], [400, code], `${name} with ${body}`)
    }
    assert.equal((await send(method, path, { 'content-type': 'text/plain' }, 'text')).status, 415, name)
  }
})

test('text in every script comes back as it was sent, in NFC', async () => {
  const names = [
    '李小龍',
    'Zoë Ångström',
    'Zoe\u0308',
    'مريم بنت سعيد',
    'שרה',
    'नमस्ते',
    '👩‍👩‍👧‍👦 & co.',
    '🦄'.repeat(100),
    'a\u0300\u0301\u0302\u0303\u0304',
    'ß İ ı ﬃ',
    '<script>alert(1)</script>',
    `Robert'); drop table users;--`,
    '{{7*7}} #{7*7} %s %00 \\u0000',
    'null',
    'ᾷ',
    '\u{10ffff}',
  ]
  for (const name of names) {
    const composed = name.normalize('NFC')
    const user = await ann.patch('/api/users/me', { name })
    assert.deepEqual([user.status, user.body.name], [200, composed], JSON.stringify(name))
    const created = await ann.post('/api/organizations', { name, metadata: { [name]: [name, { [name]: name }] } })
    assert.deepEqual([created.status, created.body.name], [201, composed])
    const { body } = await ann.get(`/api/organizations/${created.body.slug}`)
    assert.equal(body.name, composed)
    assert.deepEqual(body.metadata, { [name]: [name, { [name]: name }] })
    const found = await ann.get(`/api/organizations?query=${encodeURIComponent([...name].slice(0, 20).join(''))}`)
    assert.ok(
      found.body.data.some(({ id }: Json) => id === body.id),
      `${name} is not found by its beginning`,
    )
  }
})

test('metadata keeps every JSON key and value', async () => {
  const metadata = JSON.parse(
    `{"":0,"constructor":1,"toString":"x","hasOwnProperty":false,"toJSON":{},"$ref":"#/a","a.b":[[],{}],"length":-1,"0":"zero",
      "large":1e21,"small":1e-7,"exact":9007199254740991,"fraction":0.1,"yes":true,"line":"\\u2028\\u2029\\u0001\\u007f\\ufeff\\uffff","prototype":{"a":1}}`,
  )
  const { status } = await ann.patch('/api/users/me', { metadata })
  assert.equal(status, 200)
  assert.deepEqual((await ann.get('/api/users/me')).body.metadata, metadata)
})

test('a duplicate field is refused by its name, and an array may repeat values', async () => {
  const twice = (raw: string) => ann.request('/api/users/me', { method: 'PATCH', raw })
  for (const [raw, pointer] of [
    ['{"name":"Ann","name":"Eve"}', '/name'],
    ['{"name":"Ann","na\\u006de":"Eve"}', '/name'],
    ['{"metadata":{"list":[1,{"a":1},{"b":2,"b":3}]}}', '/metadata/list/2/b'],
    ['{"metadata":{"a/b":{"~":1,"~":2}}}', '/metadata/a~1b/~0'],
  ] as const) {
    const { status, body } = await twice(raw)
    assert.deepEqual([status, body.errors?.[0].pointer, body.errors?.[0].code], [400, pointer, 'not_allowed'], raw)
  }
  for (const raw of [
    '{"metadata":{"a":{"x":1},"b":{"x":1},"list":["x","x",[],[]],"text":"{\\"x\\":1,\\"x\\":2}"}}',
    '{"name":":","metadata":{":":"{","{":":"}}',
  ]) {
    assert.equal((await twice(raw)).status, 200, raw)
  }
})

test('a number that would come back as another one is refused at its place, and any other comes back', async () => {
  const inexact = [
    '9007199254740993',
    '-9007199254740993',
    '0.1000000000000000055',
    '1e400',
    '-1e400',
    '1e-400',
    '-0',
    '-0.0',
    '12345678901234567890',
  ]
  const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
  for (const path of ['/api/users/me', `/api/organizations/${acme.id}`]) {
    for (const number of inexact) {
      const raw = `{"metadata":{"a":[{"id":${number}}],"b":"${number}"}}`
      const { status, body } = await ann.request(path, { method: 'PATCH', raw })
      assert.deepEqual([status, body.code], [400, 'invalid_request'], number)
      assert.deepEqual(
        body.errors.map(({ pointer, code }: Json) => [pointer, code]),
        [['/metadata/a/0/id', 'out_of_range']],
        number,
      )
    }
    for (const number of [
      '9007199254740992',
      '0.1',
      '1e21',
      '1E+2',
      '1.50',
      '0',
      '0e5',
      '-12.5e-3',
      '5e-324',
      '1.7976931348623157e308',
    ]) {
      const raw = `{"metadata":{"id":${number}}}`
      const { status, body } = await ann.request(path, { method: 'PATCH', raw })
      assert.deepEqual([status, body.metadata.id], [200, Number(number)], number)
      assert.equal((await ann.get(path)).body.metadata.id, Number(number), number)
    }
  }
})

test('the size of metadata is that of its text in the database', async () => {
  const few = Array.from({ length: 20 }, () => 1e308)
  assert.equal((await ann.patch('/api/users/me', { metadata: { few } })).status, 200)
  const many = Array.from({ length: 30 }, () => 1e308)
  const { status, body } = await ann.patch('/api/users/me', { metadata: { many } })
  assert.deepEqual([status, body.errors?.[0].code], [400, 'too_long'])
})
