/** What a member may do and until when. */
export const memberAccess = {
  title: 'What {{name}} may do',
  open: 'Roles and end…',
  ends: 'Ends {{date}}',
  filterStatus: 'Status',
  statuses: { active: 'Active', suspended: 'Suspended', all: 'Active and suspended' },
  roles: 'Roles',
  endOf: 'End of {{role}}',
  endHint: 'A date is optional. A role ends with that day.',
  owner: 'An owner may do everything, and can’t be suspended or given an end.',
  end: 'Membership ends',
  endLead: 'Leave it empty for no end. The membership ends with that day.',
  suspend: 'Suspend',
  suspendLead: 'A suspended member keeps everything, but can only leave until someone reactivates them.',
  may: 'May now',
  mayNothing: 'Nothing, while suspended.',
  saved: 'What {{name}} may do was changed.',
} as const
