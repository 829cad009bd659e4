/** Reads single settings of the environment, and collects their faults. */

/** `count` times in `seconds`. */
export interface Rate {
  readonly count: number
  readonly seconds: number
}

/**
 * @param environment variables by name; an empty one counts as absent
 * @returns functions that read a setting, and `faults`, to which they add a sentence for each invalid setting
 */
export function settingReader<Name extends string>(environment: Readonly<Record<string, string | undefined>>) {
  const faults: string[] = []

  const read = (name: Name): string | undefined => environment[name]?.trim() || undefined

  /** @param or names other valid values, for the sentence of the fault */
  const whole = (name: Name, fallback: number, from: number, to: number, or = ''): number => {
    const text = read(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= from && value <= to) return value
    faults.push(`${name} must be ${or}a whole number from ${from} to ${to}.`)
    return fallback
  }

  const rate = (name: Name, fallback: Rate): Rate => {
    const text = read(name)
    if (text === undefined) return fallback
    const [, count, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,6})$/.exec(text) ?? []
    if (count && seconds) return { count: Number(count), seconds: Number(seconds) }
    faults.push(`${name} must be <count>/<seconds>, such as ${fallback.count}/${fallback.seconds}.`)
    return fallback
  }

  const url = (name: Name, protocols: readonly string[], example: string): URL | undefined => {
    const text = read(name)
    if (text === undefined) return undefined
    const parsed = URL.canParse(text) ? new URL(text) : undefined
    if (parsed && protocols.includes(parsed.protocol) && parsed.hostname) return parsed
    faults.push(`${name} must be a URL like ${example}.`)
    return undefined
  }

  /** Reads a comma-separated list. */
  const list = (name: Name): string[] =>
    (read(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')

  return { faults, read, whole, rate, url, list }
}
