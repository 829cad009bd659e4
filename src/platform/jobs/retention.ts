/**
 * Retention: takes away what has had its time, a little at a time.
 *
 * Any number of processes may do it at once: each batch is a transaction of its own, and passes over the rows that another one holds.
 */
import { expiry } from '../../domain/sessions/lifetime.ts'
import type { Database, Sql } from '../database/database.ts'
import { answerLifetime } from '../http/idempotency.ts'
import { databaseTime } from '../limits/rates.ts'

/** How many rows a statement takes, so that it ends well within its time. */
const batch = 1_000
/** A run that takes longer leaves the rest to the next one, in milliseconds. */
const longest = 120_000

/**
 * What is over, by what takes a batch of it away. The rows are chosen in a `with`, which runs once: as a subselect it might run for each
 * row, and choose others each time.
 */
const overdue: Readonly<Record<string, (sql: Sql) => Promise<unknown[]>>> = {
  // Of a link that is over, the row stays without its address: it counts, so that no old link ever comes alive again.
  links: (sql) => sql`
    with over as (
      select user_id, purpose, slot from mailed_tokens
      where tenant_id = ${sql.tenant} and email <> '' and expires_at < now() - interval '7 days'
      limit ${batch}
      for update skip locked)
    update mailed_tokens k set email = '', slot = case k.slot when '' then '' else k.generation::text end,
      spent_at = coalesce(k.spent_at, k.expires_at)
    from over
    where k.tenant_id = ${sql.tenant} and k.user_id = over.user_id and k.purpose = over.purpose and k.slot = over.slot
    returning k.user_id`,
  // A network is known for 30 days after its last session was used (domain/credentials/known-devices.ts).
  sessions: (sql) => sql`
    with over as (
      select s.id
      from sessions s
      join tenants t on t.id = ${sql.tenant}
      where s.tenant_id = ${sql.tenant} and s.last_active_at < now() - interval '30 days'
        and (s.ended_at < now() - interval '30 days' or ${expiry} < now())
      limit ${batch}
      for update of s skip locked)
    delete from sessions s
    using over
    where s.tenant_id = ${sql.tenant} and s.id = over.id
    returning s.id`,
  devices: (sql) => sql`
    with over as (
      select user_id, token_hash from known_devices
      where tenant_id = ${sql.tenant} and last_used_at < now() - interval '400 days'
      limit ${batch}
      for update skip locked)
    delete from known_devices d
    using over
    where d.tenant_id = ${sql.tenant} and d.user_id = over.user_id and d.token_hash = over.token_hash
    returning d.user_id`,
  mails: (sql) => sql`
    with over as (
      select id from mails
      where tenant_id = ${sql.tenant} and sent_at < now() - interval '30 days'
      limit ${batch}
      for update skip locked)
    delete from mails m
    using over
    where m.tenant_id = ${sql.tenant} and m.id = over.id
    returning m.id`,
  // No wait is longer than 15 minutes. What counts all unknown devices together stays while they are kept out.
  attempts: (sql) => sql`
    with over as (
      select account, source from password_attempts
      where tenant_id = ${sql.tenant} and updated_at < now() - interval '1 day'
        and (source <> '' or (failures < 100 and updated_at < now() - interval '30 days'))
      limit ${batch}
      for update skip locked)
    delete from password_attempts a
    using over
    where a.tenant_id = ${sql.tenant} and a.account = over.account and a.source = over.source
    returning a.account`,
  // Details go with their entries.
  audit: (sql) => sql`
    with over as (
      select e.id
      from audit_entries e
      where e.tenant_id = ${sql.tenant}
        and e.occurred_at < now() - make_interval(secs => (
          select audit_retention_seconds from tenants where id = ${sql.tenant}))
      order by e.occurred_at
      limit ${batch}
      for update of e skip locked)
    delete from audit_entries e
    using over
    where e.tenant_id = ${sql.tenant} and e.id = over.id
    returning e.id`,
  answers: (sql) => sql`
    with over as (
      select user_id, digest from idempotency_keys
      where tenant_id = ${sql.tenant} and created_at < now() - ${answerLifetime}
      limit ${batch}
      for update skip locked)
    delete from idempotency_keys k
    using over
    where k.tenant_id = ${sql.tenant} and k.user_id = over.user_id and k.digest = over.digest
    returning k.user_id`,
  setUpLinks: (sql) => sql`
    delete from set_up_links where tenant_id = ${sql.tenant} and expires_at < now() returning tenant_id`,
}

/**
 * The task: a round through all tenants.
 *
 * @returns how many rows went, by what they were
 */
export async function keepRetention(database: Database): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const end = Date.now() + longest
  const tenants = await database.acrossTenants((sql) => sql<{ id: string }>`select id from tenants order by id`)
  for (const { id } of tenants) {
    for (const [name, take] of Object.entries(overdue)) {
      for (let taken = batch; taken === batch && Date.now() < end; ) {
        taken = (await database.inTenant(id, take)).length
        if (taken > 0) counts[name] = (counts[name] ?? 0) + taken
      }
    }
  }
  await database.acrossTenants((sql) => sql`delete from rates where expire < ${databaseTime}`)
  await dropGoodbyes(database)
  return counts
}

/** A goodbye mail that could not be sent for a day is not sent: its job is the last trace of somebody who is gone. */
async function dropGoodbyes(database: Database): Promise<void> {
  await database.acrossTenants(
    (sql) => sql`
      select graphile_worker.complete_jobs(array(
        select id from graphile_worker.jobs
        where starts_with(key, 'account_deleted:') and created_at < now() - interval '22 hours'))`,
  )
}
