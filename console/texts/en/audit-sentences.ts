/**
 * What the audit log says, a sentence for each action. A sentence has up to four forms. The next form replaces a missing one:
 * `you` (the reader did it to themselves), `yours` (somebody else did it to the reader), `own` (somebody did it to themselves),
 * `plain`.
 *
 * `_somehow`: the role is not known any more, because the details of the person are erased. `_by_link`: somebody opened a link
 * without being signed in. `_by_system`: nobody did it. Any other suffix is the cause, the type or the way that the entry
 * names.
 */
import { applicationSentences } from './application-sentences.ts'
import { keySentences } from './key-sentences.ts'
import { membershipSentences } from './membership-sentences.ts'
import { webhookSentences } from './webhook-sentences.ts'
export const sentences = {
  user: {
    signed_up: { plain: '{{actor}} signed up' },
    created: { plain: '{{actor}} created an account for {{target}}' },
    suspended: { yours: '{{actor}} suspended your account', plain: '{{actor}} suspended {{target}}' },
    reactivated: { yours: '{{actor}} reactivated your account', plain: '{{actor}} reactivated {{target}}' },
    role_changed: { own: '{{actor}} became {{role}}', plain: '{{actor}} made {{target}} {{role}}' },
    role_changed_somehow: {
      you: '{{actor}} changed your role',
      yours: '{{actor}} changed your role',
      own: '{{actor}} changed their role',
      plain: '{{actor}} changed the role of {{target}}',
    },
    deleted: {
      you: '{{actor}} deleted your account',
      own: '{{actor}} deleted their account',
      plain: '{{actor}} deleted the account of {{target}}',
    },
  },
  session: {
    started: { plain: '{{actor}} signed in' },
    confirmed: {
      you: '{{actor}} confirmed your identity',
      own: '{{actor}} confirmed their identity',
      plain: '{{actor}} confirmed the identity of {{target}}',
    },
    refused: {
      yours: 'Someone tried to sign in to your account and failed',
      plain: 'Someone tried to sign in as {{target}} and failed',
    },
    refused_second_factor: {
      yours: 'Someone tried to sign in to your account and failed at the second factor',
      plain: 'Someone tried to sign in as {{target}} and failed at the second factor',
    },
    refused_passkey: {
      yours: 'Someone tried to sign in to your account with a passkey and failed',
      plain: 'Someone tried to sign in as {{target}} with a passkey and failed',
    },
    revoked: {
      you: '{{actor}} ended your session on {{device}}',
      yours: '{{actor}} ended your session on {{device}}',
      own: '{{actor}} ended their session on {{device}}',
      plain: '{{actor}} ended the session of {{target}} on {{device}}',
    },
    revoked_all: {
      you_zero: '{{actor}} signed out all your other devices',
      you_one: '{{actor}} ended your other session',
      you_other: '{{actor}} ended your {{count, number}} other sessions',
      yours_zero: '{{actor}} signed out all your devices',
      yours_one: '{{actor}} ended your session',
      yours_other: '{{actor}} ended your {{count, number}} sessions',
      own_zero: '{{actor}} signed out all their other devices',
      own_one: '{{actor}} ended their other session',
      own_other: '{{actor}} ended their {{count, number}} other sessions',
      plain_zero: '{{actor}} signed out all devices of {{target}}',
      plain_one: '{{actor}} ended the session of {{target}}',
      plain_other: '{{actor}} ended the {{count, number}} sessions of {{target}}',
    },
    revoked_by_link: {
      yours: 'Your session on {{device}} was ended with the link in an email',
      plain: 'The session of {{target}} on {{device}} was ended with the link in an email',
    },
    revoked_by_system: {
      yours: 'Your least recently used session was ended automatically because you had too many sessions',
      plain: 'The least recently used session of {{target}} was ended automatically because they had too many sessions',
    },
    signed_out: { plain: '{{actor}} signed out' },
    expired: {
      yours: 'Your session expired',
      plain: 'The session of {{target}} expired',
    },
  },
  email: {
    verified: {
      you: '{{actor}} verified your email address',
      own: '{{actor}} verified their email address',
      plain: '{{actor}} verified the email address of {{target}}',
    },
    change_requested: { plain: '{{actor}} requested a change of email address' },
    changed: {
      you: '{{actor}} changed your email address',
      yours: '{{actor}} changed your email address',
      own: '{{actor}} changed their email address',
      plain: '{{actor}} changed the email address of {{target}}',
    },
    change_cancelled: {
      you: '{{actor}} cancelled the change of your email address',
      yours: '{{actor}} cancelled the change of your email address',
      own: '{{actor}} cancelled the change of their email address',
      plain: '{{actor}} cancelled the change of the email address of {{target}}',
    },
    change_cancelled_by_link: {
      yours: 'The pending change of your email address was cancelled with the link in an email',
      plain: 'The pending change of the email address of {{target}} was cancelled with the link in an email',
    },
    change_cancelled_by_system: {
      yours: 'The pending change of your email address was cancelled automatically',
      plain: 'The pending change of the email address of {{target}} was cancelled automatically',
    },
    // Its own person is the actor only in entries of older releases, which recorded a cancelled change so.
    change_undone: {
      you: '{{actor}} cancelled the change of your email address',
      own: '{{actor}} cancelled the change of their email address',
      plain: '{{actor}} cancelled the change of the email address of {{target}}',
    },
    change_undone_by_link: {
      yours: 'The change of your email address was undone with the link in an email',
      plain: 'The change of the email address of {{target}} was undone with the link in an email',
    },
  },
  password: {
    changed: {
      you: '{{actor}} changed your password',
      own: '{{actor}} changed their password',
      plain: '{{actor}} changed the password of {{target}}',
    },
    reset_requested: {
      yours: 'A link to reset your password was requested',
      plain: 'A link to reset the password of {{target}} was requested',
    },
    reset: {
      you: '{{actor}} reset your password with the link in an email',
      own: '{{actor}} reset their password with the link in an email',
      plain: '{{actor}} reset the password of {{target}} with the link in an email',
    },
    removed: {
      you: '{{actor}} removed your password',
      yours: '{{actor}} removed your password',
      own: '{{actor}} removed their password',
      plain: '{{actor}} removed the password of {{target}}',
    },
    switched_off: {
      yours: 'Your password was disabled until you choose a new one',
      plain: 'The password of {{target}} was disabled until they choose a new one',
    },
    switched_off_by_link: {
      yours: 'Your password was disabled automatically because the change of your email address was undone',
      plain:
        'The password of {{target}} was disabled automatically because the change of their email address was undone',
    },
    switched_off_by_system: {
      yours: 'Your password was disabled on unknown devices automatically because of too many failed sign-ins',
      plain:
        'The password of {{target}} was disabled on unknown devices automatically because of too many failed sign-ins',
    },
  },
  factor: {
    added: { plain: '{{actor}} added a second factor' },
    added_passkey: { plain: '{{actor}} added a passkey' },
    added_totp: { plain: '{{actor}} added an authenticator app' },
    removed: { plain: '{{actor}} removed a second factor' },
    removed_passkey: { plain: '{{actor}} removed a passkey' },
    removed_totp: { plain: '{{actor}} removed an authenticator app' },
  },
  factors: {
    reset: {
      you: '{{actor}} reset how you sign in',
      yours: '{{actor}} reset how you sign in',
      own: '{{actor}} reset how they sign in',
      plain: '{{actor}} reset how {{target}} signs in',
    },
  },
  recovery_codes: { made: { plain: '{{actor}} got new recovery codes' } },
  recovery_code: { used: { plain: '{{actor}} used a recovery code' } },
  identity: {
    linked: {
      you: '{{actor}} linked your account at {{provider}}',
      own: '{{actor}} linked their account at {{provider}}',
      plain: '{{actor}} linked the account of {{target}} at {{provider}}',
    },
    unlinked: {
      you: '{{actor}} unlinked your account at {{provider}}',
      yours: '{{actor}} unlinked your account at {{provider}}',
      own: '{{actor}} unlinked their account at {{provider}}',
      plain: '{{actor}} unlinked the account of {{target}} at {{provider}}',
    },
  },
  profile: {
    updated: {
      you: '{{actor}} changed your profile',
      yours: '{{actor}} changed your profile',
      own: '{{actor}} changed their profile',
      plain: '{{actor}} changed the profile of {{target}}',
    },
  },
  organization: {
    created: { plain: '{{actor}} created {{target}}' },
    updated: { plain: '{{actor}} changed the settings of {{target}}' },
    deleted: { plain: '{{actor}} deleted {{target}}' },
    ownership_transferred: { plain: '{{actor}} transferred ownership to {{target}}' },
  },
  invitation: {
    sent: { plain: '{{actor}} invited {{target}} as {{role}}' },
    sent_somehow: { plain: '{{actor}} invited {{target}}' },
    resent: { plain: '{{actor}} resent the invitation for {{target}}' },
    accepted: { plain: '{{actor}} accepted the invitation' },
    declined: { plain: '{{actor}} declined the invitation' },
    revoked: { plain: '{{actor}} revoked the invitation for {{target}}' },
    revoked_inviter_left: {
      plain: 'The invitation for {{target}} was revoked automatically because its sender left the organization',
    },
    revoked_inviter_removed: {
      plain: 'The invitation for {{target}} was revoked automatically because its sender was removed',
    },
    revoked_inviter_demoted: {
      plain: 'The invitation for {{target}} was revoked automatically because its sender’s role changed',
    },
    revoked_inviter_suspended: {
      plain: 'The invitation for {{target}} was revoked automatically because its sender was suspended',
    },
    revoked_inviter_reset: {
      plain:
        'The invitation for {{target}} was revoked automatically because its sender’s account may have been in the wrong hands',
    },
    revoked_inviter_right_ended: {
      plain: 'The invitation for {{target}} was revoked automatically because its sender can’t invite people any more',
    },
    revoked_invitee_excluded: {
      plain: 'The invitation for {{target}} was revoked automatically because that person was removed',
    },
    revoked_key_ended: {
      plain: 'The invitation for {{target}} was revoked automatically because the key that sent it ended',
    },
    revoked_key_narrowed: {
      plain: 'The invitation for {{target}} was revoked automatically because the key that sent it can do less now',
    },
    revoked_by_system: {
      plain: 'The invitation for {{target}} was revoked automatically because an account was deleted',
    },
  },
  ...membershipSentences,
  ...keySentences,
  ...applicationSentences,
  ...webhookSentences,
  provider: {
    created: { plain: '{{actor}} added the sign-in provider {{target}}' },
    updated: { plain: '{{actor}} changed the sign-in provider {{target}}' },
    deleted: { plain: '{{actor}} deleted the sign-in provider {{target}}' },
  },
  tenant: {
    created: { plain: '{{actor}} set this service up' },
    updated: { plain: '{{actor}} changed the settings' },
    keys_rotated: { plain: '{{actor}} replaced the key that signs tokens' },
    imported: { plain: '{{actor}} imported users, organizations or applications' },
  },
} as const
