/**
 * The domain that a tenant's passkeys belong to.
 *
 * Invariant: browsers bind a passkey to this domain, so a change of the tenant ends the passkeys of another one. A change of PUBLIC_URL cannot:
 * then the operator is told.
 */
import { isDeepStrictEqual } from 'node:util'
import { dropFactor } from '../../domain/credentials/factors.ts'
import { type PasskeySite, passkeySite } from '../../domain/credentials/passkey-site.ts'
import { countPasskeys, listPasskeyOwners, listPasskeys, type Passkey } from '../../domain/credentials/passkeys.ts'
import { dropRecoveryCodes } from '../../domain/credentials/recovery-codes.ts'
import { tellOfChange } from '../../domain/mail/sign-in.ts'
import { signInBaseOf } from '../../domain/providers/urls.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { isSecondFactorAsked } from '../../domain/sessions/policy.ts'
import { endAllSessions } from '../../domain/sessions/sessions.ts'
import { lockPerson } from '../../domain/sessions/ways-in.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Resources } from '../../platform/http/server.ts'
import type { Config } from '../../platform/settings/config.ts'
import { operator, TenantError, type TenantRecord } from './tenants.ts'

interface Context {
  readonly config: Config
  readonly keyring: Keyring
}

/**
 * Checks a change of a tenant, in its transaction.
 *
 * @param isForced whether passkeys of any other domain than the new one are deleted
 * @returns how many passkeys were deleted
 * @throws TenantError if the passkey domain is none, or there are passkeys of another one
 */
export async function keepPasskeys(
  sql: Sql,
  { config, keyring }: Context,
  before: TenantRecord,
  after: TenantRecord,
  isForced: boolean,
): Promise<number> {
  checkPasskeyDomain(config, after)
  const [from, to] = [passkeySite(config, before)?.rpId, passkeySite(config, after)?.rpId]
  const domains = (await countPasskeys(sql)).map(({ rpId, count }) => ({ domain: rpId ?? from, count }))
  const countOf = (isMeant: (domain: string | undefined) => boolean) =>
    domains.reduce((sum, { domain, count }) => sum + (isMeant(domain) ? count : 0), 0)
  const working = countOf((domain) => domain === from)
  if (!isForced && from !== to && working > 0)
    throw new TenantError(
      `The tenant has ${working} passkeys of the domain "${from}", which would no longer work. --force deletes them.`,
    )
  if (!isForced) return 0
  const isUseless = ({ rpId }: Pick<Passkey, 'rpId'>) => (rpId ?? from) !== to
  for (const userId of await listPasskeyOwners(sql)) await dropPasskeys(sql, keyring, userId, isUseless)
  return countOf((domain) => domain !== to)
}

/**
 * Checks a change of a tenant, in its transaction, if it is not known where the service is. Then nobody can say which passkeys would work.
 *
 * @throws TenantError if the change may decide it
 */
export async function checkUnlocated(
  sql: Sql,
  before: TenantRecord,
  after: TenantRecord,
  isForced: boolean,
): Promise<void> {
  const decisive = ({ domains, signInDomain, passkeyDomain }: TenantRecord) => [domains, signInDomain, passkeyDomain]
  if (!isForced && isDeepStrictEqual(decisive(before), decisive(after))) return
  if (after.passkeyDomain === null && (await countPasskeys(sql)).length === 0) return
  throw new TenantError(
    'Which passkeys work depends on the URL of the service, which this command does not know. Set PUBLIC_URL for it as for the service.',
  )
}

/** Passkeys of a tenant that do not work, because PUBLIC_URL or a domain has changed without `keepPasskeys`. */
export interface LostPasskeys {
  readonly tenant: TenantRecord
  readonly domain: string
  readonly count: number
}

export async function findLostPasskeys(
  { database, config }: Pick<Resources, 'database' | 'config'>,
  tenants: readonly TenantRecord[],
): Promise<LostPasskeys[]> {
  const lost: LostPasskeys[] = []
  for (const tenant of tenants) {
    const present = presentDomain(config, tenant)
    for (const { rpId, count } of await database.inTenant(tenant.id, countPasskeys))
      if (rpId !== null && rpId !== present) lost.push({ tenant, domain: rpId, count })
  }
  return lost
}

/**
 * Says which passkeys do not work, and what the operator can do.
 *
 * @param isLocationKnown whether the service is at `config.publicUrl`; if not, they may work there, and nothing is said of deleting them
 */
export function describeLost(
  config: Config,
  { tenant, domain, count }: LostPasskeys,
  isLocationKnown: boolean,
): string {
  const { slug, passkeyDomain } = tenant
  const kept = passkeyDomain !== null && presentDomain(config, tenant) === passkeyDomain ? passkeyDomain : '""'
  const base = signInBaseOf(config, tenant)
  if (!isLocationKnown)
    return (
      `Passkeys of the tenant "${slug}" that do not work at ${base}: ${count}. They belong to the domain ${domain}. PUBLIC_URL is not ` +
      'set, so sign-in may be at another address. Set it to the URL of the service.'
    )
  return (
    `Passkeys of the tenant "${slug}" that do not work: ${count}. They belong to the domain ${domain}, and sign-in is at ` +
    `${base}. Set PUBLIC_URL to what it was, or delete them: ` +
    `guildhall tenant update ${slug} --passkey-domain ${kept} --force`
  )
}

/** The domain that passkeys must have in order to work on the tenant's sign-in pages. */
function presentDomain(config: Config, tenant: TenantRecord): string | undefined {
  const site = passkeySite(config, tenant)
  if (!site || site.rpId === 'localhost') return site?.rpId
  return site.origins.includes(new URL(signInBaseOf(config, tenant)).origin) ? site.rpId : undefined
}

/** @throws TenantError */
function checkPasskeyDomain(config: Config, { passkeyDomain, ...tenant }: TenantRecord): void {
  if (passkeyDomain === null) return
  const own: PasskeySite | undefined = passkeySite(config, { ...tenant, passkeyDomain: null })
  const signInDomain = own?.rpId ?? new URL(config.publicUrl).hostname
  if (passkeyDomain !== signInDomain && !signInDomain.endsWith(`.${passkeyDomain}`))
    throw new TenantError(`The passkey domain is "${signInDomain}" or a parent of it, and not "${passkeyDomain}".`)
  if (!passkeyDomain.includes('.') && passkeyDomain !== 'localhost')
    throw new TenantError(`Browsers accept no passkeys of "${passkeyDomain}".`)
}

/** Removes useless passkeys of a person, with what rests on them. Factors are removed under the lock of the person's row. */
async function dropPasskeys(
  sql: Sql,
  keyring: Keyring,
  userId: string,
  isUseless: (passkey: Passkey) => boolean,
): Promise<void> {
  await lockPerson(sql, userId)
  const passkeys = (await listPasskeys(sql, userId)).filter(isUseless)
  if (passkeys.length === 0) return
  for (const { id } of passkeys) await dropFactor(sql, userId, id)
  const person = await lockPerson(sql, userId)
  if (!person) return
  if (!isSecondFactorAsked(person)) await dropRecoveryCodes(sql, userId)
  const endedSessions = await endAllSessions(sql, userId)
  await endAttempts(sql, { keyring }, userId, person.email)
  await tellOfChange(sql, { keyring }, person, 'passkey_removed', operator)
  const target = { type: 'user', userId, name: person.name } as const
  for (const _ of passkeys)
    await record(sql, operator, 'factor.removed', { target, details: { type: 'passkey', endedSessions } })
}
