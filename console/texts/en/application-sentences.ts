/** Sentences about applications. */
export const applicationSentences = {
  application: {
    created: { plain: '{{actor}} added the application {{target}}' },
    updated: { plain: '{{actor}} changed the application {{target}}' },
    secret_rotated: { plain: '{{actor}} created a new secret for the application {{target}}' },
    deleted: { plain: '{{actor}} deleted the application {{target}}' },
    signed_in: { plain: '{{actor}} signed in to the application {{target}}' },
    token_reused: {
      yours: 'You were signed out of an application automatically because a token was used twice',
      plain: '{{target}} was signed out of an application automatically because a token was used twice',
    },
  },
} as const
