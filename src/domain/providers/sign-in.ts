/** The way to a provider and back, for signing in and for linking. No connection is held while a provider is called. */
import { type Static, Type } from 'typebox'
import type { RequestContext } from '../../platform/http/context.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { ref } from '../../platform/http/schemas.ts'
import { QueuedPlaces } from '../../platform/outbound/queued-places.ts'
import type { Tenant } from '../access/tenancy.ts'
import { accountTurn } from '../access/turns.ts'
import { lockProvider } from '../credentials/identities.ts'
import { ApiProblem } from '../problems.ts'
import { Attempt, type AttemptDetails, type AttemptRow, beginAttempt, claimExchange } from '../sessions/attempts.ts'
import type { Seen } from '../sessions/recheck.ts'
import { lockOwn } from '../sessions/ways-in.ts'
import type { Exchange } from './exchange.ts'
import { ProviderFailure } from './failures.ts'
import type { ProvenPerson } from './proven-person.ts'
import { findProvider, noteFailure, type StoredProvider } from './stored.ts'
import { callbackUrlOf } from './urls.ts'

export const RedirectUri = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[!-~]+$',
  description: 'One of the provider’s `redirectUris`. By default its `callbackUrl`.',
  examples: ['https://app.example.com/signed-in'],
})

const Parameter = Type.String({ maxLength: 4096, pattern: '^[ -~]*$', examples: ['SplxlOBeZQQYbYS6WxSbIA'] })
export type Callback = Static<typeof Callback>
export const Callback = Type.Object(
  {
    code: Type.Optional(Parameter),
    error: Type.Optional(Parameter),
    state: Parameter,
    iss: Type.Optional(Parameter),
    redirectUri: Type.Optional({
      ...RedirectUri,
      description:
        'The redirect URI of the page that received them. Always send it: it must be the one with which the sign-in began, so that the code of one provider is not sent to another.',
    }),
  },
  {
    additionalProperties: false,
    description: 'The query parameters that the page at `redirectUri` received, and which page that is.',
  },
)

export const StartedAtProvider = Type.Object(
  {
    url: Type.String({
      maxLength: 8192,
      description: 'Send the browser there.',
      examples: ['https://accounts.google.com/…'],
    }),
    attempt: ref(Attempt),
  },
  { description: 'The way to the provider.' },
)

declare module 'fastify' {
  interface FastifyInstance {
    exchange: Exchange
  }
}

/** What is begun, and what it must remember. */
interface Beginning {
  readonly purpose: 'sign_in' | 'link'
  /** Whose account is linked; null: somebody signs in. */
  readonly caller: Seen | null
  readonly remembered: Pick<AttemptDetails, 'invitationToken' | 'deviceToken'>
}

/**
 * @throws Problem not_found if there is no such provider or it is disabled, invalid_request, provider_unavailable; unauthenticated if the
 *   caller’s session or account has ended meanwhile
 */
export async function beginAtProvider(
  context: RequestContext,
  exchange: Exchange,
  tenant: Pick<Tenant, 'id'>,
  providerId: string,
  redirectUri: string | undefined,
  { purpose, caller, remembered }: Beginning,
): Promise<Static<typeof StartedAtProvider>> {
  const { database, keyring, config } = context
  const { provider, callbackUrl } = await database.inTenant(tenant.id, async (sql) => ({
    provider: await findProvider(sql, keyring, providerId),
    callbackUrl: await callbackUrlOf(sql, config, providerId),
  }))
  if (!provider) throw new ApiProblem('not_found')
  const target = redirectUri ?? callbackUrl
  if (target !== callbackUrl && !provider.redirectUris.includes(target))
    throw invalidRequest([faultOf('/redirectUri', 'not_allowed')])
  const { url, ...begun } = await failing(context, tenant, provider, () =>
    exchange.beginSignIn(provider, { redirectUri: target }),
  )
  const { attempt } = await database.inTenant(tenant.id, async (sql) => {
    if (caller) {
      sql.claimTurn(accountTurn(caller.userId))
      await lockOwn(sql, { ...caller, isFresh: false }) // the door has judged that; the provider may take longer than it lasts
    }
    if (!(await lockProvider(sql, providerId))) throw new ApiProblem('not_found') // meanwhile
    return beginAttempt(sql, keyring, {
      purpose,
      next: 'first_factor',
      methods: ['provider'],
      proven: [],
      wantedAssurance: 1,
      userId: caller?.userId ?? null,
      sessionId: caller?.sessionId ?? null,
      providerId,
      details: { email: '', basis: {}, ...remembered, ...begun },
    })
  })
  return { url, attempt }
}

/** Exchanges the code of an attempt, once. @throws Problem attempt_spent, provider_refused, provider_unavailable */
export async function exchangeOnce(
  context: RequestContext,
  exchange: Exchange,
  tenant: Pick<Tenant, 'id'>,
  { id, providerId, details }: AttemptRow,
  callback: Callback,
): Promise<{ readonly provider: StoredProvider; readonly person: ProvenPerson }> {
  const { database, keyring } = context
  const provider = await database.inTenant(tenant.id, async (sql) => {
    await claimExchange(sql, id)
    return findProvider(sql, keyring, providerId ?? '')
  })
  if (!provider) throw new ApiProblem('attempt_spent')
  const { state = '', nonce = '', verifier = '', redirectUri = '' } = details
  const person = await failing(context, tenant, provider, () =>
    exchange.exchangeCode(provider, { state, nonce, verifier, redirectUri }, callback),
  )
  return { provider, person }
}

/** Of a tenant, 8 sign-ins at most call providers at once: its own slow ones hold up those of no other tenant. */
const places = new QueuedPlaces({ all: Number.POSITIVE_INFINITY, each: 8, wait: 2_000 })

/**
 * Answers a failure of the provider with its problem, and notes it for the tenant's admins. Without its client secret it is not called: an
 * admin has to enter it again.
 */
async function failing<T>(
  { database }: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  provider: StoredProvider,
  work: () => Promise<T>,
): Promise<T> {
  if (provider.isSecretLost) {
    await database.inTenant(tenant.id, (sql) => noteFailure(sql, provider.id, 'bad_client'))
    const problem = new ApiProblem('provider_unavailable')
    problem.cause = new Error(`GUILDHALL_SECRET lacks the secret that sealed the client secret of ${provider.id}.`)
    throw problem
  }
  const giveBack = await places.take(tenant.id)
  if (!giveBack) throw new ApiProblem('provider_unavailable')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    await database.inTenant(tenant.id, (sql) => noteFailure(sql, provider.id, error.reason))
    throw new ApiProblem(error.code)
  } finally {
    giveBack()
  }
}
