/** The page of a link to join. */
export const joining = {
  loading: 'Your link',
  lead: '{{maker}} shared this link. Anyone with it can join as a member.',
  leadUnnamed: 'Anyone with this link can join {{organization}} as a member.',
  roles: 'You’ll also get these roles: {{roles}}.',
  domains: 'Only for email addresses at {{domains}}.',
  verifyFirst: 'Open the link in the email we sent you. Then you can join.',
  submit: 'Join',
  signInSubmit: 'Sign in to join',
  incompleteLead: 'Part of it is missing. Copy the whole link, or ask for it again.',
  endedTitle: 'This link no longer works',
  endedLead: 'It has expired, was revoked, or has been used too often. Ask the person who sent it for a new one.',
} as const
