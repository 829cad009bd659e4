/** The relay: how many rows of the outbox a second it brings into the feed, if very many wait. */
import { setTimeout } from 'node:timers/promises'
import { awaitRest, relayEvents } from './contenders/http.ts'
import type { Data } from './data.ts'
import { idSql } from './population.ts'
import type { Server } from './programs.ts'

/** How many rows wait usually. */
export const waiting = 50_000

/** @returns the rate */
export async function measureRelay(server: Server, data: Data, count: number): Promise<number> {
  const { query } = data.guildhall
  await query(`
    insert into outbox (tenant_id, written_at, id, entry_id, action)
    select '${data.tenant}', clock_timestamp(), gen_random_uuid(), ${idSql('aud', 'n')}, 'profile.updated' from generate_series(1, ${count}) n`)
  await query('vacuum analyze outbox')
  await query('checkpoint')
  const begun = performance.now()
  for (let isLeft = true; isLeft; ) {
    await relayEvents(server, data)
    await setTimeout(20)
    const [left] = await query(`select exists (select from outbox where tenant_id = '${data.tenant}') as is_left`)
    isLeft = left?.is_left
  }
  const seconds = (performance.now() - begun) / 1000
  await query(`delete from feed where tenant_id = '${data.tenant}' and action = 'profile.updated'`)
  await query('vacuum analyze feed, outbox')
  await awaitRest(server, data)
  return count / seconds
}
