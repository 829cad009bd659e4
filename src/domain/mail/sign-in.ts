/** Mails about ways to sign in: the code that is one, and warnings that they have changed. */
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import {
  type DeviceWords,
  lockRecipient,
  type MailKinds,
  type MailTenant,
  type Ready,
  ready,
  tenantColumns,
  whereAndWhen,
} from './composition.ts'
import { type MailJob, queueMail } from './queue.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

/** What has changed: the title of its mail, and a sentence that the name of the product ends. The title begins the subject, too. */
const changes = {
  totp_added: ['An authenticator app was added', 'An authenticator app was added to your account at '],
  totp_replaced: [
    'Your authenticator app was replaced',
    'Another authenticator app replaced the one for your account at ',
  ],
  totp_removed: ['Your authenticator app was removed', 'The authenticator app was removed from your account at '],
  passkey_added: ['A passkey was added', 'A passkey was added to your account at '],
  passkey_removed: ['A passkey was removed', 'A passkey was removed from your account at '],
  factor_removed: ['A second factor was removed', 'A second factor was removed from your account at '],
  recovery_code_used: ['A recovery code was used', 'A recovery code was used to sign in to your account at '],
  recovery_codes_made: [
    'New recovery codes were made',
    'New recovery codes, which replace all older ones, were made for your account at ',
  ],
  password_added: ['A password was added', 'A password was added to your account at '],
  password_removed: ['Your password was removed', 'The password was removed from your account at '],
  identity_linked: [
    'An account was linked',
    'An account at another service, which can now sign you in, was linked to your account at ',
  ],
  identity_unlinked: ['An account was unlinked', 'An account at another service was unlinked from your account at '],
} as const
export type SignInChange = keyof typeof changes

/** What workers of the release before know instead. */
const former: Partial<Record<SignInChange, SignInChange>> = {
  totp_replaced: 'totp_added',
  totp_removed: 'factor_removed',
  passkey_removed: 'factor_removed',
}

interface Recipient {
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
}

/** Who made a change: the person, on a device, or an admin or operator, whose device is nobody else's business. */
interface Changer {
  readonly type: string
  readonly userId?: string
  readonly device?: string | null
  readonly ip?: string | null
}

/** Mails somebody that a way to sign in has changed. An unverified address gets no mail: it may be somebody else's. */
export async function tellOfChange(
  sql: Sql,
  { keyring }: Pick<RequestContext, 'keyring'>,
  { id: userId, email, emailVerified }: Recipient,
  change: SignInChange,
  by: Changer,
): Promise<void> {
  if (!emailVerified) return
  const { device, ip = null } = by
  const seen = by.userId === userId && device ? { device, ip, at: new Date().toISOString() } : undefined
  const told: Sealed = { email, change: former[change] ?? change, exactly: change, ...(seen && { seen }) }
  const sealed = keyring.seal('job', JSON.stringify(told), sql.tenant)
  await queueMail(sql, { kind: 'sign_in_changed', userId, sealed })
}

/** What the job of a warning carries. */
interface Sealed {
  readonly email: string
  readonly change?: SignInChange
  /** What has changed, in words that workers of the release before do not know. */
  readonly exactly?: SignInChange
  readonly seen?: DeviceWords
  /** Of a reset: somebody who is suspended gets no link to choose a password. */
  readonly isSuspended?: boolean
}

type Warning = Extract<MailJob, { kind: 'sign_in_changed' | 'password_known' | 'factors_reset' }>

async function composeWarning(
  sql: Sql,
  keyring: Keyring,
  { kind, userId, sealed }: Warning,
): Promise<Ready | undefined> {
  const text = keyring.open('job', sealed, sql.tenant)
  const row = await lockRecipient(sql, userId)
  if (!row || text === undefined) return undefined
  const { email, change = 'factor_removed', exactly = change, seen, isSuspended } = JSON.parse(text) as Sealed // sealed by us
  const words = {
    sign_in_changed: (brand: Brand) => signInChanged(brand, exactly, seen),
    password_known: passwordKnown,
    factors_reset: (brand: Brand) => factorsReset(brand, isSuspended),
  }
  return ready(row, email, words[kind], { kind, userId })
}

/** What a code is for, as its mail says it. */
export type CodePurpose = 'sign_in' | 'confirm' | 'link'

async function composeCode(
  sql: Sql,
  keyring: Keyring,
  { kind, attemptId, generation }: Extract<MailJob, { kind: 'sign_in_code' }>,
): Promise<Ready | undefined> {
  const isOpen = statement`
    tenant_id = ${sql.tenant} and id = ${attemptId} and generation = ${generation} and expires_at > now()`
  const [attempt] = await sql<{ purpose: CodePurpose; details: string; isLink: boolean }>`
    select purpose, details from attempts where ${isOpen}`
  const text = attempt && keyring.open('attempt', attempt.details, `${sql.tenant}\nattempts\n${attemptId}`)
  if (!attempt || text === undefined) return undefined
  const { email, link } = JSON.parse(text) as { email: string; link?: unknown } // sealed by us
  // The person first, who only its details tell.
  const [[row], stillOpen] = await pipeline([
    sql<MailTenant & { userId: string; mailCodes: boolean }>`
      select u.id as user_id, t.mail_codes, ${tenantColumns}
      from users u
      join tenants t on t.id = ${sql.tenant}
      where u.tenant_id = ${sql.tenant} and u.email = ${email} and u.status = 'active'
      for key share of u`,
    sql`select from attempts where ${isOpen} for share`,
  ])
  if (!row || stillOpen.length === 0) return undefined
  const purpose = link === undefined ? attempt.purpose : 'link'
  if (purpose === 'sign_in' && !row.mailCodes) return undefined // switched off since
  return ready(row, email, (brand) => signInCode(brand, purpose), { kind, userId: row.userId, attemptId, generation })
}

export function signInCode(brand: Brand, purpose: CodePurpose): Composed {
  const name = inert(brand.name)
  const sentence = {
    sign_in: `Enter this code to sign in to ${name}.`,
    confirm: `Enter this code at ${name} to confirm that it’s you.`,
    link: `Enter this code at ${name} to link an account of another service. It can then sign you in.`,
  }
  return compose(brand, {
    subject: `Your code for ${inert(brand.name, 60)}`,
    title: 'Your code',
    paragraphs: [sentence[purpose]],
    hasCode: true,
    note: 'The code works once, for ten minutes, and only where it was asked for. Don’t tell it to anyone. If you didn’t ask for it, you can ignore this email.',
  })
}

/** @param seen where the person made the change; undefined for an admin's */
export function signInChanged(brand: Brand, change: SignInChange, seen?: DeviceWords): Composed {
  const [title, sentence] = changes[change]
  return compose(brand, {
    subject: `${title}: your account at ${inert(brand.name, 60)}`,
    title,
    paragraphs: [`${sentence}${inert(brand.name)}${seen ? `: ${whereAndWhen(seen)}` : ', by an admin'}.`],
    action: 'Check your account',
    note: 'If it was you, there is nothing to do. If not, sign in, end all other sessions, and remove what you don’t know. If you can’t sign in, reset your password.',
  })
}

export function passwordKnown(brand: Brand): Composed {
  return compose(brand, {
    subject: `Someone may know your password for ${inert(brand.name, 60)}`,
    title: 'Someone may know your password',
    paragraphs: [
      `Someone entered the right password of your account at ${inert(brand.name)}, and then several wrong codes, on a device we don’t recognize. They are not signed in.`,
    ],
    action: 'Change your password',
    note: 'If it was you, there is nothing to do. If not, change your password now.',
  })
}

/** @param isSuspended whether no mail with a link follows */
export function factorsReset(brand: Brand, isSuspended = false): Composed {
  const promise = isSuspended ? '' : ' A separate email lets you choose a new password.'
  return compose(brand, {
    subject: `Your sign-in for ${inert(brand.name, 60)} was reset`,
    title: 'Your second factors were removed',
    paragraphs: [
      `An admin of ${inert(brand.name)} removed all second factors and recovery codes of your account, unlinked your accounts at other services, turned off your password, ended your keys and signed out all devices.${promise}`,
    ],
    note: 'If you didn’t ask for this, contact the admins of the service.',
  })
}

export const signInMails: MailKinds<'sign_in_changed' | 'password_known' | 'factors_reset' | 'sign_in_code'> = {
  sign_in_changed: { page: 'me/security', compose: composeWarning },
  password_known: { page: 'forgot-password', compose: composeWarning },
  factors_reset: { compose: composeWarning },
  sign_in_code: { compose: composeCode },
}
