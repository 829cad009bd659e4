/**
 * How connections are closed on which a client may still send: in stages (RFC 9112, 9.6).
 *
 * A connection that is closed while bytes are unread is reset, and a reset takes from the client the answer that it has not read yet.
 * So we first end our side only, throw away what still comes, and close the rest when the client has, or when it had time to.
 *
 * Invariant: what comes after the last answer of a connection is not done.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** In milliseconds: how long a client may be silent before it has closed its side of a connection, and how long it may take for all. */
export const grace = { silent: 5_000, all: 30_000 }
/** How much of a body that was refused is thrown away, in bytes. A client that sends more has to wait, and may read meanwhile. */
const mostDiscarded = 16 * 1024 * 1024

/** Connections that an answer closes. What follows on one may be parsed before it is closed. */
const closing = new WeakSet<Socket>()
/** The last request that was answered before its body was here, by connection. */
const answered = new WeakMap<Socket, IncomingMessage>()

export const isClosing = (socket: Socket): boolean => closing.has(socket)
export const markClosing = (socket: Socket): unknown => closing.add(socket)

/** Whether the request whose body still arrives has its answer. */
export const isAnswered = (socket: Socket): boolean => answered.get(socket)?.complete === false

/**
 * Decides, before an answer is sent, whether it is the last one of its connection.
 *
 * @param isStopping whether the service takes no more requests
 */
export function closeByAnswer({ raw, headers }: FastifyRequest, reply: FastifyReply, isStopping: boolean): void {
  const { socket } = raw
  // Of a short body, Node throws away the rest, and goes on to the next request.
  const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > mostDiscarded
  if (isStopping || (isLong && !raw.complete)) reply.header('connection', 'close')
  const isToClose = reply.getHeader('connection') === 'close'
  if (isToClose) markClosing(socket)
  if (raw.complete) return
  if (isToClose || !reply.raw.shouldKeepAlive) closeInStages(raw)
  else answered.set(socket, raw)
}

/** Lets the answer to a request arrive although its body is not here and the connection is to be closed. */
function closeInStages(request: IncomingMessage): void {
  const { socket } = request
  let left = mostDiscarded
  let silence: NodeJS.Timeout | undefined
  request.on('data', ({ length }: Buffer) => {
    silence?.refresh()
    left -= length
    if (left < 0) request.pause()
  })
  request.resume()
  // Node calls it when the last answer of a connection was written. Its own would close both sides at once.
  socket.destroySoon = () => {
    socket.end()
    silence = destroyLater(socket)
  }
}

/**
 * Ends our side of a connection whose bytes were refused, and has nothing parsed that still comes. Some clients never close their side
 * (Chromium opens connections that it may not use), and each would keep a socket of ours.
 */
export function endRefused(socket: Socket, answer: string): void {
  markClosing(socket)
  // The first makes Node's parser let go of the connection; then it is a listener like others.
  socket.on('data', () => {})
  for (const listener of socket.listeners('data').slice(0, -1)) socket.off('data', listener as () => void)
  socket.end(answer)
  destroyLater(socket)
}

/** Destroys a connection of which our side has ended, unless the client closes its own side in time. @returns the timer of its silence */
function destroyLater(socket: Socket): NodeJS.Timeout {
  const destroy = () => socket.destroy()
  const silence = setTimeout(destroy, grace.silent).unref()
  const all = setTimeout(destroy, grace.all).unref()
  socket.once('close', () => {
    clearTimeout(silence)
    clearTimeout(all)
  })
  return silence
}
