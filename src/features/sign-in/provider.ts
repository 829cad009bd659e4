/**
 * Signing in at a provider, and what becomes of the person that it names.
 *
 * 1. The browser goes to the provider, and comes back with a code. The page posts what it received: no GET changes anything.
 * 2. The attempt moves to `exchanging`, once. The provider is called while no connection is held.
 * 3. A known identity signs its person in. An unknown one whose address has an account is linked only after that account was proven: an
 *    address alone links nothing, verified or not. Without an account, one is made as by sign-up.
 */
import { Type } from 'typebox'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { getTenant, type Tenant } from '../../domain/access/tenancy.ts'
import { type MailedToken, readMailedToken } from '../../domain/access/tokens.ts'
import { accountTurn, arrivalTurn } from '../../domain/access/turns.ts'
import { findIdentity, lockProvider, noteIdentityUse } from '../../domain/credentials/identities.ts'
import { findKnownDevice } from '../../domain/credentials/known-devices.ts'
import { MailedTokenText } from '../../domain/credentials/mailed-tokens.ts'
import { countSignUpMail } from '../../domain/limits/mail-rates.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { ApiProblem } from '../../domain/problems.ts'
import type { ProvenPerson } from '../../domain/providers/proven-person.ts'
import {
  beginAtProvider,
  type Callback,
  exchangeOnce,
  RedirectUri,
  StartedAtProvider,
} from '../../domain/providers/sign-in.ts'
import { noteFailure, type StoredProvider } from '../../domain/providers/stored.ts'
import { type AttemptRow, beginAttempt, type IdentityToLink, spendAttempt } from '../../domain/sessions/attempts.ts'
import { type Completed, completeSignIn } from '../../domain/sessions/completion.ts'
import { findPerson, lockPerson } from '../../domain/sessions/ways-in.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { Id } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { checkInvitationToken } from './invitation-tokens.ts'
import { checkMaySignUp, signUp } from './sign-up.ts'

export async function providerSignInRoutes(app: App): Promise<void> {
  app.post(
    '/auth/sign-in/provider',
    {
      config: {
        access: 'anyone',
        readsDevice: true,
        rates: ['sign-in'],
        problems: ['not_found', 'provider_unavailable', 'token_spent', 'tenant_mismatch'],
      },
      schema: {
        operationId: 'signInAtProvider',
        summary: 'Sign in at a provider',
        description:
          'Send the browser to `url`. The page at `redirectUri` posts what it receives, with the attempt, to `POST /api/auth/sign-in/continue`.',
        tags: ['Signing in'],
        body: Type.Object(
          {
            providerId: Id('idp'),
            redirectUri: Type.Optional(RedirectUri),
            invitationToken: Type.Optional(MailedTokenText),
          },
          { additionalProperties: false },
        ),
        response: { 200: StartedAtProvider },
      },
    },
    async (request) => {
      await countNetwork(request.context, 'sign-in')
      const { providerId, redirectUri, invitationToken } = request.body
      const token = invitationToken === undefined ? undefined : readMailedToken(invitationToken)
      const tenant = await getTenant(request, token?.tenant)
      return beginAtProvider(request.context, app.exchange, tenant, providerId, redirectUri, {
        purpose: 'sign_in',
        caller: null,
        remembered: { invitationToken, deviceToken: deviceTokenOf(request) },
      })
    },
  )
}

/** @returns the session or the next attempt, and whether an account was made @throws Problem */
export async function continueAtProvider(
  { exchange }: Pick<App, 'exchange'>,
  context: RequestContext,
  tenant: Tenant,
  attempt: AttemptRow,
  { callback, deviceToken }: { readonly callback: Callback; readonly deviceToken: string | undefined },
): Promise<{ readonly completed: Completed; readonly isNew: boolean }> {
  const { provider, person } = await exchangeOnce(context, exchange, tenant, attempt, callback)
  const { id, name } = provider
  const identity = { provider: { id, name }, issuer: person.issuer, subject: person.subject, email: person.email }
  const arrival = { provider, person, identity, attempt, deviceToken }
  const known = await context.database.inTenant(tenant.id, (sql) => signInKnown(sql, context, arrival))
  if (known) return { completed: known, isNew: false }
  return signInUnknown(context, tenant, arrival)
}

/** Somebody who came back from a provider. */
interface Arrival {
  readonly provider: StoredProvider
  readonly person: ProvenPerson
  readonly identity: IdentityToLink
  readonly attempt: AttemptRow
  readonly deviceToken: string | undefined
}

async function signInKnown(
  sql: Sql,
  context: RequestContext,
  { person, identity, attempt, deviceToken }: Arrival,
): Promise<Completed | undefined> {
  const found = await findIdentity(sql, identity)
  const owner = found && (await findPerson(sql, found.userId, ''))
  if (!found || !owner) return undefined
  sql.claimTurn(accountTurn(owner.id))
  const known = await findKnownDevice(sql, owner.email, { deviceToken })
  const completed = await completeSignIn(sql, context, {
    userId: owner.id,
    proof: { methods: ['provider'], basis: { identityId: found.id }, attemptId: attempt.id },
    device: { known, deviceToken },
  })
  if (!completed) throw new ApiProblem('attempt_spent')
  await noteIdentityUse(sql, found.id, person.email)
  return completed
}

async function signInUnknown(
  context: RequestContext,
  tenant: Tenant,
  arrival: Arrival,
): Promise<{ readonly completed: Completed; readonly isNew: boolean }> {
  const { provider, person, attempt } = arrival
  const { invitationToken } = attempt.details
  const token = invitationToken === undefined ? undefined : readMailedToken(invitationToken)
  const { email } = person
  if (email === null) {
    await context.database.inTenant(tenant.id, (sql) => noteFailure(sql, provider.id, 'no_email'))
    throw new ApiProblem('provider_without_email')
  }
  // An address that nobody vouches for is looked up only where sign-up would tell the same. A made-up token must not open a closed tenant.
  if (!person.emailBelieved) {
    checkMaySignUp(tenant, email, token)
    if (token) {
      const { database, keyring } = context
      await database.inTenant(tenant.id, (sql) => checkInvitationToken(sql, keyring, token, email))
    }
    await countNetwork(context, 'sign-up') // the answer tells as much as that of sign-up
  }
  const linking = await context.database.inTenant(tenant.id, (sql) => askForProof(sql, context, arrival, email))
  if (linking) return { completed: linking, isNew: false }
  checkMaySignUp(tenant, email, token)
  if (person.emailBelieved) await countNetwork(context, 'sign-up')
  return { completed: await signUpAt(context, tenant, arrival, email, token), isNew: true }
}

/** If the address has an account, that account must be proven before the identity is linked. */
async function askForProof(
  sql: Sql,
  { keyring }: RequestContext,
  { identity, attempt, provider, deviceToken }: Arrival,
  email: string,
): Promise<Completed | undefined> {
  const found = await findPerson(sql, null, email)
  if (!found) return undefined
  sql.claimTurn(arrivalTurn(found.id))
  const owner = await lockPerson(sql, found.id)
  if (owner?.email !== email) return undefined // it has gone, or moved to another address
  await spendAttempt(sql, attempt.id)
  const known = await findKnownDevice(sql, email, { deviceToken })
  const { attempt: next } = await beginAttempt(sql, keyring, {
    purpose: 'sign_in',
    next: 'first_factor',
    // Of a verified account always these three, and of an unverified one always mail, so that nothing else is learned.
    methods: owner.emailVerified ? ['password', 'passkey', 'mail_code'] : ['mail_code'],
    proven: [],
    wantedAssurance: 1,
    userId: owner.id,
    sessionId: null,
    providerId: provider.id,
    details: { email, basis: {}, known, deviceToken, link: identity },
  })
  return { attempt: next }
}

/** Makes an account with the identity, as by sign-up. */
async function signUpAt(
  context: RequestContext,
  tenant: Tenant,
  { person, identity, attempt, deviceToken }: Arrival,
  email: string,
  token: MailedToken | undefined,
): Promise<Completed> {
  const isProven = person.emailBelieved || token !== undefined
  const verification = isProven ? undefined : await countSignUpMail(context, tenant.id, email)
  const account = {
    email,
    name: person.name,
    passwordHash: null,
    isMailed: verification?.isMailed === true,
    deviceToken,
    identity,
    isBelieved: person.emailBelieved,
  }
  return context.database
    .inTenant(tenant.id, async (sql) => {
      if (!(await lockProvider(sql, identity.provider.id))) throw new ApiProblem('attempt_spent')
      await spendAttempt(sql, attempt.id)
      return signUp(sql, context, account, token)
    })
    .catch(async (error: unknown) => {
      await verification?.takeBack()
      throw error
    })
}
