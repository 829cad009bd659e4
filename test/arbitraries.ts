/**
 * Values for a JSON Schema, as fast-check makes them: some that fit, some that nearly do, and some from nowhere. Where a value must be
 * one that there is, its place stands for it (`~orgId~`, see estate.ts).
 */
import fc from 'fast-check'
import type { FormatName } from '../src/platform/http/formats.ts'

/** As much of a JSON Schema as ours use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly format?: FormatName
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

type Values = fc.Arbitrary<unknown>

/** Texts of each format: one that is missing does not compile. */
const texts: Readonly<Record<FormatName, fc.Arbitrary<string>>> = {
  name: fc.oneof(
    fc.constantFrom('Ann', '李小龍', 'Zoë', 'مريم', '👩‍👩‍👧‍👦', "O'Brien; --", '<b>', '%_\\'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  ),
  email: fc.oneof(fc.constant('~newEmail~'), fc.constant('~email~'), fc.emailAddress()),
  domain: fc.domain(),
  'https-url': fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
  locale: fc.constantFrom('en', 'de-CH', 'zh-Hant-TW', 'sr-Latn-RS-u-ca-gregory'),
  'time-zone': fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
  'date-time': fc
    .date({ min: new Date('0002-01-01'), max: new Date('9998-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  password: fc.string({ minLength: 12, maxLength: 40 }),
}

/** @param place what stands for values that there are, if any do */
export function fitting(schema: Schema, place?: string): Values {
  const own = fittingItself(schema)
  return place === undefined
    ? own
    : fc.oneof({ arbitrary: fc.constant(place), weight: 4 }, { arbitrary: own, weight: 1 })
}

/** What fits, and names what there is wherever it can. */
export function plain(schema: Schema, place?: string): Values {
  return place === undefined ? fittingItself(schema) : fc.constant(place)
}

function fittingItself(schema: Schema): Values {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const types = [schema.type ?? 'object'].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): Values {
  const { format, pattern, minimum = 0, maximum = 100, minLength = 0, maxLength = 100, items, properties } = schema
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: minimum, max: maximum })
    case 'array':
      return fc.array(fitting(items ?? {}), { maxLength: Math.min(schema.maxItems ?? 5, 5) })
    case 'string':
      if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
      return (
        (format !== undefined && texts[format]) ||
        fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) })
      )
    default:
      if (!properties) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
      return fittingObject(properties, schema.required)
  }
}

function fittingObject(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Values {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fitting(schema)]))
  return fc.record(fields, { requiredKeys: Object.keys(fields).filter((name) => required.includes(name)) })
}

/** What is only just right, or only just wrong. */
export function nearly(schema: Schema, place?: string): Values {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema
  const edges: unknown[] = [null, '', [], {}, 'null', 'true']
  for (const limit of [minimum, maximum]) {
    if (limit !== undefined) edges.push(limit - 1, limit, limit + 1, limit + 0.5, String(limit), -limit)
  }
  for (const length of [minLength, maxLength]) {
    if (length === undefined) continue
    for (const near of [length - 1, length, length + 1]) {
      if (near >= 0) edges.push('a'.repeat(near), 'ü'.repeat(near), '🦄'.repeat(near))
    }
  }
  if (maxItems !== undefined) edges.push(Array.from({ length: maxItems + 1 }, (_, index) => `d${index}.example.com`))
  return fc.oneof(fc.constantFrom(...edges), fc.tuple(fitting(schema, place), twist).map(twisted))
}

const twist = fc.constantFrom<(text: string) => unknown>(
  (text) => `${text} `,
  (text) => `\t${text}`,
  (text) => text.toUpperCase(),
  (text) => text.slice(1),
  (text) => text + text,
  (text) => text.normalize('NFD'),
  (text) => `${text}'`,
  (text) => `${text}%`,
  (text) => `${text}\\`,
  (text) => `${text}\u0000`,
  (text) => `\u202e${text}`,
  (text) => `${text}\r\nx: y`,
  (text) => `${text}\ud800`,
  (text) => [text],
  (text) => ({ text }),
)

function twisted([value, change]: [unknown, (text: string) => unknown]): unknown {
  return typeof value === 'string' ? change(value) : [value]
}

/** What nobody would send. */
export const wild: Values = fc.oneof(
  fc.constantFrom<unknown>(
    "' or '1'='1",
    "'; drop table users; --",
    '%',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '{{7*7}}',
    '\u0000',
    '\udfff\ud800',
    '\u2028',
    '\ufeff',
    'NaN',
    'x'.repeat(5000),
    1e308,
    2 ** 53,
    -0,
    0.1,
    [[[[[[[[]]]]]]]],
    { $ne: null },
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
)

/** How a value is chosen for a schema. */
export type Choice = typeof someOf

/** Mostly what fits. */
export function someOf(schema: Schema, place?: string): Values {
  return fc.oneof(
    { arbitrary: fitting(schema, place), weight: 12 },
    { arbitrary: nearly(schema, place), weight: 2 },
    { arbitrary: wild, weight: 1 },
  )
}
