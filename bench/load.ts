/** Load: many connections that send requests, without a pause or at a rate, with wrk, which most distributions have. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './programs.ts'

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
  /** Instead of a body. */
  readonly form?: Readonly<Record<string, string>>
}

/** The result of a load. Times are in microseconds. */
export interface Outcome {
  readonly requests: number
  readonly microseconds: number
  readonly bytes: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  /** The requests sent, including those without an answer at the end. */
  readonly sent: number
  /** Answers with a status of 400 and above. */
  readonly refused: number
  /** Connections that failed. */
  readonly broken: number
  /** Answers that came after the timeout. */
  readonly late: number
}

export interface Load {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  readonly requests: readonly Request[]
  /** No request is sent twice. */
  readonly isOnce: boolean
  /** Each request must be refused. */
  readonly isRefused?: boolean
  /** How many requests are sent in a second, if they are answered in time; by default, each connection sends them without a pause. */
  readonly rate?: number
}

/** @throws Error if wrk is missing */
export function checkLoad(): void {
  if (spawnSync('wrk', ['--version']).error) {
    throw new Error('wrk, which makes the load, is missing. Debian: apt-get install wrk')
  }
}

/** @throws Error if a request was lost, or refused although it should not be */
export async function load({
  port,
  connections,
  seconds,
  requests,
  isOnce,
  isRefused = false,
  rate = 0,
}: Load): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-bench-'))
  try {
    const file = join(folder, 'requests')
    writeFileSync(file, requests.map((request) => framed(request, port)).join(''))
    const options = [
      '-t1',
      `-c${connections}`,
      `-d${seconds}`,
      '--timeout',
      '30',
      '-s',
      join(import.meta.dirname, 'load.lua'),
    ]
    const said = await run('wrk', [
      ...options,
      `http://127.0.0.1:${port}`,
      '--',
      file,
      isOnce ? 'once' : 'again',
      String(rate),
    ])
    const [, result] = /^result (.*)$/m.exec(said) ?? []
    if (!result) throw new Error(`wrk printed no result:\n${said}`)
    const outcome = JSON.parse(result) as Outcome // load.lua writes it
    const { refused, broken, late } = outcome
    if (refused !== (isRefused ? outcome.requests : 0) || broken + late > 0)
      throw new Error(`${refused} of ${outcome.requests} requests were refused, ${broken} lost, ${late} late.`)
    return outcome
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The bytes of the request, after their number. */
function framed(request: Request, port: number): string {
  const { method, path } = request
  const { headers, content = '' } = contentOf(request)
  const length = content === '' ? {} : { 'content-length': String(Buffer.byteLength(content)) }
  const fields = { host: `127.0.0.1:${port}`, ...headers, ...length }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content}`
  return `${Buffer.byteLength(text)}\n${text}`
}

/** All headers of a request, and its content as it is sent. */
export function contentOf({ headers, body, form }: Request): {
  readonly headers: Readonly<Record<string, string>>
  readonly content: string | undefined
} {
  if (form) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return { headers: { ...headers, ...type }, content: new URLSearchParams(form).toString() }
  }
  if (!body) return { headers, content: undefined }
  return { headers: { ...headers, 'content-type': 'application/json' }, content: JSON.stringify(body) }
}
