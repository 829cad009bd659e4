/** The shapes that every resource shares. Text goes through its `normalize…` function before it is stored; formats.ts says what fits. */
import { domainToASCII } from 'node:url'
import { type Static, type TSchema, Type } from 'typebox'
import { TypeID, typeid } from 'typeid-js'

const idSuffix = '[0-7][0-9a-hjkmnp-tv-z]{25}'

/** What the types of ids name. */
const named = {
  ten: 'a tenant',
  user: 'a user',
  org: 'an organization',
  mem: 'a membership',
  inv: 'an invitation',
  lnk: 'a link to join',
  key: 'a key',
  rol: 'a role',
  dev: 'a device',
  aud: 'an audit entry',
  mail: 'a mail',
  fac: 'a factor',
  idn: 'an identity',
  idp: 'a provider',
  att: 'a half-done sign-in',
  app: 'an application',
  gra: 'a grant',
  whk: 'a webhook',
} as const
export type IdPrefix = keyof typeof named

/** An id of the given type: TypeID (https://github.com/jetify-com/typeid) over UUIDv7. */
export function Id(prefix: IdPrefix) {
  return Type.String({
    description: `The id of ${named[prefix]}: \`${prefix}_\` and 26 letters and digits.`,
    pattern: `^${prefix}_${idSuffix}$`,
    minLength: prefix.length + 27,
    maxLength: prefix.length + 27,
    examples: [`${prefix}_01k9zq3v5hf8gs4m2y7c6t0wdn`],
  })
}

/** Whether a text is an id of the given type. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return new RegExp(`^${prefix}_${idSuffix}$`).test(text)
}

/** A new id of the given type. */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString()
}

/** Any 128 bits: of a made-up id they need not be those of a UUID's version, and then there is no such tenant. */
export function tenantIdToUuid(id: string): string {
  return Buffer.from(TypeID.fromString(id, 'ten').toUUIDBytes())
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function uuidToTenantId(uuid: string): string {
  return TypeID.fromUUID('ten', uuid).toString()
}

/** The token of a link: any text that may be one. A text of another form is a wrong token, like one that nobody made. */
export function LinkToken(description: string, example: string) {
  return Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$', description, examples: [example] })
}

/** RFC 3339. In answers: UTC, milliseconds. What is sent may have nine digits of a second and a zone, which makes 35 characters. */
export const Timestamp = Type.String({ format: 'date-time', maxLength: 40, examples: ['2026-01-31T09:30:00.000Z'] })

/** A time as `Timestamp` has it. In JSON, PostgreSQL writes its own form. */
export function inUtc(time: string): string {
  return new Date(time).toISOString()
}

/** A schema that also takes null: for what may be absent. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const {
    type,
    enum: values,
    examples,
    ...rest
  } = schema as TSchema & { type?: string; enum?: unknown[]; examples?: unknown[] }
  if (!type) return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }] })
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values && { enum: [...values, null] }),
    ...(examples && { examples }),
  })
}

/** One of a closed list of words. */
export function OneOf<const Words extends readonly string[]>(
  words: Words,
  options: { default?: Words[number]; description?: string; examples?: Words[number][] } = {},
) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options })
}

const name = { minLength: 1, maxLength: 100, format: 'name' }
/** A name of a person. */
export const Name = Type.String({ ...name, examples: ['Ann'] })
export const OrganizationName = Type.String({ ...name, examples: ['Acme'] })

export const Email = Type.String({ minLength: 3, maxLength: 320, format: 'email', examples: ['ann@example.com'] })

/** The domain of an address. */
export const Domain = Type.String({ minLength: 3, maxLength: 253, format: 'domain', examples: ['example.com'] })

/** An https URL. */
export const HttpsUrl = Type.String({
  maxLength: 2048,
  format: 'https-url',
  examples: ['https://example.com/logo.png'],
})

/** Where a picture is: an https URL, or on loopback an http URL of our own. What may be set is decided in domain/pictures/urls.ts. */
export const PictureUrl = Type.String({ ...HttpsUrl, format: 'picture-url' })

/** A JSON object of the product's own: at most 8 KiB and depth 5. */
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  jsonObject: true,
  description: 'A JSON object with your own content, at most 8 KiB and five levels deep.',
  examples: [{ plan: 'team' }],
})

/** Metadata in the body of a PATCH. */
export const MetadataPatch = {
  ...Nullable(Metadata),
  description:
    'Merged with the stored object (RFC 7396). `null` for a member removes it; `null` for the object removes all members. At most 8 KiB and five levels deep.',
}

/** A reference to a schema that a feature added by its `$id`. */
export function ref<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema>>({ $ref: `${(schema as { $id?: string }).$id}#` })
}

/** At most 4,592 characters, for a name of 100 characters whose form for the order is as long as NFKC makes any: 33 bytes for each. */
const longestCursor = 8192

/** A page of a list. */
export function Page<Schema extends TSchema>(item: Schema, extra: Record<string, TSchema> = {}) {
  return Type.Object(
    {
      data: Type.Array(ref(item), { maxItems: 100 }),
      nextCursor: Nullable(
        Type.String({
          maxLength: longestCursor,
          description: 'Send it as `cursor` to get the next page. Null on the last page.',
        }),
      ),
      ...extra,
    },
    { description: 'A page of the list.' },
  )
}

/** The query parameters of every list. */
export const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 50,
      format: 'int32',
      description: 'The maximum number of items on a page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: longestCursor,
      description: 'The `nextCursor` of the previous page, with the same filters. Expires after 24 hours.',
    }),
  ),
}

/** Query parameters with which a total may be asked for. */
export const totals = {
  includeTotal: Type.Optional(Type.Boolean({ description: 'Adds `total`, which is exact up to 10,000.' })),
}
export const Totals = {
  total: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, format: 'int32' })),
  totalCapped: Type.Optional(Type.Boolean({ description: 'True if there are more than 10,000.' })),
}

/** What a search compares: a name as it is stored, in NFKC and lower case. A text of nothing else but spaces stays: it finds nothing. */
export function searchKey(text: string): string {
  return (normalizeName(text) || text).normalize('NFKC').toLowerCase()
}

/** What a search compares addresses with: a whole address as it is stored, or the beginning of one. */
export function addressKey(text: string): string {
  return normalizeEmail(text) ?? searchKey(text)
}

/**
 * @param name a text as people type or paste it
 * @returns it as it is stored: NFC, without the marks of direction that other programs put beside a name (U+200E, U+200F, U+061C), and
 *   without spaces around it, also those that have no width
 */
export function normalizeName(name: string): string {
  return withoutPasted(name).normalize('NFC')
}

function withoutPasted(text: string): string {
  const unmarked = text.replace(/[\u200e\u200f\u061c]/g, '')
  let [start, end] = [0, unmarked.length]
  while (start < end && isSpace(unmarked.charAt(start))) start++
  while (start < end && isSpace(unmarked.charAt(end - 1))) end-- // a pattern for spaces at the end would try at each space before
  return unmarked.slice(start, end)
}

function isSpace(character: string): boolean {
  return /[\s\u200b\u2060]/.test(character)
}

/**
 * @param text an address as people type or paste it
 * @returns the one form in which it is stored, compared and mailed (ASCII dot-atom, UTS 46 A-labels, lower case), or undefined when
 *   it is none (RFC 5321 4.1.2 without quoted strings and address literals)
 */
export function normalizeEmail(text: string): string | undefined {
  const [, local = '', domain = ''] = /^([^@]+)@([^@]+)$/.exec(withoutPasted(text)) ?? []
  if (!/^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i.test(local) || local.length > 64)
    return undefined
  const ascii = normalizeDomain(domain)
  if (ascii === undefined) return undefined
  const email = `${local.toLowerCase()}@${ascii}`
  return email.length <= 254 ? email : undefined
}

/** @returns a domain as UTS 46 A-labels in lower case, or undefined when it is none that an address may have */
export function normalizeDomain(text: string): string | undefined {
  if (/[\s@%/:?#[\]\\<>^|]/.test(text)) return undefined
  const ascii = domainToASCII(text).toLowerCase()
  const isDomain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(ascii)
  return isDomain && ascii.length <= 253 ? ascii : undefined
}

/** What is said of metadata with each of its faults. */
export const metadataLimits = {
  too_long: 'At most 8 KiB of JSON are allowed.',
  out_of_range: 'At most five levels of objects and arrays are allowed.',
} as const

/** @returns what is wrong with a metadata object, or undefined */
export function metadataFault(value: unknown): keyof typeof metadataLimits | undefined {
  if (depthOf(value) > 5) return 'out_of_range'
  // PostgreSQL's jsonb writes numbers without an exponent: 1e308 has 309 digits there.
  let writtenOut = 0
  const text = JSON.stringify(value, (_name, each) => {
    if (typeof each === 'number') writtenOut += Math.max(0, Math.abs(exponentOf(each)) - String(each).length + 2)
    return each
  })
  return Buffer.byteLength(text) + writtenOut > 8192 ? 'too_long' : undefined
}

/** @returns the exponent with which JSON writes a number, or 0 */
function exponentOf(value: number): number {
  return Number(/e([+-]\d+)$/.exec(String(value))?.[1] ?? 0)
}

function depthOf(value: unknown, limit = 6): number {
  if (typeof value !== 'object' || value === null) return 0
  if (limit === 0) return 1
  return 1 + Math.max(0, ...Object.values(value).map((child) => depthOf(child, limit - 1)))
}
