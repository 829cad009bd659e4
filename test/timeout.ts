/**
 * How long tests wait for what must happen, in milliseconds. It is long, because only a failing test waits for its end: before it, the
 * machine is slow; after it, something is broken.
 */
export const timeout = 120_000
