/** The fields that an entry says have changed. */
import type { Entry } from './sentences.ts'

export type Change = readonly [field: string, change: { readonly from: unknown; readonly to: unknown }]

/** @returns each field with its old and new value; those of a brand stand by themselves */
export function changesIn(details: Entry['details']): Change[] {
  return Object.entries(details ?? {})
    .filter(isChange)
    .flatMap((change) => (change[0] === 'brand' ? partsOf(change) : [change]))
}

function isChange(entry: [string, unknown]): entry is [string, { from: unknown; to: unknown }] {
  const [, value] = entry
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value
}

function partsOf([, { from, to }]: Change): Change[] {
  const [before, after] = [from, to].map((value) => new Map(Object.entries(value ?? {})))
  const fields = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])]
  return fields
    .map((field): Change => [field, { from: before?.get(field) ?? null, to: after?.get(field) ?? null }])
    .filter(([, change]) => change.from !== change.to)
}
