/** The initials of a name or an email address, which replace a picture. */

/** Of the first and the last word, without signs like brackets. A name without letters is its first sign. */
export function initials(name: string): string {
  const words = name.replace(/@.*/, '').split(/[\s._-]+/)
  const letters = words.flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
  const [first, ...others] = letters
  if (first === undefined) return [...new Intl.Segmenter().segment(name.trim())][0]?.segment ?? ''
  return (first + (others.at(-1) ?? '')).toUpperCase()
}
