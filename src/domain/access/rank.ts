/** Rank: a key of the tenant acts on people, but on none of the tenant’s admins, and it makes none. */
import type { TenantRole } from '../permissions/roles.ts'
import { ApiProblem } from '../problems.ts'
import type { Caller, KeyCaller } from './actors.ts'

/**
 * @param role that of whom the caller acts on, or the one that they give; read from a locked row, since a key does not lock the tenant
 * @throws Problem role_above_yours
 */
export function checkRank(caller: Caller | KeyCaller, role: TenantRole): void {
  if (caller.type === 'key' && role === 'admin') throw new ApiProblem('role_above_yours', { missing: [], until: null })
}
