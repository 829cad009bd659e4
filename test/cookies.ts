/** Session cookies for tests: requests as a browser or a proxy sends them, with headers that fetch() keeps to itself. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as open } from 'node:http'
import { type Answer, createWorld, type Person, password } from './world.ts'

/** As a browser behind the proxy that ends TLS. */
export const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'accounts.example.com' }
export const sameOrigin = { 'sec-fetch-site': 'same-origin' }
export const asCookie = { 'guildhall-session': 'cookie' }
export const secureName = '__Host-guildhall'

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface SetCookie {
  readonly name: string
  readonly value: string
  readonly attributes: readonly string[]
}

export function setCookies({ headers }: Answer): SetCookie[] {
  return headers.getSetCookie().map((line) => {
    const [pair = '', ...attributes] = line.split('; ')
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: decodeURIComponent(pair.slice(at + 1)), attributes }
  })
}

/** A world behind a proxy that ends TLS. Call it once at the top of a test file. */
export async function createCookieWorld() {
  const world = await createWorld({
    settings: {
      PUBLIC_URL: 'https://accounts.example.com',
      TRUST_PROXY: '127.0.0.1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'guildhall@example.com',
    },
  })

  /** Sends what a browser or a proxy would, with headers that fetch() keeps to itself. */
  async function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
    const bytes = body === undefined ? undefined : JSON.stringify(body)
    const request = open(world.url + path, {
      method,
      headers: {
        ...(bytes !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(bytes)),
        }),
        ...headers,
      },
    })
    request.end(bytes)
    const [response] = (await once(request, 'response')) as [IncomingMessage] // what the event hands over
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    const names = new Headers()
    for (const [name, values] of Object.entries(response.headersDistinct)) {
      for (const value of values ?? []) names.append(name, value)
    }
    const answer = {
      status: response.statusCode ?? 0,
      body: names.get('content-type')?.includes('json') ? JSON.parse(text) : text,
      headers: names,
    }
    world.contract.check(method, path, answer)
    return answer
  }

  function signIn(person: Pick<Person, 'email'>, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return send('/api/auth/sign-in', {
      method: 'POST',
      headers: { ...asCookie, ...headers },
      body: { email: person.email, password },
    })
  }

  /** Signs in as a browser does. @returns the header with the cookie, and its token */
  async function browser(person: Person): Promise<{ cookie: string; token: string }> {
    const answer = await signIn(person, { ...https, ...sameOrigin })
    const [set] = setCookies(answer)
    assert.ok(set)
    return { cookie: `${set.name}=${set.value}`, token: set.value }
  }

  return { world, send, signIn, browser }
}
