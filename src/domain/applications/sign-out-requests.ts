/**
 * Sign-out requests: what an application sends people to us with to sign them out (OpenID Connect RP-Initiated Logout 1.0). They are sealed
 * with their time (sealed-requests.ts); the page of the sign-out sends them back.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { isSessionLive } from '../sessions/lifetime.ts'
import { isOver, openRequest } from './sealed-requests.ts'

/** A request that was checked. */
export interface SignOutRequest {
  /** When it came, by the database’s clock. */
  readonly requestedAt: string
  /** Null: it names no application, or none of the tenant’s. */
  readonly applicationId: string | null
  /** One of the application’s `postLogoutUris`, where the person may go back to. */
  readonly returnUri: string | null
  readonly state: string | null
  /** The session that the application has signed in with, by an ID token of ours. */
  readonly sessionId: string | null
}

/** What `selectSignOut` selects. */
export interface SignOutFacts {
  readonly now: string
  /** The session, if it lives. */
  readonly sessionId: string | null
  /** The application, if it exists and is not switched off. */
  readonly application: { readonly id: string; readonly name: string; readonly logoUrl: string | null } | null
  /** Whether it has the address to go back to. */
  readonly isKnown: boolean | null
}

/**
 * Selects what a sign-out depends on. No outer join is compared with null, which would crash Citus (tools/citus.ts): no application has an
 * empty id.
 *
 * @param isSession a condition: which of `sessions s` it is
 */
export function selectSignOut(
  tenant: string,
  isSession: Statement,
  { applicationId, returnUri }: Pick<SignOutRequest, 'applicationId' | 'returnUri'>,
): Statement {
  return statement`
    select statement_timestamp() as now, s.id as session_id, ${returnUri}::text = any(a.post_logout_uris) as is_known,
      case when a.id is not null
        then json_build_object('id', a.id, 'name', a.name, 'logoUrl', a.logo_url) end as application
    from tenants t
    left join sessions s on s.tenant_id = ${tenant} and ${isSession} and ${isSessionLive}
    left join applications a on a.tenant_id = ${tenant} and a.id = ${applicationId ?? ''} and a.is_enabled
    where t.id = ${tenant} and t.deleted_at is null`
}

/** @returns where the person goes after the sign-out; null: they stay with us */
export function returnUrl(request: SignOutRequest, { isKnown, now }: SignOutFacts): string | null {
  const { returnUri, state } = request
  if (returnUri === null || !isKnown || isOver(request, now)) return null
  if (state === null) return returnUri
  return `${returnUri}${returnUri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`
}

/** Whether the page asks the person first: anybody may have sent them here. */
export function mustAsk(request: SignOutRequest, { sessionId, now }: SignOutFacts): boolean {
  return sessionId !== null && (request.sessionId !== sessionId || isOver(request, now))
}

/** @returns what was sealed; for any other text a request for nothing, because nobody is refused who wants to sign out */
export function openSignOut(keyring: Keyring, tenant: string, text: string): SignOutRequest {
  return openRequest<SignOutRequest>(keyring, tenant, 'sign-out', text) ?? noRequest
}

const noRequest: SignOutRequest = {
  requestedAt: '1970-01-01T00:00:00.000Z',
  applicationId: null,
  returnUri: null,
  state: null,
  sessionId: null,
}
