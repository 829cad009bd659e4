/**
 * Canaries: values that requests carry in every place that takes a secret. Neither they nor anything with the form of a secret of ours may
 * be in a log.
 */
import fc from 'fast-check'
import { checksumOf } from '../src/domain/access/tokens.ts'
import { plain } from './arbitraries.ts'
import { seed } from './depth.ts'
import { fillIn, type Inventory } from './inventory.ts'
import { placeOf } from './places.ts'
import { type Made, type Operation, requestsTo, rightfulCaller } from './requests.ts'
import type { Json } from './world.ts'

/** It is in every planted value that has room for it. */
export const mark = 'PlantedMark'
/** In the place of a code of six digits. */
const plantedCode = '918273'

/** The fields of requests that take a secret, or something that holds secrets. */
export const secretFields = [
  'attempt',
  'callback',
  'clientSecret',
  'client_secret',
  'code',
  'code_verifier',
  'credential',
  'currentPassword',
  'deviceToken',
  'id_token_hint',
  'invitationToken',
  'mailCode',
  'newPassword',
  'password',
  'recoveryCode',
  'refresh_token',
  'request',
  'setup',
  'token',
  'totp',
]
/** Fields whose names sound like those of a secret, and that take none. */
const harmlessFields = [
  'code_challenge',
  'code_challenge_method',
  'mailCodes',
  'passwordMinimum',
  'tokenAudiences',
  'tokenSeconds',
]

/** @param fields the fields of requests @returns those of which this file does not know whether they take a secret */
export function unknownFields(fields: readonly string[]): string[] {
  const sounds = /password|secret|token|code|verifier|attempt|credential|callback|setup|totp|^request$/i
  return fields.filter((name) => sounds.test(name) && !secretFields.includes(name) && !harmlessFields.includes(name))
}

/** @returns a value of the same form, with the mark in the place of its secret part */
export function planted(value: string): string {
  if (/^\d{6}$/.test(value)) return plantedCode
  const [start = ''] = /^gh[a-z]_(.*\.)?/.exec(value) ?? []
  return start + mark.padEnd(Math.max(value.length - start.length, 24), 'A')
}

/** Requests that fit, but for one field with a canary in it; and some with canaries in headers and in the address. */
export function* plantedRequests(operation: Operation, current: () => Inventory): Generator<Made> {
  const sample = <Value>(values: fc.Arbitrary<Value>) => fc.sample(values, { numRuns: 1, seed })[0]
  const fits = sample(requestsTo(operation, plain))
  if (!fits) return
  const { properties = {} } = operation.body ?? {}
  const needed: Json = operation.body ? JSON.parse(fits.raw ?? '{}') : {}
  const every = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, sample(plain(schema, placeOf(operation, name)))]),
  )
  for (const name of Object.keys(properties).filter((each) => secretFields.includes(each))) {
    for (const others of name in needed ? [needed] : [required(operation, needed), every]) {
      const variants = () => {
        const filled = JSON.parse(fillIn(JSON.stringify({ ...others, [name]: every[name] }), current()))
        return [...plantings(filled[name])].map((value) => ({ ...filled, [name]: value }))
      }
      // Made again for each: the request before may have damaged the inventory.
      for (const index of variants().keys()) yield { ...fits, raw: JSON.stringify(variants()[index]) }
    }
  }
  const basic = `Basic ${Buffer.from(`${mark}:${mark}`).toString('base64')}`
  const tokens = bearers(current().values.tenantId ?? '')
  const elsewhere: Partial<Made>[] = [
    ...tokens.map((token) => ({ headers: { authorization: `Bearer ${token}` } })),
    { by: 'nobody', headers: { authorization: basic, 'guildhall-mailbox-key': mark } },
    { by: 'nobody', headers: { cookie: `guildhall=${tokens[0]}`, 'sec-fetch-site': 'same-origin' } },
    { by: rightfulCaller(operation), query: `?token=${mark}` },
  ]
  for (const place of elsewhere) yield { ...fits, ...place }
}

/** Without fields that stand for others: of several proofs a request takes one. */
function required({ body }: Operation, needed: Json): Json {
  return Object.fromEntries(Object.entries(needed).filter(([name]) => body?.required?.includes(name)))
}

/** The values that a value becomes if one of its texts at a time is planted. */
function* plantings(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield planted(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [name, each] of Object.entries(value))
    if (name !== 'type') for (const other of plantings(each)) yield { ...value, [name]: other }
}

/** A session, a key and an access token that nobody has. */
export function bearers(tenantId: string): string[] {
  const suffix = tenantId.slice('ten_'.length)
  const secret = mark.padEnd(43, 'A')
  const key = `ghk_${suffix}.${secret}`
  return [`ghs_${suffix}.${secret}`, key + checksumOf(key), `ght_${suffix}.${suffix}.9999999999.${secret}`]
}

/** What answers give out once, or for a short while. */
const givenOut = /^(token|secret|access_token|refresh_token|id_token|recoveryCodes|deviceToken|setup|challenge)$/

/** @returns the secrets in the body of an answer */
export function* secretsOf(body: Json, name = ''): Generator<string> {
  if (typeof body === 'string' && body.length > 15 && givenOut.test(name)) yield body
  if (typeof body !== 'object' || body === null) return
  for (const [key, each] of Object.entries(body)) yield* secretsOf(each, Array.isArray(body) ? name : key)
}

/** Tokens of every kind, codes for tokens, secrets of webhooks, ID tokens, hashes of passwords, private keys, credentials in headers. */
const forms =
  /gh[a-z]_[0-7][0-9a-hjkmnp-tv-z]{25}\.|ghc_[\w-]{20}|whsec_[\w+/]|\beyJ[\w-]{10,}\.|argon2|PRIVATE KEY|\b(?:Bearer|Basic) [\w+/=.-]{8}/i

/** @param given secrets beside the planted ones @returns the lines that have a secret, each with what it has */
export function linesWithSecrets(lines: readonly string[], given: ReadonlySet<string>): string[] {
  const ofPlanted = new RegExp(`${mark}|(?<![\\w.-])${plantedCode}(?!\\w)`, 'i')
  const text = lines.join('\n')
  const found = [...given].filter((secret) => text.includes(secret))
  return lines.flatMap((line) => {
    const [what = found.find((secret) => line.includes(secret))] = [forms, ofPlanted].flatMap(
      (form) => form.exec(line)?.[0] ?? [],
    )
    return what === undefined ? [] : [`${what}: ${line.slice(0, 500)}`]
  })
}
