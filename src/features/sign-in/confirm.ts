/** Confirming: proving again that the person of a session is there. The session then has a new token. */
import { Type } from 'typebox'
import { type Caller, sessionIdOf } from '../../domain/access/actors.ts'
import { wantsSessionCookie } from '../../domain/access/authentication.ts'
import { accountTurn } from '../../domain/access/turns.ts'
import { countTry, forgiveTries } from '../../domain/credentials/guessing.ts'
import { Password, verifyTry } from '../../domain/credentials/passwords.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { beginAttempt } from '../../domain/sessions/attempts.ts'
import { type Completed, completeConfirmation } from '../../domain/sessions/completion.ts'
import { handOver } from '../../domain/sessions/cookies.ts'
import { confirmingMethodsOf, type Person, selectPerson } from '../../domain/sessions/policy.ts'
import { fingerprintOf } from '../../domain/sessions/proof.ts'
import { SignedIn } from '../../domain/sessions/sessions.ts'
import { lockOwn, lockPerson } from '../../domain/sessions/ways-in.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function confirmRoutes(app: App): Promise<void> {
  app.post(
    '/auth/confirm',
    {
      config: {
        access: 'user',
        withoutSecondFactor: true,
        startsSession: true,
        rates: ['sign-in'],
        problems: [
          'sign_in_incomplete',
          'wrong_password',
          'sign_in_required',
          'no_factor',
          'attempt_spent',
          'user_suspended',
          'too_many_attempts',
          'overloaded',
          'https_required',
          'cross_site',
        ],
      },
      schema: {
        operationId: 'confirm',
        summary: 'Confirm that it is you',
        description:
          'Gives the session a new token; the old one ends at once. The device and the lifetimes stay. The confirmation has at least as many factors as the session. Without `password`, the answer is 403 `sign_in_incomplete` with the attempt.',
        tags: ['Signing in'],
        body: Type.Object(
          {
            password: Type.Optional(Password),
            secondFactor: Type.Optional(
              Type.Boolean({ const: true, description: 'Ask for two factors, whatever the policy.', examples: [true] }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(SignedIn) },
      },
    },
    async (request, reply) => {
      wantsSessionCookie(request) // refuses before the token is replaced
      await countNetwork(request.context, 'sign-in')
      const { password, secondFactor = false } = request.body
      const { caller, people } = await request.readAsUser<{ people: Person }>(
        ({ tenant, user }) => ({
          people: selectPerson(tenant, user),
        }),
        { byKey: true },
      )
      const [person] = people
      if (!person) throw new ApiProblem('unauthenticated')
      if (secondFactor && !person.hasFactor) throw new ApiProblem('no_factor')
      if (caller.assurance === 2 && !person.hasFactor) throw new ApiProblem('sign_in_required') // its factors were removed
      const wantedAssurance = secondFactor || caller.assurance === 2 ? 2 : 1
      const completed =
        password === undefined
          ? await begin(request.context, caller, person, wantedAssurance)
          : await confirm(request.context, caller, {
              person,
              wantedAssurance,
              password,
              sessionToken: request.credential?.hash,
            })
      return handOver(request, reply, completed)
    },
  )
}

/**
 * Begins an attempt by which the session is confirmed.
 *
 * @throws Problem sign_in_required if nothing can confirm it, unauthenticated if the session or the account has ended meanwhile
 */
async function begin(
  { database, keyring }: RequestContext,
  caller: Caller,
  person: Person,
  wantedAssurance: 1 | 2,
): Promise<Completed> {
  const methods = confirmingMethodsOf(person)
  if (methods.length === 0) throw new ApiProblem('sign_in_required')
  const begun = await database.inTenant(caller.tenantId, async (sql) => {
    sql.claimTurn(accountTurn(caller.userId))
    await lockOwn(sql, { ...caller, isFresh: false }) // a session that is not fresh may confirm, too
    return beginAttempt(sql, keyring, {
      purpose: 'confirm',
      next: 'first_factor',
      methods,
      proven: [],
      wantedAssurance,
      userId: person.id,
      sessionId: sessionIdOf(caller),
      providerId: null,
      details: { email: person.email, basis: {} },
    })
  })
  return { attempt: begun.attempt }
}

/** What confirms a session by a password. */
interface SentPassword {
  readonly person: Person
  readonly wantedAssurance: 1 | 2
  readonly password: string
  /** The hash of the session's token. */
  readonly sessionToken: Buffer | undefined
}

/** @throws Problem wrong_password, too_many_attempts, overloaded, unauthenticated when another request has confirmed the session, or the account has gone */
async function confirm(
  context: RequestContext,
  caller: Caller,
  { person, wantedAssurance, password, sessionToken }: SentPassword,
): Promise<Completed> {
  const { database } = context
  const sessionId = sessionIdOf(caller)
  const tenant = { id: caller.tenantId }
  const tried = await countTry(context, tenant, person.email, { sessionId })
  const { matches } = await verifyTry(context, tenant, tried, password, person.passwordHash)
  if (!matches || person.passwordHash === null) throw new ApiProblem('wrong_password')
  const basis = { passwordHash: fingerprintOf(person.passwordHash) }
  const completed = await database.inTenant(tenant.id, async (sql) => {
    sql.claimTurn(accountTurn(person.id))
    await forgiveTries(sql, tried)
    const completed = await completeConfirmation(sql, context, {
      userId: person.id,
      proof: { methods: ['password'], basis },
      session: { id: sessionId, tokenHash: sessionToken, wantedAssurance },
    })
    if (!completed && !(await lockPerson(sql, person.id))) throw new ApiProblem('unauthenticated')
    return completed
  })
  if (!completed) throw new ApiProblem('wrong_password') // changed since
  return completed
}
