/**
 * Warnings: mails about what may have been done by somebody else.
 *
 * Each goes to the address of its moment, which its job carries sealed: a thief of the account may have changed the address since.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import type { MailKinds } from './composition.ts'
import {
  type DeviceWords,
  lockRecipient,
  type MailTenant,
  type Ready,
  ready,
  tenantColumns,
  whereAndWhen,
} from './composition.ts'
import type { MailJob } from './queue.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

async function composeNewDevice(
  sql: Sql,
  keyring: Keyring,
  { kind, userId, sessionId, sealed }: Extract<MailJob, { kind: 'new_device' }>,
): Promise<Ready | undefined> {
  const email = keyring.open('job', sealed, sql.tenant)
  const [row] = await sql<MailTenant & DeviceWords>`
    select s.name as device, s.ip, s.created_at as at, ${tenantColumns}
    from sessions s
    join tenants t on t.id = ${sql.tenant}
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId} and s.user_id = ${userId}
    for key share of s`
  if (!row || email === undefined) return undefined
  return ready(row, email, (brand) => newDevice(brand, row), { kind, userId, sessionId })
}

async function composeWarning(
  sql: Sql,
  keyring: Keyring,
  job: Extract<
    MailJob,
    { kind: 'password_changed' } | { kind: 'password_switched_off' | 'codes_switched_off' | 'mail_codes_switched_off' }
  >,
): Promise<Ready | undefined> {
  const { kind, userId, sealed } = job
  const email = keyring.open('job', sealed, sql.tenant)
  const row = await lockRecipient(sql, userId)
  if (!row || email === undefined) return undefined
  if (kind === 'password_switched_off') return ready(row, email, passwordSwitchedOff, { kind, userId })
  if (kind === 'codes_switched_off') return ready(row, email, codesSwitchedOff, { kind, userId })
  if (kind === 'mail_codes_switched_off') return ready(row, email, mailCodesSwitchedOff, { kind, userId })
  const [ways, keys] = await pipeline([listOtherWays(sql, userId), listKeys(sql, userId)])
  const isReset = job.kind === 'password_changed' && job.isReset === true
  return ready(row, email, (brand) => passwordChanged(brand, ways, keys, isReset), { kind, userId })
}

/** The live keys of a person, by name, for the same reason. */
async function listKeys(sql: Sql, userId: string): Promise<string[]> {
  const keys = await sql<{ name: string }>`
    select name from api_keys
    where tenant_id = ${sql.tenant} and user_id = ${userId} and ended_at is null and expires_at > now()
    order by created_at, id`
  return keys.map(({ name }) => name)
}

/** What else signs in to an account, by name, so that its owner sees what a thief has added. */
async function listOtherWays(sql: Sql, userId: string): Promise<string[]> {
  const ways = await sql<{ name: string }>`
    select name, created_at from factors where tenant_id = ${sql.tenant} and user_id = ${userId} and can_sign_in
    union all
    select p.name, i.created_at
    from identities i
    join providers p on p.tenant_id = ${sql.tenant} and p.id = i.provider_id and p.is_enabled
    where i.tenant_id = ${sql.tenant} and i.user_id = ${userId}
    order by created_at`
  return ways.map(({ name }) => name)
}

/** @param ways the names of passkeys and linked accounts @param keys the names of keys @param isReset whether no session was left */
export function passwordChanged(
  brand: Brand,
  ways: readonly string[] = [],
  keys: readonly string[] = [],
  isReset = false,
): Composed {
  const signedOut = isReset
    ? 'All devices were signed out.'
    : 'Devices that were signed in before were signed out, except the one it was changed on.'
  const list = (names: readonly string[]) => names.map((name) => inert(name)).join(', ')
  return compose(brand, {
    subject: `Your password for ${inert(brand.name, 60)} was changed`,
    title: 'Your password was changed',
    paragraphs: [
      `The password of your account at ${inert(brand.name)} was changed. ${signedOut}`,
      ...(ways.length > 0
        ? [`These can sign in to it, too: ${list(ways)}. If you don’t know one of them, remove it.`]
        : []),
      ...(keys.length > 0 ? [`These keys still work: ${list(keys)}. If you don’t know one of them, end it.`] : []),
    ],
    action: 'Reset password',
    note: 'If it was you, there is nothing to do. If not, reset your password now.',
  })
}

export function passwordSwitchedOff(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your password for ${inert(brand.name, 60)} was turned off`,
    title: 'Your password was turned off',
    paragraphs: [
      `Too many incorrect passwords were entered for your account at ${inert(brand.name)} on devices we don’t recognize. To protect it, no such device can sign in until you choose a new password. Where you’re signed in already, nothing changes.`,
    ],
    action: 'Choose a new password',
    note: 'Enter your email address on the page that opens, and we’ll email you a link to choose one.',
  })
}

export function codesSwitchedOff(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your codes for ${inert(brand.name, 60)} were turned off on unknown devices`,
    title: 'Your codes were turned off on unknown devices',
    paragraphs: [
      `Someone passed the first step of signing in to your account at ${inert(brand.name)} and then entered too many incorrect codes, on devices we don’t recognize. They are not signed in. To protect your account, no such device can use a code of your authenticator app or a recovery code until you choose a new password. Where you’re signed in already, nothing changes.`,
      'If that does not help, because it has happened more than once within 30 days, sign in with a passkey or on a device that you have used before, and change your password there. Or ask an admin.',
    ],
    action: 'Choose a new password',
    note: 'Enter your email address on the page that opens, and we’ll email you a link to choose one.',
  })
}

export function mailCodesSwitchedOff(brand: Brand): Composed {
  return compose(brand, {
    subject: `Emailed codes for ${inert(brand.name, 60)} were turned off on unknown devices`,
    title: 'Emailed codes were turned off on unknown devices',
    paragraphs: [
      `Too many incorrect codes were entered for your account at ${inert(brand.name)} on devices we don’t recognize. Nobody was signed in. To protect your account, no such device can sign in with an emailed code until you choose a new password. Where you’re signed in already, nothing changes.`,
    ],
    action: 'Choose a password',
    note: 'Enter your email address on the page that opens, and we’ll email you a link to choose one.',
  })
}

export function newDevice(brand: Brand, seen: DeviceWords): Composed {
  return compose(brand, {
    subject: `New sign-in to ${inert(brand.name, 60)}`,
    title: 'New sign-in to your account',
    paragraphs: [
      `Someone signed in to your account at ${inert(brand.name)} on a device we haven’t seen before: ${whereAndWhen(seen)}.`,
    ],
    action: 'Sign out this device',
    note: 'If it was you, there is nothing to do. If not, sign out the device and change your password. The link works once, for seven days.',
  })
}

export const warningMails: MailKinds<
  'new_device' | 'password_changed' | 'password_switched_off' | 'codes_switched_off' | 'mail_codes_switched_off'
> = {
  new_device: { page: 'end-session', purpose: 'end_session', compose: composeNewDevice },
  password_changed: { page: 'forgot-password', compose: composeWarning },
  password_switched_off: { page: 'forgot-password', compose: composeWarning },
  codes_switched_off: { page: 'forgot-password', compose: composeWarning },
  mail_codes_switched_off: { page: 'forgot-password', compose: composeWarning },
}
