/** Connections for tests that write their requests byte by byte. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { timeout } from './timeout.ts'

export interface Spoken {
  readonly socket: Socket
  /** The answers until the connection was closed. */
  readonly answer: Promise<string>
}

/** @returns a connection of its own to the service at `url` */
export function open(url: string): Spoken {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const answer = new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = []
    const timer = setTimeout(() => {
      reject(new Error(`neither closed nor answered: ${Buffer.concat(chunks)}`))
      socket.destroy()
    }, timeout)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {}) // a reset connection is closed too
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString())
    })
  })
  return { socket, answer }
}

/** Writes bytes to a connection of its own. @returns the answers until it was closed */
export function speak(url: string, bytes: string | Buffer): Promise<string> {
  const { socket, answer } = open(url)
  socket.write(bytes)
  return answer
}

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Separates the answers on one connection. @throws Error unless all are complete and have a known length */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.subarray(0, end).toString()
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    if (end === -1 || !status) throw new Error(`no answer: ${rest.subarray(0, 200)}`)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    const next = end + 4 + length
    if (next > rest.length) throw new Error(`half an answer: ${head}`)
    answers.push({ status, head, body: rest.subarray(end + 4, next).toString() })
    rest = rest.subarray(next)
  }
  return answers
}

/** A request as its bytes. */
export function requestOf(
  method: string,
  path: string,
  by: { readonly token: string } | undefined,
  body = '',
  ...headers: string[]
): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(by ? [`authorization: Bearer ${by.token}`] : []),
    ...(body ? ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`] : []),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Checks the answers against the promises for every answer. */
export function holdAnswers(text: string): void {
  for (const { status, head, body } of answersIn(text)) {
    assert.ok(status < 500, text)
    assert.doesNotMatch(body, /HPE_|Parse Error|\.js|\.ts/)
    if (status >= 400) {
      assert.match(head, /^content-type: application\/problem\+json/im)
      assert.match(head, /^cache-control: no-store$/im)
      assert.match(head, /^x-content-type-options: nosniff$/im)
      assert.equal(typeof JSON.parse(body).instance, 'string')
      assert.equal(JSON.parse(body).requestId, /^x-request-id: (req_\w{26})$/im.exec(head)?.[1])
    }
  }
}
