/**
 * Guessing: every try at a password or code is counted, and the count is committed, before anything is looked at.
 *
 * An account has a counter for each kind of proof. Everybody who knows an address can fail its mailed codes, which must not stop the
 * owner's password or authenticator app.
 *
 * Invariants (ASVS 5.0 V6.3.1, NIST SP 800-63B-4 3.2.2):
 *
 * - From the sixth failure in a row for an account and source, tries are refused without a look at the password: for a second first, and
 *   twice as long each time, up to 15 minutes.
 * - After a hundred failures from unknown devices no unknown device gets in by this kind of proof until the password is changed or reset.
 * - A mailbox alone does not make codes of a second factor guessable: resets forget a bounded number of them (`forgetTriesByMail`).
 * - Known devices have counters of their own, so that a stranger cannot lock the owner out. A network is never known, so that no answer
 *   tells who has an account.
 * - Accounts that do not exist are counted alike.
 * - The table keeps HMACs: nobody can read from it who was tried, or from where.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Purge, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Tenant } from '../access/tenancy.ts'
import { triesTurn } from '../access/turns.ts'
import { ApiProblem } from '../problems.ts'
import { type Hasher, hasherOf } from './hash-queue.ts'
import { findKnownDevice, type Sender } from './known-devices.ts'

/** What is guessed: a password, a mailed code, or a code of a second factor. */
export type Guessed = 'password' | 'mail' | 'second'
const guessed: readonly Guessed[] = ['password', 'mail', 'second']
/** What an account has a counter of: guesses, and the wrong codes of a second factor that resets have forgotten. */
type Counter = Guessed | 'forgotten'

/** A try that was counted. */
export interface Try {
  /** HMAC of tenant and address. */
  readonly account: Buffer
  /** HMAC of the known device, or of the network. */
  readonly source: Buffer
  readonly network: Buffer
  /** For whom its password is hashed. */
  readonly hasher: Hasher
  /** Whether it comes from a device that the account was used on before. */
  readonly isKnown: boolean
  /** What identifies that device. */
  readonly known: string | undefined
  /** Unknown devices do not get in, whatever the password. */
  readonly isOff: boolean
  /** Once this one has failed, unknown devices do not get in. */
  readonly isLast: boolean
  /** How many failures there are from unknown devices, if this one fails too. */
  readonly unknownFailures: number
}

const free = 5
const longest = 900
/** A try that waited for the row of another one has an earlier time, in seconds: each comes to its end within a minute. */
const margin = 60
const mostUnknown = 100
/**
 * When resets have forgotten this many wrong codes, they forget no more. It is one less than switches unknown devices off, so that the purge
 * deletes the count 30 days after the last reset that added to it.
 */
const mostForgotten = mostUnknown - 1
/** As how many a reset counts at least: the purge deletes a smaller count after two days. */
const fewestForgotten = 6
/** The source that stands for all unknown ones together. */
const allUnknown = Buffer.alloc(0)

/**
 * @param email     normalised
 * @param sender    the session of a caller who is signed in, or the device token that came with the request
 * @param what      what is guessed
 * @throws Problem too_many_attempts with `Retry-After` in seconds
 */
export async function countTry(
  context: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  email: string,
  sender: Sender,
  what: Guessed = 'password',
): Promise<Try> {
  const { keyring } = context
  const account = accountOf(keyring, tenant.id, email, what)
  const network = keyring.hmac('guessing', 'network', tenant.id, networkOf(context.ip))

  const { seconds, tried } = await context.database.inTenant(tenant.id, async (sql) => {
    const known = await findKnownDevice(sql, email, sender)
    const isKnown = known !== undefined
    const source = isKnown ? keyring.hmac('guessing', 'known', tenant.id, known) : network
    sql.claimTurn(turnOfTries({ account, source, isKnown }))
    const seconds = await countFailure(sql, account, source)
    if (seconds > 0) return { seconds }
    const counted = isKnown ? 0 : await countUnknown(sql, account)
    const isOff = counted === undefined
    const unknownFailures = counted ?? mostUnknown
    const hasher = hasherOf(context, tenant.id, email, isKnown)
    return {
      seconds,
      tried: {
        account,
        source,
        network,
        hasher,
        isKnown,
        known,
        isOff,
        isLast: counted === mostUnknown,
        unknownFailures,
      },
    }
  })
  if (!tried) throw new ApiProblem('too_many_attempts', {}, { 'retry-after': String(seconds) })
  return tried
}

/** The turn of what locks the counters of a try. */
export function turnOfTries({ account, source, isKnown }: Pick<Try, 'account' | 'source' | 'isKnown'>): string {
  return triesTurn(isKnown ? source : account)
}

/**
 * A wait that is longer than the longest one was counted while the database's clock was ahead, and is over.
 *
 * @returns 0 when the try is counted and may be looked at, else how many seconds to wait
 */
async function countFailure(sql: Sql, account: Buffer, source: Buffer): Promise<number> {
  const counted = await sql`
    insert into password_attempts (tenant_id, account, source, failures, next_at)
    values (${sql.tenant}, ${account}, ${source}, 1, to_timestamp(0))
    on conflict (tenant_id, account, source) do update
    set failures = password_attempts.failures + 1, updated_at = excluded.updated_at,
      next_at = case
        when password_attempts.failures + 1 < ${free}::integer then to_timestamp(0)
        else (excluded.updated_at at time zone 'UTC' + make_interval(secs =>
          least(power(2, least(password_attempts.failures + 1 - ${free}::integer, 20)), ${longest}::integer))) at time zone 'UTC'
      end
    where password_attempts.next_at <= excluded.updated_at
      or password_attempts.next_at at time zone 'UTC'
        > excluded.updated_at at time zone 'UTC' + make_interval(secs => ${longest + margin}::integer)
    returning failures`
  if (counted.length > 0) return 0
  const [blocked] = await sql<{ seconds: number }>`
    select greatest(1, ceil(extract(epoch from next_at - now())))::integer as seconds
    from password_attempts
    where tenant_id = ${sql.tenant} and account = ${account} and source = ${source}`
  return blocked?.seconds ?? 1
}

/** @returns how many failures there are from unknown devices if this one fails too; undefined when there were too many before */
async function countUnknown(sql: Sql, account: Buffer): Promise<number | undefined> {
  const [counted] = await sql<{ failures: number }>`
    insert into password_attempts (tenant_id, account, source, failures, next_at)
    values (${sql.tenant}, ${account}, ${allUnknown}, 1, to_timestamp(0))
    on conflict (tenant_id, account, source) do update
    set failures = password_attempts.failures + 1, updated_at = excluded.updated_at
    where password_attempts.failures < ${mostUnknown}
    returning failures`
  return counted?.failures
}

/** The password was right: the row of failures ends, and those of this source are no strangers'. */
export async function forgiveTries(sql: Sql, { account, source, isKnown }: Try): Promise<void> {
  const [forgiven] = await sql<{ failures: number }>`
    delete from password_attempts
    where tenant_id = ${sql.tenant} and account = ${account} and source = ${source}
    returning failures`
  if (isKnown || !forgiven) return
  await sql`
    update password_attempts set failures = greatest(0, failures - ${forgiven.failures}::integer), told_at = null
    where tenant_id = ${sql.tenant} and account = ${account} and source = ${allUnknown}`
  await sql`
    delete from password_attempts
    where tenant_id = ${sql.tenant} and account = ${account} and source = ${allUnknown} and failures = 0`
}

/** Takes back a try that was counted and, because too many hashes wait, not looked at. */
export async function takeBackTry(sql: Sql, { account, source, isKnown, isOff }: Try): Promise<void> {
  await sql`
    update password_attempts set failures = greatest(0, failures - 1), next_at = to_timestamp(0)
    where tenant_id = ${sql.tenant} and account = ${account}
      and (source = ${source} or (source = ${allUnknown} and ${!isKnown && !isOff}::boolean))`
}

/** Claims the one notice that unknown devices are locked out. @returns false if they are not, or if the notice was claimed before */
export async function claimNotice(
  sql: Sql,
  keyring: Keyring,
  email: string,
  what: Guessed = 'password',
): Promise<boolean> {
  const told = await sql`
    update password_attempts set told_at = now()
    where tenant_id = ${sql.tenant} and account = ${accountOf(keyring, sql.tenant, email, what)} and source = ${allUnknown}
      and failures >= ${mostUnknown} and told_at is null
    returning source`
  return told.length > 0
}

/** Forgets every try at the accounts with these addresses, from wherever: unknown devices get in again. */
export async function forgetTries(sql: Sql, keyring: Keyring, ...emails: readonly string[]): Promise<void> {
  await dropCounters(sql, keyring, emails, [...guessed, 'forgotten'])
}

/**
 * Forgets the tries at an account of which only the mailbox is proven. Somebody who has the mailbox and not the second factor could reset the
 * password again and again to guess on. So resets forget no more than 198 wrong codes in 30 days.
 *
 * @returns whether the codes are forgotten, too: if not, they stay off for unknown devices, or will be off before a hundred more
 */
export async function forgetTriesByMail(sql: Sql, keyring: Keyring, email: string): Promise<boolean> {
  const areForgotten = await countForgotten(sql, keyring, email)
  await dropCounters(sql, keyring, [email], areForgotten ? guessed : guessed.filter((what) => what !== 'second'))
  return areForgotten
}

/** Counts the wrong codes that a reset is about to forget. @returns false if there were too many before */
async function countForgotten(sql: Sql, keyring: Keyring, email: string): Promise<boolean> {
  const [codes] = await sql<{ failures: number }>`
    select failures from password_attempts
    where tenant_id = ${sql.tenant} and account = ${accountOf(keyring, sql.tenant, email, 'second')} and source = ${allUnknown}
    for update`
  if (!codes) return true
  // A reset that forgets none leaves the time of the update, so that nobody can make the wait longer.
  const counted = await sql`
    insert into password_attempts (tenant_id, account, source, failures, next_at)
    values (${sql.tenant}, ${accountOf(keyring, sql.tenant, email, 'forgotten')}, ${allUnknown},
      ${Math.min(Math.max(codes.failures, fewestForgotten), mostForgotten)}, to_timestamp(0))
    on conflict (tenant_id, account, source) do update
    set failures = least(password_attempts.failures + excluded.failures, ${mostForgotten}::integer), updated_at = excluded.updated_at
    where password_attempts.failures < ${mostForgotten}::integer
    returning failures`
  return counted.length > 0
}

async function dropCounters(
  sql: Sql,
  keyring: Keyring,
  emails: readonly string[],
  counters: readonly Counter[],
): Promise<void> {
  const accounts = emails.flatMap((email) => counters.map((each) => accountOf(keyring, sql.tenant, email, each)))
  await sql`delete from password_attempts where tenant_id = ${sql.tenant} and account = any(${accounts}::bytea[])`
}

function accountOf(keyring: Keyring, tenant: string, email: string, what: Counter): Buffer {
  return keyring.hmac('guessing', what === 'password' ? 'account' : what, tenant, email)
}

/**
 * How long a count is kept. Each purge has an index of its own with the same condition (migration 0028), so that rows that stay cost it
 * nothing: a stranger makes one with every made-up address.
 *
 * Nothing here depends on whether the account exists, so that no purge tells it. A row that locks unknown devices out stays until the
 * reset, for made-up addresses too: each took a hundred tries, with as many passwords hashed.
 */
export const purgesOfTries = {
  /** Those of a known device or a network, after a day: no wait is longer than 15 minutes. */
  attempts: purgeOf(statement`source <> '' and updated_at < now() - interval '1 day'`),
  /** Few failures of all unknown devices together. Five in two days are no more than the 99 in 30 that the next purge leaves a stranger. */
  fewUnknownAttempts: purgeOf(statement`source = '' and failures < 6 and updated_at < now() - interval '2 days'`),
  /** More of them, but not so many that unknown devices are locked out. */
  unknownAttempts: purgeOf(
    statement`source = '' and failures >= 6 and failures < 100 and updated_at < now() - interval '30 days'`,
  ),
}

/** The order is that of the index, so that PostgreSQL takes it. */
function purgeOf(condition: Statement): Purge {
  return (sql, batch) => sql`
    with over as (
      select account, source from password_attempts
      where tenant_id = ${sql.tenant} and ${condition}
      order by updated_at
      limit ${batch}
      for update skip locked)
    delete from password_attempts a
    using over
    where a.tenant_id = ${sql.tenant} and a.account = over.account and a.source = over.source
    returning a.account`
}
