/**
 * Mailed tokens: the rows behind the links that are mailed to users, one for each user and purpose, and of the ways back to an
 * address that was changed from one for each address.
 *
 * Invariant: a row names the address that its link proves, and is good once. A new link of a kind spends the older one, by a higher
 * generation; nothing that is kept can make a link (domain/access/tokens.ts). Of one purpose no two links have the same generation, ever:
 * so a row must outlive its link.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Purge, pipeline, type Sql } from '../../platform/database/database.ts'
import { LinkToken } from '../../platform/http/schemas.ts'
import { removeJobs } from '../../platform/jobs/queue.ts'
import type { Config } from '../../platform/settings/config.ts'
import type { Actor } from '../access/actors.ts'
import { isMailedToken, linkLifetimes, type MailedToken, type UserPurpose } from '../access/tokens.ts'
import { linkedMails } from '../mail/account.ts'
import { type LinkedMail, mailKey, queueMail } from '../mail/queue.ts'
import { type Event, record, type Target } from '../record/record.ts'

/** A token out of a mailed link, as requests carry it. */
export const MailedTokenText = LinkToken(
  'The part of the mailed link after `#token=`: `ghm_` and 97 more characters.',
  `ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(42)}0`,
)

/** Mails whose link resets a password. */
type ResetMail = 'reset_password' | 'email_change_undone'

/**
 * How long a link that resets a password lives, in seconds: as long as the window of the limit of mails to its address. If a stranger uses
 * that limit up, the newest link works until the address can get another one.
 */
export function resetLifetime({ limitMail }: Pick<Config, 'limitMail'>): number {
  return limitMail.seconds
}

/**
 * Makes a new link and has it mailed. Where each address has a link of its own, the user's row must be locked.
 *
 * @param email where it goes, and what it proves
 */
export async function mailToken(
  sql: Sql,
  kind: Exclude<LinkedMail, ResetMail>,
  userId: string,
  email: string,
): Promise<void> {
  const { purpose } = linkedMails[kind]
  await mailLink(sql, { kind, purpose, userId, email, lifetime: linkLifetimes[purpose] })
}

/** Makes a new link that resets the password, and has it mailed to the user's address. */
export async function mailReset(
  sql: Sql,
  config: Config,
  kind: ResetMail,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<void> {
  await mailLink(sql, { kind, purpose: 'reset_password', userId: id, email, lifetime: resetLifetime(config) })
}

interface MailedLink {
  readonly kind: LinkedMail
  readonly purpose: UserPurpose
  readonly userId: string
  readonly email: string
  /** In seconds. */
  readonly lifetime: number
}

async function mailLink(sql: Sql, { kind, purpose, userId, email, lifetime }: MailedLink): Promise<void> {
  const slot = purpose === 'undo_email_change' ? email : ''
  const [, [made]] = await pipeline([
    sql`
      insert into mailed_tokens (tenant_id, user_id, purpose, slot, generation, email, expires_at, asked_at)
      values (${sql.tenant}, ${userId}, ${purpose}, ${slot}, 1, ${email}, now() + make_interval(secs => ${lifetime}), now())
      on conflict (tenant_id, user_id, purpose, slot) do update
      set generation = mailed_tokens.generation + 1, email = excluded.email, expires_at = excluded.expires_at, spent_at = null,
        asked_at = case
          when mailed_tokens.spent_at is null and mailed_tokens.expires_at > excluded.asked_at then mailed_tokens.asked_at
          else excluded.asked_at
        end`,
    // No other slot has this generation.
    sql<{ generation: number }>`
      update mailed_tokens t
      set generation = greatest(t.generation, (
        select max(generation) + 1 from mailed_tokens
        where tenant_id = ${sql.tenant} and user_id = ${userId} and purpose = ${purpose} and slot <> ${slot}))
      where t.tenant_id = ${sql.tenant} and t.user_id = ${userId} and t.purpose = ${purpose} and t.slot = ${slot}
      returning t.generation`,
  ])
  const job = { kind, userId, generation: made?.generation ?? 1 }
  await queueMail(sql, job, slot === '' ? mailKey(userId, purpose) : undefined)
}

/** What a link of a user's was found to be. */
export interface FoundToken {
  readonly userId: string
  readonly email: string
  readonly generation: number
  /** Neither spent nor expired. */
  readonly isUsable: boolean
  /** When the first of its links that live was asked for. */
  readonly askedAt: string
}

/**
 * Finds and locks the row of a token; the user's row is locked before it, where it is locked at all.
 *
 * @returns undefined when it is no token of this purpose, or an older one
 */
export async function lockMailedToken(
  sql: Sql,
  keyring: Keyring,
  token: MailedToken,
  purpose: UserPurpose,
): Promise<FoundToken | undefined> {
  const userId = `user_${token.row}`
  const rows = await sql<FoundToken>`
    select user_id, email, generation, spent_at is null and expires_at > now() as is_usable,
      coalesce(asked_at, expires_at - make_interval(secs => ${linkLifetimes.undo_email_change})) as asked_at
    from mailed_tokens
    where tenant_id = ${sql.tenant} and user_id = ${userId} and purpose = ${purpose}
    for no key update`
  const { tenant } = sql
  return rows.find(({ generation }) => isMailedToken(keyring, token, purpose, { tenant, id: userId, generation }))
}

/** @returns the addresses that can undo a change: the present one, too, while a change from it waits */
export async function listUndoAddresses(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ email: string }>`
    select email from mailed_tokens
    where tenant_id = ${sql.tenant} and user_id = ${userId} and purpose = 'undo_email_change'
      and spent_at is null and expires_at > now()
    order by email`
  return rows.map(({ email }) => email)
}

/** The purposes of links that let one choose a password. */
const resets = ['reset_password', 'set_password'] as const

/** Whose links end, and from where, if nobody is signed in. */
interface Ended extends Pick<Event, 'origin'> {
  readonly target: Extract<Target, { type: 'user' }>
}

/**
 * Ends all links that were mailed to the user, because a thief of the account may have had the mailbox, too. A pending change of the
 * address ends with its link. Only the link that undoes a change of address still works: it is the owner's way back, which a thief could
 * otherwise take away. The user's row must be locked.
 *
 * @param keepsReset whether links that let one choose a password still work: nobody has proven lately to be the owner, who may need one
 */
export async function spendMailedTokens(sql: Sql, actor: Actor, ended: Ended, keepsReset = false): Promise<void> {
  await spend(sql, ended.target.userId, ['verify_email', 'change_email', ...(keepsReset ? [] : resets)])
  await cancelEmailChange(sql, actor, ended)
}

/** Cancels a pending change of the user's address, if there is one. The user's row must be locked, and the link spent. */
export async function cancelEmailChange(sql: Sql, actor: Actor, { target, origin }: Ended): Promise<void> {
  const [waited] = await sql<{ pendingEmail: string }>`
    update users u
    set pending_email = null, words_version = u.words_version + 1, keys_version = u.keys_version + 1, version = u.version + 1,
      updated_at = now()
    from users before
    where u.tenant_id = ${sql.tenant} and u.id = ${target.userId} and u.pending_email is not null
      and before.tenant_id = ${sql.tenant} and before.id = u.id
    returning before.pending_email`
  if (!waited) return
  // An entry of its own: its event has the user, and the address may be another person's (domain/people/addresses.ts).
  await record(sql, actor, 'email.change_cancelled', {
    target,
    ...(origin && { origin }),
    details: { pendingEmail: { from: waited.pendingEmail, to: null } },
  })
}

/**
 * The address of a way back stays for its link's time; another one is of no use any more, and may be somebody else's.
 *
 * @param since the links of this generation and of later ones alone
 */
export async function spend(sql: Sql, userId: string, purposes: readonly UserPurpose[], since = 0): Promise<void> {
  await sql`
    update mailed_tokens
    set spent_at = now(), email = case when purpose = 'undo_email_change' then email else '' end
    where tenant_id = ${sql.tenant} and user_id = ${userId} and purpose = any(${purposes}) and generation >= ${since}
      and spent_at is null`
  await removeJobs(
    sql,
    purposes.map((purpose) => mailKey(userId, purpose)),
  )
}

/** Takes the address out of links that are over for a week. The row stays: its generation counts, so that no old link comes alive again. */
export const purgeLinks: Purge = (sql, batch) => sql`
  with over as (
    select user_id, purpose, slot from mailed_tokens
    where tenant_id = ${sql.tenant} and email <> '' and expires_at < now() - interval '7 days'
    limit ${batch}
    for update skip locked)
  update mailed_tokens k set email = '', slot = case when k.slot = '' then '' else k.generation::text end,
    spent_at = coalesce(k.spent_at, k.expires_at)
  from over
  where k.tenant_id = ${sql.tenant} and k.user_id = over.user_id and k.purpose = over.purpose and k.slot = over.slot
  returning k.user_id`
