/** Uses of credentials, which are noted after the answer. */
import type { FastifyRequest } from 'fastify'
import { active } from '../../platform/channels.ts'
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import type { App } from '../../platform/http/server.ts'
import { accountTurn } from '../access/turns.ts'
import { noteSecret } from '../keys/key-states.ts'
import { isSessionLiveAtCommit } from './lifetime.ts'

/** What a credential was used for, as far as its last use is to be noted. */
export interface Use {
  readonly tenant: string
  readonly session?: { readonly sessionId: string; readonly userId: string } | undefined
  /** The hash of a key's secret. */
  readonly secret?: Buffer | undefined
  /** The hash of an application's secret. */
  readonly applicationSecret?: Buffer | undefined
  /** The id of the grant. */
  readonly grant?: string | undefined
  /** The id of the membership. */
  readonly membership?: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by a door: of the request's credential, and of one that it verifies; and by the routes for applications. */
    uses: readonly Use[] | undefined
  }
}

/** The user first, as in all that starts or ends sessions. */
function noteSession(sql: Sql, { sessionId, userId }: NonNullable<Use['session']>): Sent<unknown> {
  return pipeline([
    sql`
      update users set last_active_at = now()
      where tenant_id = ${sql.tenant} and id = ${userId} and (last_active_at is null or last_active_at < now())`,
    sql`
      update sessions s set last_active_at = now()
      from tenants t
      where s.tenant_id = ${sql.tenant} and s.id = ${sessionId} and t.id = s.tenant_id
        and s.last_active_at < now() - interval '1 minute' and ${isSessionLiveAtCommit}`,
  ])
}

function noteMembership(sql: Sql, id: string): Sent<unknown> {
  return sql`
    update memberships set last_active_at = greatest(date_trunc('hour', now()), joined_at)
    where tenant_id = ${sql.tenant} and id = ${id}
      and (last_active_at is null or last_active_at < now() - interval '1 hour')`
}

/** @param hash of the secret */
function noteApplicationSecret(sql: Sql, hash: Buffer): Sent<unknown> {
  return sql`
    update application_secrets set last_used_at = date_trunc('minute', now())
    where tenant_id = ${sql.tenant} and secret_hash = ${hash}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}

function noteGrant(sql: Sql, id: string): Sent<unknown> {
  return sql`
    update grants set last_used_at = now()
    where tenant_id = ${sql.tenant} and id = ${id} and ended_at is null and last_used_at < now() - interval '1 minute'`
}

/**
 * Notes uses after the answer, so that no read waits for a write: of sessions, keys, secrets of applications and grants at most once a
 * minute, of memberships at most once an hour.
 */
export function noteActivity(app: App): void {
  const underWay = new Map<string, Promise<unknown>>()
  app.decorateRequest('uses', undefined)
  app.addHook('onResponse', async (request) => {
    for (const use of request.uses ?? []) note(request, use)
  })
  app.addHook('onClose', async () => {
    await Promise.all(underWay.values())
  })

  function note({ log }: FastifyRequest, use: Use): void {
    const { tenant, session, secret, applicationSecret, grant, membership } = use
    const key = JSON.stringify({
      ...use,
      secret: secret?.toString('hex'),
      applicationSecret: applicationSecret?.toString('hex'),
    })
    if (underWay.has(key)) return
    if (session) active.publish(undefined)
    const noted = app.database
      .inTenant(
        tenant,
        (sql) =>
          sql.commit([
            session && noteSession(sql, session),
            secret && noteSecret(sql, secret),
            applicationSecret && noteApplicationSecret(sql, applicationSecret),
            grant !== undefined && noteGrant(sql, grant),
            membership !== undefined && noteMembership(sql, membership),
          ]),
        session && { turn: accountTurn(session.userId) },
      )
      .catch((error: unknown) => log.warn({ err: error }, 'could not note activity'))
      .finally(() => underWay.delete(key))
    underWay.set(key, noted)
  }
}
