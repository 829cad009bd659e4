/** Mails about an account: those whose link proves or changes its address or its password, and the note to a new address. */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { UserPurpose } from '../access/tokens.ts'
import {
  type JobOf,
  lockRecipient,
  type MailKinds,
  type MailTenant,
  type Ready,
  ready,
  tenantColumns,
} from './composition.ts'
import type { LinkedMail } from './queue.ts'
import { type Brand, type Composed, compose, durationOf, inert } from './templates.ts'

async function composeLinked(sql: Sql, { kind, userId, generation }: JobOf<LinkedMail>): Promise<Ready | undefined> {
  const [row] = await sql<
    MailTenant & {
      recipient: string
      email: string
      emailVerified: boolean
      pendingEmail: string | null
      seconds: number
      isTaken: boolean
      wasUsed: boolean
    }
  >`
    select k.email as recipient, u.email, u.email_verified, u.pending_email, u.last_active_at is not null as was_used, ${tenantColumns},
      extract(epoch from k.expires_at - now())::float8 as seconds,
      exists (select from users x where x.tenant_id = ${sql.tenant} and x.email = k.email and x.id <> u.id) as is_taken
    from mailed_tokens k
    join users u on u.tenant_id = ${sql.tenant} and u.id = k.user_id
    join tenants t on t.id = ${sql.tenant}
    where k.tenant_id = ${sql.tenant} and k.user_id = ${userId} and k.purpose = ${linkedMails[kind].purpose}
      and k.generation = ${generation} and k.spent_at is null and k.expires_at > now()
    for share of k`
  if (!row || (kind === 'verify_email' && row.emailVerified)) return undefined
  if (kind === 'email_change_requested' && row.pendingEmail === null) return undefined // taken back
  const lifetime = durationOf(row.seconds)
  const words: Readonly<Record<LinkedMail, (brand: Brand) => Composed>> = {
    verify_email: verifyEmail,
    change_email: row.isTaken ? addressInUse : changeEmail,
    email_change_requested: (brand) => emailChangeRequested(brand, row.pendingEmail ?? row.email),
    email_changed: (brand) => emailChanged(brand, row.email),
    email_change_undone: (brand) => emailChangeUndone(brand, lifetime),
    reset_password: (brand) => resetPassword(brand, lifetime),
    set_password: row.wasUsed ? chooseAgain : setPassword,
  }
  return ready(row, row.recipient, words[kind], { kind, userId, generation })
}

async function composeEmailIsNew(sql: Sql, { kind, userId }: JobOf<'email_is_new'>): Promise<Ready | undefined> {
  const row = await lockRecipient(sql, userId)
  return row && ready(row, row.email, emailIsNew, { kind, userId })
}

export function verifyEmail(brand: Brand): Composed {
  return compose(brand, {
    subject: `Verify your email address for ${inert(brand.name, 60)}`,
    title: 'Verify your email address',
    paragraphs: [
      `This address was used to create an account at ${inert(brand.name)}. If it was you, open the link while you’re signed in to confirm that the address is yours.`,
    ],
    action: 'Verify email address',
    note: 'The link works once, for 24 hours. If it wasn’t you, you can ignore this email: without the link, no one can confirm the address as theirs.',
  })
}

export function resetPassword(brand: Brand, lifetime: string): Composed {
  return compose(brand, {
    subject: `Reset your password for ${inert(brand.name, 60)}`,
    title: 'Choose a new password',
    paragraphs: [
      `Someone asked to reset the password of your account at ${inert(brand.name)}. If it was you, choose a new one. All your devices are then signed out.`,
    ],
    action: 'Choose a new password',
    note: `The link works once, for ${lifetime}. If it wasn’t you, you can ignore this email: your password stays the same.`,
  })
}

export function setPassword(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your account at ${inert(brand.name, 60)}`,
    title: 'Choose a password',
    paragraphs: [
      `An admin created an account for you at ${inert(brand.name)}. Choose a password, then sign in with this email address.`,
    ],
    action: 'Choose a password',
    note: 'The link works once, for seven days. If you weren’t expecting an account, you can ignore this email: no one can sign in to it without the link.',
  })
}

/** To somebody whose ways to sign in an admin has reset. */
export function chooseAgain(brand: Brand): Composed {
  return compose(brand, {
    subject: `Choose a new password for ${inert(brand.name, 60)}`,
    title: 'Choose a new password',
    paragraphs: [
      `An admin reset your sign-in at ${inert(brand.name)}. Your old password no longer works. Choose a new one, then sign in with this email address.`,
    ],
    action: 'Choose a new password',
    note: 'The link works once, for seven days. After that, choose “Forgot your password?” where you sign in.',
  })
}

export function emailChangeUndone(brand: Brand, lifetime: string): Composed {
  return compose(brand, {
    subject: `Your email address for ${inert(brand.name, 60)} was restored`,
    title: 'Your email address was restored',
    paragraphs: [
      `The change of your email address at ${inert(brand.name)} was undone. To protect your account, all devices were signed out, and the old password no longer works.`,
      'Passkeys, authenticator apps, recovery codes and linked accounts were removed if they were added after the change was requested, or in the three days before. Once you’re signed in, check the ones that are left, and add yours again.',
      'If you manage an organization, look through its activity, too: what was made there before the change was requested is still there, such as invitations, links, keys and webhooks.',
    ],
    action: 'Choose a new password',
    note: `The link works once, for ${lifetime}. After that, choose “Forgot your password?” where you sign in.`,
  })
}

export function changeEmail(brand: Brand): Composed {
  return compose(brand, {
    subject: `Verify your new email address for ${inert(brand.name, 60)}`,
    title: 'Verify your new email address',
    paragraphs: [
      `Someone asked to use this address for their account at ${inert(brand.name)}. If it was you, open the link while you’re signed in to that account. This address then replaces the current one.`,
    ],
    action: 'Verify new address',
    note: 'The link works once, for 24 hours. If it wasn’t you, you can ignore this email: nothing changes without the link.',
  })
}

/** To an address that somebody else wanted to change to, and that is an account's already. */
export function addressInUse(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your email address is in use at ${inert(brand.name, 60)}`,
    title: 'This address already has an account',
    paragraphs: [
      `Someone asked to change the email address of their account at ${inert(brand.name)} to this one. It already belongs to your account, so nothing was changed.`,
    ],
    note: 'If it was you, choose another address, or first delete the account that has this one. If not, there is nothing to do.',
  })
}

/** @param email the new address, as it is stored: it has passed our own rules, but is made inert all the same */
export function emailChangeRequested(brand: Brand, email: string): Composed {
  return compose(brand, {
    subject: `A new email address for your account at ${inert(brand.name, 60)}`,
    title: 'Your email address is about to change',
    paragraphs: [
      `Someone who knows your password asked to change the email address of your account at ${inert(brand.name)} to ${inert(email, 254)}. It changes when the link we sent there is opened.`,
    ],
    action: 'Undo this change',
    note: 'If it was you, there is nothing to do. If not, undo it: the link works once, for three days. It also signs out all devices and turns off your password, so that you can choose a new one.',
  })
}

export function emailChanged(brand: Brand, email: string): Composed {
  return compose(brand, {
    subject: `Your email address for ${inert(brand.name, 60)} was changed`,
    title: 'Your email address was changed',
    paragraphs: [`The email address of your account at ${inert(brand.name)} is now ${inert(email, 254)}.`],
    action: 'Undo this change',
    note: 'If it was you, there is nothing to do. If not, undo it: the link works once, for three days. Your account goes back to this address, all devices are signed out and the password is turned off, so that you can choose a new one.',
  })
}

export function emailIsNew(brand: Brand): Composed {
  return compose(brand, {
    subject: `This is now your email address for ${inert(brand.name, 60)}`,
    title: 'This is now your email address',
    paragraphs: [`From now on, you sign in to ${inert(brand.name)} with this address, and our emails come here.`],
    note: 'There is nothing to do.',
  })
}

/** Mails whose link is a row of `mailed_tokens`: what the link proves or changes, and what the mail says. */
export const linkedMails = {
  verify_email: linked('verify-email', 'verify_email'),
  change_email: linked('verify-email', 'change_email'),
  email_change_requested: linked('undo-email-change', 'undo_email_change'),
  email_changed: linked('undo-email-change', 'undo_email_change'),
  email_change_undone: linked('reset-password', 'reset_password'),
  reset_password: linked('reset-password', 'reset_password'),
  set_password: linked('reset-password', 'set_password'),
} satisfies MailKinds<LinkedMail>

export const accountMails: MailKinds<LinkedMail | 'email_is_new'> = {
  ...linkedMails,
  email_is_new: { compose: (sql, _keyring, job) => composeEmailIsNew(sql, job) },
}

function linked<Purpose extends UserPurpose>(page: string, purpose: Purpose) {
  return { page, purpose, compose: (sql: Sql, _keyring: Keyring, job: JobOf<LinkedMail>) => composeLinked(sql, job) }
}
