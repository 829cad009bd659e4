/** A real mail server for tests, which accepts, refuses, stalls or hangs up as configured. */
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { domainToASCII } from 'node:url'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { timeout } from './timeout.ts'

/** A received mail. */
export interface Arrived {
  readonly from: string
  /** Each RCPT of its envelope. */
  readonly recipients: readonly string[]
  readonly raw: string
  readonly mail: Email
  /** The signed-in user, and whether the connection was encrypted. */
  readonly user: string | undefined
  readonly encrypted: boolean
}

/**
 * How the server treats the next mails: `stall` never answers MAIL, `wait` answers it once the manner changes, `drop` receives the whole
 * mail and hangs up without an answer, and the others refuse at their step.
 */
export type Manner =
  | 'take'
  | 'stall'
  | 'wait'
  | 'drop'
  | { readonly at: 'connect' | 'mail' | 'rcpt' | 'data'; readonly code: number }

export interface Sink {
  readonly port: number
  /** All completely received mails, including those dropped or refused after DATA. */
  readonly arrived: Arrived[]
  manner: Manner
  /** How many mails stall or wait. */
  readonly waiting: number
  /** The mails to an address, once there are enough of them. */
  to(address: string, count?: number): Promise<Arrived[]>
  /** Listens again, unless it does. */
  start(): Promise<void>
  /** Refuses new connections from now on, and closes existing ones. */
  stop(): Promise<void>
}

/** A server that listens on a port of its own. It must be stopped. */
export async function startSink(options: SMTPServerOptions = {}): Promise<Sink> {
  const arrived: Arrived[] = []
  let server: SMTPServer | undefined
  let port = 0
  /** The sessions of the mails that stall or wait. */
  const waiting = new Set<string>()

  const refusal = (at: string, text = 'not now') =>
    typeof sink.manner === 'object' && sink.manner.at === at
      ? Object.assign(new Error(text), { responseCode: sink.manner.code })
      : undefined
  const sink: Sink = {
    get port() {
      return port
    },
    get waiting() {
      return waiting.size
    },
    arrived,
    manner: 'take',
    to: async (address, count = 1) => {
      const find = () => arrived.filter(({ recipients }) => recipients.includes(address))
      await until(() => find().length >= count, `${count} mail(s) to ${address}`)
      return find()
    },
    start: async () => {
      if (server) return
      const sockets = new Map<number, { destroy(): void }>()
      server = new SMTPServer({
        disabledCommands: ['STARTTLS', 'AUTH'],
        authOptional: true,
        closeTimeout: 100,
        ...options,
        onConnect: (_session, done) => done(refusal('connect')),
        onClose: ({ id }) => void waiting.delete(id),
        onMailFrom: async (_address, { id }, done) => {
          waiting.add(id)
          while (sink.manner === 'wait') await setTimeout(20)
          if (sink.manner === 'stall') return
          waiting.delete(id)
          done(refusal('mail'))
        },
        onRcptTo: ({ address }, _session, done) => done(refusal('rcpt', `no mail for ${address} now`)),
        onData: async (stream, session, done) => {
          const raw = await text(stream).catch(() => undefined)
          if (raw === undefined) return // the client hung up during it
          const { mailFrom, rcptTo } = session.envelope
          arrived.push({
            from: mailFrom ? mailFrom.address : '',
            recipients: rcptTo.map(({ address }) => address.replace(/[^@]+$/, domainToASCII)), // the server decodes A-labels
            raw,
            mail: await PostalMime.parse(raw),
            user: session.user,
            encrypted: session.secure,
          })
          if (sink.manner === 'drop') sockets.get(session.remotePort)?.destroy()
          else done(refusal('data'))
        },
      })
      server.on('error', () => {}) // clients that hang up
      server.server.on('connection', (socket) => sockets.set(socket.remotePort ?? 0, socket))
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
      port = (server.server.address() as { port: number }).port // listens on TCP
    },
    stop: async () => {
      await new Promise<void>((resolve) => (server ? server.close(resolve) : resolve()))
      server = undefined
      waiting.clear()
    },
  }
  await sink.start()
  return sink
}

/** @returns an answer of the service, once it is not 503: it is for a moment if something could not be read in time */
export function available<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
  return until(async () => {
    const answer = await send()
    return answer.status === 503 ? undefined : answer
  }, 'an answer')
}

/** Waits for a condition. @throws Error with the condition's name if it never holds */
export async function until<T>(find: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeout
  for (;;) {
    const found = await find()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await setTimeout(20)
  }
}
