/**
 * The secrets of webhooks, which sign what is sent (Standard Webhooks 1.0.0). Unlike those of keys they are needed again, so they are sealed
 * and not hashed. After a rotation two of them sign for a while.
 */
import { typeid } from 'typeid-js'
import { hmacSha256, type Keyring, randomBytes } from '../../platform/cryptography.ts'
import { pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { secrets } from '../../platform/keys.ts'
import { isSecretLive } from '../secrets.ts'

const prefix = 'whsec_'

/** @returns a new secret, as it is shown once: `whsec_` and 32 bytes in base64 */
export function newWebhookSecret(): string {
  return `${prefix}${randomBytes(secrets.whsec.bytes).toString('base64')}`
}

/**
 * Gives a webhook another secret, which is its first one or replaces the newest. The one before signs on for a while, and older ones go.
 *
 * @param overlapSeconds how long the secret before signs on
 */
export function addWebhookSecret(
  sql: Sql,
  keyring: Keyring,
  webhookId: string,
  secret: string,
  overlapSeconds: number,
): Sent<unknown> {
  const id = typeid().toUUID()
  const sealed = sealWebhookSecret(keyring, sql.tenant, id, secret)
  return pipeline([
    sql`
      delete from webhook_secrets
      where tenant_id = ${sql.tenant} and webhook_id = ${webhookId} and (expires_at is not null or ${overlapSeconds} = 0)`,
    sql`
      update webhook_secrets set expires_at = statement_timestamp() + make_interval(secs => ${overlapSeconds})
      where tenant_id = ${sql.tenant} and webhook_id = ${webhookId}`,
    // Not the time at which the transaction began: another one may have made a secret while this one waited.
    sql`
      insert into webhook_secrets (tenant_id, webhook_id, id, secret, sealed_under, created_at)
      values (${sql.tenant}, ${webhookId}, ${id}, ${sealed}, ${keyring.name}, statement_timestamp())`,
  ])
}

/** Deletes secrets that sign no more. */
export function purgeWebhookSecrets(sql: Sql, limit: number): Sent<unknown[]> {
  return sql`
    with over as (
      select id from webhook_secrets
      where tenant_id = ${sql.tenant} and expires_at < now()
      limit ${limit}
      for update skip locked)
    delete from webhook_secrets s
    using over
    where s.tenant_id = ${sql.tenant} and s.id = over.id
    returning s.id`
}

/** A secret as it is stored. */
export interface SealedSecret {
  readonly id: string
  readonly secret: string
}

/** Selects the secrets of a webhook that sign, newest first. */
export function selectSecrets(tenant: string, webhookId: string): Statement {
  return statement`
    select s.id, s.secret
    from webhook_secrets s
    where s.tenant_id = ${tenant} and s.webhook_id = ${webhookId} and ${isSecretLive}
    order by s.created_at desc, s.id desc`
}

/**
 * Signs what is sent.
 *
 * @param id        of the message
 * @param timestamp of the attempt, in seconds since 1970
 * @returns the header `webhook-signature`: one signature for each secret that opens; undefined if none does
 */
export function signatureOf(
  keyring: Keyring,
  tenant: string,
  sealed: readonly SealedSecret[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string | undefined {
  const signatures = sealed.flatMap((each) => {
    const secret = openWebhookSecret(keyring, tenant, each.id, each.secret)
    if (secret === undefined) return []
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return [`v1,${hmacSha256(key, `${id}.${timestamp}.${body}`).toString('base64')}`]
  })
  return signatures.length === 0 ? undefined : signatures.join(' ')
}

export function sealWebhookSecret(keyring: Keyring, tenant: string, id: string, secret: string): string {
  return keyring.seal('webhook', secret, contextOf(tenant, id))
}

/** @returns undefined if it was sealed under a secret that was taken away */
export function openWebhookSecret(keyring: Keyring, tenant: string, id: string, sealed: string): string | undefined {
  return keyring.open('webhook', sealed, contextOf(tenant, id))
}

function contextOf(tenant: string, id: string): string {
  return `${tenant}\nwebhook_secrets\n${id}`
}
