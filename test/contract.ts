/** The contract: checks answers against the OpenAPI document. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { addFormats } from '../src/platform/http/formats.ts'
import { isDecodable } from '../src/platform/http/query.ts'
import { routerOptions } from '../src/platform/http/server.ts'
import type { Json } from './json.ts'

interface Response {
  readonly content?: Record<string, { schema?: { $ref?: string }; examples?: Record<string, unknown> }>
}
interface Operation {
  readonly operationId: string
  readonly responses: Record<string, Response>
}

export interface Contract {
  /** Every operation, as `GET /api/users/me`. */
  readonly operations: readonly string[]
  /** Every problem code in an answer so far. */
  readonly seen: Set<string>
  /** @returns a request's operation, as `GET /api/users/me` */
  operationOf(method: string, path: string): string | undefined
  /** @throws Error if the document does not declare the answer */
  check(method: string, path: string, answer: { status: number; body: unknown; headers: Headers }): void
}

/** @returns an OpenAPI document in which each operation has its parameters, headers and responses in place of references to them */
export function unfold(document: object): Json {
  const { components } = document as Json // it is one
  const inPlace = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inPlace)
    if (typeof value !== 'object' || value === null) return value
    const [, kind, name] = /^#\/components\/(parameters|headers|responses)\/(.+)$/.exec(value.$ref) ?? []
    if (kind !== undefined && name !== undefined) return inPlace(components[kind][name])
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inPlace(each)]))
  }
  return inPlace(document)
}

interface Reading {
  readonly ajv: Ajv2020
  /** The members of a problem. A client knows no other, although the schema allows more. */
  readonly problemMembers: ReadonlySet<string>
  readonly templates: readonly {
    readonly template: string
    readonly pattern: RegExp
    readonly operations: Record<string, Operation>
  }[]
}

/** By the text of the document: the worlds of a process mostly have the same, and compile the schema of each answer once. */
const readings = new Map<string, Reading>()

function read(shared: object): Reading {
  const text = JSON.stringify(shared)
  const known = readings.get(text)
  if (known) return known
  const document = unfold(shared)
  const paths: Record<string, Record<string, Operation>> = document.paths
  // To optimize what it compiles takes longer than what it saves: most schemas check few answers.
  const code = { optimize: false }
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, meta: false, code })
  addFormats(ajv)
  ajv.addSchema(document, 'openapi')
  const templates = Object.entries(paths).map(([template, operations]) => ({
    template,
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    operations,
  }))
  templates.sort((one, other) => one.template.split('{').length - other.template.split('{').length)
  const problemMembers = new Set(Object.keys(document.components.schemas.Problem.properties))
  const reading = { ajv, templates, problemMembers }
  readings.set(text, reading)
  return reading
}

/** OpenAPI documents by the settings of their worlds: to make one takes as long as all else of an app. */
const documents = new Map<string, object>()

export function contractOf(app: { swagger(): object }, settings: Readonly<Record<string, string>>): Contract {
  const key = JSON.stringify(settings)
  const document = documents.get(key) ?? app.swagger()
  documents.set(key, document)
  return readContract(document)
}

/** @param shared an OpenAPI document */
export function readContract(shared: object): Contract {
  const { ajv, templates, problemMembers } = read(shared)
  const seen = new Set<string>()
  const find = (method: string, path: string) => {
    const bare = path.split('?')[0] ?? ''
    // A path that cannot be decoded leads to no route, also if it looks like one; nor does one with too long a part.
    const isShort = bare.split('/').every((part) => part.length <= routerOptions.maxParamLength)
    const known = isShort && isDecodable(bare) ? templates.find(({ pattern }) => pattern.test(bare)) : undefined
    return { known, operation: known?.operations[method.toLowerCase()] }
  }

  return {
    seen,
    operations: templates.flatMap(({ template, operations }) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${template}`),
    ),
    operationOf(method, path) {
      const { known, operation } = find(method, path)
      return known && operation && `${method} ${known.template}`
    },
    check(method, path, { status, body, headers }) {
      const { known, operation } = find(method, path)
      const { code } = (body ?? {}) as { code?: string } // possibly a problem
      if (code) seen.add(code)
      if (!known || !operation) return
      const name = `${method} ${known.template}`
      const response = operation.responses[status]
      if (!response) throw new Error(`${name} does not declare ${status}: ${JSON.stringify(body)}`)
      const type = headers.get('content-type')?.split(';')[0] ?? ''
      const content = response.content?.[type]
      if (response.content && !content) throw new Error(`${name} does not declare ${status} as "${type}"`)
      if (status >= 400 && code && !Object.hasOwn(content?.examples ?? {}, code)) {
        throw new Error(`${name} does not declare the problem ${code}`)
      }
      const unknown = code && Object.keys(Object(body)).filter((member) => !problemMembers.has(member))
      if (status >= 400 && unknown && unknown.length > 0)
        throw new Error(`${name} does not declare what ${code} says: ${unknown.join(', ')}`)
      if (!content?.schema) return
      // Most answers are problems, whose schema is then compiled once.
      const here = `#/paths/${escapePointer(known.template)}/${method.toLowerCase()}/responses/${status}/content/${escapePointer(type)}/schema`
      const place = `openapi${content.schema.$ref ?? here}`
      const validate = ajv.getSchema(place)
      if (!validate) throw new Error(`no schema at ${place}`)
      validate(body)
      // An older release, which knew fewer fields, may have stored the answer that is repeated.
      const isReplay = headers.get('idempotent-replayed') === 'true'
      const faults = (validate.errors ?? []).filter(({ keyword }) => !(isReplay && keyword === 'required'))
      if (faults.length > 0)
        throw new Error(
          `${name} ${status} does not fit its schema: ${ajv.errorsText(faults)} in ${JSON.stringify(body)}`,
        )
    },
  }
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
