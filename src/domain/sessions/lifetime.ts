/** Lifetime: until when a session lives, by the database's clock and its tenant's settings, and noting that it was used. */
import { active } from '../../platform/channels.ts'
import { pipeline, statement } from '../../platform/database/database.ts'
import type { App } from '../../platform/http/server.ts'

/** When one of `sessions s` expires, by the times of `tenants t`. */
export const expiry = statement`least(
  s.created_at + make_interval(secs => t.session_absolute_seconds),
  s.last_active_at + make_interval(secs => t.session_idle_seconds))`

/** Which of `sessions s` live, by the times of `tenants t`. */
export const isLive = statement`s.ended_at is null and ${expiry} > now()`

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by a door when the session's last activity is to be noted. */
    staleSession: { readonly sessionId: string; readonly userId: string } | undefined
  }
}

/** Notes that a session was used: at most once a minute, after the answer, so that no read waits for a write. */
export function noteActivity(app: App): void {
  const underWay = new Map<string, Promise<unknown>>()
  app.decorateRequest('staleSession', undefined)
  app.addHook('onResponse', async (request) => {
    const { staleSession: stale, credential } = request
    if (!stale || !credential || underWay.has(stale.sessionId)) return
    active.publish(undefined)
    const noted = app.database
      .inTenant(credential.tenant, (sql) =>
        pipeline([
          sql`
            update sessions set last_active_at = now()
            where tenant_id = ${sql.tenant} and id = ${stale.sessionId} and last_active_at < now() - interval '1 minute'`,
          sql`
            update users set last_active_at = now()
            where tenant_id = ${sql.tenant} and id = ${stale.userId} and (last_active_at is null or last_active_at < now())`,
        ]),
      )
      .catch((error: unknown) => request.log.warn({ err: error }, 'could not note a session’s activity'))
      .finally(() => underWay.delete(stale.sessionId))
    underWay.set(stale.sessionId, noted)
  })
  app.addHook('onClose', async () => {
    await Promise.all(underWay.values())
  })
}
