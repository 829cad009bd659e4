/** Clients: people who send requests to a service. Each answer is checked against the OpenAPI document. */
import type { Contract } from './contract.ts'
import type { Json } from './json.ts'

/** A proxy for requests, which get the service's address in `proxied-to` (tools/prism.ts). */
const proxy = process.env.TEST_PROXY

/** The service. */
export interface Service {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly contract: Contract
}

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly headers: Headers
}

/** @returns the status of an answer, with the code of its problem if it has one: `[409, 'last_owner']`, `[204]` */
export function codeOf({ status, body }: Pick<Answer, 'status' | 'body'>): (number | string)[] {
  return body.code ? [status, body.code] : [status]
}

export interface RequestOptions {
  readonly method?: string
  /** Bytes are a picture, and anything else is sent as JSON. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Sends these bytes unchanged instead of `body` as JSON. */
  readonly raw?: string
}

/** A sender of requests, with or without a session. */
export class Client {
  readonly #service: Service
  readonly headers: Record<string, string>

  constructor(service: Service, headers: Record<string, string>) {
    this.#service = service
    this.headers = headers
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, { headers })
  }
  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, { method: 'POST', body, headers })
  }
  patch(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, { method: 'PATCH', body, headers })
  }
  put(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, { method: 'PUT', body, headers })
  }
  delete(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, { method: 'DELETE', body, headers })
  }

  /** @param path from `/api/…` on */
  async request(path: string, { method = 'GET', body, headers = {}, raw }: RequestOptions = {}): Promise<Answer> {
    const sent = raw ?? (body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body))
    const response = await fetch((proxy ?? this.#service.url) + path, {
      method,
      headers: {
        ...(sent !== undefined && { 'content-type': typeof sent === 'string' ? 'application/json' : 'image/png' }),
        ...this.headers,
        ...headers,
        ...(proxy && { 'proxied-to': this.#service.url }),
      },
      redirect: 'manual',
      ...(sent !== undefined && { body: sent as string | Uint8Array<ArrayBuffer> }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    const answer = {
      status: response.status,
      body: isJson && text !== '' ? JSON.parse(text) : text,
      headers: response.headers,
    }
    this.#service.contract.check(method, path, answer)
    return answer
  }
}

/** A signed-in user. */
export class Person extends Client {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly token: string

  constructor(
    service: Service,
    token: string,
    user: { id: string; email: string; name: string },
    headers: Record<string, string>,
  ) {
    super(service, { authorization: `Bearer ${token}`, ...headers })
    this.id = user.id
    this.email = user.email
    this.name = user.name
    this.token = token
  }
}

/** A program with a key. */
export class Program extends Client {
  readonly id: string
  readonly token: string

  constructor(service: Service, token: string, id: string) {
    super(service, { authorization: `Bearer ${token}` })
    this.id = id
    this.token = token
  }
}
