/**
 * Attempts: half-done sign-ins, each of exactly one step. The next step is a new attempt.
 *
 * Invariants: an attempt makes one session at most, since its row is deleted in the session's transaction; it lives for ten minutes
 * (ASVS 5.0 V6.5.5) and for five wrong proofs. No door takes its token as a credential. Nobody makes many attempts of a person
 * (`makeRoom`): what ends all of them does so in one statement.
 */
import { type Static, Type } from 'typebox'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Purge, Sql } from '../../platform/database/database.ts'
import { Id, Nullable, newId, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { attemptTokenPattern, newToken, type TokenHash } from '../access/tokens.ts'
import { caps } from '../limits/caps.ts'
import { ApiProblem } from '../problems.ts'

/** The proofs that somebody can give, as attempts accept them and sessions remember them. */
export const methods = ['password', 'passkey', 'totp', 'recovery_code', 'mail_code', 'provider'] as const
export type Method = (typeof methods)[number]

const mostFailures = caps.wrongProofs.most
const mostAttempts = caps.attempts.most
/** The generation of a code before one is mailed. Each later one was mailed. */
export const unmailed = 0
const lifetime = 600

export const AttemptToken = Type.String({
  pattern: attemptTokenPattern,
  minLength: 74,
  maxLength: 74,
  examples: [`gha_01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(42)}0`],
})

export type Attempt = Static<typeof Attempt>
export const Attempt = Type.Object(
  {
    token: { ...AttemptToken, description: 'Send it with the next proof. Keep it in the tab that began the sign-in.' },
    next: OneOf(['first_factor', 'second_factor'], { description: 'What is proven next.' }),
    methods: Type.Array(OneOf(methods), { maxItems: 6, description: 'The proofs that are accepted now.' }),
    link: Nullable(
      Type.Object(
        {
          provider: Type.Object({ id: Id('idp'), name: Type.String({ maxLength: 100 }) }),
          email: Nullable(Type.String({ maxLength: 254 })),
        },
        { description: 'The identity that is linked to the account, once the account is proven.' },
      ),
    ),
    triesLeft: Type.Integer({ minimum: 0, maximum: mostFailures, format: 'int32' }),
    expiresAt: Timestamp,
  },
  { $id: 'Attempt', description: 'A half-done sign-in: one step is missing.' },
)

/** The answer of a route that begins an attempt. */
export const Begun = Type.Object({ attempt: ref(Attempt) }, { description: 'The next step.' })

/** An identity that is linked once the account is proven. */
export interface IdentityToLink {
  readonly provider: { readonly id: string; readonly name: string }
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
}

/** What an attempt rests on and remembers. It is sealed. */
export interface AttemptDetails {
  /** The address that was typed or is the account's: mailed codes go there, and wrong proofs are counted under it. */
  readonly email: string
  /** What the earlier steps have proven, which must be unchanged at the end. */
  readonly basis: Basis
  /** What identified the device when the sign-in began. */
  readonly known?: string | undefined
  /** As the device sent it. */
  readonly deviceToken?: string | undefined
  readonly link?: IdentityToLink | undefined
  /** Of a sign-in at a provider. */
  readonly state?: string | undefined
  readonly nonce?: string | undefined
  readonly verifier?: string | undefined
  readonly redirectUri?: string | undefined
  readonly invitationToken?: string | undefined
}

/** What was proven, by what must be unchanged when the session is made. */
export interface Basis {
  /** SHA-256 of the password's hash. */
  readonly passwordHash?: string | undefined
  readonly factorId?: string | undefined
  readonly identityId?: string | undefined
  /** The address whose mailbox was proven from outside. */
  readonly mailbox?: string | undefined
}

/** What an attempt is made of. */
export interface NewAttempt {
  readonly purpose: 'sign_in' | 'confirm' | 'link'
  readonly next: Attempt['next']
  readonly methods: readonly Method[]
  readonly proven: readonly Method[]
  readonly wantedAssurance: 1 | 2
  readonly userId: string | null
  /** The session that begins it, for confirming and linking. */
  readonly sessionId: string | null
  readonly providerId: string | null
  readonly details: AttemptDetails
  /** Whether a code is mailed at once. If not, none is good until one is asked for. */
  readonly isMailed?: boolean
}

/** An attempt as it is stored. */
export interface AttemptRow extends NewAttempt {
  readonly id: string
  readonly failures: number
  readonly generation: number
  readonly expiresAt: string
  readonly isExchanging: boolean
}

/** Begins an attempt. The row of its person, if it names one, should be locked. @returns its id beside what the caller gets */
export async function beginAttempt(
  sql: Sql,
  keyring: Keyring,
  attempt: NewAttempt,
): Promise<{ readonly id: string; readonly attempt: Attempt }> {
  const id = newId('att')
  const { token, hash } = newToken('gha', sql.tenant)
  const { purpose, next, proven, wantedAssurance, userId, sessionId, providerId, details } = attempt
  const sealed = keyring.seal('attempt', JSON.stringify(details), contextOf(sql.tenant, id))
  const generation = attempt.isMailed === true ? 1 : unmailed
  const address = details.email === '' ? null : keyring.hmac('attempt-address', sql.tenant, details.email)
  const [row] = await sql<{ expiresAt: string }>`
    insert into attempts (tenant_id, id, token_hash, purpose, next, methods, proven, wanted_assurance, user_id, session_id,
      provider_id, address, generation, expires_at, details)
    values (${sql.tenant}, ${id}, ${hash}, ${purpose}, ${next}, ${attempt.methods}, ${proven}, ${wantedAssurance}, ${userId},
      ${sessionId}, ${providerId}, ${address}, ${generation}, now() + make_interval(secs => ${lifetime}), ${sealed})
    returning expires_at`
  // After the insertion, which waits for an erasure of the person before attempts are locked.
  if (userId !== null) await makeRoom(sql, keyring, id, attempt)
  else if (address !== null && generation === unmailed) await makeRoomOfUnmailed(sql, id, address)
  const expiresAt = row?.expiresAt ?? '' // `returning` has a row
  return { id, attempt: showAttempt({ ...attempt, failures: 0, expiresAt }, token) }
}

/**
 * Ends the oldest attempts of the person of a new one.
 *
 * Somebody who knows the password can make any number of them. They end no attempt to confirm, none on a known device, and none that has yet
 * to prove the first factor. They end one on an unknown device, where they can switch the owner's codes off as well (guessing.ts), until the
 * password is new.
 *
 * Somebody who comes from a provider with the person's address makes them without the password. They have yet to prove the first factor, and
 * end none but others of this way on unknown devices: the owner comes from the provider again.
 */
async function makeRoom(
  sql: Sql,
  keyring: Keyring,
  id: string,
  { userId, sessionId, next, details }: NewAttempt,
): Promise<void> {
  const others = await sql<{ id: string; details: string }>`
    select id, details from attempts
    where tenant_id = ${sql.tenant} and user_id = ${userId} and session_id is not distinct from ${sessionId} and next = ${next}
      and id <> ${id}
    order by expires_at desc, id desc
    limit ${4 * mostAttempts}`
  const isOnKnownDevice = (other: (typeof others)[number]) => {
    const text = keyring.open('attempt', other.details, contextOf(sql.tenant, other.id))
    return text !== undefined && (JSON.parse(text) as AttemptDetails).known !== undefined // sealed by us
  }
  const isKnown = details.known !== undefined
  const surplus = others.filter((other) => isOnKnownDevice(other) === isKnown).slice(mostAttempts - 1)
  if (surplus.length === 0) return
  await sql`
    delete from attempts
    where tenant_id = ${sql.tenant} and id = any(${surplus.map((other) => other.id)})`
}

/** Ends the oldest attempts of an address for which no code was mailed. Strangers begin them; of those with a code, rates allow only a few. */
async function makeRoomOfUnmailed(sql: Sql, id: string, address: Buffer): Promise<void> {
  await sql`
    delete from attempts
    where tenant_id = ${sql.tenant} and id in (
      select id from attempts
      where tenant_id = ${sql.tenant} and address = ${address} and user_id is null and generation = ${unmailed} and id <> ${id}
      order by expires_at desc, id desc
      offset ${mostAttempts - 1})`
}

/** An attempt as its caller gets it. */
export function showAttempt(
  { next, methods, details: { link }, failures, expiresAt }: NewAttempt & Pick<AttemptRow, 'failures' | 'expiresAt'>,
  token: string,
): Attempt {
  return {
    token,
    next,
    methods: [...methods],
    link: link ? { provider: link.provider, email: link.email } : null,
    triesLeft: mostFailures - failures,
    expiresAt,
  }
}

type Stored = Omit<AttemptRow, 'details'> & { readonly details: string }

/** @throws Problem attempt_spent if it ended, or never was */
export async function getAttempt(sql: Sql, keyring: Keyring, token: TokenHash): Promise<AttemptRow> {
  const [row] = await sql<Stored>`
    select id, purpose, next, methods, proven, wanted_assurance, user_id, session_id, provider_id, is_exchanging, failures,
      generation, expires_at, details
    from attempts
    where tenant_id = ${sql.tenant} and token_hash = ${token.hash} and expires_at > now() and failures < ${mostFailures}`
  const details = row && keyring.open('attempt', row.details, contextOf(sql.tenant, row.id))
  if (!row || details === undefined) throw new ApiProblem('attempt_spent')
  return { ...row, details: JSON.parse(details) as AttemptDetails } // sealed by us
}

/**
 * Counts a wrong proof, before the proof is looked at.
 *
 * @returns how many proofs may follow if this one is wrong
 * @throws Problem attempt_spent after too many
 */
export async function countProof(sql: Sql, id: string): Promise<number> {
  const [counted] = await sql<{ failures: number }>`
    update attempts set failures = failures + 1
    where tenant_id = ${sql.tenant} and id = ${id} and failures < ${mostFailures} and expires_at > now()
    returning failures`
  if (!counted) throw new ApiProblem('attempt_spent')
  return mostFailures - counted.failures
}

/** Moves an attempt at a provider on, once. @throws Problem attempt_spent */
export async function claimExchange(sql: Sql, id: string): Promise<void> {
  const claimed = await sql`
    update attempts set is_exchanging = true
    where tenant_id = ${sql.tenant} and id = ${id} and not is_exchanging and expires_at > now()
    returning id`
  if (claimed.length === 0) throw new ApiProblem('attempt_spent')
}

/** Has an attempt take a mailed code of a new generation, which voids the one before. @returns the generation @throws Problem attempt_spent */
export async function renewCode(sql: Sql, id: string): Promise<number> {
  const [renewed] = await sql<{ generation: number }>`
    update attempts set generation = generation + 1
    where tenant_id = ${sql.tenant} and id = ${id} and expires_at > now()
    returning generation`
  if (!renewed) throw new ApiProblem('attempt_spent')
  return renewed.generation
}

/** Ends an attempt by what it was for. @throws Problem attempt_spent if it ended before */
export async function spendAttempt(sql: Sql, id: string): Promise<void> {
  const spent = await sql`
    delete from attempts
    where tenant_id = ${sql.tenant} and id = ${id} and expires_at > now()
    returning id`
  if (spent.length === 0) throw new ApiProblem('attempt_spent')
}

/**
 * Ends all attempts of a person: what they rest on has changed.
 *
 * @param emails of the person: an attempt that began with an address names nobody, because nobody was looked up
 */
export async function endAttempts(
  sql: Sql,
  { keyring }: { readonly keyring: Keyring },
  userId: string,
  ...emails: readonly string[]
): Promise<void> {
  const addresses = emails.flatMap((email) => keyring.hmacs('attempt-address', sql.tenant, email))
  await sql`
    delete from attempts
    where tenant_id = ${sql.tenant} and (user_id = ${userId} or address = any(${addresses}::bytea[]))`
}

/** Ends a person's attempts that rest on a provider. */
export async function endIdentityAttempts(sql: Sql, userId: string, providerId: string): Promise<void> {
  await sql`
    delete from attempts
    where tenant_id = ${sql.tenant} and user_id = ${userId} and provider_id = ${providerId}`
}

/** Deletes attempts whose time is over. */
export const purgeAttempts: Purge = (sql, batch) => sql`
  with over as (
    select id from attempts
    where tenant_id = ${sql.tenant} and expires_at < now()
    limit ${batch}
    for update skip locked)
  delete from attempts a
  using over
  where a.tenant_id = ${sql.tenant} and a.id = over.id
  returning a.id`

function contextOf(tenant: string, id: string): string {
  return `${tenant}\nattempts\n${id}`
}
