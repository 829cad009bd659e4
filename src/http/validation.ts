/**
 * Validation: turns a body's bytes into JSON, and whatever does not fit a route's schema into faults that name the field.
 */
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaValidationError, RouteOptions } from 'fastify'
import { type Fault, type FaultCode, invalidRequest, Problem } from './problems.ts'
import { formats, metadataFault } from './schemas.ts'

/**
 * Compiles bodies and paths strictly; query parameters, which are all text, may be read as numbers and booleans.
 *
 * @param shared the schemas that others refer to, by `$id`
 */
export function buildValidator(shared: unknown): (route: unknown) => ValidateFunction {
  const strict = createAjv(false)
  const query = createAjv(true)
  for (const schema of Object.values(shared as Record<string, object>)) {
    strict.addSchema(schema)
    query.addSchema(schema)
  }
  return (route) => {
    const { schema, httpPart } = route as { schema: AnySchema; httpPart?: string } // as Fastify hands it over
    return (httpPart === 'querystring' ? query : strict).compile(schema)
  }
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ coerceTypes, removeAdditional: false, useDefaults: true, allErrors: true, strict: false })
  addFormats.default(ajv, ['date-time', 'int32', 'uri'])
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, validate)
  ajv.addKeyword({
    keyword: 'jsonObject',
    type: 'object',
    errors: true,
    compile: () => {
      // Ajv reads the faults of a keyword from its function.
      const check: { (value: unknown): boolean; errors?: Partial<ErrorObject>[] } = (value) => {
        const fault = metadataFault(value)
        check.errors = fault ? [{ keyword: 'jsonObject', params: { fault } }] : []
        return fault === undefined
      }
      return check
    },
  })
  return ajv
}

/**
 * @param body the bytes as they came
 * @returns what they say in JSON; undefined when there are none
 * @throws Problem malformed_json; invalid_request for text that no field may hold
 */
export function parseBody(body: Buffer | undefined): unknown {
  if (!body || body.length === 0) return undefined
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new Problem('malformed_json')
  }
  const faults = findUnsafe(value)
  if (faults.length > 0) throw invalidRequest(faults)
  return value
}

/** A body on a route that takes none may only be `{}`. */
export function refuseBody(body: unknown): void {
  if (body === undefined) return
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest([faultOf('', 'wrong_type')])
  const keys = Object.keys(body)
  if (keys.length > 0) throw invalidRequest(keys.map((key) => faultOf(`/${escapePointer(key)}`, 'unknown_field')))
}

/** A query on a route that takes none. */
export function refuseQuery(query: unknown): void {
  const keys = Object.keys(Object(query))
  if (keys.length > 0) throw invalidRequest(keys.map((key) => faultOf(`?${key}`, 'unknown_field')))
}

/**
 * Text that PostgreSQL cannot hold (U+0000, lone surrogates), numbers that JSON cannot write back, and keys that reach for
 * prototypes. Without recursion: a body may be nested as deep as its size allows.
 */
export function findUnsafe(value: unknown): Fault[] {
  const faults: Fault[] = []
  const waiting: [pointer: string, value: unknown][] = [['', value]]
  for (let next = waiting.pop(); next && faults.length < 20; next = waiting.pop()) {
    const [pointer, each] = next
    if (typeof each === 'string' && !isStorable(each)) faults.push(faultOf(pointer, 'invalid_format'))
    if (typeof each === 'number' && !Number.isFinite(each)) faults.push(faultOf(pointer, 'out_of_range'))
    if (typeof each !== 'object' || each === null) continue
    for (const [key, child] of Object.entries(each)) {
      const place = `${pointer}/${escapePointer(key)}`
      if (key === '__proto__' || (key === 'constructor' && Object.hasOwn(Object(child), 'prototype'))) {
        faults.push(faultOf(place, 'not_allowed'))
      } else if (!isStorable(key)) faults.push(faultOf(place, 'invalid_format'))
      else waiting.push([place, child])
    }
  }
  return faults
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/** @returns the problem that Ajv's findings amount to */
export function toValidationProblem(
  part: string | undefined,
  errors: readonly FastifySchemaValidationError[],
): Problem {
  if (part === 'params') return new Problem('invalid_id')
  const faults = new Map<string, Fault>()
  for (const error of errors) {
    const pointer = pointerOf(error)
    const place = part === 'querystring' ? `?${pointer.slice(1)}` : pointer
    if (!faults.has(place)) faults.set(place, faultOf(place, codeOf(error), error.params))
  }
  return invalidRequest([...faults.values()])
}

function pointerOf({ instancePath, params }: FastifySchemaValidationError): string {
  const property = params.missingProperty ?? params.additionalProperty
  return typeof property === 'string' ? `${instancePath}/${escapePointer(property)}` : instancePath
}

function codeOf({ keyword, params }: FastifySchemaValidationError): FaultCode {
  switch (keyword) {
    case 'required':
      return 'required'
    case 'additionalProperties':
      return 'unknown_field'
    case 'type':
      return 'wrong_type'
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return 'too_short'
    case 'maxLength':
    case 'maxItems':
      return 'too_long'
    case 'minimum':
    case 'maximum':
      return 'out_of_range'
    case 'jsonObject':
      return params.fault as FaultCode // as createAjv put it there
    case 'enum':
    case 'const':
      return 'not_allowed'
    default:
      return 'invalid_format'
  }
}

/** @returns the fault with a sentence for people */
export function faultOf(pointer: string, code: FaultCode, params: Record<string, unknown> = {}): Fault {
  const limit = typeof params.limit === 'number' ? params.limit : undefined
  const words = Array.isArray(params.allowedValues) ? params.allowedValues.filter((word) => word !== null) : undefined
  const details: Record<FaultCode, string> = {
    required: 'This is needed.',
    unknown_field: 'There is no such field.',
    wrong_type: typeof params.type === 'string' ? `This must be of type ${params.type}.` : 'This has the wrong type.',
    too_short: limit === undefined ? 'This is too short.' : `At least ${limit} ${limit === 1 ? 'is' : 'are'} needed.`,
    too_long: limit === undefined ? 'This is too long.' : `At most ${limit} are allowed.`,
    out_of_range: limit === undefined ? 'This is out of range.' : `The limit is ${limit}.`,
    invalid_format: 'This is not in the form that is needed.',
    not_allowed: words ? `This must be one of: ${words.join(', ')}.` : 'This is not allowed here.',
    common_password: 'This is among the commonest passwords. Choose another.',
    contains_identity: 'A password must not be your email address, a part of it or the name of the product.',
  }
  return { pointer, code, detail: details[code] }
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/**
 * 415 for a body that is not JSON. A route without a body takes `{}` with any content type or none.
 *
 * @throws Problem unsupported_media_type
 */
export function checkMediaType(request: FastifyRequest, takesBody: boolean): void {
  const body = request.body as Buffer | undefined // the content type parser of http/server.ts leaves the bytes
  if (!body || body.length === 0) return
  if (!takesBody && body.toString('latin1').trim() === '{}') return
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  const isJson = /^application\/(merge-patch\+)?json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)
  if (!isJson || encoding !== 'identity') throw new Problem('unsupported_media_type')
}

/** Whether a route declares a body. */
export function takesBody(route: Pick<RouteOptions, 'schema'> | undefined): boolean {
  return Boolean(route?.schema?.body)
}
