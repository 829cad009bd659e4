/**
 * Addresses: which email addresses are and were a person's, and what else tells of them: mails, and the wish of somebody else to change
 * to one.
 *
 * Invariant: only an address that was proven counts as a person's, and of what was sent there only what came before they changed from
 * it: anybody may sign up with anybody's address, and what was given up may be another's.
 */
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { system } from '../access/actors.ts'
import { record } from '../record/record.ts'
import { sameWords } from '../search/writing.ts'

/** An address that was proven, and the time until which it was the person's. */
export interface Address {
  readonly email: string
  readonly until: string
}

/** What is known of somebody's present address. */
interface Present {
  readonly email: string
  readonly emailVerified: boolean
}

/** Keeps an address that somebody changes from, so that erasing them finds what was sent there. */
export async function keepFormer(sql: Sql, userId: string, { email, emailVerified }: Present): Promise<void> {
  if (!emailVerified) return
  await sql`
    insert into former_addresses (tenant_id, user_id, email)
    values (${sql.tenant}, ${userId}, ${email})
    on conflict (tenant_id, user_id, email) do update set until = excluded.until`
}

export async function addressesOf(sql: Sql, userId: string, { email, emailVerified }: Present): Promise<Address[]> {
  const former = await sql<Address>`
    select email, until from former_addresses where tenant_id = ${sql.tenant} and user_id = ${userId}`
  return emailVerified ? [...former, { email, until: 'infinity' }] : former
}

/** Selects who waits to change to an address that is or was somebody's, and proven. */
export function selectWanting(tenant: string, userId: string): Statement {
  return statement`
    select id from users
    where tenant_id = ${tenant} and id <> ${userId} and pending_email = any(array(
      select email from former_addresses where tenant_id = ${tenant} and user_id = ${userId}
      union all
      select email from users where tenant_id = ${tenant} and id = ${userId} and email_verified))`
}

/** The addresses as `theirs (email, until)`. */
export function asTable(addresses: readonly Address[]): Statement {
  const [emails, untils] = [addresses.map(({ email }) => email), addresses.map(({ until }) => until)]
  return statement`unnest(${emails}::text[], ${untils}::timestamptz[]) as theirs (email, until)`
}

/** Takes away the mails that went to somebody's addresses, and what tells that others wanted one, while it was theirs. */
export async function forgetAddresses(sql: Sql, userId: string, addresses: readonly Address[]): Promise<void> {
  const theirs = asTable(addresses)
  const emails = addresses.map(({ email }) => email)
  // Before all that hangs on them, as in their own requests. Most are locked already (`selectWanting`).
  await sql`
    select from users
    where tenant_id = ${sql.tenant} and id <> ${userId} and pending_email = any(${emails})
    order by id for no key update`
  await sql`
    delete from mails m
    using ${theirs}
    where m.tenant_id = ${sql.tenant} and m.recipient = theirs.email and m.sent_at <= theirs.until`
  const told = await sql<{ userId: string }>`
    update audit_details d set details = null
    from ${theirs}
    where d.tenant_id = ${sql.tenant} and d.wanted_email = theirs.email and d.occurred_at <= theirs.until
    returning d.user_id`
  // An older release named the cancelled address beside the one that came back, which alone is the entry's `wanted_email`.
  await sql`
    update audit_details d set details = null
    from ${theirs}, audit_entries e
    where e.tenant_id = ${sql.tenant} and e.action = 'email.change_undone' and e.occurred_at <= theirs.until
      and d.tenant_id = ${sql.tenant} and d.entry_id = e.id and d.details #>> '{pendingEmail,from}' = theirs.email`
  // A link lives for a day: this one was asked for a day before its end.
  const linked = await sql<{ userId: string }>`
    update mailed_tokens k set email = '', spent_at = least(k.spent_at, now())
    from ${theirs}
    where k.tenant_id = ${sql.tenant} and k.purpose = 'change_email' and k.email <> '' and k.email = theirs.email
      and k.expires_at at time zone 'UTC' - interval '1 day' <= theirs.until at time zone 'UTC'
    returning k.user_id`
  const asked = [...told, ...linked].map(({ userId }) => userId)
  const waiting = await sql<{ userId: string; name: string | null }>`
    update users u set pending_email = null, ${sameWords}, version = version + 1, updated_at = now()
    from ${theirs}
    where u.tenant_id = ${sql.tenant} and u.id <> ${userId} and u.pending_email = theirs.email
      and (u.id = any(${asked}) or theirs.until = 'infinity')
    returning u.id as user_id, u.name`
  const wanting = [...asked, ...waiting.map(({ userId }) => userId)]
  await sql`
    delete from mails
    where tenant_id = ${sql.tenant} and user_id = any(${wanting}) and kind = 'email_change_requested'`
  await pipeline(
    waiting.map((each) => record(sql, system, 'email.change_cancelled', { target: { type: 'user', ...each } })),
  )
}

/**
 * Takes an address that was never proven out of the log of a user who changes from it: it may be somebody else's, whose erasure does not
 * find it here.
 */
export async function forgetUnproven(sql: Sql, userId: string, email: string): Promise<void> {
  await sql`
    update audit_details set details = null
    where tenant_id = ${sql.tenant} and user_id = ${userId}
      and action in ('user.signed_up', 'user.created', 'email.change_requested')
      and ${email} in (details ->> 'email', details -> 'email' ->> 'from')`
}
