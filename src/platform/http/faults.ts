/**
 * Faults: what can be wrong with one field of a request, each with a sentence that says what is needed.
 *
 * Invariant: a sentence contains parts of the schema and names of fields, never a value from the request.
 */
import type { ErrorObject } from 'ajv'
import { formOfFormat } from './formats.ts'
import { metadataLimits } from './schemas.ts'

/** The codes of faults. The list is closed. */
export const faultCodes = [
  'required',
  'unknown_field',
  'wrong_type',
  'too_short',
  'too_long',
  'out_of_range',
  'invalid_format',
  'not_allowed',
  'common_password',
  'contains_identity',
] as const
export type FaultCode = (typeof faultCodes)[number]

/** A fault of one field: `pointer` is a JSON pointer into the body (`/email`), or `?name` for a query parameter; empty for a header. */
export interface Fault {
  readonly pointer: string
  readonly code: FaultCode
  readonly detail: string
}

/** The sentence for each code when no better one is known. */
const sentences: Readonly<Record<FaultCode, string>> = {
  required: 'This field is required.',
  unknown_field: 'There is no such field.',
  wrong_type: 'This has the wrong type.',
  too_short: 'This is too short.',
  too_long: 'This is too long.',
  out_of_range: 'This is out of range.',
  invalid_format: 'This has an invalid format.',
  not_allowed: 'This is not allowed here.',
  common_password: 'This password is too common. Choose another.',
  contains_identity:
    'A password must not be your email address, the part of it before the @, or the name of the product.',
}

/**
 * @param pointer as in `Fault`
 * @param detail  one sentence for people
 */
export function faultOf(pointer: string, code: FaultCode, detail = sentenceOf(pointer, code)): Fault {
  return { pointer, code, detail }
}

function sentenceOf(pointer: string, code: FaultCode): string {
  const field = pointer.split('/').at(-1)
  return code === 'required' && field ? `\`${field}\` is needed.` : sentences[code]
}

/** Of what is wrong with one field the first is said. */
export function firstOfEach(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.toReversed().map((fault) => [fault.pointer, fault])).values()].toReversed()
}

export function atLeast(limit: number, unit = 'character'): string {
  return `At least ${count(limit, unit)} ${limit === 1 ? 'is' : 'are'} needed.`
}

export function atMost(limit: number, unit = 'character'): string {
  return `At most ${count(limit, unit)} ${limit === 1 ? 'is' : 'are'} allowed.`
}

function count(limit: number, unit: string): string {
  return `${limit} ${unit}${limit === 1 ? '' : 's'}`
}

/** @param known the fields or query parameters that exist */
export function unknownField(pointer: string, name: string, known: readonly string[] = []): Fault {
  const kind = pointer.startsWith('?') ? 'query parameter' : 'field'
  const rest = known.length > 0 ? `Known: ${known.join(', ')}.` : 'None is accepted here.'
  return faultOf(pointer, 'unknown_field', `There is no ${kind} \`${name.slice(0, 100)}\`. ${rest}`)
}

/** The parts of a schema that appear in sentences. */
interface Schema {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly properties?: object
}

/** Converts an error of Ajv, which must run with `verbose`. @param pointer of the field that the error is about */
export function toFault(pointer: string, error: ErrorObject): Fault {
  const { keyword, params, data, parentSchema } = error
  const schema = parentSchema as Schema // present because Ajv is verbose
  const { limit } = params
  switch (keyword) {
    case 'required':
      return faultOf(pointer, 'required', `\`${params.missingProperty}\` is needed.`)
    case 'additionalProperties':
      return unknownField(pointer, params.additionalProperty, Object.keys(schema.properties ?? {}))
    case 'type':
      if (pointer.startsWith('?') && Array.isArray(data))
        return faultOf(pointer, 'wrong_type', 'Send a query parameter only once.')
      return faultOf(pointer, 'wrong_type', wanted([params.type].flat()))
    case 'minLength':
      // If the minimum is also the maximum, the length is part of a format.
      if (schema.maxLength === limit) return faultOf(pointer, 'invalid_format', formOf(parentSchema))
      return faultOf(pointer, 'too_short', atLeast(limit))
    case 'maxLength':
      if (schema.minLength === limit) return faultOf(pointer, 'invalid_format', formOf(parentSchema))
      return faultOf(pointer, 'too_long', atMost(limit))
    case 'minItems':
      return faultOf(pointer, 'too_short', atLeast(limit, 'item'))
    case 'maxItems':
      return faultOf(pointer, 'too_long', atMost(limit, 'item'))
    case 'minimum':
    case 'maximum':
      return faultOf(pointer, 'out_of_range', `A number from ${schema.minimum} to ${schema.maximum} is needed.`)
    case 'jsonObject': {
      const code = params.fault as keyof typeof metadataLimits // set by platform/http/validation.ts
      return faultOf(pointer, code, metadataLimits[code])
    }
    case 'enum':
      return faultOf(pointer, 'not_allowed', sentenceOfList(pointer, error))
    case 'const':
      return faultOf(pointer, 'not_allowed', `The only value is ${params.allowedValue}.`)
    default:
      return faultOf(pointer, 'invalid_format', formOf(parentSchema))
  }
}

/** How many values of a closed list a sentence names. */
const mostNamed = 30

function sentenceOfList(pointer: string, { params, data, instancePath }: ErrorObject): string {
  const words = (params.allowedValues as unknown[]).filter((word) => word !== null).map(String) // Ajv copies them from the schema
  if (words.length <= mostNamed) return `One of these is needed: ${words.join(', ')}.`
  // The pointer of a query parameter does not lead into its list.
  const index = pointer.startsWith('?') ? /\/(\d+)$/.exec(instancePath)?.[1] : undefined
  const subject = index === undefined ? 'This' : `Item ${Number(index) + 1}`
  const near = findNear(data, words)
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`
  return `${subject} is none of the ${words.length} known values.${hint} The API reference lists them.`
}

/** The value of a list that somebody may have meant: one of two typing errors at most. */
function findNear(value: unknown, words: readonly string[]): string | undefined {
  if (typeof value !== 'string') return undefined
  return [1, 2].map((edits) => words.find((word) => isNear(value, word, edits))).find((word) => word !== undefined)
}

/** Whether one text becomes the other. @param edits how many characters may be removed, added or replaced */
function isNear(one: string, other: string, edits: number): boolean {
  if (Math.abs(one.length - other.length) > edits) return false
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  const [rest, otherRest] = [one.slice(same), other.slice(same)]
  if (rest === '' || otherRest === '') return true
  if (edits === 0) return false
  return (
    isNear(rest.slice(1), otherRest, edits - 1) ||
    isNear(rest, otherRest.slice(1), edits - 1) ||
    isNear(rest.slice(1), otherRest.slice(1), edits - 1)
  )
}

/** @returns a sentence about the form of a string: from its format, else from the description and the example of its schema */
export function formOf(schema: ErrorObject['parentSchema']): string {
  const { format, pattern, description, examples: [example] = [] } = schema as Schema
  // The description of a parameter may say only its purpose, not the form of the id.
  if (/^\^[a-z]+_\[0-7\]/.test(pattern ?? '') && !description?.includes('_')) return `An id like ${example} is needed.`
  const form = (format === undefined ? undefined : formOfFormat(format)) ?? description ?? sentences.invalid_format
  const isShort = typeof example === 'string' && example.length <= 40
  return format === undefined && isShort ? `${form} For example: ${example}` : form
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a JSON array',
}

function wanted(names: readonly string[]): string {
  const words = names.map((name) => types[name] ?? name).join(' or ')
  return `${words[0]?.toUpperCase()}${words.slice(1)} is needed.`
}
