import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import sharp from 'sharp'
import { aPicture, chunk, pngOf, upload } from '../../../test/pictures.ts'
import { until } from '../../../test/smtp.ts'
import { open, speak } from '../../../test/sockets.ts'
import { lengthenTimers } from '../../../test/timeout.ts'
import { codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { newToken } from '../../domain/access/tokens.ts'
import { mostBytes } from '../../platform/pictures/picture.ts'
import { runRetention } from '../../tasks.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres
const path = '/api/users/me/avatar'
const picture = (color: string) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: color } })
    .png()
    .toBuffer()

/** What is served at a URL of ours. */
const show = (url: string) => fetch(world.url + new URL(url).pathname)
const statusOf = async (url: string) => (await show(url)).status
const storedOf = ({ id }: Person) => query<{ id: string }>('select id from pictures where user_id = $1', [id])

test('a person uploads a picture, which is a square of 256 in WebP, and removes it', async () => {
  const ann = await world.person()
  const before = await ann.get('/api/users/me')

  const answer = await upload(ann, path, await picture('red'))

  const { avatarUrl, ...rest } = answer.body
  assert.equal(answer.status, 200)
  assert.match(avatarUrl, /^http:\/\/localhost:3000\/pictures\/ten_\w{26}\.[\w-]{32}$/)
  assert.equal(rest.id, ann.id)
  assert.notEqual(answer.headers.get('etag'), before.headers.get('etag'))
  assert.deepEqual((await ann.get('/api/users/me')).body, answer.body)
  const shown = await sharp(Buffer.from(await (await show(avatarUrl)).arrayBuffer())).metadata()
  assert.deepEqual([shown.format, shown.width, shown.height], ['webp', 256, 256])
  const [entry] = (await ann.get('/api/users/me/audit?action=profile.updated')).body.data
  assert.deepEqual(entry.details, { avatarUrl: { from: null, to: avatarUrl } })

  const removed = await ann.delete(path)
  assert.deepEqual([removed.status, removed.body.avatarUrl], [200, null])
  assert.equal(await statusOf(avatarUrl), 404)
  assert.deepEqual(await storedOf(ann), [])
  const again = await ann.delete(path)
  assert.deepEqual([again.status, again.headers.get('etag')], [200, removed.headers.get('etag')])
})

test('JPEG and WebP are taken as well', async () => {
  const ann = await world.person()
  const blue = sharp({ create: { width: 40, height: 30, channels: 3, background: 'blue' } })
  for (const [type, bytes] of [
    ['image/jpeg', await blue.clone().jpeg().toBuffer()],
    ['image/webp', await blue.clone().webp().toBuffer()],
    ['IMAGE/PNG', await blue.clone().png().toBuffer()],
  ] as const)
    assert.equal((await upload(ann, path, bytes, { 'content-type': type })).status, 200, type)
})

test('a new picture has a new URL, and the one before is gone', async () => {
  const ann = await world.person()
  const first = (await upload(ann, path)).body.avatarUrl
  const second = (await upload(ann, path)).body.avatarUrl

  assert.notEqual(first, second)
  assert.deepEqual([await statusOf(first), await statusOf(second)], [404, 200])
  assert.equal((await storedOf(ann)).length, 1)
})

test('of uploads at once one picture is left', async () => {
  const ann = await world.person()
  const sent = await Promise.all(Array.from({ length: 8 }, () => upload(ann, path)))
  for (const { status, body, headers } of sent) {
    if (status === 200) continue
    assert.deepEqual([status, body.code], [503, 'overloaded'])
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  const { avatarUrl } = (await ann.get('/api/users/me')).body
  assert.equal(await statusOf(avatarUrl), 200)
  assert.equal((await storedOf(ann)).length, 1)
})

test('an upload and a removal of a version that has changed are refused, and change nothing', async () => {
  const ann = await world.person()
  const { headers, body } = await upload(ann, path)
  const stale = { 'if-match': '"user_01k9zq3v5hf8gs4m2y7c6t0wdn.1"' }
  assert.deepEqual(codeOf(await upload(ann, path, aPicture, stale)), [412, 'version_mismatch'])
  assert.deepEqual(codeOf(await ann.delete(path, undefined, stale)), [412, 'version_mismatch'])
  assert.equal(await statusOf(body.avatarUrl), 200)
  assert.equal((await upload(ann, path, aPicture, { 'if-match': headers.get('etag') ?? '' })).status, 200)
})

test('what is no picture, or another than it says, is refused, and nothing changes', async () => {
  const ann = await world.person()
  const { body: before } = await upload(ann, path)
  const jpeg = await sharp(aPicture).jpeg().toBuffer()
  const animated = pngOf({ extra: [chunk('acTL', Buffer.alloc(8))] })
  const refusals: readonly [Uint8Array, string, number, string, RegExp][] = [
    [jpeg, 'image/png', 415, 'unsupported_media_type', /is JPEG, and .* says image\/png/],
    [aPicture, 'image/gif', 415, 'unsupported_media_type', /not that of a picture/],
    [aPicture, 'image/svg+xml', 415, 'unsupported_media_type', /not that of a picture/],
    [aPicture, 'application/octet-stream', 415, 'unsupported_media_type', /not that of a picture/],
    [Buffer.from('GIF89a…'), 'image/png', 415, 'unsupported_media_type', /GIF/],
    [Buffer.from('<svg/>'), 'image/png', 415, 'unsupported_media_type', /SVG/],
    [animated, 'image/png', 415, 'unsupported_media_type', /animated/],
    [aPicture.subarray(0, 60), 'image/png', 400, 'invalid_request', /damaged or incomplete/],
    [Buffer.alloc(0), 'image/png', 400, 'invalid_request', /needed/],
    [pngOf({ width: 6000, height: 6000, pixels: Buffer.of(0) }), 'image/png', 413, 'too_large', /6000 × 6000/],
  ]
  for (const [bytes, type, status, code, detail] of refusals) {
    const answer = await upload(ann, path, bytes, { 'content-type': type })
    assert.deepEqual(codeOf(answer), [status, code], String(detail))
    assert.match(answer.body.detail, detail)
  }
  const zipped = await upload(ann, path, aPicture, { 'content-encoding': 'gzip' })
  assert.deepEqual(codeOf(zipped), [415, 'unsupported_media_type'])
  assert.deepEqual((await ann.get('/api/users/me')).body, before)
  assert.equal(await statusOf(before.avatarUrl), 200)
})

test('a stranger sends no picture: the answer comes before the body', async () => {
  const { token } = newToken('ghs', world.tenantId)
  const head = (authorization: string) =>
    `PUT ${path} HTTP/1.1\r\nhost: x\r\n${authorization}content-type: image/png\r\ncontent-length: ${mostBytes}\r\nconnection: close\r\n\r\n`
  for (const authorization of ['', 'authorization: Bearer nonsense\r\n', `authorization: Bearer ${token}\r\n`])
    assert.match(await speak(world.url, head(authorization)), /^HTTP\/1\.1 401 .*"code":"unauthenticated"/s)
})

test('a picture that is too large is refused, with and without its length', async () => {
  const ann = await world.person()
  const head = `PUT ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ann.token}\r\ncontent-type: image/png\r\n`
  const told = await speak(world.url, `${head}content-length: ${mostBytes + 1}\r\n\r\n`)
  assert.match(told, /^HTTP\/1\.1 413 .*"code":"too_large".*5 MiB/s)

  const part = Buffer.alloc(1024 * 1024, 1)
  const chunks = Array.from({ length: 6 }, () => Buffer.concat([Buffer.from('100000\r\n'), part, Buffer.from('\r\n')]))
  const untold = await speak(
    world.url,
    Buffer.concat([Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`), ...chunks]),
  )
  assert.match(untold, /^HTTP\/1\.1 413 .*"code":"too_large"/s)
  assert.deepEqual(await storedOf(ann), [])
})

test('of a picture of 64 MiB without a length, the service takes the first few, answers and closes the connection', async () => {
  const ann = await world.person()
  const { socket, answer } = open(world.url)
  const head = `PUT ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ann.token}\r\ncontent-type: image/png\r\n`
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
  const part = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024, 1), Buffer.from('\r\n')])
  const closed = once(socket, 'close').catch(() => {}) // a reset connection is closed too
  let sent = 0
  for (; sent < 64 && socket.writable; sent++)
    if (!socket.write(part)) await Promise.race([closed, once(socket, 'drain').catch(() => {})])

  assert.match(await answer, /^HTTP\/1\.1 413 .*connection: close.*"code":"too_large"/is)
  assert.ok(sent >= 5 && sent < 48, `${sent} MiB left`) // what it has not taken is in the buffers of the connection
  assert.deepEqual(await storedOf(ann), [])
})

/** Begins to send a picture, and waits until the service has begun to receive it: then it takes no other one of the same person. */
async function begin(person: Person): Promise<{ answer: Promise<Json>; finish: () => Promise<Json> }> {
  const { port } = new URL(world.url)
  const headers = { ...person.headers, 'content-type': 'image/png' }
  const sending = request({ port, path, method: 'PUT', agent: false, headers })
  let isRefused = false // because the other one was there first
  const answer = new Promise<Json>((resolve, reject) => {
    sending.on('error', reject).on('response', async (response) => {
      isRefused = response.statusCode === 503
      const text = (await response.toArray()).join('')
      resolve({ ...JSON.parse(text), status: response.statusCode, headers: response.headers })
    })
  })
  sending.write(aPicture.subarray(0, 20))
  await until(async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'PUT', body: aPicture, headers })
    return isRefused || status === 503
  }, 'the service to receive a picture')
  if (isRefused) return begin(person)
  sending.write(aPicture.subarray(20))
  return {
    answer,
    finish: () => {
      sending.end()
      return answer
    },
  }
}

test('a picture that does not arrive in time is refused as the document says', async (t) => {
  const ann = await world.person()
  // What timers of ten seconds do that were not cleared, among them that of the picture. Each timer also runs on as it is.
  const ends = new Map<unknown, () => void>()
  const { setTimeout, clearTimeout } = globalThis
  t.mock.method(globalThis, 'setTimeout', (work: () => void, delay?: number, ...rest: []) => {
    const timer = setTimeout(work, delay, ...rest)
    if (delay === 10_000) ends.set(timer, work)
    return timer
  })
  t.mock.method(globalThis, 'clearTimeout', (timer?: NodeJS.Timeout) => {
    ends.delete(timer)
    clearTimeout(timer)
  })
  const { answer } = await begin(ann)

  for (const end of ends.values()) end()

  const { headers, ...body } = await answer
  assert.deepEqual([body.status, body.code, headers.connection], [408, 'invalid_request', 'close'])
  world.contract.check('PUT', path, { status: 408, body, headers: new Headers(headers) })
})

test('a person who deletes the account while a picture is on its way leaves none', async (t) => {
  lengthenTimers(t, 10_000) // for which a picture may be on its way
  const ann = await world.person()
  const { finish } = await begin(ann)
  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)

  const { status, code } = await finish()

  assert.deepEqual([status, code], [401, 'unauthenticated'])
  assert.deepEqual(await storedOf(ann), [])
})

test('a removal while a picture is on its way removes the one that is there, and the new one comes', async (t) => {
  lengthenTimers(t, 10_000) // for which a picture may be on its way
  const ann = await world.person()
  const { finish } = await begin(ann)
  assert.equal((await ann.delete(path)).body.avatarUrl, null)

  const { status, avatarUrl } = await finish()

  assert.equal(status, 200)
  assert.equal(await statusOf(avatarUrl), 200)
  assert.equal((await storedOf(ann)).length, 1)
})

test('the picture goes with the account', async () => {
  const ann = await world.person()
  const { avatarUrl } = (await upload(ann, path)).body
  await ann.delete('/api/users/me', { password })
  assert.equal(await statusOf(avatarUrl), 404)
  assert.deepEqual(await storedOf(ann), [])
})

test('a URL elsewhere takes the place of the picture, and the picture is deleted; its own URL keeps it', async () => {
  const ann = await world.person()
  const { avatarUrl } = (await upload(ann, path)).body
  const kept = await ann.patch('/api/users/me', { avatarUrl, name: 'Ann Lee' })
  assert.deepEqual([kept.status, kept.body.avatarUrl, await statusOf(avatarUrl)], [200, avatarUrl, 200])

  const elsewhere = 'https://pictures.example/ann.png'
  const moved = await ann.patch('/api/users/me', { avatarUrl: elsewhere })
  assert.deepEqual([moved.body.avatarUrl, await statusOf(avatarUrl)], [elsewhere, 404])
  assert.deepEqual(await storedOf(ann), [])

  await upload(ann, path)
  assert.equal((await ann.patch('/api/users/me', { avatarUrl: null })).body.avatarUrl, null)
  assert.deepEqual(await storedOf(ann), [])
})

test('retention deletes a picture that the release before has cleared, and no other', async () => {
  const [ann, ben, cleo] = await Promise.all([world.person('Ann'), world.person('Ben'), world.person('Cleo')])
  for (const person of [ann, ben, cleo]) await upload(person, path)
  await query('update users set avatar_url = null where id = $1', [ann.id])
  await query(`update users set avatar_url = 'https://pictures.example/ben.png' where id = $1`, [ben.id])

  assert.equal((await runRetention(world.database)).pictures, 2)

  assert.deepEqual([await storedOf(ann), await storedOf(ben)], [[], []])
  assert.equal(await statusOf((await cleo.get('/api/users/me')).body.avatarUrl), 200)
})

test('a URL of ours that is not that of the own picture is refused', async () => {
  const [ann, ben] = await Promise.all([world.person('Ann'), world.person('Ben')])
  const { avatarUrl } = (await upload(ben, path)).body
  const old = (await upload(ann, path)).body.avatarUrl
  const { avatarUrl: own } = (await upload(ann, path)).body
  for (const [url, code] of [
    [avatarUrl, 'not_allowed'],
    [old, 'not_allowed'],
    [`${own}?size=64`, 'not_allowed'],
    ...['accounts.acme.example', 'localhost.:3000', '127.0.0.1', 'localhost'].map(
      (host) => [`https://${host}${new URL(avatarUrl).pathname}`, 'not_allowed'] as const,
    ),
    [`https://acme.example${new URL(avatarUrl).pathname.replace('ten_', '%74en_')}`, 'not_allowed'],
    [`https://acme.example/${new URL(avatarUrl).pathname}`, 'not_allowed'],
    ['http://localhost:3000/', 'not_allowed'],
    ['http://localhost:4000/a.png', 'invalid_format'],
    ['http://127.0.0.1/a.png', 'invalid_format'],
  ]) {
    const answer = await ann.patch('/api/users/me', { avatarUrl: url })
    assert.equal(answer.status, 400, url)
    assert.deepEqual([answer.body.errors[0].pointer, answer.body.errors[0].code], ['/avatarUrl', code], url)
  }
  assert.equal(await statusOf(own), 200)
})
