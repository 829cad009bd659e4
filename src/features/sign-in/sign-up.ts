/**
 * Sign-up: a person makes an account of their own, if the tenant lets them.
 *
 * The tenant's policy is judged before the address is looked up, so that a closed tenant tells nothing about who is in it.
 */

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { wantsSessionCookie } from '../../domain/access/authentication.ts'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { checkEmailDomain, getTenant, type Tenant } from '../../domain/access/tenancy.ts'
import { type MailedToken, readMailedToken } from '../../domain/access/tokens.ts'
import { hasherOf } from '../../domain/credentials/hash-queue.ts'
import { insertIdentity } from '../../domain/credentials/identities.ts'
import { DeviceTokenOfNewUser } from '../../domain/credentials/known-devices.ts'
import { MailedTokenText } from '../../domain/credentials/mailed-tokens.ts'
import { findPasswordFaults, hashPassword, NewPassword } from '../../domain/credentials/passwords.ts'
import { countSignUpMail, mailRates } from '../../domain/limits/mail-rates.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { spendInvitationToken } from '../../domain/organizations/invitation-states.ts'
import { userFields } from '../../domain/people/fields.ts'
import { makeUser, type NewUser } from '../../domain/people/make-user.ts'
import { ApiProblem } from '../../domain/problems.ts'
import type { IdentityToLink, Method } from '../../domain/sessions/attempts.ts'
import { completeNewAccount, type Started } from '../../domain/sessions/completion.ts'
import { handOver } from '../../domain/sessions/cookies.ts'
import { actorOf, SignedIn } from '../../domain/sessions/sessions.ts'
import type { Sql } from '../../platform/database/database.ts'
import { asStored } from '../../platform/database/fields.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { type Fault, faultOf, firstOfEach } from '../../platform/http/faults.ts'
import { faultsOfBody, invalidRequest } from '../../platform/http/problems.ts'
import { Email, Name, newId, normalizeEmail, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { lockOpenInvitation } from './invitation-tokens.ts'

export async function signUpRoutes(app: App): Promise<void> {
  app.post(
    '/auth/sign-up',
    {
      config: {
        access: 'anyone',
        startsSession: true,
        rates: ['sign-up', ...mailRates.verification],
        problems: [
          'sign_up_closed',
          'email_domain_not_allowed',
          'invitation_for_another_email',
          'email_taken',
          'invitation_expired',
          'invitation_revoked',
          'invitation_declined',
          'invitation_used',
          'token_spent',
          'tenant_mismatch',
          'https_required',
          'cross_site',
          'overloaded',
        ],
      },
      schema: {
        operationId: 'signUp',
        summary: 'Sign up',
        description:
          'A mail with a link to verify the address is sent. If too many mails were sent to it already, it can be requested later. With an invitation token, the invited address is verified at once.',
        tags: ['Signing in'],
        body: Type.Object(
          {
            email: Email,
            password: Type.Optional({
              ...NewPassword,
              description:
                'From the tenant’s minimum to 256 characters. May be left out if the tenant has `mailCodes`.',
            }),
            name: Type.Optional(Name),
            invitationToken: Type.Optional(MailedTokenText),
            deviceToken: Type.Optional(DeviceTokenOfNewUser),
          },
          {
            additionalProperties: false,
            examples: [{ email: 'ann@example.com', password: 'correct horse battery staple' }],
          },
        ),
        response: { 201: ref(SignedIn) },
      },
      attachValidation: true,
      preHandler: refuseFaulty,
    },
    async (request, reply) => {
      wantsSessionCookie(request) // refuses before anything is made
      await countNetwork(request.context, 'sign-up')
      const { password, name = null, invitationToken } = request.body
      const email = normalizeEmail(request.body.email) as string // the format `email` let it pass
      const token = invitationToken === undefined ? undefined : readMailedToken(invitationToken)
      const tenant = await getTenant(request, token?.tenant)
      const faults = await findFaultsOfPassword(tenant, password, email)
      if (faults.length > 0) throw invalidRequest(faults)
      checkMaySignUp(tenant, email, token)
      const hasher = hasherOf(request.context, tenant.id, email)
      const passwordHash = password === undefined ? null : await hashPassword(hasher, password)
      const verification = token ? undefined : await countSignUpMail(request.context, tenant.id, email)
      const account = asStored(userFields, {
        email,
        name,
        passwordHash,
        isMailed: verification?.isMailed === true,
        deviceToken: deviceTokenOf(request, request.body.deviceToken),
      })
      const started = await request
        .asAnyone(tenant, (sql) => signUp(sql, request.context, account, token))
        .catch(async (error: unknown) => {
          await verification?.takeBack()
          throw error
        })
      return reply.status(201).send(await handOver(request, reply, started))
    },
  )
}

/**
 * Names what the schema has found in the body, and what is wrong with the password in this tenant, at once.
 *
 * @throws Problem invalid_request
 */
async function refuseFaulty(request: FastifyRequest): Promise<void> {
  const faults = faultsOfBody(request)
  if (faults.length === 0) return
  const { email, password, invitationToken } = request.body as Readonly<Record<string, unknown>> // it is an object
  // Without a tenant, the faults of the schema are answered.
  const tenant = await tenantOf(request, invitationToken).catch(() => undefined)
  throw invalidRequest(firstOfEach([...faults, ...(tenant ? await findFaultsOfPassword(tenant, password, email) : [])]))
}

async function tenantOf(request: FastifyRequest, invitationToken: unknown): Promise<Tenant> {
  const token = typeof invitationToken === 'string' ? readMailedToken(invitationToken) : undefined
  return getTenant(request, token?.tenant)
}

/** @param password as it was sent; so is the address, which may be none */
async function findFaultsOfPassword(tenant: Tenant, password: unknown, typed: unknown): Promise<readonly Fault[]> {
  if (password === undefined) return tenant.mailCodes ? [] : [faultOf('/password', 'required')]
  if (typeof password !== 'string') return []
  const email = (typeof typed === 'string' && normalizeEmail(typed)) || ''
  const { name: tenantName, passwordMinimum } = tenant
  return findPasswordFaults('/password', password, { email, tenantName, passwordMinimum })
}

/** @throws Problem sign_up_closed, email_domain_not_allowed */
export function checkMaySignUp(tenant: Tenant, email: string, token: MailedToken | undefined): void {
  if (tenant.signUp === 'closed' || (tenant.signUp === 'invited_only' && !token)) throw new ApiProblem('sign_up_closed')
  checkEmailDomain(tenant, email)
}

export interface NewAccount extends Pick<NewUser, 'email' | 'name' | 'passwordHash'> {
  /** Whether a link to verify the address may be mailed. */
  readonly isMailed: boolean
  /** As the device sent it. */
  readonly deviceToken: string | undefined
  /** The identity that it is made with. */
  readonly identity?: IdentityToLink | undefined
  /** Whether the identity's provider is believed to have verified the address. */
  readonly isBelieved?: boolean
}

/**
 * Makes an account and starts its first session.
 *
 * @param token of an invitation, which verifies the address
 * @throws Problem email_taken, token_spent, invitation_for_another_email, invitation_expired and so on
 */
export async function signUp(
  sql: Sql,
  context: RequestContext,
  { isMailed, deviceToken, identity, isBelieved = false, ...account }: NewAccount,
  token?: MailedToken,
): Promise<Started> {
  const { email, name } = account
  const { keyring } = context
  const invitation = token && (await lockOpenInvitation(sql, keyring, token, email))
  const emailVerified = token !== undefined || isBelieved
  const id = newId('user')
  await makeUser(
    sql,
    keyring,
    { ...account, id, emailVerified, role: 'user', locale: invitation?.locale ?? null },
    { actor: actorOf(context, id, name), link: isMailed && !emailVerified ? 'verify_email' : undefined },
  )
  if (token) await spendInvitationToken(sql, `inv_${token.row}`)
  const identityId = identity && (await insertIdentity(sql, id, identity))
  const methods: Method[] = identity ? ['provider'] : account.passwordHash === null ? [] : ['password']
  return completeNewAccount(sql, context, id, { methods, basis: { identityId } }, deviceToken)
}
