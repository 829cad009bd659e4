/**
 * The states of an application: how it begins, changes and ends.
 *
 * Invariants: at most two secrets of an application live, and only those of the kind `server` have some. At most one application of a
 * tenant is its home (`applications_home_key`). Admins’ changes are made under the lock of the tenant’s row.
 */
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import type { Application, logoutOutcomes } from './applications.ts'

/** What admins write. */
export type ApplicationFields = Pick<
  Application,
  | 'name'
  | 'logoUrl'
  | 'startUrl'
  | 'redirectUris'
  | 'postLogoutUris'
  | 'backChannelLogoutUri'
  | 'scopes'
  | 'requireVerifiedEmail'
  | 'chooseOrganization'
  | 'isHome'
  | 'enabled'
>

/** Adds an application. */
export function insertApplication(
  sql: Sql,
  application: ApplicationFields & Pick<Application, 'id' | 'kind'>,
): Sent<unknown> {
  const { id, kind, name, logoUrl, startUrl, redirectUris, postLogoutUris, backChannelLogoutUri, scopes } = application
  const { requireVerifiedEmail, chooseOrganization, isHome, enabled } = application
  return sql`
    insert into applications (tenant_id, id, kind, name, logo_url, start_url, redirect_uris, post_logout_uris, back_channel_logout_uri,
      scopes, require_verified_email, choose_organization, is_home, is_enabled)
    values (${sql.tenant}, ${id}, ${kind}, ${name}, ${logoUrl}, ${startUrl}, ${redirectUris}, ${postLogoutUris},
      ${backChannelLogoutUri}, ${scopes}, ${requireVerifiedEmail}, ${chooseOrganization}, ${isHome}, ${enabled})`
}

/** Changes an application whose row is locked. */
export function writeApplication(sql: Sql, id: string, fields: ApplicationFields): Sent<unknown> {
  const { name, logoUrl, startUrl, redirectUris, postLogoutUris, backChannelLogoutUri, scopes } = fields
  const { requireVerifiedEmail, chooseOrganization, isHome, enabled } = fields
  return sql`
    update applications
    set name = ${name}, logo_url = ${logoUrl}, start_url = ${startUrl}, redirect_uris = ${redirectUris},
      post_logout_uris = ${postLogoutUris}, back_channel_logout_uri = ${backChannelLogoutUri}, scopes = ${scopes},
      require_verified_email = ${requireVerifiedEmail}, choose_organization = ${chooseOrganization}, is_home = ${isHome},
      is_enabled = ${enabled}, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Takes `isHome` from the application that has it, unless it is `id`. @returns the ids of those that lost it: one, or none */
export function takeHome(sql: Sql, id: string): Sent<{ id: string }[]> {
  return sql<{ id: string }>`
    update applications set is_home = false, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and is_home and id <> ${id}
    returning id`
}

/**
 * Gives an application another secret, which is its first one or replaces the newest. The one before lives on for a while, and older ones
 * go.
 */
export function addSecret(sql: Sql, id: string, hash: Buffer, overlapSeconds: number): Sent<unknown> {
  return pipeline([
    sql`
      delete from application_secrets
      where tenant_id = ${sql.tenant} and application_id = ${id} and (expires_at is not null or ${overlapSeconds} = 0)`,
    sql`
      update application_secrets set expires_at = statement_timestamp() + make_interval(secs => ${overlapSeconds})
      where tenant_id = ${sql.tenant} and application_id = ${id}`,
    // Not the time at which the transaction began: another one may have made a secret while this one waited.
    sql`
      insert into application_secrets (tenant_id, secret_hash, application_id, created_at)
      values (${sql.tenant}, ${hash}, ${id}, statement_timestamp())`,
  ])
}

/** Notes that the application changed in what is not a field of its row. */
export function touchApplication(sql: Sql, id: string): Sent<unknown> {
  return sql`
    update applications set version = version + 1, updated_at = now() where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Deletes an application. Foreign keys delete its secrets and grants. */
export function dropApplication(sql: Sql, id: string): Sent<unknown[]> {
  return sql`delete from applications where tenant_id = ${sql.tenant} and id = ${id} returning id`
}

/** Notes how telling an application of the end of a session went. Its version stays: nobody has edited it. */
export function noteLogout(sql: Sql, id: string, outcome: (typeof logoutOutcomes)[number]): Sent<unknown> {
  return sql`
    update applications set logout_at = statement_timestamp(), logout_outcome = ${outcome}
    where tenant_id = ${sql.tenant} and id = ${id}`
}
