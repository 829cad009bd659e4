/** Admins of the tenant. Invariant: a tenant keeps an active one. */
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { lockTenant } from '../access/tenant-lock.ts'
import type { TenantRole } from '../permissions/roles.ts'
import { ApiProblem } from '../problems.ts'

/**
 * The tenant's row is locked before its admins are counted, so that two of them cannot go at the same moment.
 *
 * @throws Problem last_admin
 */
export async function keepAnAdmin(
  sql: Sql,
  { userId, role }: { readonly userId: string; readonly role: TenantRole },
): Promise<void> {
  if (role !== 'admin') return
  await lockTenant(sql)
  const others = await sql`${selectOtherAdmin(sql.tenant, userId)}`
  if (others.length === 0) throw new ApiProblem('last_admin')
}

/** Selects a row when somebody else is an active admin of the tenant. */
export function selectOtherAdmin(tenant: string, user: Statement | string): Statement {
  return statement`
    select true as is_there
    from users
    where tenant_id = ${tenant} and role = 'admin' and status = 'active' and id <> ${user}
    limit 1`
}
