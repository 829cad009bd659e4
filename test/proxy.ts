/** A proxy between a client and a server that imitates network faults. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * `pass` forwards everything. `hold` forwards nothing, like a silent network; held data is forwarded when it passes again. `refuse` resets
 * new and existing connections.
 */
export type Manner = 'pass' | 'hold' | 'refuse'
/** What happens to a chunk: forwarded, lost with its connection, or forwarded before the connection is lost; of a number, so many bytes of it. */
export type Fate = 'pass' | 'lose' | 'pass and lose' | number
export type Side = 'client' | 'server'

export interface Wire {
  readonly port: number
  manner: Manner
  /** How long everything takes on its way, in each direction, in milliseconds. */
  delay: number
  /** If set, decides about each chunk; `connection` is the same for all chunks of one connection. */
  inspect: ((from: Side, piece: Buffer, connection: object) => Fate) | undefined
  /** Forgets every connection silently, like a replaced router: nothing is forwarded any more, and nothing ends. */
  forget(): void
  /** Resets every connection. */
  reset(): void
  close(): void
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  isForgotten: boolean
  /** The held data in order; `undefined` stands for the end. */
  readonly held: { to: Socket; piece: Buffer | undefined }[]
}

// Node sometimes loops for ever while it closes reset connections at the end: it need not close them.
process.once('beforeExit', () => process.once('exit', () => process.exit()))

export async function startProxy(target: number): Promise<Wire> {
  const pairs = new Set<Pair>()
  let manner: Manner = 'pass'

  const lose = (pair: Pair) => {
    pairs.delete(pair)
    for (const socket of [pair.client, pair.server]) {
      // libuv does not reset a socket that is shutting down, and Node then waits for it for ever when the process ends.
      if (socket.writableEnded) socket.destroy()
      else socket.resetAndDestroy()
    }
  }
  const hand = (to: Socket, piece: Buffer | undefined) => (piece ? to.write(piece) : to.end())
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true })
    const pair: Pair = { client, server, isForgotten: false, held: [] }
    pairs.add(pair)
    if (manner === 'refuse') lose(pair)
    for (const [from, to, name] of [
      [client, server, 'client'],
      [server, client, 'server'],
    ] as const) {
      const arrive = (piece: Buffer | undefined) => {
        if (pair.isForgotten) return
        if (manner === 'hold') return void pair.held.push({ to, piece })
        if (proxy.delay > 0) return void setTimeout(hand, proxy.delay, to, piece) // timers of one length keep their order
        const fate = (piece && proxy.inspect?.(name, piece, pair)) ?? 'pass'
        if (fate === 'pass') hand(to, piece)
        else if (fate === 'lose') lose(pair)
        else if (piece) to.write(typeof fate === 'number' ? piece.subarray(0, fate) : piece, () => lose(pair))
      }
      from.setNoDelay(true)
      from.on('data', arrive)
      from.on('end', () => arrive(undefined))
      // A held or forgotten side does not learn that the other one is gone.
      from.on('error', () => {
        if (manner === 'pass' && !pair.isForgotten) lose(pair)
      })
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))

  const proxy: Wire = {
    port: (listener.address() as AddressInfo).port, // listens on TCP
    get manner() {
      return manner
    },
    set manner(next) {
      manner = next
      if (next === 'refuse') proxy.reset()
      if (next !== 'pass') return
      for (const { held } of pairs) for (const { to, piece } of held.splice(0)) hand(to, piece)
    },
    delay: 0,
    inspect: undefined,
    forget: () => {
      for (const pair of pairs) pair.isForgotten = true
    },
    reset: () => {
      for (const pair of pairs) lose(pair)
    },
    close: () => {
      listener.close()
      proxy.reset()
    },
  }
  return proxy
}
