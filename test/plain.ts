/** Plain requests to the operations of the OpenAPI document, exactly as given, without additions of a client library. */

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { Json } from './json.ts'
import { keyNameIn } from './key-requests.ts'

export interface Plain {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly code: string | undefined
}

/** @returns a function that sends a request to a service */
export function plainly(url: string) {
  const { hostname, port } = new URL(url)
  return (
    method: string,
    path: string,
    headers: Record<string, string | string[]> = {},
    body?: string | Buffer,
  ): Promise<Plain> => {
    return new Promise((resolve, reject) => {
      const length =
        body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) }
      const request = httpRequest(
        { hostname, port, method, path, headers: { ...headers, ...length }, agent: false },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const isProblem = response.headers['content-type']?.startsWith('application/problem+json') && text !== ''
            const code: string | undefined = isProblem ? JSON.parse(text).code : undefined
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, code })
          })
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  }
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  /** Whether the body is JSON, or a form. */
  readonly takesBody: boolean
  readonly takesPicture: boolean
  /** Whether the body is a form, of an application. */
  readonly takesForm: boolean
  readonly needsSession: boolean
}

/** @returns the paths of the document with ids filled in */
export function pathsOf(document: Json, ids: Readonly<Record<string, string>>) {
  return Object.entries<Json>(document.paths).map(([template, methods]) => ({
    template,
    path: template.replace(/\{(\w+)\}/g, (_, name: string) => ids[keyNameIn(template, name)] ?? ''),
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
  }))
}

export function operationsOf(document: Json, ids: Readonly<Record<string, string>>): Operation[] {
  return pathsOf(document, ids).flatMap(({ template, path, methods }) =>
    methods.map((method) => {
      const operation = document.paths[template][method.toLowerCase()]
      const takesPicture = 'image/png' in (operation.requestBody?.content ?? {})
      return {
        name: `${method} ${template}`,
        method,
        path,
        takesBody: Boolean(operation.requestBody) && !takesPicture,
        takesPicture,
        takesForm: 'application/x-www-form-urlencoded' in (operation.requestBody?.content ?? {}),
        needsSession: operation.security.some((way: Json) => 'session' in way) && Boolean(operation.responses['401']),
      }
    }),
  )
}
