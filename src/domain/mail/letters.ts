/** Letters: what each of our mails says. What comes from outside is names, made inert (templates.ts), and IP addresses. */
import { isIP } from 'node:net'
import type { Role } from '../permissions/roles.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

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

export interface InvitationWords {
  readonly organization: string
  readonly inviter: string | null
  readonly role: Role
}

export function invitation(brand: Brand, { organization, inviter, role }: InvitationWords): Composed {
  const who = inviter ? inert(inviter) : 'Someone'
  return compose(brand, {
    subject: `${inviter ? inert(inviter, 60) : 'Someone'} invited you to ${inert(organization, 60)}`,
    title: `Join ${inert(organization)}`,
    paragraphs: [`${who} invited you to ${inert(organization)} on ${inert(brand.name)} as ${asRole(role)}.`],
    action: 'View invitation',
    note: 'The link works for seven days. If you weren’t expecting this, you can ignore this email: nothing happens unless you accept.',
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

export function passwordChanged(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your password for ${inert(brand.name, 60)} was changed`,
    title: 'Your password was changed',
    paragraphs: [
      `The password of your account at ${inert(brand.name)} was changed. Devices that were signed in before were signed out, except the one it was changed on.`,
    ],
    action: 'Reset password',
    note: 'If it was you, there is nothing to do. If not, reset your password now.',
  })
}

export function passwordSwitchedOff(brand: Brand): Composed {
  return compose(brand, {
    subject: `Signing in to ${inert(brand.name, 60)} needs a new password`,
    title: 'Your password was turned off',
    paragraphs: [
      `Too many incorrect passwords were entered for your account at ${inert(brand.name)} on devices we don’t recognize. To protect it, no such device can sign in until you choose a new password. Where you’re signed in already, nothing changes.`,
    ],
    action: 'Choose a new password',
    note: 'Enter your email address on the page that opens, and we’ll email you a link to choose one.',
  })
}

export function emailChangeUndone(brand: Brand, lifetime: string): Composed {
  return compose(brand, {
    subject: `Signing in to ${inert(brand.name, 60)} needs a new password`,
    title: 'Your email address was restored',
    paragraphs: [
      `The change of your email address at ${inert(brand.name)} was undone. To protect your account, all devices were signed out, and the old password no longer works.`,
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
    subject: `Your email address for ${inert(brand.name, 60)} was changed`,
    title: 'This is your email address now',
    paragraphs: [`From now on, you sign in to ${inert(brand.name)} with this address, and our emails come here.`],
    note: 'There is nothing to do.',
  })
}

export interface DeviceWords {
  readonly device: string
  readonly ip: string | null
  readonly at: string
}

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** An IP address stands as it is, to be copied: nobody can write anything else into it. */
export function newDevice(brand: Brand, { device, ip, at }: DeviceWords): Composed {
  const from = ip && isIP(ip) ? ` from ${ip}` : ''
  return compose(brand, {
    subject: `New sign-in to ${inert(brand.name, 60)}`,
    title: 'New sign-in to your account',
    paragraphs: [
      `Someone signed in to your account at ${inert(brand.name)} on a device we haven’t seen before: ${inert(device)}${from}, on ${utc.format(new Date(at))} UTC.`,
    ],
    action: 'Sign out this device',
    note: 'If it was you, there is nothing to do. If not, sign out the device and change your password. The link works once, for seven days.',
  })
}

export function memberRemoved(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `You are no longer a member of ${inert(organization, 60)}`,
    title: `You are no longer a member of ${inert(organization)}`,
    paragraphs: [`You were removed from ${inert(organization)} on ${inert(brand.name)}. You keep your account.`],
    note: 'If you think this is a mistake, contact one of its admins.',
  })
}

export function memberRoleChanged(brand: Brand, organization: string, role: Role): Composed {
  return compose(brand, {
    subject: `Your role in ${inert(organization, 60)} has changed`,
    title: `You are now ${asRole(role)} of ${inert(organization)}`,
    paragraphs: [`Your role in ${inert(organization)} on ${inert(brand.name)} was changed. ${means[role]}`],
    note: 'If you think this is a mistake, contact one of its owners.',
  })
}

export interface TransferWords {
  readonly organization: string
  /** What the reader is now: `owner` who got the ownership, `admin` who had it. */
  readonly role: 'owner' | 'admin'
  /** A tenant admin did it, and not whoever had it. */
  readonly isByAdmin: boolean
}

/** To both. Neither is named to the other: who deletes their account is then in no mail that is kept. */
export function ownershipTransferred(brand: Brand, { organization, role, isByAdmin }: TransferWords): Composed {
  const [name, tenant] = [inert(organization), inert(brand.name)]
  const isNew = role === 'owner'
  const giver = isByAdmin ? `An admin of ${tenant}` : isNew ? 'The previous owner' : 'You'
  const whoItWas = 'The organization’s activity shows who it was.'
  const wayBack = isNew
    ? `If you think this is a mistake, you can transfer it back. ${whoItWas}`
    : 'If it wasn’t you, change your password, and ask the new owner to transfer it back.'
  return compose(brand, {
    subject: isNew
      ? `You are now an owner of ${inert(organization, 60)}`
      : `${inert(organization, 60)} has a new owner`,
    title: `You are now ${asRole(role)} of ${name}`,
    paragraphs: [
      `${giver} transferred the ownership of ${name} on ${tenant} to ${isNew ? 'you' : 'another member'}. ${means[role]}`,
    ],
    note: isByAdmin ? `If you think this is a mistake, contact whoever runs ${tenant}. ${whoItWas}` : wayBack,
  })
}

export function organizationDeleted(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `${inert(organization, 60)} was deleted`,
    title: `${inert(organization)} was deleted`,
    paragraphs: [
      `The organization ${inert(organization)} on ${inert(brand.name)} was permanently deleted, with its members, invitations and activity. You keep your account.`,
    ],
    note: 'You get this email because you were an owner or admin of it. This cannot be undone.',
  })
}

export function accountDeleted(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your account at ${inert(brand.name, 60)} was deleted`,
    title: 'Your account was deleted',
    paragraphs: [`Your account at ${inert(brand.name)} was permanently deleted, with everything that belonged to you.`],
    note: 'This is the last email you’ll get from us.',
  })
}

const means: Readonly<Record<Role, string>> = {
  owner: 'Owners can do everything, including managing owners and deleting the organization.',
  admin: 'Admins can invite and manage members, and change settings.',
  member: 'Members can see the organization and its members.',
}

function asRole(role: Role): string {
  return `${role === 'member' ? 'a' : 'an'} ${role}`
}
