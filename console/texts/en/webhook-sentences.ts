/** Sentences about webhooks. */
export const webhookSentences = {
  webhook: {
    created: { plain: '{{actor}} added the webhook {{target}}' },
    updated: { plain: '{{actor}} changed the webhook {{target}}' },
    rotated: { plain: '{{actor}} created a new secret for the webhook {{target}}' },
    failing: { plain: 'The webhook {{target}} began to fail' },
    recovered: { plain: 'The webhook {{target}} works again' },
    disabled: { plain: '{{actor}} disabled the webhook {{target}}' },
    disabled_failures: { plain: 'The webhook {{target}} was disabled automatically because it failed for days' },
    disabled_gone: { plain: 'The webhook {{target}} was disabled automatically because its server answered “gone”' },
    disabled_by_system: { plain: 'The webhook {{target}} was disabled automatically' },
    deleted: { plain: '{{actor}} deleted the webhook {{target}}' },
  },
} as const
