/** Changes: the old and new values of what a PATCH changed, as audit entries tell them. */
import { isDeepStrictEqual } from 'node:util'

/** `{ field: { from, to } }` */
export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>

/**
 * @param wanted the fields that were sent
 * @returns those of them that differ, or undefined when none does: then there is nothing to write
 */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Changes | undefined {
  const changed = Object.entries(wanted).filter(
    ([field, to]) => to !== undefined && !isDeepStrictEqual(before[field], to),
  )
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map(([field, to]) => [field, { from: before[field] ?? null, to }]))
}
