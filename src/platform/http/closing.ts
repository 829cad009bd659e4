/**
 * How connections are closed on which a client may still send: in stages (RFC 9112, 9.6).
 *
 * A connection that is closed while bytes are unread is reset, and a reset takes from the client the answer that it has not read yet.
 * So we first end our side only, throw away what still comes, and close the rest when the client has, or when it had time to.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may take to close its side of a connection, in milliseconds. */
const gracePeriod = 5_000
/** How much of a body that was refused is thrown away, in bytes. A client that sends more has to wait, and may read meanwhile. */
const mostDiscarded = 16 * 1024 * 1024

/** Destroys a connection of which our side has ended, unless the client closes its own side in time. */
export function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), gracePeriod).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Lets the answer to a request arrive although its body is not here and the connection is to be closed. */
export function closeInStages(request: IncomingMessage): void {
  const { socket } = request
  let left = mostDiscarded
  request.on('data', ({ length }: Buffer) => {
    left -= length
    if (left < 0) request.pause()
  })
  request.resume()
  // Node calls it when the last answer of a connection was written. Its own would close both sides at once.
  socket.destroySoon = () => {
    socket.end()
    destroyLater(socket)
  }
}
