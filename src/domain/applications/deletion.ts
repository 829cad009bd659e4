/**
 * Deletion: takes an application away for good, with its secrets and grants. Nobody is told: sessions go on.
 *
 * An application of a large tenant has a grant of each session, so grants go in batches:
 *
 * 1. If it has more than a batch, the first transaction disables the application. From its commit on, each grant is refused.
 * 2. Each batch is a transaction of its own, which locks nothing but the grants. So other changes in the tenant do not wait.
 * 3. The last transaction deletes the application and what is left.
 *
 * If the process is killed in between, the application stays disabled. It is deleted once it is deleted again.
 */
import { type Database, pipeline, type Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { checkVersion } from '../../platform/http/preconditions.ts'
import { normalizeName } from '../../platform/http/schemas.ts'
import type { Actor } from '../access/actors.ts'
import type { Transact } from '../access/tenant-lock.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { deleteGrantsOf, hasMoreGrants } from '../sessions/grants.ts'
import { getApplication, writeChanges } from './administration.ts'
import { dropApplication } from './application-states.ts'
import type { Application } from './applications.ts'

/** How many grants a transaction deletes at most, so that it ends well within a statement's time. */
const batch = 10_000

interface Dropped {
  readonly name: string
  readonly deletedAt: string
}

/**
 * Deletes an application.
 *
 * @param transact for somebody who may delete it
 * @param confirm what must be its name; undefined: the operator has confirmed it
 * @throws Problem not_found, confirmation_mismatch, version_mismatch
 */
export async function deleteApplication(
  transact: Transact,
  { database, wantedTags }: Pick<RequestContext, 'database' | 'wantedTags'>,
  id: string,
  confirm: string | undefined,
): Promise<Dropped> {
  const begun = await transact(async (sql, actor) => {
    const application = await getApplication(sql, id)
    if (confirm !== undefined && application.name !== normalizeName(confirm))
      throw new ApiProblem('confirmation_mismatch')
    checkVersion({ wantedTags }, application)
    if (!(await hasMoreGrants(sql, id, batch))) return drop(sql, actor, application)
    await writeChanges(sql, actor, application, { enabled: false })
    return { tenant: sql.tenant }
  })
  if ('name' in begun) return begun
  await deleteGrants(database, begun.tenant, id)
  return transact(async (sql, actor) => drop(sql, actor, await getApplication(sql, id)))
}

async function deleteGrants(database: Database, tenant: string, id: string): Promise<void> {
  let deleted = batch
  while (deleted === batch) deleted = (await database.inTenant(tenant, (sql) => deleteGrantsOf(sql, id, batch))).length
}

/** Foreign keys delete its secrets, and the grants that are left. */
async function drop(sql: Sql, actor: Actor, { id, name, kind }: Application): Promise<Dropped> {
  const [dropped, , [now]] = await pipeline([
    dropApplication(sql, id),
    record(sql, actor, 'application.deleted', { target: { type: 'application', id }, details: { name, kind } }),
    sql<Pick<Dropped, 'deletedAt'>>`select now() as deleted_at`,
  ])
  if (dropped.length === 0 || !now) throw new Error('The application is not locked.')
  return { name, ...now }
}
