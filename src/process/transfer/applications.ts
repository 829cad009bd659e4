/**
 * Import of applications: a row makes a new application, and never changes an existing one.
 *
 * Invariant: an imported application has an id of its own and no secret. So nothing that a product was given elsewhere works here.
 *
 * Applications have no external ids: a row is about the application of its name and kind.
 */
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { faultsOfFields, toNewApplication } from '../../domain/applications/administration.ts'
import { insertApplication } from '../../domain/applications/application-states.ts'
import type { Application } from '../../domain/applications/applications.ts'
import { caps } from '../../domain/limits/caps.ts'
import { record } from '../../domain/record/record.ts'
import { operator } from '../../features/tenants/tenants.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Config } from '../../platform/settings/config.ts'
import { type ApplicationRow, columnOf, type Outcome, type Row } from './rows.ts'

/**
 * Imports a batch. The tenant must have a signing key.
 *
 * @returns the outcome of each row, in the order of `rows`
 */
export async function importApplications(
  sql: Sql,
  surroundings: { readonly config: Pick<Config, 'publicUrl'> },
  rows: readonly Row<ApplicationRow>[],
  isTrial: boolean,
): Promise<Outcome[]> {
  if (!isTrial) await lockTenant(sql)
  const existing = await sql<Pick<Application, 'name' | 'kind' | 'isHome'>>`
    select name, kind, is_home from applications where tenant_id = ${sql.tenant}`
  const known = new Set(existing.map(keyOf))
  const earlier = new Set<string>()
  let hasHome = existing.some(({ isHome }) => isHome)
  let made = 0
  const importRow = async (content: ApplicationRow): Promise<Outcome> => {
    const application = toNewApplication(content)
    const key = keyOf(application)
    if (earlier.has(key)) return { reason: 'name_taken' }
    earlier.add(key)
    if (known.has(key)) return 'unchanged'
    if (existing.length + made >= caps.applications.most) return { reason: 'too_many_applications' }
    const faults = await faultsOfFields(sql, surroundings, application.kind, application)
    if (faults.length > 0) return { reason: 'invalid', faults: faults.map(columnOf) }
    await insertApplication(sql, { ...application, isHome: application.isHome && !hasHome })
    hasHome ||= application.isHome
    made++
    return 'made'
  }
  const outcomes: Outcome[] = []
  for (const { content } of rows) outcomes.push(await importRow(content))
  if (made > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await record(sql, operator, 'tenant.imported', { target, details: { applications: made } })
  }
  return outcomes
}

function keyOf({ name, kind }: Pick<Application, 'name' | 'kind'>): string {
  return `${kind} ${name}`
}
