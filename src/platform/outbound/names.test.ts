import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { openPatientOutbound } from '../../../test/timeout.ts'
import { Names } from './names.ts'

/** More than libuv has threads for look-ups of the operating system. */
const slowNames = [1, 2, 3, 4, 5, 6, 7, 8].map((each) => `slow-${each}.example`)

/** A name server that knows these addresses, by name. It never answers for names that begin with `slow`, nor for IPv6 if they begin with `half`. */
async function startNameServer(t: TestContext, addresses: Readonly<Record<string, readonly string[]>> = {}) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const name = readName(query)
    asked.push(name)
    const isHalf = name.startsWith('half') && typeIn(query) === 28
    if (!name.startsWith('slow') && !isHalf) socket.send(answer(query, addresses[name] ?? []), port, address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  t.after(() => socket.close())
  return { asked, url: `127.0.0.1:${socket.address().port}` }
}

/** The question begins after a header of 12 bytes: labels, each after its length, then type and class. */
function readName(query: Buffer): string {
  const labels: string[] = []
  for (let at = 12; query[at]; at += 1 + query.readUInt8(at))
    labels.push(query.toString('latin1', at + 1, at + 1 + query.readUInt8(at)))
  return labels.join('.')
}

/** 1 for addresses of IPv4, 28 for those of IPv6. */
function typeIn(query: Buffer): number {
  return query.readUInt16BE(endOfName(query))
}

function endOfName(query: Buffer): number {
  return 12 + readName(query).length + 2
}

function answer(query: Buffer, addresses: readonly string[]): Buffer {
  const [end, type] = [endOfName(query), typeIn(query)]
  const records = addresses
    .filter((address) => address.includes(':') === (type === 28))
    .map((address) => {
      const data = type === 1 ? Buffer.from(address.split('.').map(Number)) : Buffer.from([...Array(15).fill(0), 1])
      return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data])
    })
  const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0])
  return Buffer.concat([header, query.subarray(12, end + 4), ...records])
}

const never = new AbortController().signal
/** While a test counts questions, a silent name server is not asked again. Both families have the time that they need. */
const patient = { timeout: 60_000, tries: 2, grace: 60_000 }

test('names that are never resolved hold up no other name, of a provider or of the process', async (t) => {
  const nameServer = await startNameServer(t, { 'quick.example': ['127.0.0.1'] })
  const provider = createServer((_request, response) => response.end('hello'))
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done))
  t.after(() => provider.close())
  const { port } = provider.address() as AddressInfo // listens on TCP
  const { resolve } = new Names(new Set(), [nameServer.url], patient)
  const { fetch } = openPatientOutbound(['127.0.0.1'], { resolve })
  const ended = new AbortController()
  let settled = 0
  const slow = slowNames.map((name) => resolve(name, ended.signal).finally(() => settled++))
  await until(() => slowNames.every((name) => nameServer.asked.includes(name)), 'the slow names to be asked for')

  const found = await lookup('localhost')
  const answered = await fetch(`http://quick.example:${port}/`)

  assert.ok(found.address)
  assert.equal(await answered.text(), 'hello')
  assert.equal(settled, 0, 'the slow names are still waited for')
  ended.abort()
  assert.deepEqual((await Promise.all(slow)).flat(), [])
})

test('a name that nobody needs any more is no longer asked for', async (t) => {
  const { asked, url } = await startNameServer(t)
  const ended = new AbortController()
  const resolving = new Names(new Set(), [url], patient).resolve('slow.example', ended.signal)
  await until(() => asked.length === 2, 'both families to be asked for')

  ended.abort()

  assert.deepEqual(await resolving, [])
  assert.equal(asked.length, 2, 'each family was asked for once')
})

test('a name has its addresses of both families, and of one if it has no others', async (t) => {
  const { url } = await startNameServer(t, {
    'both.example': ['127.0.0.1', '127.0.0.2', '::1'],
    'six.example': ['::1'],
  })
  const { resolve } = new Names(new Set(), [url], patient)

  assert.deepEqual(await resolve('both.example', never), [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
    { address: '::1', family: 6 },
  ])
  assert.deepEqual(await resolve('six.example', never), [{ address: '::1', family: 6 }])
  assert.deepEqual(await resolve('none.example', never), [])
})

test('a name has its addresses of one family even if the name server is silent about the other', async (t) => {
  const { url } = await startNameServer(t, { 'half.example': ['127.0.0.1'] })
  const { resolve } = new Names(new Set(), [url], { timeout: 3_600_000, tries: 1, grace: 250 })
  assert.deepEqual(await resolve('half.example', never), [{ address: '127.0.0.1', family: 4 }])
})

test('a name that the operator has chosen is looked up by the operating system, once at a time', async (t) => {
  const { asked, url } = await startNameServer(t, { localhost: ['192.0.2.1'], '127.1': ['192.0.2.1'] })
  const { resolve } = new Names(new Set(['127.1']), [url]) // the operating system knows it without a name server

  const [first, second] = [resolve('127.1', never), resolve('127.1', never)]

  assert.equal(first, second)
  assert.deepEqual(await first, [{ address: '127.0.0.1', family: 4 }])
  assert.notEqual(resolve('127.1', never), first, 'nothing is kept')
  assert.ok((await resolve('localhost', never)).every(({ address }) => ['127.0.0.1', '::1'].includes(address)))
  assert.deepEqual(asked, [])
})
