/**
 * Password strength: a rough estimate from length and variety, shown while typing.
 * Only the server refuses a password.
 */

export interface Strength {
  readonly level: 'short' | 'weak' | 'fair' | 'good' | 'strong'
  /** How to improve it. */
  readonly advice?: 'identity' | 'repeats' | 'sequence' | 'longer'
  /** The number of characters missing to the minimum length. */
  readonly missing: number
}

export interface StrengthOptions {
  readonly minimum: number
  /** Public facts about the person: names and addresses. */
  readonly identities?: readonly string[]
}

export function judge(password: string, { minimum, identities = [] }: StrengthOptions): Strength {
  const text = password.normalize('NFKC')
  const characters = [...text]
  const missing = Math.max(0, minimum - characters.length)
  if (missing > 0) return { level: 'short', missing }

  const known = partsOf(identities).filter((part) => text.toLowerCase().includes(part))
  const knownLength = Math.max(0, ...known.map((part) => part.length - 1))
  const { fresh, repeated, inSequence } = count(characters)
  const bits = Math.max(0, fresh - knownLength) * Math.log2(poolOf(text))

  const level = bits < 50 ? 'weak' : bits < 64 ? 'fair' : bits < 84 ? 'good' : 'strong'
  if (level === 'strong' || level === 'good') return { level, missing }
  if (known.length > 0) return { level, missing, advice: 'identity' }
  if (repeated > characters.length / 3) return { level, missing, advice: 'repeats' }
  if (inSequence > characters.length / 3) return { level, missing, advice: 'sequence' }
  return { level, missing, advice: 'longer' }
}

/** The parts of addresses and names that are long enough to be recognized in a password. */
function partsOf(identities: readonly string[]): string[] {
  return identities.flatMap((each) => each.toLowerCase().split(/[@\s]+/)).filter((part) => part.length >= 4)
}

/** A character that continues a repetition or a sequence counts as a quarter. */
function count(characters: readonly string[]): { fresh: number; repeated: number; inSequence: number } {
  const seen = new Map<string, number>()
  let [fresh, repeated, inSequence] = [0, 0, 0]
  characters.forEach((character, index) => {
    const times = seen.get(character) ?? 0
    seen.set(character, times + 1)
    const step = codePointOf(character) - codePointOf(characters[index - 1])
    const isNext =
      Math.abs(step) === 1 && step === codePointOf(characters[index - 1]) - codePointOf(characters[index - 2])
    const isRepeated = character === characters[index - 1] || times >= 3
    if (isRepeated) repeated++
    else if (isNext) inSequence++
    fresh += isRepeated || isNext ? 0.25 : 1
  })
  return { fresh, repeated, inSequence }
}

function codePointOf(character: string | undefined): number {
  return character?.codePointAt(0) ?? Number.NaN
}

const kinds: readonly (readonly [RegExp, number])[] = [
  [/\p{Ll}/u, 26],
  [/\p{Lu}/u, 26],
  [/\d/, 10],
  [/[^\p{L}\d]/u, 33],
  [/[^\0-\x7f]/u, 60],
]

/** The number of characters that a guesser has to try at each position. */
function poolOf(text: string): number {
  return kinds.reduce((sum, [kind, size]) => (kind.test(text) ? sum + size : sum), 0)
}
