/** Sign-in: starting a session with a password. */
import { Type } from 'typebox'
import { wantsSessionCookie } from '../../domain/access/authentication.ts'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { getTenant, type Tenant } from '../../domain/access/tenancy.ts'
import { accountTurn } from '../../domain/access/turns.ts'
import { countTry, forgiveTries, type Try, turnOfTries } from '../../domain/credentials/guessing.ts'
import { DeviceToken } from '../../domain/credentials/known-devices.ts'
import { hashPassword, Password, rehashPassword, verifyTry } from '../../domain/credentials/passwords.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { Attempt } from '../../domain/sessions/attempts.ts'
import { type Completed, completeSignIn } from '../../domain/sessions/completion.ts'
import { handOver } from '../../domain/sessions/cookies.ts'
import { fingerprintOf } from '../../domain/sessions/proof.ts'
import { Device, SignedIn } from '../../domain/sessions/sessions.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { Problem } from '../../platform/http/problems.ts'
import { Email, normalizeEmail, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { noteRefusedSignIn } from './refused-sign-ins.ts'

export async function signInRoutes(app: App): Promise<void> {
  app.addSchema(Device)
  app.addSchema(SignedIn)
  app.addSchema(Attempt)

  app.post(
    '/auth/sign-in',
    {
      config: {
        access: 'anyone',
        startsSession: true,
        rates: ['sign-in'],
        problems: [
          'invalid_credentials',
          'sign_in_incomplete',
          'user_suspended',
          'too_many_attempts',
          'overloaded',
          'tenant_mismatch',
          'https_required',
          'cross_site',
        ],
      },
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'The answer and its time are the same whether or not the account exists. One exception: an account that was imported with another product’s password hash takes the time of that hash, until the first sign-in replaces it.',
        tags: ['Signing in'],
        body: Type.Object(
          {
            email: Email,
            password: Password,
            deviceToken: Type.Optional({
              ...DeviceToken,
              description:
                'The token of the last session of this user on this device. With it, wrong passwords from other devices do not delay this sign-in, and no mail is sent about a new device. Browsers that use the session cookie have a cookie for this.',
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(SignedIn) },
      },
    },
    async (request, reply) => {
      wantsSessionCookie(request) // refuses before anything is counted
      await countNetwork(request.context, 'sign-in')
      const email = normalizeEmail(request.body.email) as string // the format `email` let it pass
      const tenant = await getTenant(request)
      const deviceToken = deviceTokenOf(request, request.body.deviceToken)
      const attempt = await countTry(request.context, tenant, email, { deviceToken })
      const started = await signIn(request.context, tenant, attempt, {
        email,
        password: request.body.password,
        deviceToken,
      })
      return handOver(request, reply, started)
    },
  )
}

interface Account {
  readonly id: string
  readonly name: string | null
  readonly status: 'active' | 'suspended'
  readonly passwordHash: string | null
}

/** What the caller has sent. */
interface SentCredentials {
  readonly email: string
  readonly password: string
  readonly deviceToken: string | undefined
}

/** @throws Problem invalid_credentials, user_suspended, overloaded */
async function signIn(
  context: RequestContext,
  tenant: Tenant,
  attempt: Try,
  { email, password, deviceToken }: SentCredentials,
): Promise<Completed> {
  for (;;) {
    const account = await context.database.inTenant(tenant.id, (sql) => findAccount(sql, email))
    const hash = attempt.isOff ? null : (account?.passwordHash ?? null)
    const { matches, outdated } = await verifyTry(context, tenant, attempt, password, hash)
    if (!account || !matches) {
      await noteRefusedSignIn(context, tenant, email, attempt)
      throw new ApiProblem('invalid_credentials')
    }
    if (account.status === 'suspended') {
      await context.database.inTenant(tenant.id, (sql) => forgiveTries(sql, attempt), { turn: turnOfTries(attempt) }) // the password was right
      await noteRefusedSignIn(context, tenant, email, attempt)
      throw new ApiProblem('user_suspended')
    }
    const rehashed = outdated ? await rehash(attempt, password) : undefined

    const started = await context.database.inTenant(tenant.id, async (sql) => {
      sql.claimTurn(accountTurn(account.id))
      if (!(await lockUnchanged(sql, account))) return undefined
      if (rehashed) await rehashPassword(sql, account.id, rehashed)
      await forgiveTries(sql, attempt)
      const basis = { passwordHash: fingerprintOf(rehashed ?? account.passwordHash ?? '') } // a null hash matches nothing
      return completeSignIn(sql, context, {
        userId: account.id,
        proof: { methods: ['password'], basis },
        device: { known: attempt.known, deviceToken },
      })
    })
    // Otherwise the password was changed or hashed again during the check. So the new hash is checked.
    if (started) return started
  }
}

/** @returns undefined if too many hashes wait: the next sign-in tries again */
async function rehash({ hasher }: Try, password: string): Promise<string | undefined> {
  return hashPassword(hasher, password).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'overloaded') return undefined
    throw error
  })
}

async function findAccount(sql: Sql, email: string): Promise<Account | undefined> {
  const [account] = await sql<Account>`
    select id, name, status, password_hash from users where tenant_id = ${sql.tenant} and email = ${email}`
  return account
}

/** Locks the account. @returns whether it is as it was when its password was proven */
async function lockUnchanged(sql: Sql, account: Account): Promise<boolean> {
  const unchanged = await sql`
    select from users
    where tenant_id = ${sql.tenant} and id = ${account.id} and status = ${account.status}
      and password_hash = ${account.passwordHash}
    for no key update`
  return unchanged.length > 0
}
