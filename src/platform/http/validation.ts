/**
 * Validation: turns a body's bytes into JSON, and whatever does not fit a route's schema into faults that name the field.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { RouteOptions } from 'fastify'
import { parseJson } from '../json.ts'
import { type Fault, faultOf, firstOfEach, formOf, toFault, unknownField } from './faults.ts'
import { addFormats, fitsAsStored } from './formats.ts'
import { invalidRequest, type Problem, RequestProblem } from './problems.ts'
import { metadataFault } from './schemas.ts'

/** Of how many errors the sentences are made. An answer has far fewer, and a body may have thousands. */
const mostRead = 1_000

/** As Fastify hands a part of a route over to be compiled. */
interface Part {
  readonly schema: { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> }
  readonly httpPart?: string
}

/**
 * Compiles the parts of a route, each when it is first used: compiling them all would be a third of a start. What a compiled part
 * refuses it answers as a problem that names every fault of that part.
 *
 * @param shared the schemas that others refer to, by `$id`
 */
export function buildValidator(shared: unknown): (route: unknown) => ValidateFunction {
  const ajv = createAjv()
  for (const schema of Object.values(shared as Record<string, object>)) ajv.addSchema(schema)
  return (route) => {
    const { schema, httpPart } = route as Part
    const isQuery = httpPart === 'querystring'
    let compiled: ValidateFunction | undefined
    const check = (data: unknown) => {
      compiled ??= ajv.compile(schema)
      const validate = compiled
      const unsafe = findUnsafe(data)
      if (isQuery) readQuery(data as Record<string, unknown>, schema) // as Fastify parses it
      const errors = errorsOf(validate, data)
      if (errors.length + unsafe.length === 0) return true
      if (httpPart === 'params') return { error: invalidId(errors) }
      const place = isQuery ? parameterOf : (pointer: string) => pointer
      const faults = [
        ...unsafe.map((fault) => ({ ...fault, pointer: place(fault.pointer) })),
        ...errors.slice(0, mostRead).map((error) => toFault(place(pointerOf(error)), error)),
      ]
      return { error: invalidRequest(firstOfEach(faults)) }
    }
    return check as unknown as ValidateFunction // Fastify's type for it; Fastify itself only calls it (its FastifyValidationResult)
  }
}

/** @returns what finds all that is wrong with a value, for what comes by another way than a request; absent fields get their defaults */
export function buildChecker(schema: object): (value: unknown) => Fault[] {
  const validate = createAjv().compile(schema)
  return (value) => {
    return firstOfEach([
      ...findUnsafe(value),
      ...errorsOf(validate, value).map((error) => toFault(pointerOf(error), error)),
    ])
  }
}

/** What does not fit. Lengths are those of the form that is stored. */
function errorsOf(validate: ValidateFunction, value: unknown): ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []).filter((error) => !fitsAsStored(error))
}

function createAjv(): Ajv {
  const ajv = new Ajv({
    removeAdditional: false,
    useDefaults: true,
    allErrors: true,
    verbose: true, // errors carry the schema, of which sentences are made
    strict: false,
    validateSchema: false, // Spectral judges them, in openapi.json; here it would take half of a start's time
  })
  addFormats(ajv)
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
 * Query parameters are text. Where the schema wants numbers, booleans or lists (`a,b`) they are read as such; what cannot be stays as
 * it is, and does not fit.
 */
function readQuery(query: Record<string, unknown>, { properties = {} }: Part['schema']): void {
  for (const [name, { type }] of Object.entries(properties)) {
    const value = query[name]
    if (typeof value === 'string') query[name] = readParameter(value, type)
    else if (type === 'array' && value !== undefined) query[name] = [value] // given twice, which is no list
  }
}

function readParameter(text: string, type: unknown): unknown {
  if (type === 'array') return text.split(',')
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

/**
 * @param body the bytes as they came
 * @param isLarge whether the route takes larger bodies than most, and so twice as many values
 * @returns what they say in JSON; undefined when there are none
 * @throws Problem malformed_json, or invalid_request for fields that are given twice, too many levels and too many values
 */
export function parseBody(body: Buffer | undefined, isLarge = false): unknown {
  if (!body || body.length === 0) return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    JSON.parse(text)
  } catch {
    throw new RequestProblem('malformed_json')
  }
  const repeated = findRepeated(text, isLarge ? 2 * mostValues : mostValues)
  if (repeated.length > 0)
    throw invalidRequest(repeated.map((pointer) => faultOf(pointer, 'not_allowed', 'This field is given twice.')))
  return parseJson(text)
}

/**
 * How many values a body may have, objects and arrays included: several times what a full `metadata` may have. A value takes many
 * times longer to judge than its bytes, and is judged before anybody asks who sends it.
 */
const mostValues = 10_000

/** How deep a body may be nested (RFC 8259, 9). What is deeper has nothing that we want, and long pointers to all that is wrong in it. */
const deepest = 32

/**
 * Fields that an object has twice, which parsers read differently (ASVS 5.0 V1.5.3, RFC 8259 section 4).
 *
 * @param text valid JSON
 * @returns the pointers of the first twenty
 * @throws Problem invalid_request when it is nested too deep, or has too many values
 */
function findRepeated(text: string, most: number): string[] {
  const found: string[] = []
  const open: { readonly names: Set<string> | undefined; at: string | number }[] = []
  let last = ''
  let values = 1
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g)) {
    const inside = open.at(-1)
    if (open.length > deepest)
      throw invalidRequest([
        faultOf('', 'out_of_range', `At most ${deepest} levels of objects and arrays are allowed.`),
      ])
    // In an object or array, one more than its commas, if it has any.
    if (token === ',' || token === '{' || token === '[') values++
    if (values > most) throw invalidRequest([faultOf('', 'out_of_range', `At most ${most} values are allowed.`)])
    if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: undefined, at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && typeof inside?.at === 'number') inside.at++
    else if (token === ':' && inside?.names) {
      const name = JSON.parse(last) as string // a name is a string
      inside.at = name
      if (inside.names.has(name)) found.push(open.map(({ at }) => `/${escapePointer(String(at))}`).join(''))
      if (found.length === 20) break
      inside.names.add(name)
    } else last = token
  }
  return [...new Set(found)]
}

/** A body on a route that takes none may only be `{}`. */
export function refuseBody(body: unknown): void {
  if (body === undefined) return
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest([faultOf('', 'wrong_type', 'This request takes no body, or {}.')])
  const keys = Object.keys(body)
  if (keys.length > 0) throw invalidRequest(keys.map((key) => unknownField(`/${escapePointer(key)}`, key)))
}

/**
 * Text that PostgreSQL cannot hold (U+0000, lone surrogates), numbers that we could not give back, and keys that reach for
 * prototypes. Without recursion: a body may be nested as deep as its size allows.
 */
function findUnsafe(value: unknown): Fault[] {
  const faults: Fault[] = []
  const waiting: [pointer: string, value: unknown][] = [['', value]]
  for (let next = waiting.pop(); next && faults.length < 20; next = waiting.pop()) {
    const [pointer, each] = next
    if (typeof each === 'string' && !isStorable(each)) faults.push(faultOf(pointer, 'invalid_format', unstorable))
    if (typeof each === 'number' && !Number.isFinite(each))
      faults.push(
        faultOf(
          pointer,
          'out_of_range',
          'This number cannot be stored as it is written. Metadata can hold it as text.',
        ),
      )
    if (typeof each !== 'object' || each === null) continue
    for (const [key, child] of Object.entries(each)) {
      const place = `${pointer}/${escapePointer(key)}`
      if (key === '__proto__' || (key === 'constructor' && Object.hasOwn(Object(child), 'prototype'))) {
        faults.push(faultOf(place, 'not_allowed', 'No field may have this name.'))
      } else if (!isStorable(key)) faults.push(faultOf(place, 'invalid_format', unstorable))
      else waiting.push([place, child])
    }
  }
  return faults
}

const unstorable = 'Text and names of fields cannot have the character U+0000, or half of a surrogate pair.'

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

function pointerOf({ instancePath, params }: ErrorObject): string {
  const property = params.missingProperty ?? params.additionalProperty
  return typeof property === 'string' ? `${instancePath}/${escapePointer(property)}` : instancePath
}

/** The query parameter that a pointer leads to, or into. */
function parameterOf(pointer: string): string {
  const [, name = ''] = pointer.split('/')
  return `?${name.replaceAll('~1', '/').replaceAll('~0', '~')}`
}

/** Says which id of the path it is, and how such a one looks. */
function invalidId([error]: readonly ErrorObject[]): Problem {
  const name = error?.instancePath.slice(1)
  return new RequestProblem('invalid_id', error && { detail: `${name}: ${formOf(error.parentSchema)}` })
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Whether a route declares a body. */
export function takesBody(route: Pick<RouteOptions, 'schema'> | undefined): boolean {
  return Boolean(route?.schema?.body)
}

/** Whether a request without a body counts as one with `{}`: of an action that needs none of its fields. */
export function hasOptionalBody({ method, schema }: Pick<RouteOptions, 'method' | 'schema'>): boolean {
  const { required = [] } = (schema?.body ?? {}) as { required?: readonly string[] }
  return method === 'POST' && required.length === 0
}
