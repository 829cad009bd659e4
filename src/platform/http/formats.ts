/**
 * Formats: the forms of text that JSON Schema cannot say. They are checked with the rest of a schema, so that a caller learns of every
 * fault at once.
 */
import type { Ajv, ErrorObject } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import addAjvFormats from 'ajv-formats'
import { isLoopback } from '../settings/hosts.ts'
import { normalizeDomain, normalizeEmail, normalizeName } from './schemas.ts'

/** Whether a text has control characters or ones that reverse the direction of writing (Unicode TR 36, TR 9). */
function hasUnsafeCharacters(text: string): boolean {
  return /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text)
}

function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\/[^\s\\]+$/i.test(text) || hasUnsafeCharacters(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return protocol === 'https:' && !username && !password && hostname !== ''
}

/** Our own origin may be http while it is loopback. */
function isPictureUrl(text: string): boolean {
  if (!/^http:/i.test(text)) return isHttpsUrl(text)
  return isHttpsUrl(text.replace(/^http:/i, 'https:')) && isLoopback(new URL(text).hostname)
}

/** OpenID Connect Discovery 1.0, 3: without query and fragment. */
function isIssuer(text: string): boolean {
  if (!/^https?:\/\/[^\s\\?#]+$/.test(text) || hasUnsafeCharacters(text) || !URL.canParse(text)) return false
  const { username, password, hostname } = new URL(text)
  return !username && !password && hostname !== ''
}

/** RFC 8252: https, http on loopback, or an app's own scheme, which is a reversed domain. */
function isRedirectUri(text: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(text) || /[\\#]/.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  if (username || password) return false
  if (protocol === 'http:') return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
  return protocol === 'https:' ? isHttpsUrl(text) : /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:$/.test(protocol)
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

/** Those that nearly everybody has: to make a formatter takes a tenth of a millisecond. */
let commonZones: ReadonlySet<string> | undefined

function isTimeZone(text: string): boolean {
  commonZones ??= new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])
  if (commonZones.has(text)) return true
  try {
    return !/^[+-]/.test(text) && Boolean(new Intl.DateTimeFormat('en', { timeZone: text }))
  } catch {
    return false
  }
}

/** The first and the last instant that are written with four digits of a year, in UTC. */
const [earliest, latest] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map(Date.parse) as [number, number]

/**
 * RFC 3339 with a time zone, within what PostgreSQL reads and every answer can say: no year 0, no leap second, no zone further than 15
 * hours off, nothing that in UTC is before the year 1 or after 9999, also when it is rounded to milliseconds.
 */
function isTimestamp(text: string): boolean {
  const form = /^((\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/i
  const [, second = '', date = '', fraction = '.0', zone = ''] = form.exec(text) ?? []
  if (date < '0001') return false
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return false // 30 February is another day
  const microseconds = Math.round(Number(fraction) * 1_000_000) // as PostgreSQL keeps it
  const instant = Date.parse(`${second}${zone}`.toUpperCase()) + Math.round(microseconds / 1_000)
  return instant >= earliest && instant <= latest
}

/** Whether there is something to be seen in it: fillers and the blank of Braille are letters and signs, but show nothing. */
function isVisible(name: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u.test(name)
}

interface Format {
  readonly fits: (text: string) => boolean
  /** The form in which its texts are stored, if it is another one. */
  readonly stored?: (text: string) => string
  /** Tells a caller who sent another text what is accepted. Without it, the schema's description does. */
  readonly form?: string
}

const httpsUrlForm =
  'Enter a URL that starts with https://, like https://example.com/logo.png, without a user name or password.'

/** Every format that a schema of ours may name, but for `int32`, `int64` and `uri`, which are Ajv's. */
export const formats = {
  line: {
    fits: (text) => isVisible(text) && !hasUnsafeCharacters(text),
    form: 'Enter at least one visible character, and no line breaks or other control characters.',
  },
  name: {
    stored: normalizeName,
    fits: (text) => {
      const name = normalizeName(text)
      return [...name].length <= 100 && isVisible(name) && !hasUnsafeCharacters(name)
    },
    form: 'Enter a name of 1 to 100 characters, such as Ann, with at least one visible character and no line breaks or other control characters.',
  },
  email: {
    fits: (text) => normalizeEmail(text) !== undefined,
    form: 'Enter a valid email address.',
  },
  domain: {
    fits: (text) => normalizeDomain(text) !== undefined,
    form: 'Enter a domain like example.com, without @ or a path.',
  },
  'https-url': {
    fits: isHttpsUrl,
    form: httpsUrlForm,
  },
  'picture-url': {
    fits: isPictureUrl,
    form: httpsUrlForm,
  },
  issuer: {
    fits: isIssuer,
    form: 'Enter a URL like https://login.example.com, without a user name, query or fragment.',
  },
  'redirect-uri': {
    fits: isRedirectUri,
    form: 'A URL is needed with https, with http on 127.0.0.1, [::1] or localhost, or with an app’s own scheme like com.example.app:/callback. It has no fragment.',
  },
  locale: { fits: isLocale, form: 'Enter a language tag (BCP 47) like en-GB.' },
  'time-zone': { fits: isTimeZone, form: 'Enter the IANA name of a time zone, like Europe/Berlin.' },
  'date-time': {
    fits: isTimestamp,
    form: 'A time like 2026-01-31T09:30:00Z is needed (RFC 3339; in a URL the + of an offset is written %2B).',
  },
  /** Tells forms to hide it. */
  password: { stored: (text) => text.normalize('NFKC'), fits: () => true },
} as const satisfies Readonly<Record<string, Format>>
export type FormatName = keyof typeof formats

/** @returns what a text of a format looks like; undefined for an unknown one, and one whose schemas say it themselves */
export function formOfFormat(name: string): string | undefined {
  const known: Readonly<Record<string, Format>> = formats
  return known[name]?.form
}

/**
 * Whether an error is about the length of a text that has the right length in the form in which it is stored: nobody sees of how many
 * characters a keyboard composes a letter.
 */
export function fitsAsStored({ keyword, data, parentSchema }: ErrorObject): boolean {
  if (keyword !== 'minLength' && keyword !== 'maxLength') return false
  const { format = '', minLength = 0, maxLength = mostRead } = parentSchema as StringSchema // present because Ajv is verbose
  const known: Readonly<Record<string, Format>> = formats
  const stored = known[format]?.stored
  if (!stored || typeof data !== 'string' || data.length > mostRead) return false
  const { length } = [...stored(data)]
  return length >= minLength && length <= maxLength
}

interface StringSchema {
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
}

/** Longer texts are not read: to normalize one can take a second. Each schema with a format has a `maxLength` far below this. */
const mostRead = 4096

/** Has an Ajv check the formats. */
export function addFormats(ajv: Ajv | Ajv2020): void {
  addAjvFormats.default(ajv, ['int32', 'int64', 'uri'])
  // What is longer, its `maxLength` refuses.
  for (const [name, { fits }] of Object.entries<Format>(formats))
    ajv.addFormat(name, (text: string) => text.length > mostRead || fits(text))
}
