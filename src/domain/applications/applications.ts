/**
 * Applications: the products of a tenant into which its people sign in with Guildhall, by OpenID Connect. application-states.ts makes,
 * changes and ends them.
 *
 * All applications are the tenant's own, so nobody is asked for consent.
 */
import { type Static, Type } from 'typebox'
import { type Statement, statement } from '../../platform/database/database.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { HttpsUrl, Id, inUtc, Name, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { isSecretLive } from '../secrets.ts'

/** Where an application runs: on a server, which alone keeps a secret; as a page; or on a device, as an app or in a terminal. */
export const applicationKinds = ['server', 'browser', 'native'] as const
export type ApplicationKind = (typeof applicationKinds)[number]

/** What an application may ask for (OpenID Connect Core 1.0, 5.4 and 11); `api` opens routes of ours for its access tokens. */
export const applicationScopes = ['openid', 'profile', 'email', 'offline_access', 'api'] as const
export type ApplicationScope = (typeof applicationScopes)[number]
export const usualScopes = ['openid', 'profile', 'email'] as const satisfies readonly ApplicationScope[]

/** How telling an application of the end of a session went. */
export const logoutOutcomes = ['delivered', 'failed'] as const

export const ApplicationName = { ...Name, examples: ['Acme'] }
/** Anything that may be an address; what is one, and allowed, says addresses.ts. */
export const Uri = Type.String({ minLength: 1, maxLength: 2048, examples: ['https://app.example.com/callback'] })

export type Application = Static<typeof Application>
export const Application = Type.Object(
  {
    id: { ...Id('app'), description: 'The id of an application, which is also its `client_id`.' },
    name: ApplicationName,
    kind: OneOf(applicationKinds, {
      description: 'Where it runs: on a server, in a browser, or on a device of its user. It never changes.',
    }),
    logoUrl: Nullable(HttpsUrl),
    startUrl: Nullable({
      ...Uri,
      description:
        'Where it begins a sign-in by itself. Links to the home of a tenant have `iss`, and after an invitation `organization`, to pass on to the request.',
    }),
    redirectUris: Type.Array(Uri, { maxItems: 20, description: 'Where its people may be sent with a code.' }),
    postLogoutUris: Type.Array(Uri, { maxItems: 20, description: 'Where its people may be sent after a sign-out.' }),
    backChannelLogoutUri: Nullable({ ...Uri, description: 'Where it is told that a session has ended.' }),
    scopes: Type.Array(OneOf(applicationScopes), { maxItems: 5, description: 'What it may ask for.' }),
    requireVerifiedEmail: Type.Boolean({ description: 'Whether only people with a verified address get in.' }),
    chooseOrganization: Type.Boolean({ description: 'Whether its people choose an organization.' }),
    isHome: Type.Boolean({
      description: 'Whether pages that are opened from mails lead on to it; one of a tenant at most.',
    }),
    enabled: Type.Boolean({ description: 'While it is not, nobody signs in to it, and its grants are refused.' }),
    secrets: Type.Array(
      Type.Object({ createdAt: Timestamp, expiresAt: Nullable(Timestamp), lastUsedAt: Nullable(Timestamp) }),
      { maxItems: 2, description: 'Those that live; only a `server` has some.' },
    ),
    lastLogout: Nullable(
      Type.Object(
        { at: Timestamp, outcome: OneOf(logoutOutcomes) },
        { description: 'When it was last told, or could not be told, that a session has ended.' },
      ),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Application', description: 'An application of the tenant, into which its people sign in.' },
)

/** The answer of making an application, and of rotating its secret. */
export const ApplicationWithSecret = Type.Object(
  {
    application: ref(Application),
    secret: Nullable(
      Type.String({
        maxLength: 80,
        description: 'Shown once: Guildhall stores its hash alone. Null for a kind that has none.',
        examples: ['ghx_01k9zq3v5hf8gs4m2y7c6t0wdn.…'],
      }),
    ),
  },
  { $id: 'ApplicationWithSecret', description: 'An application and its new secret.' },
)

/** A row that `selectApplications` selects. */
export type ApplicationRow = Application & Versioned

/** Applications, of `applications a`; a condition on `a` and an order may follow. */
export function selectApplications(tenant: string): Statement {
  return statement`
    select a.id, a.name, a.kind, a.logo_url, a.start_url, a.redirect_uris, a.post_logout_uris, a.back_channel_logout_uri,
      a.scopes, a.require_verified_email, a.choose_organization, a.is_home, a.is_enabled as enabled,
      (select coalesce(json_agg(json_build_object('createdAt', s.created_at, 'expiresAt', s.expires_at,
          'lastUsedAt', s.last_used_at) order by s.created_at desc), '[]')
        from application_secrets s
        where s.tenant_id = ${tenant} and s.application_id = a.id and ${isSecretLive}) as secrets,
      case when a.logout_at is not null then json_build_object('at', a.logout_at, 'outcome', a.logout_outcome) end as last_logout,
      a.created_at, a.updated_at, a.version
    from applications a
    where a.tenant_id = ${tenant}`
}

export function toApplication(row: ApplicationRow): ApplicationRow {
  return {
    ...row,
    secrets: row.secrets.map(({ createdAt, expiresAt, lastUsedAt }) => ({
      createdAt: inUtc(createdAt),
      expiresAt: expiresAt && inUtc(expiresAt),
      lastUsedAt: lastUsedAt && inUtc(lastUsedAt),
    })),
    lastLogout: row.lastLogout && { ...row.lastLogout, at: inUtc(row.lastLogout.at) },
  }
}
