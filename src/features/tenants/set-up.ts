/**
 * Set-up: how a tenant gets its first admin, without there ever being a default password.
 *
 * Invariant: the one-time link dies in the transaction that makes any first admin. Whatever makes a link or a first admin locks the tenant's
 * row. Only the hash of the link is kept.
 */
import { Type } from 'typebox'
import { wantsSessionCookie } from '../../domain/access/authentication.ts'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { getTenant } from '../../domain/access/tenancy.ts'
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { newToken, readSetUpToken, setUpLifetime } from '../../domain/access/tokens.ts'
import { setUpTurn } from '../../domain/access/turns.ts'
import { hasherOf } from '../../domain/credentials/hash-queue.ts'
import { DeviceTokenOfNewUser } from '../../domain/credentials/known-devices.ts'
import { checkNewPassword, findPasswordFaults, hashPassword, NewPassword } from '../../domain/credentials/passwords.ts'
import { linkBaseOf } from '../../domain/mail/mail.ts'
import { userFields } from '../../domain/people/fields.ts'
import { makeUser } from '../../domain/people/make-user.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { completeNewAccount } from '../../domain/sessions/completion.ts'
import { handOver } from '../../domain/sessions/cookies.ts'
import { actorOf, SignedIn } from '../../domain/sessions/sessions.ts'
import { hashSecretly, isEqual, type Keyring } from '../../platform/cryptography.ts'
import type { Database, Purge, Sql } from '../../platform/database/database.ts'
import { ConstraintError } from '../../platform/database/errors.ts'
import { asStored } from '../../platform/database/fields.ts'
import { Problem } from '../../platform/http/problems.ts'
import { Email, LinkToken, Name, newId, normalizeEmail, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import type { Config } from '../../platform/settings/config.ts'
import { operator, TenantError, type TenantRecord } from './tenants.ts'

export async function setUpRoutes(app: App): Promise<void> {
  app.post(
    '/setup',
    {
      config: {
        access: 'anyone',
        startsSession: true,
        problems: ['token_spent', 'email_taken', 'tenant_mismatch', 'https_required', 'cross_site', 'overloaded'],
      },
      schema: {
        operationId: 'setUp',
        summary: 'Make the first admin',
        description:
          'Takes the one-time token that the service prints when it starts, or that `guildhall tenant create` prints.',
        tags: ['Signing in'],
        body: Type.Object(
          {
            token: LinkToken(
              'The part of the printed link after `#token=`: `ghu_` and 70 more characters.',
              `ghu_01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(42)}0`,
            ),
            email: Email,
            password: NewPassword,
            name: Type.Optional(Name),
            deviceToken: Type.Optional(DeviceTokenOfNewUser),
          },
          { additionalProperties: false },
        ),
        response: { 201: ref(SignedIn) },
      },
    },
    async (request, reply) => {
      wantsSessionCookie(request) // refuses before anything is made
      const { password, name = null } = request.body
      const email = normalizeEmail(request.body.email) as string // the format `email` let it pass
      const token = readSetUpToken(request.body.token)
      const tenant = await getTenant(request, token.tenant)
      await checkNewPassword('/password', password, {
        email,
        tenantName: tenant.name,
        passwordMinimum: tenant.passwordMinimum,
      })
      await request.asAnyone(tenant, async (sql) => {
        sql.claimTurn(setUpTurn)
        await checkLink(sql, token.hash)
      })
      const passwordHash = await hashPassword(hasherOf(request.context, tenant.id, email), password)

      const started = await request.asAnyone(tenant, async (sql) => {
        sql.claimTurn(setUpTurn)
        await lockTenant(sql)
        await checkLink(sql, token.hash)
        const user = asStored(userFields, {
          id: newId('user'),
          email,
          emailVerified: false,
          name,
          passwordHash,
          role: 'admin' as const,
        })
        await dropLink(sql)
        const actor = actorOf(request.context, user.id, user.name)
        await makeUser(sql, app.keyring, user, { actor, link: 'verify_email' })
        const proof = { methods: ['password'], basis: {} } as const
        return completeNewAccount(
          sql,
          request.context,
          user.id,
          proof,
          deviceTokenOf(request, request.body.deviceToken),
        )
      })
      return reply.status(201).send(await handOver(request, reply, started))
    },
  )
}

/** Locks the link, so that it works once. @throws Problem token_spent */
async function checkLink(sql: Sql, hash: Buffer): Promise<void> {
  const [link] = await sql<{ tokenHash: Buffer }>`
    select token_hash from set_up_links where tenant_id = ${sql.tenant} and expires_at > now() for update`
  if (!link || (await hasAdmin(sql)) || !isEqual(link.tokenHash.toString('hex'), hash.toString('hex')))
    throw new ApiProblem('token_spent')
}

export async function dropLink(sql: Sql): Promise<void> {
  await sql`delete from set_up_links where tenant_id = ${sql.tenant}`
}

/**
 * Replaces a tenant's set-up link, good for 24 hours.
 *
 * @returns the link, or undefined when the tenant has an admin
 */
export async function renewSetUpLink(
  database: Database,
  config: Config,
  tenant: Pick<TenantRecord, 'id' | 'slug' | 'baseUrl'>,
): Promise<string | undefined> {
  const { token, hash } = newToken('ghu', tenant.id)
  const renewed = await database.inTenant(tenant.id, async (sql) => {
    await lockTenant(sql)
    if (await hasAdmin(sql)) return false
    await sql`
      insert into set_up_links (tenant_id, token_hash, expires_at)
      values (${sql.tenant}, ${hash}, now() + make_interval(secs => ${setUpLifetime}))
      on conflict (tenant_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`
    return true
  })
  return renewed ? `${linkBaseOf(config, tenant)}/set-up#token=${token}` : undefined
}

/**
 * Makes a new user who is an admin of the tenant. An existing one is never promoted.
 *
 * @param options.onlyFirst whether to make none if the tenant has an admin by then, such as that of another process
 * @throws TenantError
 */
export async function createAdmin(
  { database, keyring }: { readonly database: Database; readonly keyring: Keyring },
  tenant: Pick<TenantRecord, 'id' | 'name'>,
  { email: typed, password }: { readonly email: string; readonly password: string },
  { onlyFirst = false }: { readonly onlyFirst?: boolean } = {},
): Promise<void> {
  const email = normalizeEmail(typed)
  if (!email) throw new TenantError(`"${typed}" is not an email address.`)
  const [settings] = await database.inTenant(
    tenant.id,
    (sql) => sql<{ passwordMinimum: number }>`
    select password_minimum from tenants where id = ${sql.tenant}`,
  )
  const faults = await findPasswordFaults('password', password, {
    email,
    tenantName: tenant.name,
    passwordMinimum: settings?.passwordMinimum ?? 8,
  })
  if (faults.length > 0)
    throw new TenantError(`The password cannot be used. ${faults.map(({ detail }) => detail).join(' ')}`)
  const passwordHash = await hashSecretly(password)
  try {
    await database.inTenant(tenant.id, async (sql) => {
      await lockTenant(sql)
      if (onlyFirst && (await hasAdmin(sql))) return
      await dropLink(sql)
      const user = { id: newId('user'), email, emailVerified: false, name: null, passwordHash, role: 'admin' } as const
      await makeUser(sql, keyring, user, { actor: operator, link: 'verify_email' })
    })
  } catch (error) {
    if (error instanceof ConstraintError && error.constraint === 'users_email_key')
      throw new TenantError(`A user has the address ${email} already, and is not promoted by this.`)
    if (error instanceof Problem && error.code === 'email_taken')
      throw new TenantError(
        `The address ${email} cannot be used yet: a user gave it up less than 72 hours ago, and can still restore it with an undo link.`,
      )
    throw error
  }
}

/** Whether the tenant has an admin. */
export async function hasAdmin(sql: Sql): Promise<boolean> {
  const admins = await sql`select from users where tenant_id = ${sql.tenant} and role = 'admin' limit 1`
  return admins.length > 0
}

/** Deletes set-up links that expired. */
export const purgeSetUpLinks: Purge = (sql) => sql`
  delete from set_up_links where tenant_id = ${sql.tenant} and expires_at < now() returning tenant_id`
