/** How long a secret works on after it was replaced: what forms offer. */

/** In seconds. */
export const overlaps = { none: 0, hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const
export type Overlap = keyof typeof overlaps
export const overlapNames = Object.keys(overlaps) as Overlap[]
