/**
 * Tombstones: the sealed ids of people who were erased. An event that erases somebody carries one, so that products learn whose account has
 * gone (GDPR, article 19), although the database names nobody.
 *
 * Invariant: a tombstone is good for its entry alone, and goes after 30 days, or with its event if that is earlier.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Purge, statement } from '../../platform/database/database.ts'
import { sequenceAt } from '../../platform/jobs/batch.ts'

const lifetime = statement`interval '30 days'`

/** @returns what seals the id for an entry, whose own id `record` makes */
export function sealTombstone(keyring: Keyring, tenant: string, userId: string): (entryId: string) => string {
  return (entryId) => keyring.seal('tombstone', userId, `${tenant} ${entryId}`)
}

/** @returns the id of the person; undefined if it was sealed under a secret that was since taken away */
export function openTombstone(keyring: Keyring, tenant: string, entryId: string, sealed: string): string | undefined {
  return keyring.open('tombstone', sealed, `${tenant} ${entryId}`)
}

export const purgeTombstones: Purge = (sql, batch) => sql`
  with over as (
    select sequence from feed
    where tenant_id = ${sql.tenant} and tombstone is not null and (
      sequence <= ${sequenceAt(statement`now() - ${lifetime}`)} or not exists (
        -- It may have got its place long after its entry.
        select from audit_entries e
        where e.tenant_id = ${sql.tenant} and e.id = feed.entry_id and e.occurred_at > now() - ${lifetime}))
    limit ${batch}
    for update skip locked)
  update feed f set tombstone = null
  from over
  where f.tenant_id = ${sql.tenant} and f.sequence = over.sequence
  returning f.sequence`
