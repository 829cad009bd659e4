/**
 * The domain that a tenant's passkeys belong to.
 *
 * Invariant: browsers bind a passkey to this domain, so it changes only with the end of all passkeys.
 */
import { dropFactor } from '../../domain/credentials/factors.ts'
import { type PasskeySite, passkeySite } from '../../domain/credentials/passkey-site.ts'
import { countPasskeys, listPasskeyOwners, listPasskeys } from '../../domain/credentials/passkeys.ts'
import { dropRecoveryCodes } from '../../domain/credentials/recovery-codes.ts'
import { tellOfChange } from '../../domain/mail/sign-in.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { isSecondFactorAsked } from '../../domain/sessions/policy.ts'
import { endAllSessions } from '../../domain/sessions/sessions.ts'
import { lockPerson } from '../../domain/sessions/ways-in.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Config } from '../../platform/settings/config.ts'
import { operator, TenantError, type TenantRecord } from './tenants.ts'

interface Context {
  readonly config: Config
  readonly keyring: Keyring
}

/**
 * Checks a change of a tenant, in its transaction.
 *
 * @param isForced whether passkeys that the change makes useless are deleted
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
  if (from === to) return 0
  const count = await countPasskeys(sql)
  if (count === 0) return 0
  if (!isForced)
    throw new TenantError(
      `The tenant has ${count} passkeys of the domain "${from}", which would no longer work. --force deletes them.`,
    )
  for (const userId of await listPasskeyOwners(sql)) await dropPasskeys(sql, keyring, userId)
  return count
}

/** @throws TenantError */
function checkPasskeyDomain(config: Config, { passkeyDomain, ...tenant }: TenantRecord): void {
  if (passkeyDomain === null) return
  const own: PasskeySite | undefined = passkeySite(config, { ...tenant, passkeyDomain: null })
  const signInDomain = own?.rpId ?? new URL(config.publicUrl).hostname
  if (signInDomain === 'localhost') return // passkeys are of localhost, whatever is set
  if (passkeyDomain !== signInDomain && !signInDomain.endsWith(`.${passkeyDomain}`))
    throw new TenantError(`The passkey domain is "${signInDomain}" or a parent of it, and not "${passkeyDomain}".`)
  if (!passkeyDomain.includes('.')) throw new TenantError(`Browsers accept no passkeys of "${passkeyDomain}".`)
}

/** Removes the passkeys of a person, with what rests on them. Factors are removed under the lock of the person's row. */
async function dropPasskeys(sql: Sql, keyring: Keyring, userId: string): Promise<void> {
  await lockPerson(sql, userId)
  const passkeys = await listPasskeys(sql, userId)
  for (const { id } of passkeys) await dropFactor(sql, userId, id)
  const person = await lockPerson(sql, userId)
  if (!person) return
  if (!isSecondFactorAsked(person)) await dropRecoveryCodes(sql, userId)
  const endedSessions = await endAllSessions(sql, userId)
  await endAttempts(sql, { keyring }, userId, person.email)
  await tellOfChange(sql, { keyring }, person, 'factor_removed', operator)
  const target = { type: 'user', userId, name: person.name } as const
  for (const _ of passkeys)
    await record(sql, operator, 'factor.removed', { target, details: { type: 'passkey', endedSessions } })
}
