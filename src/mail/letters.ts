/**
 * Letters: what each of our mails says. Names in them are made inert (templates.ts), and nothing else in them comes from outside.
 */
import type { Role } from '../access/roles.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

export function verifyEmail(brand: Brand): Composed {
  return compose(brand, {
    subject: `Verify your email address for ${inert(brand.name, 60)}`,
    title: 'Verify your email address',
    paragraphs: [
      `This address was used to sign up at ${inert(brand.name)}. Open the link while you are signed in to show that it is yours.`,
    ],
    action: 'Verify this address',
    note: 'The link works once, for 24 hours. If it was not you who signed up, ignore this mail: without the link nobody can use your address.',
  })
}

export interface InvitationWords {
  readonly organization: string
  readonly inviter: string | null
  readonly role: Role
}

export function invitation(brand: Brand, { organization, inviter, role }: InvitationWords): Composed {
  const who = inviter ? inert(inviter) : 'Somebody'
  return compose(brand, {
    subject: `${inviter ? inert(inviter, 60) : 'Somebody'} invited you to ${inert(organization, 60)}`,
    title: `Join ${inert(organization)}`,
    paragraphs: [`${who} invited you to ${inert(organization)} on ${inert(brand.name)}, as ${asRole(role)}.`],
    action: 'See the invitation',
    note: 'The link works for seven days. If you do not know who this is, ignore this mail: nothing happens without you.',
  })
}

export function resetPassword(brand: Brand): Composed {
  return compose(brand, {
    subject: `Reset your password for ${inert(brand.name, 60)}`,
    title: 'Choose a new password',
    paragraphs: [
      `Somebody asked to reset the password of your account at ${inert(brand.name)}. The link lets you choose a new one; all your devices are signed out then.`,
    ],
    action: 'Choose a new password',
    note: 'The link works once, for 30 minutes. If it was not you who asked, ignore this mail: your password stays as it is.',
  })
}

export function setPassword(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your account at ${inert(brand.name, 60)}`,
    title: 'Choose your password',
    paragraphs: [
      `An admin made an account for you at ${inert(brand.name)}. Choose a password, then sign in with this email address.`,
    ],
    action: 'Choose a password',
    note: 'The link works once, for seven days. If you do not expect an account, ignore this mail: nobody can sign in to it without the link.',
  })
}

export function passwordChanged(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your password for ${inert(brand.name, 60)} was changed`,
    title: 'Your password was changed',
    paragraphs: [
      `The password of your account at ${inert(brand.name)} is a new one now. Devices that were signed in with the old one have to sign in again.`,
    ],
    action: 'Reset the password',
    note: 'If it was not you, reset the password now. If it was, there is nothing to do.',
  })
}

export function passwordSwitchedOff(brand: Brand): Composed {
  return compose(brand, {
    subject: `Signing in to ${inert(brand.name, 60)} needs a new password`,
    title: 'Your password is switched off',
    paragraphs: [
      `Too many wrong passwords were tried for your account at ${inert(brand.name)}, on devices that we do not know. Such devices cannot sign in any more until you choose a new password. Where you are signed in, nothing changes.`,
    ],
    action: 'Choose a new password',
    note: 'The page asks for your email address, and mails you a link.',
  })
}

export function emailChangeUndone(brand: Brand): Composed {
  return compose(brand, {
    subject: `Signing in to ${inert(brand.name, 60)} needs a new password`,
    title: 'Your account is yours again',
    paragraphs: [
      `A change of your email address at ${inert(brand.name)} was undone. To keep the account yours, every device was signed out, and the old password is no longer taken.`,
    ],
    action: 'Choose a new password',
    note: 'The link works once, for 30 minutes. Later, ask for another where you sign in.',
  })
}

export function changeEmail(brand: Brand): Composed {
  return compose(brand, {
    subject: `Verify your new email address for ${inert(brand.name, 60)}`,
    title: 'Verify your new email address',
    paragraphs: [
      `Somebody wants to use this address for their account at ${inert(brand.name)}. Open the link while you are signed in to that account; it then takes the place of the address that you use now.`,
    ],
    action: 'Use this address',
    note: 'The link works once, for 24 hours. If it was not you, ignore this mail: nothing changes without the link.',
  })
}

/** To an address that somebody else wanted to change to, and that is an account's already. */
export function addressInUse(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your email address is in use at ${inert(brand.name, 60)}`,
    title: 'This address has an account already',
    paragraphs: [
      `Somebody wanted to change the email address of their account at ${inert(brand.name)} to this one. It belongs to your account, so nothing was changed.`,
    ],
    note: 'If it was you, use another address, or delete the account that has this one first. Else there is nothing to do.',
  })
}

/** @param email the new address, as it is stored: it has passed our own rules, but is made inert all the same */
export function emailChangeRequested(brand: Brand, email: string): Composed {
  return compose(brand, {
    subject: `A new email address for your account at ${inert(brand.name, 60)}`,
    title: 'Your email address is about to change',
    paragraphs: [
      `Somebody who knows your password asked to change the email address of your account at ${inert(brand.name)} to ${inert(email, 254)}. It changes once the link mailed there is opened.`,
    ],
    action: 'Undo this change',
    note: 'If it was not you, undo it: that works once, for 72 hours. It also signs out every device and switches the password off, so that you choose a new one. If it was you, there is nothing to do.',
  })
}

export function emailChanged(brand: Brand, email: string): Composed {
  return compose(brand, {
    subject: `Your email address for ${inert(brand.name, 60)} was changed`,
    title: 'Your email address was changed',
    paragraphs: [`The email address of your account at ${inert(brand.name)} is ${inert(email, 254)} now.`],
    action: 'Undo this change',
    note: 'If it was not you, undo it: that works once, for 72 hours. The account gets this address back, every device is signed out, and the password is switched off, so that you choose a new one. If it was you, there is nothing to do.',
  })
}

export function emailIsNew(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your email address for ${inert(brand.name, 60)} was changed`,
    title: 'This is your email address now',
    paragraphs: [`From now on you sign in to ${inert(brand.name)} with this address, and our mails come here.`],
    note: 'There is nothing to do.',
  })
}

export interface DeviceWords {
  readonly device: string
  readonly ip: string | null
  readonly at: string
}

export function newDevice(brand: Brand, { device, ip, at }: DeviceWords): Composed {
  const from = ip ? ` from ${inert(ip)}` : ''
  return compose(brand, {
    subject: `New sign-in to ${inert(brand.name, 60)}`,
    title: 'A new device was signed in',
    paragraphs: [
      `Your account at ${inert(brand.name)} was used on a device that we have not seen before: ${inert(device)}${from}, on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC.`,
    ],
    action: 'Sign that device out',
    note: 'If it was not you, open the link, which works once, for seven days, and change your password. If it was, there is nothing to do.',
  })
}

export function memberRemoved(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `You are no longer in ${inert(organization, 60)}`,
    title: `You are no longer in ${inert(organization)}`,
    paragraphs: [`You were removed from ${inert(organization)} on ${inert(brand.name)}. Your account stays as it is.`],
    note: 'If this is a mistake, ask an admin of the organization to invite you again.',
  })
}

export function memberRoleChanged(brand: Brand, organization: string, role: Role): Composed {
  return compose(brand, {
    subject: `Your role in ${inert(organization, 60)} has changed`,
    title: `You are ${asRole(role)} of ${inert(organization)} now`,
    paragraphs: [`Your role in ${inert(organization)} on ${inert(brand.name)} was changed. ${means[role]}`],
    note: 'If this is a mistake, ask an owner of the organization.',
  })
}

/** To both: the one who is the owner now, and the one who was. */
export function ownershipTransferred(brand: Brand, organization: string, role: Role): Composed {
  return compose(brand, {
    subject:
      role === 'owner' ? `You own ${inert(organization, 60)} now` : `${inert(organization, 60)} has another owner`,
    title: role === 'owner' ? `You own ${inert(organization)} now` : `${inert(organization)} has another owner now`,
    paragraphs: [
      `The ownership of ${inert(organization)} on ${inert(brand.name)} was transferred. You are ${asRole(role)} of it now. ${means[role]}`,
    ],
    note:
      role === 'owner'
        ? 'If this is a mistake, you can transfer it back, or to another member. The log of the organization says who did it.'
        : 'If this is a mistake, ask its owner. The log of the organization says who did it.',
  })
}

export function organizationDeleted(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `${inert(organization, 60)} was deleted`,
    title: `${inert(organization)} was deleted`,
    paragraphs: [
      `The organization ${inert(organization)} on ${inert(brand.name)} was deleted for good, with its members, invitations and log. Your account stays as it is.`,
    ],
    note: 'You get this mail because you were an owner or admin of it. It cannot be undone.',
  })
}

export function accountDeleted(brand: Brand): Composed {
  return compose(brand, {
    subject: `Your account at ${inert(brand.name, 60)} was deleted`,
    title: 'Your account was deleted',
    paragraphs: [`Your account at ${inert(brand.name)} was deleted for good, and everything that belonged to you.`],
    note: 'This is the last mail that you get from us.',
  })
}

const means: Readonly<Record<Role, string>> = {
  owner: 'Owners may do everything, also delete the organization.',
  admin: 'Admins invite and remove people, change roles and edit the organization.',
  member: 'Members see the organization and who is in it.',
}

function asRole(role: Role): string {
  return `${role === 'member' ? 'a' : 'an'} ${role}`
}
