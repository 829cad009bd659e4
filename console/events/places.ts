/** Places of events in the feed. Sequences follow the clock, in microseconds. */

/** The first place that an event of this time can have. */
export function placeOf(time: string): number {
  return Date.parse(time) * 1000
}

/** When an event could have had a place. */
export function timeOf(place: number): string {
  return new Date(place / 1000).toISOString()
}
