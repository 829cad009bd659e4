/** Examination of a Citus cluster for the doctor. */
import { findFaultyNodes } from '../platform/database/distribute.ts'
import { findDistribution, referenceTables } from '../platform/database/distribution.ts'
import { connect } from '../platform/database/requirements.ts'

/** Reports nothing where nothing is distributed. Whether all tables are is checked before. */
export async function examineCluster(
  url: string,
  isPooled: boolean,
  report: (subject: string, level: 'ok' | 'fail', text: string) => void,
): Promise<void> {
  const client = await connect(url, isPooled)
  try {
    const found = await findDistribution(client)
    if (!found || found.distributed.length === 0) return
    const faults = await findFaultyNodes(client)
    if (faults.length > 0) return report('Cluster', 'fail', faults.join('\n'))
    report(
      'Cluster',
      'ok',
      `${found.distributed.length} tables are distributed by tenant_id; ${referenceTables.join(' and ')} are on every node, and all workers answer.`,
    )
  } finally {
    await client.end()
  }
}
