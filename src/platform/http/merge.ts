/** JSON Merge Patch (RFC 7396) of metadata. */
import { faultOf } from './faults.ts'
import { invalidRequest } from './problems.ts'
import { metadataFault, metadataLimits } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * @param patch   the members to set; null removes a member, and omitted members keep their value; null for all of them removes them all
 * @param pointer of the field, for the fault
 * @returns the merged object
 * @throws Problem invalid_request when the result is larger or deeper than metadata may be
 */
export function mergeMetadata(
  stored: Json,
  patch: Json | null | undefined,
  pointer = '/metadata',
): Record<string, unknown> {
  const merged = patch === null ? {} : merge(stored, patch ?? {})
  const fault = metadataFault(merged)
  if (fault) throw invalidRequest([faultOf(pointer, fault, metadataLimits[fault])])
  return merged
}

function merge(stored: Json, patch: Json): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...stored }
  for (const [key, value] of Object.entries(patch)) {
    const current = merged[key]
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) ? merge(isObject(current) ? current : {}, value) : value
  }
  return merged
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
