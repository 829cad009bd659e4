/**
 * The decision: what somebody must still do before an application gets a code for them. One function answers it for the authorization
 * endpoint, for the page that leads through the steps, and for a refresh.
 *
 * Invariant: it knows only the request and one row of facts, whose times are all the database's. So whatever a request asks holds wherever
 * the request is judged.
 */
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { organizationNamed } from '../access/caller.ts'
import { isRequiredByTenant } from '../access/second-factor.ts'
import { isCurrent } from '../permissions/held.ts'
import { authenticatedAt, isSessionLive } from '../sessions/lifetime.ts'
import type { ApplicationKind } from './applications.ts'

export const steps = [
  'sign_in',
  'sign_up',
  'confirm',
  'second_factor',
  'verify_email',
  'organization',
  'continue',
] as const
/** What is missing. `continue` is a click: the page shows who is signed in, and to what. */
export type Step = (typeof steps)[number]

/** What may be asked by `prompt` (OpenID Connect Core 1.0, 3.1.2.1; Initiating User Registration 1.0). */
export const prompts = ['none', 'login', 'consent', 'select_account', 'create'] as const
export type Prompt = (typeof prompts)[number]

/** What a request asks. */
export interface Asked {
  /** When it came, by the database’s clock. */
  readonly requestedAt: string
  /** The id of the user whom it wants; null: anybody. */
  readonly subject: string | null
  readonly prompts: readonly Prompt[]
  /** How many seconds ago the user may have been authenticated; null: it does not matter. */
  readonly maxAge: number | null
  /** Whether it asks for two factors (`acr_values=aal2`). */
  readonly isForTwoFactors: boolean
  /** The organization that it names, or that the user has chosen. */
  readonly organization: string | null
  readonly redirectUri: string
}

/** What is true now, of an application and of a session. */
export interface Facts {
  /** The database’s time. RFC 3339, as all times here. */
  readonly now: string
  readonly kind: ApplicationKind
  readonly enabled: boolean
  readonly requireVerifiedEmail: boolean
  readonly chooseOrganization: boolean
  /** The session, if it lives and its user is active; else null, as all that follows but the organizations. */
  readonly sessionId: string | null
  readonly userId: string | null
  readonly emailVerified: boolean | null
  readonly authenticatedAt: string | null
  /** 2 if the session has proven two factors. */
  readonly assurance: 1 | 2 | null
  /** Whether the tenant requires a second factor of the user. */
  readonly isRequiredByTenant: boolean | null
  /**
   * Of those in which the user is an active member: the one that was named; if none was and the application wants one, two of them at most.
   */
  readonly organizations: readonly { readonly id: string; readonly secondFactor: 'optional' | 'required' }[]
}

/** How an application learns that something is missing, if it allows no page (OpenID Connect Core 1.0, 3.1.2.6). */
export type MissingError = 'login_required' | 'interaction_required' | 'account_selection_required' | 'invalid_request'

export type Decision = Missing | Ready

/** The first step that is missing. */
interface Missing {
  readonly step: Step
  /** What is answered to `prompt=none` instead of the step. */
  readonly error: MissingError
  /** As of `Ready`, if the step is `continue`; else null. */
  readonly organizationId: string | null
}

/** Nothing is missing. */
interface Ready {
  readonly step: null
  /** The organization that was named, chosen, or is the only one; null if the request is about none. */
  readonly organizationId: string | null
}

/**
 * Selects `Facts`: one row, or none if the tenant or its application does not exist.
 *
 * @param isSession a condition: which of `sessions s` it is
 * @param organization the id or the slug of the one that was named or chosen
 * @param also more columns, of `applications a`
 */
export function selectFacts(
  tenant: string,
  isSession: Statement,
  application: string,
  organization: string | null,
  also: Statement = empty,
): Statement {
  const isWanted =
    organization === null
      ? statement`a.choose_organization`
      : statement`m.organization_id = ${organizationNamed(tenant, organization)}`
  return statement`
    select statement_timestamp() as now, a.kind, a.is_enabled as enabled, a.require_verified_email, a.choose_organization,
      case when u.id is not null then s.id end as session_id, u.id as user_id, u.email_verified,
      case when u.id is not null then ${authenticatedAt} end as authenticated_at,
      case when u.id is not null then s.assurance end as assurance, ${isRequiredByTenant} as is_required_by_tenant,
      (select coalesce(json_agg(json_build_object('id', o.id, 'secondFactor', o.second_factor)), '[]')
        from (
          select o.id, o.second_factor
          from memberships m
          join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
          where m.tenant_id = ${tenant} and m.user_id = u.id and m.status = 'active' and ${isCurrent} and ${isWanted}
          limit 2) o) as organizations ${also}
    from tenants t
    join applications a on a.tenant_id = ${tenant} and a.id = ${application}
    left join sessions s on s.tenant_id = ${tenant} and ${isSession} and ${isSessionLive}
    left join users u on u.tenant_id = ${tenant} and u.id = s.user_id and u.status = 'active'
    where t.id = ${tenant} and t.deleted_at is null`
}

/** @returns the first step that is missing. `continue` is the last one: then nothing else is missing */
export function decide(asked: Asked, facts: Facts): Decision {
  const missing = (step: Step, error: MissingError): Missing => ({ step, error, organizationId: null })
  if (facts.userId === null || (asked.subject !== null && asked.subject !== facts.userId))
    return missing(asked.prompts.includes('create') ? 'sign_up' : 'sign_in', 'login_required')
  if (!isRecent(asked, facts)) return missing('confirm', 'login_required')
  const hasTwoFactors = facts.assurance === 2
  if (!hasTwoFactors && (asked.isForTwoFactors || facts.isRequiredByTenant))
    return missing('second_factor', 'interaction_required')
  if (facts.requireVerifiedEmail && !facts.emailVerified) return missing('verify_email', 'interaction_required')

  const [organization, another] = facts.organizations
  if (asked.organization !== null && !organization) return missing('organization', 'interaction_required')
  if (asked.organization === null && facts.chooseOrganization && (!organization || another))
    return missing('organization', 'account_selection_required')
  if (!hasTwoFactors && organization?.secondFactor === 'required')
    return missing('second_factor', 'interaction_required')

  const organizationId = organization?.id ?? null
  if (asked.prompts.includes('select_account')) return { step: 'continue', error: 'invalid_request', organizationId }
  // Any program of the device may listen at the port, or may have registered the scheme (RFC 8252, 8.6).
  if (facts.kind !== 'server' && !asked.redirectUri.startsWith('https:'))
    return { step: 'continue', error: 'interaction_required', organizationId }
  return { step: null, organizationId }
}

/** Whether the user was authenticated as lately as the request asks: since it came, or at most `maxAge` ago. */
function isRecent({ prompts, maxAge, requestedAt }: Asked, { authenticatedAt, now }: Facts): boolean {
  const at = Date.parse(authenticatedAt ?? '')
  const isSince = at > Date.parse(requestedAt)
  if (isSince) return true
  if (prompts.includes('login')) return false
  return maxAge === null || (maxAge > 0 && Date.parse(now) - at <= maxAge * 1_000)
}
