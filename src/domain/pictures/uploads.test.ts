/** Uploads that do not arrive: they take no other one's place. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { hold } from '../../../test/holding.ts'
import { upload } from '../../../test/pictures.ts'
import { until } from '../../../test/smtp.ts'
import { open } from '../../../test/sockets.ts'
import { createWorld } from '../../../test/world.ts'
import { readPicture } from '../../platform/http/pictures.ts'

const world = await createWorld()
const path = '/api/users/me/avatar'

test('a client that goes away before its picture is read keeps nobody from the next upload', async (t) => {
  const ann = await world.person()
  const head = `PUT ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ann.token}\r\ncontent-type: image/png\r\n`
  for (const framing of [
    'content-length: 1000\r\n\r\nsome',
    'transfer-encoding: chunked\r\n\r\n4\r\nsome\r\n',
    'content-length: 4\r\n\r\nsome',
  ]) {
    const release = await hold(t, world.postgres, 'lock table users in access exclusive mode')
    const { socket } = open(world.url)
    const asked = once(world.app.server, 'request') as Promise<[IncomingMessage]>
    socket.write(head + framing)
    const [request] = await asked
    await world.postgres.awaitLine(1)
    socket.destroy()
    await until(() => request.socket.destroyed && request.destroyed, 'the service to see that the client went away')
    await release()
    await until(async () => (await upload(ann, path)).status === 200, 'the next upload')
  }
})

test('a body that ends too early, too late or before it is read settles', async () => {
  const timeout = 60_000
  const gone = new PassThrough()
  gone.write('some')
  gone.destroy()
  await assert.rejects(readPicture(gone, timeout), /went away/)
  await once(gone, 'close')
  await assert.rejects(readPicture(gone, timeout), /went away/)

  const going = new PassThrough()
  const read = readPicture(going, timeout)
  going.write('some')
  going.destroy()
  await assert.rejects(read, /went away/)

  const whole = new PassThrough()
  whole.end('picture')
  assert.equal((await readPicture(whole, timeout)).toString(), 'picture')
  assert.equal((await readPicture(whole, timeout)).length, 0)

  const slow = new PassThrough()
  slow.write('some')
  await assert.rejects(readPicture(slow, 1), { code: 'invalid_request', status: 408 })
  assert.equal(slow.destroyed, false, 'the refusal can be sent')
})
