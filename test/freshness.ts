/** Freshness in tests: of sessions, which a service takes as fresh for ten minutes. */
import type { TestDatabase } from './database.ts'

/**
 * Keeps sessions fresh for an hour more: a sweep may take longer than ten minutes on a slow machine.
 *
 * @param tenant whose sessions; by default those of all
 */
export async function keepFresh({ query }: Pick<TestDatabase, 'query'>, tenant?: string): Promise<void> {
  await query(
    `update sessions set authenticated_at = now() + interval '1 hour' where $1::uuid is null or tenant_id = $1`,
    [tenant ?? null],
  )
}
