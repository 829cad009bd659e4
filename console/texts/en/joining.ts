/** The page of a link to join. */
export const joining = {
  loading: 'Your link',
  lead: '{{maker}} shared this link. Anybody with it can join as a member.',
  leadUnnamed: 'Anybody with this link can join {{organization}} as a member.',
  roles: 'You also get: {{roles}}.',
  domains: 'Only for addresses at {{domains}}.',
  verifyFirst: 'Open the link in the email that we sent you. Then you can join.',
  submit: 'Join',
  signInLead: 'Sign in to join.',
  openAgain: 'Then open this link again.',
  endedTitle: 'This link no longer works',
  endedLead: 'It was ended, has expired or was used up. Ask the person who sent it for a new one.',
} as const
