/** Merge: how a PATCH changes a JSON object (RFC 7396). */
import { faultOf } from './faults.ts'
import { invalidRequest } from './problems.ts'
import { metadataFault, metadataLimits } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * @param patch   members to set; null takes one away; what is absent stays
 * @param pointer the field that is named when it does not fit
 * @throws Problem invalid_request when the whole becomes larger or deeper than metadata may be
 */
export function mergeMetadata(stored: Json, patch: Json | undefined, pointer = '/metadata'): Record<string, unknown> {
  const merged = merge(stored, patch ?? {})
  const fault = metadataFault(merged)
  if (fault) throw invalidRequest([faultOf(pointer, fault, metadataLimits[fault])])
  return merged
}

function merge(stored: Json, patch: Json): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...stored }
  for (const [key, value] of Object.entries(patch)) {
    const kept = merged[key]
    if (value === null) delete merged[key]
    else merged[key] = isObject(value) ? merge(isObject(kept) ? kept : {}, value) : value
  }
  return merged
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
