/** Clients: applications as they ask for tokens, and whether they have proven who they are (RFC 6749, 2.3). */

import { sha256 } from '../../platform/cryptography.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/database.ts'
import { isSecretLive } from '../secrets.ts'
import type { ApplicationKind, ApplicationScope } from './applications.ts'

/** What a request says of its application, wherever it says it. */
export interface Claimed {
  readonly id: string
  readonly secret: string | undefined
}

export interface Client {
  readonly id: string
  readonly kind: ApplicationKind
  readonly enabled: boolean
  readonly scopes: readonly ApplicationScope[]
  /** The hash of the secret that it has sent, if that is one of its own, and its last use was noted more than a minute ago. */
  readonly staleSecret: Buffer | undefined
}

interface ClientRow extends Omit<Client, 'id' | 'staleSecret'> {
  /** Null: the tenant has no such application. */
  readonly id: string | null
  readonly isSecret: boolean
  readonly isStale: boolean
}

/**
 * The secret is found by its hash, so that the time tells nothing of it.
 *
 * @returns the application, if it is who it claims to be: a `server` by one of its secrets, any other without one. `nothing` if the tenant has
 *   no applications, or does not exist
 */
export async function findClient(
  database: Database,
  tenant: string,
  { id, secret }: Claimed,
): Promise<Client | undefined | 'nothing'> {
  const hash = secret === undefined ? Buffer.alloc(0) : sha256(secret) // of none: null would crash Citus (tools/citus.ts)
  const { found } = await database.read(
    tenant,
    {
      found: statement`
        select a.id, a.kind, a.is_enabled as enabled, a.scopes, s.secret_hash is not null as is_secret,
          coalesce(s.last_used_at < now() - interval '1 minute', true) as is_stale
        from tenants t
        left join applications a on a.tenant_id = ${tenant} and a.id = ${id}
        left join application_secrets s on s.tenant_id = ${tenant} and s.application_id = a.id and s.secret_hash = ${hash}
          and ${isSecretLive}
        where t.id = ${tenant} and t.deleted_at is null
          and exists (select from applications any_one where any_one.tenant_id = ${tenant})`,
    },
    { byKey: true },
  )
  const [row] = found as unknown as ClientRow[] // as the statement selects it
  if (!row) return 'nothing'
  const isProven = row.kind === 'server' ? row.isSecret : secret === undefined
  if (row.id === null || !isProven) return undefined
  const { kind, enabled, scopes } = row
  return { id: row.id, kind, enabled, scopes, staleSecret: row.isSecret && row.isStale ? hash : undefined }
}
