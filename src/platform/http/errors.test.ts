/** Errors: what is answered to bytes that become no request, and to a request without its host. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersIn, speak } from '../../../test/sockets.ts'
import { createWorld } from '../../../test/world.ts'

const world = await createWorld()
const ann = await world.person()

const refused = {
  'no host': 'GET /livez HTTP/1.1\r\n\r\n',
  'two hosts': 'GET /livez HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n',
  'a host that is none': 'GET /livez HTTP/1.1\r\nhost: a b\r\n\r\n',
  'what is no HTTP': 'GET /livez HTTP/9.9\r\nhost: x\r\n\r\n',
}

for (const [name, bytes] of Object.entries(refused)) {
  test(`${name}: refused with a list of faults, like every invalid request`, async () => {
    const [{ status, body } = assert.fail()] = answersIn(await speak(world.url, bytes))
    const { code, detail, errors } = JSON.parse(body)
    assert.deepEqual(
      [status, code, errors],
      [400, 'invalid_request', [{ pointer: '', code: 'invalid_format', detail }]],
    )
  })
}

const read = `GET /api/users/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ann.token}\r\n\r\n`
const chunks = 'POST /api/auth/sign-out HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'

for (const [name, bytes] of Object.entries({ 'what is no request': 'NO REQUEST\r\n\r\n', 'half a request': chunks })) {
  test(`${name} after other requests on one connection is refused after their answers`, async () => {
    const answers = answersIn(await speak(world.url, `${read}${read}${bytes}`))
    assert.deepEqual(
      answers.map(({ status, body }) => [status, JSON.parse(body).id ?? JSON.parse(body).code]),
      [
        [200, ann.id],
        [200, ann.id],
        [400, 'invalid_request'],
      ],
    )
  })
}
