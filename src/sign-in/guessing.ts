/**
 * Guessing: every attempt at a password is counted, and the count is committed, before anything is hashed.
 *
 * Invariant: from the sixth failure in a row for an account and network, attempts are refused without a look at the password, for a
 * second first and twice as long each time, up to 15 minutes (ASVS 5.0 V6.3.1, NIST SP 800-63B-4 3.2.2). Accounts that do not exist
 * are counted alike. What is kept are HMACs: nobody can read from the table who was tried, or from where.
 */
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Tenant } from '../access/tenancy.ts'
import type { Keyring } from '../cryptography.ts'
import type { Sql } from '../database/database.ts'
import { addressOf } from '../http/address.ts'
import { Problem } from '../http/problems.ts'

/** An attempt that was counted. */
export interface Attempt {
  readonly account: Buffer
  readonly network: Buffer
}

const free = 5
const longest = 900

/**
 * @param email normalised
 * @throws Problem too_many_attempts with `Retry-After` in seconds
 */
export async function countAttempt(
  request: FastifyRequest,
  tenant: Pick<Tenant, 'id'>,
  email: string,
): Promise<Attempt> {
  const { keyring } = request.server
  const account = accountOf(keyring, tenant.id, email)
  const network = keyring.hmac('guessing', 'network', tenant.id, networkOf(addressOf(request)))

  const seconds = await request.asAnyone(tenant, async (sql) => {
    const counted = await sql`
      insert into password_attempts (tenant_id, account, network, failures, next_at)
      values (${sql.tenant}, ${account}, ${network}, 1, to_timestamp(0))
      on conflict (tenant_id, account, network) do update
      set failures = password_attempts.failures + 1,
        next_at = case
          when password_attempts.failures + 1 < ${free}::integer then to_timestamp(0)
          else now() + make_interval(secs => least(power(2, least(password_attempts.failures + 1 - ${free}::integer, 20)), ${longest}::integer))
        end
      where password_attempts.next_at <= now()
      returning failures`
    if (counted.length > 0) return 0
    const [blocked] = await sql<{ seconds: number }>`
      select greatest(1, ceil(extract(epoch from next_at - now())))::integer as seconds
      from password_attempts
      where tenant_id = ${sql.tenant} and account = ${account} and network = ${network}`
    return blocked?.seconds ?? 1
  })
  if (seconds > 0) throw new Problem('too_many_attempts', {}, { 'retry-after': String(seconds) })
  return { account, network }
}

/** The password was right: the row of failures ends. */
export async function forgiveAttempts(sql: Sql, { account, network }: Attempt): Promise<void> {
  await sql`
    delete from password_attempts
    where tenant_id = ${sql.tenant} and account = ${account} and network = ${network}`
}

/** Forgets every attempt at an account, from wherever. */
export async function forgetAttempts(sql: Sql, keyring: Keyring, email: string): Promise<void> {
  await sql`delete from password_attempts where tenant_id = ${sql.tenant} and account = ${accountOf(keyring, sql.tenant, email)}`
}

function accountOf(keyring: Keyring, tenant: string, email: string): Buffer {
  return keyring.hmac('guessing', 'account', tenant, email)
}

/** @returns the IPv4 address, or the /64 of an IPv6 one: a household has that many of them */
export function networkOf(ip: string): string {
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`)}/64`
}
