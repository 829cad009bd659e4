/**
 * npm run prism: runs the tests that speak HTTP, and has every response checked against openapi.json by Prism, a validating proxy that we
 * did not write.
 *
 *   npm run prism                    every test file that makes a world; takes some minutes
 *   npm run prism -- <file>…         only these
 *
 * Prism parses a request and writes a new one, so it cannot pass on requests that many tests need, such as a body that is no JSON or a
 * duplicate field. Therefore the tests send their requests to a gateway here. The gateway lets the service answer them unchanged, and
 * afterwards replays each exchange through Prism: the same request, and behind Prism the service's response.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readContract } from '../test/contract.ts'
import { ensureInstalled } from './on-demand.ts'
import { runTests } from './test-runner.ts'

const root = join(import.meta.dirname, '..')
const document = join(root, 'openapi.json')
/** How many exchanges are replayed at once. */
const players = 6
/** Milliseconds to wait for a response of Prism: it never answers some requests, such as one with the body `null`. */
const timeout = 5_000

interface Message {
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Buffer
}
interface Exchange {
  readonly method: string
  readonly path: string
  readonly request: Message
  readonly status: number
  readonly answer: Message
}
interface Violation {
  readonly location: readonly string[]
  readonly message: string
}

const exchanges: Exchange[] = []
/** The exchanges that Prism has passed on, and so checked. */
const handedOn = new Set<number>()
const violations: string[] = []
/** Faults of requests that only Prism finds. */
const differences: string[] = []
const unjudged = new Map<string, number>()
const seen = new Set<string>()
let isOver = false

/** The proxy between the tests and the services. Each request names its service. */
const gateway = serve(async (request, response) => {
  const { 'proxied-to': service = '', host } = request.headers
  const headers = without(request.rawHeaders, ['proxied-to', ...(host === hostOf(gateway) ? ['host'] : [])])
  const sent = { headers, body: await bodyOf(request) }
  const { method = '', url: path = '' } = request
  const { status, answer } = await send(new URL(String(service)).host, method, path, sent)
  exchanges.push({ method, path, request: sent, status, answer })
  reply(response, status, answer)
})

/** The server behind Prism: it returns the recorded responses. */
const playback = serve(async (request, response) => {
  const index = Number(request.headers['x-exchange'])
  const exchange = exchanges[index]
  await bodyOf(request)
  if (!exchange) throw new Error('Prism requested an unknown exchange')
  handedOn.add(index)
  reply(response, exchange.status, exchange.answer)
})

function serve(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  return createServer((request, response) => {
    handle(request, response).catch(() => response.destroy()) // the client or the service has gone
  })
}

function hostOf(server: typeof gateway): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}` // listens on TCP
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function send(
  host: string,
  method: string,
  path: string,
  { headers, body }: Message,
  timeout = 0,
): Promise<Pick<Exchange, 'status' | 'answer'>> {
  const [hostname, port] = host.split(':')
  return new Promise((resolve, reject) => {
    const hosted = headers.some((name, index) => index % 2 === 0 && /^host$/i.test(name))
      ? headers
      : ['host', host, ...headers]
    const sent = httpRequest(
      {
        hostname,
        port,
        method,
        path,
        headers: hosted,
        agent: false,
        ...(timeout && { signal: AbortSignal.timeout(timeout) }),
      },
      async (answer) => {
        const status = answer.statusCode ?? 0
        resolve({ status, answer: { headers: answer.rawHeaders, body: await bodyOf(answer) } })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

function reply(response: ServerResponse, status: number, { headers, body }: Message): void {
  response.sendDate = false
  response.writeHead(status, without(headers, ['connection', 'keep-alive', 'transfer-encoding']))
  response.end(body)
}

function without(headers: readonly string[], names: readonly string[]): string[] {
  const isKept = (index: number) => !names.includes(headers[index - (index % 2)]?.toLowerCase() ?? '')
  return headers.filter((_, index) => isKept(index))
}

/** Whether a retry is useless. If nobody listens, Prism has crashed over another exchange and is being restarted, so a retry may help. */
function isPast({ name, code }: Error & { code?: string }): boolean {
  if (code === 'ECONNREFUSED') return false
  pass(name === 'AbortError' ? 'Prism does not answer' : 'Prism ends over it')
  return true
}

/** Replays recorded exchanges until no more can come. */
async function play(prism: string, next: () => number): Promise<void> {
  for (;;) {
    const index = next()
    while (!exchanges[index] && !isOver) await setTimeout(20)
    const exchange = exchanges[index]
    if (!exchange) return
    while (!(await judge(prism, index, exchange).then(() => true, isPast))) await setTimeout(100)
  }
}

async function judge(prism: string, index: number, { method, path, request, status }: Exchange): Promise<void> {
  if (status >= 300 && status < 400) return pass('a redirection, which Prism follows by itself')
  const headers = [...without(request.headers, ['host', 'connection', 'expect']), 'x-exchange', String(index)]
  const { answer } = await send(prism, method, path, { headers, body: request.body }, timeout)
  if (!handedOn.has(index)) return pass('Prism refuses the request by itself')
  const at = answer.headers.findIndex((name) => name.toLowerCase() === 'sl-violations')
  const found = at === -1 ? '[]' : (answer.headers[at + 1] ?? '')
  if (found.startsWith('Too many')) return pass('more is wrong with the request than Prism can say')
  const operation = contract.operationOf(method, path)
  if (operation) seen.add(operation)
  for (const { location, message } of JSON.parse(found) as Violation[]) {
    const [side] = location
    // Most tests are about requests with a fault. If the service accepted the request, Prism reads the schema differently: it refuses
    // letters beyond ASCII in addresses (`format` does not forbid them), and takes `{}` for no body.
    const list = side === 'response' ? violations : status < 300 ? differences : []
    list.push(`${operation ?? `${method} ${path}`} ${status}: ${location.join('.')} ${message}`)
  }
}

function pass(reason: string): void {
  unjudged.set(reason, (unjudged.get(reason) ?? 0) + 1)
}

async function listen(server: typeof gateway): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return hostOf(server)
}

/** @returns host and a free port, for a program that needs to be given a port */
async function freeHost(): Promise<string> {
  const server = createServer()
  const host = await listen(server)
  server.close()
  return host
}

async function answers(host: string): Promise<boolean> {
  const sent = send(host, 'GET', '/livez', { headers: [], body: Buffer.alloc(0) })
  return sent.then(() => true).catch(() => false)
}

const contract = readContract(JSON.parse(readFileSync(document, 'utf8')))
const chosen = process.argv.slice(2)
const makesWorld = (file: string) => readFileSync(join(root, file), 'utf8').includes('createWorld(')
const files = chosen.length > 0 ? chosen : globSync('{src,test}/**/*.test.ts', { cwd: root }).filter(makesWorld)

const [front, back, prismHost] = [await listen(gateway), await listen(playback), await freeHost()]
const options = ['--port', prismHost.split(':')[1] ?? '', '--cors', 'false', '--verboseLevel', 'silent']
const program = join(root, 'tools/on-demand/node_modules/@stoplight/prism-cli/dist/index.js')
ensureInstalled(join(root, 'tools/on-demand'))
let prism = startPrism()
function startPrism() {
  const child = spawn(process.execPath, [program, 'proxy', document, `http://${back}`, ...options], { stdio: 'ignore' })
  child.once('exit', () => {
    prism = startPrism()
  })
  return child
}
while (!(await answers(prismHost))) await setTimeout(100)

process.env.TEST_PROXY = `http://${front}`
const running = runTests(files)
let played = 0
const playing = Array.from({ length: players }, () => play(prismHost, () => played++))
const isPassed = await running
isOver = true
console.log(`${exchanges.length} exchanges; ${Math.max(0, exchanges.length - played)} are still to be replayed.`)
await Promise.all(playing)
prism.removeAllListeners('exit').kill()
gateway.close()
playback.close()

const judged = exchanges.length - [...unjudged.values()].reduce((sum, count) => sum + count, 0)
console.log(
  `\nPrism judged ${judged} of ${exchanges.length} exchanges, of ${seen.size} of ${contract.operations.length} operations.`,
)
for (const [reason, count] of unjudged) console.log(`  ${count} not judged: ${reason}`)
for (const [title, list] of Object.entries({ 'taken, though': differences, violation: violations })) {
  for (const [each, times = []] of Object.entries(Object.groupBy(list, (text) => text)))
    console.log(`  ${times.length} times ${title}: ${each}`)
}
console.log(violations.length === 0 ? 'No violation.' : `${violations.length} violations.`)
if (!isPassed) console.log('Tests failed.')
const unseen = chosen.length > 0 ? [] : contract.operations.filter((operation) => !seen.has(operation))
if (unseen.length > 0) console.log(`Never seen: ${unseen.join(', ')}`)
if (!isPassed || violations.length > 0 || unseen.length > 0 || judged === 0) process.exitCode = 1
