/** Why a key was refused, in words. */
import { isRefusal, Refusal } from '../api/refusal.ts'

/** @param names of scopes, by their keys @returns a refusal that names what the user lacks; other errors as they are */
export function explained(error: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!isRefusal(error, 'role_above_yours')) return error
  const { missing = [] } = error.problem
  return new Refusal({ ...error.problem, missing: missing.map((key) => names.get(key) ?? key) })
}
