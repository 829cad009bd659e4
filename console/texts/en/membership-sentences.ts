/** Sentences about members, links to join, and the access model. */
export const membershipSentences = {
  link: {
    created: { plain: '{{actor}} created a link to join' },
    ended: { plain: '{{actor}} ended a link to join' },
    ended_inviter_left: {
      plain: 'A link to join was ended automatically because the person who created it left the organization',
    },
    ended_inviter_removed: {
      plain: 'A link to join was ended automatically because the person who created it was removed',
    },
    ended_inviter_demoted: {
      plain: 'A link to join was ended automatically because the role of the person who created it changed',
    },
    ended_inviter_suspended: {
      plain: 'A link to join was ended automatically because the person who created it was suspended',
    },
    ended_inviter_reset: {
      plain:
        'A link to join was ended automatically because the account of the person who created it may have been in the wrong hands',
    },
    ended_inviter_right_ended: {
      plain: 'A link to join was ended automatically because the person who created it can’t invite people any more',
    },
    ended_key_ended: { plain: 'A link to join was ended automatically because the key that created it ended' },
    ended_key_narrowed: {
      plain: 'A link to join was ended automatically because the key that created it can do less now',
    },
    ended_used: { plain: 'A link to join was ended automatically because it reached its limit' },
    ended_by_system: { plain: 'A link to join was ended automatically because an account was deleted' },
  },
  member: {
    joined: { plain: '{{target}} joined as {{role}}' },
    joined_invitation: { plain: '{{target}} accepted the invitation and joined as {{role}}' },
    joined_link: { plain: '{{target}} joined as {{role}} with a link' },
    joined_admin: {
      yours: '{{actor}} added you as {{role}}',
      own: '{{actor}} joined as {{role}}',
      plain: '{{actor}} added {{target}} as {{role}}',
    },
    joined_somehow: { plain: '{{target}} joined' },
    role_changed: { own: '{{actor}} became {{role}}', plain: '{{actor}} made {{target}} {{role}}' },
    role_changed_somehow: {
      you: '{{actor}} changed your role',
      yours: '{{actor}} changed your role',
      own: '{{actor}} changed their role',
      plain: '{{actor}} changed the role of {{target}}',
    },
    grants_changed: {
      you: '{{actor}} changed your additional roles',
      yours: '{{actor}} changed your additional roles',
      own: '{{actor}} changed their additional roles',
      plain: '{{actor}} changed the additional roles of {{target}}',
    },
    suspended: {
      yours: '{{actor}} suspended your membership',
      plain: '{{actor}} suspended the membership of {{target}}',
    },
    reactivated: {
      yours: '{{actor}} reactivated your membership',
      plain: '{{actor}} reactivated the membership of {{target}}',
    },
    expiry_changed: {
      you: '{{actor}} changed when your membership ends',
      yours: '{{actor}} changed when your membership ends',
      own: '{{actor}} changed when their membership ends',
      plain: '{{actor}} changed when the membership of {{target}} ends',
    },
    expired: {
      yours: 'Your membership ended as scheduled',
      plain: 'The membership of {{target}} ended as scheduled',
    },
    removed: { plain: '{{actor}} removed {{target}}' },
    left: { plain: '{{target}} left' },
  },
  access: { updated: { plain: '{{actor}} changed the permissions and roles' } },
} as const
