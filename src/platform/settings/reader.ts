/** Reader: reads single settings, each in its form. A setting that is invalid adds a sentence to the faults. */

/** `count` times in `seconds`. */
export interface Rate {
  readonly count: number
  readonly seconds: number
}

/** Of a rate, in seconds: a timer of Node is no longer. Rates that a process counts for itself have one for each count. */
const longestPeriod = 2_000_000

export type Reader<Setting extends string> = ReturnType<typeof settingReader<Setting>>

/**
 * @param environment variables by name; an empty one counts as absent
 * @returns functions that read a setting, and `faults`, to which they add a sentence for each invalid setting
 */
export function settingReader<Setting extends string>(environment: Readonly<Record<string, string | undefined>>) {
  const faults: string[] = []

  const read = (name: Setting): string | undefined => environment[name]?.trim() || undefined

  /** Reads a password, to which spaces around it belong. */
  const untrimmed = (name: Setting): string | undefined => environment[name] || undefined

  /** @param or names other valid values, for the sentence of the fault */
  const whole = (name: Setting, fallback: number, from: number, to: number, or = ''): number => {
    const text = read(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= from && value <= to) return value
    faults.push(`${name} must be ${or}a whole number from ${from} to ${to}.`)
    return fallback
  }

  const rate = (name: Setting, fallback: Rate): Rate => {
    const text = read(name)
    if (text === undefined) return fallback
    const [, count, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,6})$/.exec(text) ?? []
    if (count && Number(seconds) <= longestPeriod) return { count: Number(count), seconds: Number(seconds) }
    faults.push(
      `${name} must be <count>/<seconds>, such as ${fallback.count}/${fallback.seconds}, with at most ${longestPeriod} seconds.`,
    )
    return fallback
  }

  const url = (name: Setting, protocols: readonly string[], example: string): URL | undefined => {
    const text = read(name)
    if (text === undefined) return undefined
    const parsed = URL.canParse(text) ? new URL(text) : undefined
    if (parsed && protocols.includes(parsed.protocol) && parsed.hostname) return parsed
    faults.push(`${name} must be a URL like ${example}.`)
    return undefined
  }

  /** Reads a comma-separated list. */
  const list = (name: Setting): string[] =>
    (read(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')

  return { faults, read, untrimmed, whole, rate, url, list }
}
