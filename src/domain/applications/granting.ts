/**
 * Granting: how a code becomes a grant, and how the grant goes on (RFC 6749, 4.1.3 and 6).
 *
 * Invariants: a code makes one grant at most; if it comes again, that grant ends (ASVS 5.0 V10.4.2). A grant is born under the lock of its
 * session, so that whatever ends the session sees it. Of the refresh tokens of a grant the newest lives, and for a short while the one before,
 * whose use gives the same successor: so a lost answer, two tabs or two servers go on. Any older one ends the grant (V10.4.5).
 */

import { isEqual, sha256 } from '../../platform/cryptography.ts'
import { type NamedRows, type Sql, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { OAuthError } from '../../platform/http/oauth-errors.ts'
import { newId } from '../../platform/http/schemas.ts'
import { grantTurn, sessionTurn } from '../access/turns.ts'
import { caps } from '../limits/caps.ts'
import { record } from '../record/record.ts'
import { endSurplusGrants } from '../sessions/grants.ts'
import { isSessionLive } from '../sessions/lifetime.ts'
import type { ApplicationScope } from './applications.ts'
import type { Client } from './clients.ts'
import { type Code, openCode } from './codes.ts'
import { decide, type Facts, type Step, selectFacts } from './decision.ts'
import type { RefreshToken } from './grant-tokens.ts'
import { type ClaimsRow, selectClaims } from './id-tokens.ts'
import { endReused, ReusedError } from './reuse.ts'

/** How long the refresh token before the newest gives the same successor, in seconds. */
const leeway = 30

/** What tokens are made of. */
export interface Granted {
  /** `retried`: the same refresh token as before was given. */
  readonly outcome: 'issued' | 'retried'
  readonly grantId: string
  /** Of the newest refresh token. */
  readonly generation: number
  readonly scopes: readonly ApplicationScope[]
  readonly claims: ClaimsRow
}

/** A code as it was sent, with what must be the same as when it was asked for. */
export interface SentCode {
  readonly code: string
  readonly redirectUri: string
  /** The verifier of PKCE (RFC 7636). */
  readonly verifier: string
}

/**
 * Makes a grant of a code.
 *
 * @returns what tokens are made of, and the nonce of the authorization request
 * @throws OAuthError invalid_grant; ReusedError
 */
export async function makeGrant(
  context: RequestContext,
  tenant: string,
  client: Client,
  sent: SentCode,
): Promise<Granted & Pick<Code, 'nonce'>> {
  const code = openCode(context.keyring, tenant, sent.code)
  // A mismatch ends nothing: somebody who has only seen a code cannot sign anybody out.
  if (!code || !isOf(code, client, sent)) throw new OAuthError('invalid_grant', 'The code is not valid here.')
  const hash = sha256(sent.code)
  const made = await context.database.inTenant(
    tenant,
    (sql, read) => exchange(sql, context, { code, hash, client }, read),
    { first: lockForExchange(tenant, code), turn: sessionTurn(code.sessionId) },
  )
  if (made === 'reused') throw new ReusedError('invalid_grant', 'The code was used before.')
  return { ...made, nonce: code.nonce }
}

function isOf(code: Code, client: Client, { redirectUri, verifier }: SentCode): boolean {
  const challenge = sha256(verifier).toString('base64url')
  return code.applicationId === client.id && code.redirectUri === redirectUri && isEqual(code.challenge, challenge)
}

/**
 * What an exchange locks, in the order of all locks, and reads after it. Application and person are not to be deleted meanwhile; their deletion
 * locks them before the grant.
 */
function lockForExchange(tenant: string, { sessionId, applicationId, organizationId, expiresAt }: Code) {
  return {
    application: statement`
      select from applications where tenant_id = ${tenant} and id = ${applicationId} for key share`,
    person: statement`
      select from users
      where tenant_id = ${tenant} and id = (select user_id from sessions where tenant_id = ${tenant} and id = ${sessionId})
      for key share`,
    sessions: statement`
      select s.user_id, u.name, s.name as device, s.ip, ${expiresAt}::timestamptz > statement_timestamp() as is_in_time
      from sessions s
      join tenants t on t.id = s.tenant_id
      join users u on u.tenant_id = ${tenant} and u.id = s.user_id and u.status = 'active'
      where s.tenant_id = ${tenant} and s.id = ${sessionId} and ${isSessionLive}
      for no key update of s`,
    claims: selectClaims(tenant, sessionId, organizationId),
    live: statement`
      select count(*)::integer as count from grants
      where tenant_id = ${tenant} and session_id = ${sessionId} and application_id = ${applicationId} and ended_at is null`,
  }
}

interface LockedSession {
  readonly userId: string
  readonly name: string | null
  readonly device: string
  readonly ip: string | null
  /** Whether the code has not expired. */
  readonly isInTime: boolean
}

/** A code, and the client that sent it. */
interface Exchange {
  readonly code: Code
  /** Of the code as it was sent. */
  readonly hash: Buffer
  readonly client: Client
}

/** A refusal is thrown and changes nothing. A reused code is returned, so that the end of its grant is committed. */
async function exchange(
  sql: Sql,
  context: RequestContext,
  { code, hash, client }: Exchange,
  read: NamedRows,
): Promise<Granted | 'reused'> {
  const { sessionId, applicationId, organizationId } = code
  const session = read.sessions?.[0] as LockedSession | undefined // as lockForExchange selects them
  const claims = read.claims?.[0] as ClaimsRow | undefined
  const live = read.live?.[0] as { count: number } | undefined
  if (read.application?.length === 0) throw new OAuthError('invalid_grant', gone)
  if (!session || !claims) throw new OAuthError('invalid_grant', 'The session has ended.')
  const id = newId('gra')
  const made = session.isInTime ? await insertGrant(sql, id, code, hash, claims) : []
  if (made.length === 0) {
    const isReused = await endReused(sql, context, session, {
      applicationId,
      what: 'code',
      which: statement`g.code_hash = ${hash}`,
    })
    if (!session.isInTime && !isReused) throw new OAuthError('invalid_grant', 'The code is over.')
    return 'reused'
  }
  if (organizationId !== null && claims.organizationId === null)
    throw new OAuthError('invalid_grant', lacking.organization)
  if ((live?.count ?? 0) >= caps.applicationGrants.most) await endSurplusGrants(sql, sessionId, applicationId)
  const { userId, name, device, ip } = session // the request itself may come from a server
  const actor = { type: 'user', userId, name, ip, device, keyId: null, requestId: context.requestId } as const
  await sql.commit([
    record(sql, actor, 'application.signed_in', {
      target: { type: 'application', id: applicationId },
      details: { deviceId: sessionId, organizationId },
    }),
  ])
  return { outcome: 'issued', grantId: id, generation: 0, scopes: scopesFor(code.scopes, client), claims }
}

/** Its last use is now, and not when the transaction began: of too many grants it would be the least used one if it waited for the session. */
function insertGrant(sql: Sql, id: string, code: Code, hash: Buffer, { authenticatedAt }: ClaimsRow) {
  const { sessionId, applicationId, organizationId, scopes } = code
  return sql`
    insert into grants (tenant_id, id, session_id, application_id, organization_id, code_hash, scopes, authenticated_at, last_used_at)
    values (${sql.tenant}, ${id}, ${sessionId}, ${applicationId}, ${organizationId}, ${hash}, ${scopes}, ${authenticatedAt},
      statement_timestamp())
    on conflict (tenant_id, code_hash) do nothing
    returning id`
}

/** Those of a grant that the application still has. */
function scopesFor(scopes: readonly ApplicationScope[], client: Pick<Client, 'scopes'>): ApplicationScope[] {
  return scopes.filter((scope) => client.scopes.includes(scope))
}

/** What an application asks of a refresh. */
export interface Wanted {
  /** The id or the slug of the one that the new ID token is for; null: the one of the grant. */
  readonly organization: string | null
  /** Scopes of the grant; whichever it names, the new tokens have all. */
  readonly scopes: readonly string[]
}

/**
 * Goes on with a grant: the next refresh token, and claims as they are now.
 *
 * @throws OAuthError invalid_grant, invalid_scope, invalid_target, unauthorized_client; ReusedError
 */
export async function rotateGrant(
  context: RequestContext,
  token: RefreshToken,
  client: Client,
  wanted: Wanted,
): Promise<Granted> {
  const { tenant, grantId } = token
  const rotated = await context.database.inTenant(
    tenant,
    (sql, read) => refresh(sql, context, { token, client, wanted }, read),
    { first: lockGrant(tenant, grantId), turn: grantTurn(grantId) },
  )
  if (rotated === 'reused') throw new ReusedError('invalid_grant', 'The refresh token was used before.')
  return rotated
}

/** The person first: if the token comes again, an entry names them, and an erasure locks them before the grant. */
function lockGrant(tenant: string, id: string) {
  const grant = statement`
    from grants g
    join sessions s on s.tenant_id = ${tenant} and s.id = g.session_id
    join users u on u.tenant_id = ${tenant} and u.id = s.user_id
    where g.tenant_id = ${tenant} and g.id = ${id} and g.ended_at is null`
  return {
    person: statement`select ${grant} for key share of u`,
    grants: statement`
      select g.session_id, g.application_id, g.organization_id, g.scopes, g.generation, g.authenticated_at,
        statement_timestamp() as now,
        g.rotated_at > statement_timestamp() - make_interval(secs => ${leeway}) as is_just_rotated, s.user_id, u.name
      ${grant} for no key update of g`,
  }
}

interface LockedGrant {
  readonly sessionId: string
  readonly applicationId: string
  readonly organizationId: string | null
  readonly scopes: readonly ApplicationScope[]
  readonly generation: number
  /** When the user had been authenticated as it was made. Null: it is not known. */
  readonly authenticatedAt: string | null
  readonly now: string
  /** Null: it never was. */
  readonly isJustRotated: boolean | null
  readonly userId: string
  readonly name: string | null
}

/** A refresh token, the client that sent it, and what it wants. */
interface Refresh {
  readonly token: RefreshToken
  readonly client: Client
  readonly wanted: Wanted
}

/** A refusal is thrown: grant and token stay. A reused token is returned, so that the end of the grant is committed. */
async function refresh(
  sql: Sql,
  context: RequestContext,
  { token: { grantId, generation }, client, wanted }: Refresh,
  { grants }: NamedRows,
): Promise<Granted | 'reused'> {
  const grant = grants?.[0] as LockedGrant | undefined // as lockGrant selects it
  // A database that was restored from a backup may be behind its tokens.
  if (grant?.applicationId !== client.id || generation > grant.generation)
    throw new OAuthError('invalid_grant', 'The refresh token is not valid here, or its grant has ended.')
  const { sessionId, applicationId, authenticatedAt, now } = grant
  const isRetry = generation === grant.generation - 1 && grant.isJustRotated === true
  if (generation < grant.generation && !isRetry) {
    await endReused(sql, context, grant, { applicationId, what: 'refresh_token', which: statement`g.id = ${grantId}` })
    return 'reused'
  }
  const scopes = scopesFor(grant.scopes, client)
  if (!scopes.includes('offline_access'))
    throw new OAuthError('invalid_grant', 'The application does not have offline_access any more.')
  if (!wanted.scopes.every((scope) => grant.scopes.some((each) => each === scope)))
    throw new OAuthError('invalid_scope', 'The grant does not have all of these scopes.')
  const organization = wanted.organization ?? grant.organizationId
  const [facts] =
    await sql<Facts>`${selectFacts(sql.tenant, statement`s.id = ${sessionId}`, applicationId, organization)}`
  const organizationId = judge(facts, organization, wanted.organization !== null)
  const [rotated, [claims]] = await sql.commit([
    isRetry
      ? sql`update grants set last_used_at = ${now} where tenant_id = ${sql.tenant} and id = ${grantId} returning id`
      : sql`
        update grants set generation = ${generation + 1}, rotated_at = ${now}, last_used_at = ${now}
        where tenant_id = ${sql.tenant} and id = ${grantId} and generation = ${generation}
        returning id`,
    sql<ClaimsRow>`${selectClaims(sql.tenant, sessionId, organizationId)}`,
  ])
  if (rotated.length === 0 || !claims) throw new Error('A grant changed under its lock.')
  return {
    outcome: isRetry ? 'retried' : 'issued',
    grantId,
    generation: generation + 1,
    scopes,
    // The session may have been confirmed since, but clients refuse a time that is not the first one’s (OpenID Connect Core 1.0, 12.2).
    claims: { ...claims, authenticatedAt },
  }
}

/**
 * Judges a refresh as a sign-in is judged.
 *
 * @returns the id of the organization that it is about; null: none
 * @throws OAuthError invalid_grant, invalid_target, unauthorized_client
 */
function judge(facts: Facts | undefined, organization: string | null, isNamed: boolean): string | null {
  if (!facts) throw new OAuthError('invalid_grant', gone)
  if (!facts.enabled) throw new OAuthError('unauthorized_client', 'The application is switched off.')
  const { step, organizationId } = decide(
    {
      requestedAt: facts.now,
      subject: null,
      prompts: [],
      maxAge: null,
      isForTwoFactors: false,
      organization,
      redirectUri: 'https:', // nobody has to click
    },
    facts,
  )
  if (step === null) return organizationId
  if (step === 'organization' && isNamed)
    throw new OAuthError('invalid_target', 'The user is not in this organization.')
  throw new OAuthError('invalid_grant', lacking[step])
}

/** Deleted after the client was found. */
const gone = 'The application does not exist any more.'

/** What a new authorization would lead through. */
const lacking: Readonly<Record<Step, string>> = {
  sign_in: 'The session has ended.',
  sign_up: 'The session has ended.',
  confirm: 'The user must confirm the session. Begin a new authorization.',
  second_factor: 'A second factor is required of the user. Begin a new authorization.',
  verify_email: 'The user must verify the email address. Begin a new authorization.',
  organization: 'The user must choose an organization. Begin a new authorization.',
  continue: 'The user must continue. Begin a new authorization.',
}
