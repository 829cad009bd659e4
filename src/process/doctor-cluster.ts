/** Examination of a Citus cluster for the doctor. */
import { findFaultyNodes } from '../platform/database/distribute.ts'
import { findDistribution, referenceTables, select } from '../platform/database/distribution.ts'
import { connect } from '../platform/database/requirements.ts'

/**
 * Reports nothing where there are no workers. Whether all tables are distributed, if one is, is checked before.
 *
 * @returns whether rows of tenants can be read
 */
export async function examineCluster(
  url: string,
  isPooled: boolean,
  report: (subject: string, level: 'ok' | 'warn' | 'fail', text: string) => void,
): Promise<boolean> {
  const client = await connect(url, isPooled)
  try {
    const found = await findDistribution(client)
    if (!found) return true
    if (found.distributed.length === 0) {
      const workers = await select(client, `select from pg_dist_node where groupid > 0 and noderole = 'primary'`)
      if (workers.length > 0)
        report(
          'Cluster',
          'warn',
          `This cluster has ${workers.length === 1 ? '1 worker' : `${workers.length} workers`}, but no table is distributed. Run "guildhall distribute".`,
        )
      return true
    }
    const faults = await findFaultyNodes(client)
    if (faults.length > 0) report('Cluster', 'fail', faults.join('\n'))
    else
      report(
        'Cluster',
        'ok',
        `${found.distributed.length} tables are distributed by tenant_id; ${referenceTables.join(' and ')} are on every node, and all workers answer.`,
      )
    return faults.length === 0
  } finally {
    await client.end()
  }
}
