/** Tints: the hues behind initials. */

/** So far apart that two of them can be told from each other. */
const hues = [25, 55, 85, 115, 145, 175, 205, 235, 265, 295, 325, 355]

/** @param id of whom or what it is @returns the hue of a tint, always the same for it */
export function tintOf(id: string): number {
  let hash = 0
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  return hues[hash % hues.length] ?? 0
}
