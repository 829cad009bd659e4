/**
 * Details: what an entry of the audit log stores of old and new values.
 *
 * Invariant: the details of an entry take 4 KiB at most, however long the values are. Of an object that changed they have only the keys
 * that changed. A long value is cut, and says so; of a list whose items fit, each item is a value. `omittedKeys` counts the keys that did
 * not fit.
 */
import { isDeepStrictEqual } from 'node:util'

export type Details = Readonly<Record<string, unknown>>

interface Change {
  readonly from: unknown
  readonly to: unknown
}

/** Bytes of JSON. */
const mostBytes = 4_096
/** Characters of one value. */
const mostCharacters = 256
/** Bytes of JSON of a list that keeps its items, so that the three lists of a change fit: what was added, changed and removed. */
const mostListBytes = 1_024

/** What is left of the 4 KiB. */
interface Remainder {
  bytes: number
  omittedKeys: number
}

/** @param details values, and changes as `{ from, to }` */
export function cutDetails(details: Details): Details {
  const remainder: Remainder = { bytes: mostBytes - bytesOf({ omittedKeys: mostBytes }), omittedKeys: 0 }
  const kept = keep(Object.keys(details), (field) => {
    const value = details[field]
    if (isChange(value)) return cutChange(value, remainder, bytesOf({ [field]: { from: {}, to: {} } }))
    const cut = Array.isArray(value) ? shortenList(value) : shorten(value)
    const blanks = Array.isArray(cut) ? cut.length : 0
    return take(remainder, bytesOf({ [field]: cut }) + blanks) ? cut : undefined
  })
  return remainder.omittedKeys > 0 ? { ...kept, omittedKeys: remainder.omittedKeys } : kept
}

/**
 * @param bytes what the change takes beside its values
 * @returns undefined when nothing of it fits
 */
function cutChange({ from, to }: Change, remainder: Remainder, bytes: number): Change | undefined {
  const [before, after] = [from ?? {}, to ?? {}]
  if (!isObject(before) || !isObject(after) || from === to) {
    const cut = { from: shorten(from), to: shorten(to) }
    return take(remainder, bytes + bytesOf(cut)) ? cut : undefined
  }
  if (!take(remainder, bytes)) return undefined
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => !isDeepStrictEqual(old.get(key), now.get(key)),
  )
  const kept = keep(changed, (key) =>
    cutChange({ from: old.get(key), to: now.get(key) }, remainder, 2 * bytesOf({ [key]: {} })),
  )
  if (changed.length > 0 && Object.keys(kept).length === 0) return undefined
  return {
    from: from && keep(Object.keys(kept), (key) => kept[key]?.from),
    to: to && keep(Object.keys(kept), (key) => kept[key]?.to),
  }
}

/** An object of those keys for which there is a value. */
function keep<Value>(keys: readonly string[], find: (key: string) => Value): Record<string, NonNullable<Value>> {
  const entries = keys.map((key) => [key, find(key)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, NonNullable<Value>] => entry[1] !== undefined))
}

/** Takes the bytes of a value, if they fit. @returns whether they did */
function take(remainder: Remainder, bytes: number): boolean {
  const isEnough = bytes <= remainder.bytes
  if (isEnough) remainder.bytes -= bytes
  else remainder.omittedKeys++
  return isEnough
}

/** The value, or if it is long the beginning of its text, as in `Once upon a time… (3000 characters)`. */
function shorten(value: unknown): unknown {
  const text = typeof value === 'object' ? JSON.stringify(value) : value
  if (typeof text !== 'string' || text.length <= mostCharacters) return value
  const characters = [...text]
  if (characters.length <= mostCharacters) return value
  const end = `… (${characters.length} characters)`
  return characters.slice(0, mostCharacters - end.length).join('') + end
}

/** The list with its items shortened, or if that is still long the beginning of its text. */
function shortenList(list: readonly unknown[]): unknown {
  const cut = list.map(shorten)
  return bytesOf(cut) + cut.length <= mostListBytes ? cut : shorten(list)
}

/** As JSON, with a comma and with the blanks that PostgreSQL writes. */
function bytesOf(object: object): number {
  return Buffer.byteLength(JSON.stringify(object)) + 4
}

function isChange(value: unknown): value is Change {
  return isObject(value) && 'from' in value && 'to' in value
}

function isObject(value: unknown): value is Details {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
