/** Closing: a client gets the answer to a request that is refused before its body is here. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { answersIn, open } from '../../../test/sockets.ts'
import { createWorld } from '../../../test/world.ts'

const world = await createWorld()
const ann = await world.person()
const part = Buffer.alloc(64 * 1024, 'a')
const bearer = `authorization: Bearer ${ann.token}\r\n`
const json = 'content-type: application/json\r\n'
const refused: Record<string, readonly [head: string, chunked: number, known?: number]> = {
  'JSON that is too large': [`PATCH /api/users/me HTTP/1.1\r\n${bearer}${json}`, 413],
  'a form that is too large': [
    'POST /api/tenants/default/token HTTP/1.1\r\ncontent-type: application/x-www-form-urlencoded\r\n',
    413,
  ],
  'a picture that is too large': [`PUT /api/users/me/avatar HTTP/1.1\r\n${bearer}content-type: image/png\r\n`, 413],
  "a stranger's picture": ['PUT /api/users/me/avatar HTTP/1.1\r\ncontent-type: image/png\r\n', 401, 413],
  'a body for a route that takes none': [`GET /api/users/me HTTP/1.1\r\n${bearer}${json}`, 200],
  'a body for no route': [`POST /nowhere HTTP/1.1\r\n${json}`, 404],
}

/** Sends a body of some MiB, and reads nothing until all of it has left. @returns the answer */
async function sendAll(head: string, mebibytes: number, isChunked: boolean): Promise<{ status: number; head: string }> {
  const { socket, answer } = open(world.url)
  await once(socket, 'connect')
  socket.pause()
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${mebibytes * 1024 * 1024}`
  socket.write(`${head}host: x\r\nconnection: close\r\n${length}\r\n\r\n`)
  for (let sent = 0; sent < mebibytes * 16; sent++) {
    if (isChunked) socket.write('10000\r\n')
    if (!socket.write(isChunked ? Buffer.concat([part, Buffer.from('\r\n')]) : part)) await once(socket, 'drain')
  }
  if (isChunked) socket.write('0\r\n\r\n')
  socket.resume()
  const [first = assert.fail('no answer')] = answersIn(await answer)
  return first
}

for (const [name, [head, chunked, known = chunked]] of Object.entries(refused))
  test(`${name}: a client that sends all of it before it reads gets the answer`, async () => {
    const answers = await Promise.all([sendAll(head, 12, true), sendAll(head, 12, false)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [chunked, known],
    )
  })
