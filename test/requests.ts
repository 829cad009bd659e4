/**
 * Requests to the operations of an OpenAPI document, generated from its schemas: by a caller of any kind, with valid, nearly valid and
 * invalid parts. Placeholders stand for things that must exist when a request is sent (inventory.ts).
 */
import fc from 'fast-check'
import { type Choice, nearly, plain, type Schema, someOf, wild } from './arbitraries.ts'
import { unfold } from './contract.ts'
import { type CallerKind, callerKinds } from './inventory.ts'
import { placeOf } from './places.ts'
import type { Json } from './world.ts'

export interface Operation {
  readonly name: string
  readonly method: string
  readonly template: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly takesPicture: boolean
}
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
}

/** @param document an OpenAPI document */
export function readOperations(document: Json): Operation[] {
  return Object.entries<Json>(unfold(document).paths).flatMap(([template, methods]) =>
    Object.entries<Json>(methods).map(([method, { parameters = [], requestBody }]) => ({
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      template,
      parameters,
      body: requestBody?.content['application/json']?.schema,
      takesPicture: 'image/png' in (requestBody?.content ?? {}),
    })),
  )
}

/** Stands for a picture. */
export const pictureBody = '~picture~'

/** Headers that are malformed, or that no client sends. */
const malformedHeaders: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'application/merge-patch+json' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-encoding': 'gzip' },
  { authorization: 'Bearer ' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.~x~' },
  { authorization: 'Bearer ~outsider~' },
  { cookie: 'guildhall=~owner~', 'sec-fetch-site': 'same-origin' },
  { cookie: 'guildhall=~owner~; guildhall=~member~' },
  { cookie: '__Host-guildhall=~owner~' },
  { cookie: '=;;,"' },
  { 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' },
  { 'guildhall-session': 'cookie', 'sec-fetch-site': 'cross-site' },
  { 'guildhall-session': 'token' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { 'guildhall-tenant': 'default' },
  { 'guildhall-tenant': "'; --" },
  { 'guildhall-mailbox-key': 'x' },
  { 'x-forwarded-for': "127.0.0.1', '1" },
  { 'user-agent': "<script>' \xff" },
  { 'user-agent': 'Mozilla/5.0 '.repeat(300) },
  { accept: 'text/html' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
]

/** Bodies that are malformed, or that no client sends. */
const malformedBodies = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '{"a":1,}',
  '{"name":"a","name":"b"}',
  '{"__proto__":{"role":"admin"}}',
  '{"constructor":{"prototype":{"role":"admin"}}}',
  '\ufeff{}',
  '{"limit":1e999}',
  '['.repeat(20_000),
  `{"name":"${'x'.repeat(66_000)}"}`,
]

/** The fields of operations that require one of several, which schemas do not say. */
const alsoSent: Readonly<Record<string, readonly string[]>> = {
  'POST /api/auth/sign-up': ['password'],
  'POST /api/auth/sign-in/mail-code': ['email'],
  'POST /api/auth/sign-in/continue': ['recoveryCode'],
  'POST /api/auth/confirm': ['password'],
  'POST /api/users/me/factors': ['credential'],
  'POST /api/users/me/password': ['currentPassword'],
  'DELETE /api/users/me': ['password'],
}

/** The caller who is most likely to be allowed. */
export function rightfulCaller({ template }: Operation): CallerKind {
  if (template.includes('/credentials/')) return 'tenantKey'
  if (template.includes('/admin/')) return 'tenantAdmin'
  if (/\/(accept|decline)$/.test(template)) return 'outsider'
  if (template.includes('/verify-email')) return 'newcomer'
  if (/\/me\/(factors|recovery-codes|identities)/.test(template)) return 'enrolled'
  return template.endsWith('/me/devices/{deviceId}') || template === '/api/users/me' ? 'member' : 'owner'
}

/** A generated request; its placeholders are filled in when it is sent. */
export interface Made {
  readonly by: CallerKind
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly raw: string | undefined
}

/** @param choose `fitting` for valid requests, `plain` for valid requests with only required parts */
export function requestsTo(operation: Operation, choose: Choice): fc.Arbitrary<Made> {
  const { parameters, template, method, body } = operation
  const mayBeMalformed = choose === someOf
  const inPlace = (place: Parameter['in']) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema }) => ({ name, values: choose(schema, placeOf(operation, name)) }))
  return fc.record({
    by: fc.oneof(
      { arbitrary: fc.constant(rightfulCaller(operation)), weight: 3 },
      { arbitrary: fc.constantFrom(...callerKinds), weight: mayBeMalformed ? 2 : 0 },
    ),
    path: fc
      .tuple(...inPlace('path').map(({ values }) => segment(values, mayBeMalformed)))
      .map((segments) => segments.reduce((path, each) => path.replace(/\{\w+\}/, () => each), template)),
    query: mayBeMalformed ? queries(inPlace('query')) : fc.constant(''),
    headers: headersTo(operation, inPlace('header'), mayBeMalformed),
    raw: method === 'GET' ? fc.constant(undefined) : bodies(operation, body, choose),
  })
}

interface Named {
  readonly name: string
  readonly values: fc.Arbitrary<unknown>
}

/** A value as a path segment or a query parameter, without parts that a client would resolve (`..`). */
function segment(values: fc.Arbitrary<unknown>, mayBeMalformed = true): fc.Arbitrary<string> {
  const encoded = values.map(encode).filter((text) => !/^\.{0,2}$/.test(text))
  const malformed = fc.constantFrom(
    '%00',
    '%ff%fe',
    '%',
    '%zz',
    '%252e',
    '%2e%2e%2f',
    'me',
    "'%20or%201=1--",
    'x'.repeat(250),
  )
  return fc.oneof({ arbitrary: encoded, weight: 12 }, { arbitrary: malformed, weight: mayBeMalformed ? 1 : 0 })
}

function encode(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  return encodeURIComponent(text.toWellFormed())
}

function queries(parameters: readonly Named[]): fc.Arbitrary<string> {
  const known = parameters.map(({ name, values }) =>
    now(
      4,
      segment(values).map((value) => `${name}=${value}`),
    ),
  )
  const malformed = fc.constantFrom(
    'surplus=1',
    '__proto__=1',
    'limit=1&limit=2',
    'limit',
    '=',
    '&&',
    'limit[]=1',
    'sort=;',
    '%',
  )
  return fc
    .tuple(...known, now(20, malformed))
    .map((parts) => {
      const pairs = parts.filter((part) => part !== undefined)
      return pairs.length > 0 ? `?${pairs.join('&')}` : ''
    })
    .filter((query) => query.length < 10_000) // longer ones are refused before routing
}

/** A value in one of `times` cases; otherwise nothing. */
function now<Value>(times: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: times - 1 }, { arbitrary: value, weight: 1 })
}

function headersTo(
  { parameters, template }: Operation,
  known: readonly Named[],
  mayBeMalformed: boolean,
): fc.Arbitrary<Record<string, string>> {
  const isSendable = (value: unknown) => typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  const own = known.flatMap(({ name, values }) => {
    const sent = values.filter(isSendable).map((value) => ({ [name]: value }))
    if (name === 'Guildhall-Tenant') return [sent]
    return mayBeMalformed ? [now(4, sent)] : []
  })
  const always = {
    ...(template === '/api/mailbox' && { 'guildhall-mailbox-key': '~mailboxKey~' }),
    ...(parameters.some(({ name }) => name === 'Guildhall-Session') && { 'sec-fetch-site': 'same-origin' }),
  }
  const malformed = mayBeMalformed ? now(8, fc.constantFrom(...malformedHeaders)) : fc.constant(undefined)
  return fc.tuple(...own, malformed).map((parts) => Object.assign({}, always, ...parts))
}

function bodies(operation: Operation, schema: Schema | undefined, choose: Choice): fc.Arbitrary<string | undefined> {
  const malformed = fc.constantFrom(...malformedBodies)
  if (!schema) {
    const none = operation.takesPicture ? fc.constant(pictureBody) : fc.constantFrom(undefined, '{}')
    return choose === someOf ? fc.oneof({ arbitrary: none, weight: 8 }, { arbitrary: malformed, weight: 1 }) : none
  }
  const { properties = {}, required = [] } = schema
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, choose(each, placeOf(operation, name))]),
  )
  const keys = [...required, ...(alsoSent[operation.name] ?? [])]
  const requiredKeys = Object.keys(fields).filter((name) => keys.includes(name))
  const needed = Object.fromEntries(requiredKeys.map((name) => [name, fields[name] ?? wild]))
  const whole = choose === plain ? fc.record(needed) : fc.record(fields, { requiredKeys })
  if (choose !== someOf) return whole.map((value) => JSON.stringify(value))
  const extended = fc.tuple(whole, fc.dictionary(fc.constantFrom('id', 'role', 'tenantId', 'email', '__proto__'), wild))
  return fc.oneof(
    { arbitrary: whole.map((value) => JSON.stringify(value)), weight: 16 },
    { arbitrary: extended.map(([value, extra]) => JSON.stringify({ ...value, ...extra })), weight: 1 },
    { arbitrary: fc.oneof(nearly(schema), wild).map((value) => JSON.stringify(value) ?? ''), weight: 1 },
    { arbitrary: malformed, weight: 1 },
  )
}
