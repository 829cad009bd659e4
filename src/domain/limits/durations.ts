/**
 * The range of each duration in the settings of a tenant, in seconds. The API refuses what is out of it, and so does the console, in words.
 * The console imports this file, which therefore imports nothing.
 */
const minute = 60
const hour = 60 * minute
const day = 24 * hour

export const durations = {
  sessionIdleSeconds: { least: 5 * minute, most: 400 * day },
  sessionAbsoluteSeconds: { least: 5 * minute, most: 400 * day },
  auditRetentionSeconds: { least: day, most: 3_650 * day },
  eventRetentionSeconds: { least: day, most: 90 * day },
  tokenSeconds: { least: minute, most: hour },
  keyGraceSeconds: { least: 0, most: 30 * day },
} as const
