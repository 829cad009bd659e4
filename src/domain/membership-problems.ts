/** Problems of memberships: roles, suspension, ends, links to join and limits of members. */
import type { ProblemEntry } from '../platform/http/request-problems.ts'

export const membershipProblems = {
  membership_suspended: {
    status: 403,
    title: 'Your membership is suspended.',
    detail:
      'Until an admin of the organization reactivates it, you can only leave the organization. Your account works elsewhere.',
  },
  removed_member: {
    status: 403,
    title: 'You were removed from this organization.',
    detail: 'A link cannot let you back in. Ask an admin of the organization for an invitation.',
  },
  not_offered: {
    status: 403,
    title: 'The tenant does not offer this.',
    detail: 'An admin of the tenant can turn it on in the tenant’s settings.',
  },
  role_in_use: {
    status: 409,
    title: 'Somebody or a key has what you want to remove.',
    detail:
      'Nothing was changed. `roles` and `permissions` list what is in use. To remove it anyway, list it in the query parameter `drop`.',
  },
  owner_cannot_end: {
    status: 409,
    title: 'An owner cannot be suspended or given an end date.',
    detail:
      'First give the owner another role, or transfer the ownership. A member who is suspended or has an end date cannot become an owner.',
  },
  members_full: {
    status: 409,
    title: 'The organization is full.',
    detail:
      'It has reached its `memberLimit`. Remove a member, or ask an admin of the tenant to raise the limit. An invitation stays pending.',
  },
  external_id_taken: {
    status: 409,
    title: 'The external id is taken.',
    detail: 'Another user of the tenant, or another organization, has this external id. Use another one.',
  },
  link_ended: {
    status: 410,
    title: 'The link no longer works.',
    detail:
      'It was revoked, has expired, was used up, or the person who made it can no longer invite. Ask an admin for a new one.',
  },
} as const satisfies Record<string, ProblemEntry>
