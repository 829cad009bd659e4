/** Webhooks as they are stored, for tests: added without a request. */
import { newId } from '../src/platform/http/schemas.ts'
import type { World } from './world.ts'

/** A row of `webhooks`, as far as a test says it. The columns are those of the table. */
export type StoredWebhook = Readonly<Record<string, unknown>> & { readonly id: string }

/** @returns functions that add and read webhooks in the world of a test file */
export function onStoredWebhooks({ postgres: { query }, tenantId }: Pick<World, 'postgres' | 'tenantId'>) {
  /** @param columns those that differ from an active webhook of the tenant, which nobody has set up */
  async function add(columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const row = {
      tenant_id: tenantId,
      id: newId('whk'),
      name: 'Billing',
      url: 'https://billing.example.com/a-secret-path',
      place: 0,
      ...columns,
    }
    const names = Object.keys(row)
    await query(
      `insert into webhooks (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    )
    return row.id
  }

  async function stateOf(id: string): Promise<StoredWebhook> {
    const [row] = await query<StoredWebhook>('select * from webhooks where id = $1', [id])
    if (!row) throw new Error('the webhook is not stored')
    return row
  }

  return { add, stateOf }
}
