/** Sentences about keys. The target is written as “the key Nightly import”. */
export const keySentences = {
  key: {
    created: { plain: '{{actor}} created {{target}}' },
    narrowed: { plain: '{{actor}} changed {{target}}' },
    rotated: { plain: '{{actor}} created a new secret for {{target}}' },
    holder_left: { plain: '{{target}} will end because someone with its secret lost access' },
    ended: { plain: '{{actor}} ended {{target}}' },
    ended_expired: { plain: '{{target}} ended as scheduled' },
    ended_holder_left: { plain: '{{target}} was ended automatically because someone with its secret lost access' },
    ended_reset: { plain: '{{target}} was ended automatically because its user’s password was reset' },
    ended_suspended: { plain: '{{target}} was ended automatically because its user was suspended' },
    ended_left: { plain: '{{target}} was ended automatically because its user left the organization' },
    ended_removed: {
      plain: '{{target}} was ended automatically because its user was removed from the organization',
    },
  },
} as const
