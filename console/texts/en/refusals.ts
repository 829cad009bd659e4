/** Refusals in words, by code. */

export const refusals = {
  offline: {
    title: 'You’re offline',
    detail: 'Nothing was changed. Check your connection, then try again.',
    detail_read: 'Check your connection, then try again.',
  },
  no_cookies: {
    title: 'Your browser doesn’t accept cookies from this site',
    detail: 'Signing in needs one. Allow cookies for this site in your browser’s settings, then try again.',
  },
  no_storage: {
    title: 'Your browser doesn’t store anything for this site',
    detail:
      'Without it, you can’t come back here from another site. Allow site data in your browser’s settings, or delete some if it’s full, then try again.',
  },
  unreachable: {
    title: 'The service can’t be reached',
    detail: 'Check your connection. If you made a change, it may have been saved: check before you try again.',
    detail_read: 'Check your connection, then try again.',
  },
  unanswered: {
    title: 'The service didn’t respond in time',
    detail: 'Your change may have been saved. Check before you try again.',
    detail_read: 'Try again in a moment.',
  },
  outdated: { title: 'This page is out of date', detail: 'Reload it to continue.' },
  interrupted: { title: 'The download was interrupted', detail: 'The file is incomplete and wasn’t saved. Try again.' },
  unexpected: { title: 'Unexpected response ({{status}})', detail: 'Try again in a moment.' },
  invalid_request: { title: 'Some details aren’t valid', detail: 'Check what you entered and try again.' },
  unauthenticated: { title: 'You are signed out', detail: 'Sign in to continue.' },
  invalid_credentials: {
    title: 'Incorrect email or password',
    detail: 'Incorrect email or password. Check both and try again.',
  },
  forbidden: { title: 'You don’t have permission to do this', detail: 'Ask an admin, or someone who has it.' },
  wrong_password: { title: 'Incorrect password', detail: 'This is not your current password.' },
  wrong_proof: { title: 'That isn’t right', detail: 'That isn’t right. Check it and try again.' },
  attempt_spent: { title: 'Start again', detail: 'It took too long, or the account has changed in the meantime.' },
  unknown_passkey: {
    title: 'This passkey isn’t known here',
    detail: 'It was removed, or is for another account. Sign in another way.',
  },
  confirmation_required: {
    title: 'Not confirmed',
    detail: 'Nothing was changed. Try again and confirm that it’s you.',
  },
  second_factor_required: {
    title: 'A second factor is required',
    detail: 'To continue, confirm that it’s you with your second factor.',
    detail_tenant: 'An admin has made it a rule. Set up an authenticator app or a passkey to continue.',
    detail_organization:
      'The owners of this organization have made it a rule. Set up an authenticator app or a passkey to continue.',
  },
  own_factor_first: {
    title: 'Nothing was changed',
    detail: 'Set up your own second factor before you require one.',
  },
  second_factor_in_use: {
    title: 'You need a second factor here',
    detail: 'This is your last one, and it is required. Add another one first.',
  },
  sign_in_method_off: { title: 'This way to sign in is turned off', detail: 'Choose another one.' },
  last_way_in: { title: 'This is your only way to sign in', detail: 'Add a password or a passkey first.' },
  no_factor: { title: 'You have no second factor for this', detail: 'Add an authenticator app first.' },
  passkey_taken: { title: 'This passkey is already in use', detail: 'Use another device or security key.' },
  identity_taken: {
    title: 'This account is linked to someone else',
    detail: 'Sign in as that person to unlink it, or use another account.',
  },
  provider_refused: { title: 'The other service didn’t sign you in', detail: 'Start again, or choose another way.' },
  provider_without_email: {
    title: 'The other service didn’t share an email address',
    detail: 'An account needs one. Sign up another way.',
  },
  provider_unavailable: { title: 'The other service can’t be reached', detail: 'Try again later.' },
  sign_in_required: { title: 'Sign in again', detail: 'Sign out and in again, then try once more.' },
  user_suspended: {
    title: 'This account is suspended',
    detail: 'No one can sign in to it until an admin reactivates it. If you think this is a mistake, contact an admin.',
  },
  sign_up_closed: {
    title: 'Sign-up is not open',
    detail: 'You can’t create an account here at the moment. Contact the operator of this service.',
  },
  email_domain_not_allowed: {
    title: 'This email address can’t be used here',
    detail: 'Only email addresses at certain domains are allowed. Use your work or school address.',
  },
  invitation_expired: {
    title: 'This invitation has expired',
    detail: 'Ask the person who invited you to resend it.',
  },
  invitation_revoked: {
    title: 'This invitation was revoked',
    detail: 'If you think this is a mistake, ask the person who invited you for a new one.',
  },
  invitation_declined: {
    title: 'This invitation was declined',
    detail: 'If you’ve changed your mind, ask the person who invited you for a new one.',
  },
  invitation_used: {
    title: 'This invitation was already used',
    detail: 'If you accepted it, the organization is in your list.',
  },
  invitation_for_another_email: {
    title: 'This invitation is for another email address',
    detail: 'Sign in with the address that was invited, or ask for an invitation to your address.',
  },
  email_not_verified: {
    title: 'Verify your email address first',
    detail: 'Open the link in the email we sent you, then try again.',
  },
  cross_site: {
    title: 'This request was blocked',
    detail: 'Open this page directly at its own address and try again.',
  },
  https_required: {
    title: 'A secure connection is required',
    detail: 'Open the same address with https:// instead.',
  },
  not_found: { title: 'Not found', detail: 'It may have been deleted, or you may not have access to it.' },
  already_a_member: {
    title: 'Already a member',
    detail: 'This person is already a member and doesn’t need an invitation.',
  },
  role_above_yours: {
    title: 'You can’t give or change this',
    detail:
      'You can’t give what you don’t have yourself, or for longer than you have it, or change someone who may do more than you. Ask an owner.',
    detail_missing: 'This includes what you don’t have yourself: {{missing}}. Ask an owner.',
  },
  membership_suspended: {
    title: 'Your membership is suspended',
    detail: 'An admin of this organization suspended it. Until they reactivate it, you can only leave.',
  },
  removed_member: {
    title: 'You were removed from this organization',
    detail: 'This link doesn’t let you in again. Ask an admin for an invitation.',
  },
  not_offered: { title: 'This is turned off', detail: 'Ask the people who run this service.' },
  owner_cannot_end: {
    title: 'Owners can’t be suspended or have an end date',
    detail:
      'To make someone an owner, reactivate them and remove their end date first. To suspend an owner, give them another role first.',
  },
  members_full: {
    title: 'This organization is full',
    detail: 'It has reached its member limit. Ask one of its admins.',
  },
  external_id_taken: { title: 'This external ID is taken', detail: 'Use another one.' },
  role_in_use: {
    title: 'Members or keys have what you’re removing',
    detail: 'Nothing was changed. Confirm what they lose, then try again.',
  },
  links_full: {
    title: 'There are too many active links',
    detail: 'Revoke one that you don’t need any more, then try again.',
  },
  keys_full: {
    title: 'There are too many active keys',
    detail: 'End one that you don’t need any more, then try again.',
  },
  applications_full: {
    title: 'There are too many applications',
    detail: 'Delete one that you don’t need any more, then try again.',
  },
  webhooks_full: {
    title: 'There are too many webhooks',
    detail: 'Delete one that you don’t need any more, then try again.',
  },
  webhook_disabled: { title: 'This webhook is disabled', detail: 'Enable it, then try again.' },
  events_expired: {
    title: 'Those events are gone',
    detail: 'They were removed because of their age. Choose a later time.',
  },
  request_expired: {
    title: 'Start again',
    detail: 'This sign-in took too long. Open the application and sign in from there.',
  },
  no_secret: {
    title: 'This application has no secret',
    detail: 'Only applications on a server have one.',
  },
  key_ended: { title: 'This key has ended', detail: 'It stays ended. Create another key if you need one.' },
  link_ended: { title: 'This link no longer works', detail: 'Ask the person who sent it for a new one.' },
  slug_taken: {
    title: 'This slug is taken',
    detail: 'Another organization or a page already uses this slug. Choose a different one.',
  },
  already_invited: { title: 'Already invited', detail: 'This person has a pending invitation. You can resend it.' },
  already_owner: {
    title: 'Already an owner',
    detail: 'This person has become an owner in the meantime.',
  },
  invitation_not_pending: {
    title: 'This invitation is no longer pending',
    detail: 'It was accepted, declined or revoked, or it has expired.',
  },
  last_admin: {
    title: 'This is the only active admin',
    detail: 'There must always be one. Make someone else an admin first, then try again.',
  },
  sole_owner: {
    title: 'An organization needs another owner',
    detail:
      'This account is the only owner of an organization with other members. Transfer or delete that organization first.',
  },
  last_owner: {
    title: 'An organization needs at least one owner',
    detail: 'Make someone else an owner first, or delete the organization.',
  },
  limit_reached: {
    title: 'Limit reached',
    detail: 'Remove something first, or contact the operator of this service.',
  },
  confirmation_mismatch: {
    title: 'Nothing was deleted',
    detail: 'This doesn’t match the organization’s current slug.',
  },
  email_taken: {
    title: 'This email address is already in use',
    detail: 'An account with this email address already exists. Sign in to it, or use another address.',
  },
  token_spent: {
    title: 'This link no longer works',
    detail: 'The link was already used, was replaced by a newer one, or has expired.',
  },
  version_mismatch: {
    title: 'This was changed in the meantime',
    detail:
      'It was changed somewhere else. You now see the latest version, and your entries are kept. Check them, then try again.',
  },
  rate_limited: { title: 'Too many attempts', detail: 'Try again {{when}}.' },
  too_many_attempts: { title: 'Too many incorrect passwords', detail: 'Try again {{when}}.' },
  overloaded: { title: 'Too much is being done at once', detail: 'Try again {{when}}.' },
  unavailable: { title: 'The service is busy right now', detail: 'Try again {{when}}.' },
  internal: {
    title: 'Something went wrong on our end',
    detail: 'Try again later. If it keeps happening, contact the operator of this service and quote “{{requestId}}”.',
  },
  request_in_progress: {
    title: 'This is already in progress',
    detail: 'The same request was sent a moment ago and is still being processed. Try again {{when}}.',
  },
  inAMoment: 'in a moment',
} as const
