/** Failures: what a run of tests says at its end, so that its last lines suffice to see what is wrong. */

export interface Failure {
  /** The names of the test and of the tests around it. */
  readonly test: string
  /** The error in one line. */
  readonly line: string
  /** The whole error, for people. */
  readonly text: string
}

export interface Failed extends Failure {
  readonly file: string
}

/** In characters. */
const longest = 200

/** @returns two lines for each failure: the test, then its file and its error */
export function summarize(failures: readonly Failed[]): string {
  return failures.map(({ file, test, line }) => `FAILED  ${test}\n        ${file}: ${line}`).join('\n')
}

/**
 * @returns the first line of an error's message. If it only announces a difference, as those of node:assert do ("Expected values to be
 *   strictly equal:"), the difference follows in the same line.
 */
export function firstLine(message: string): string {
  const [first = '', ...rest] = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '+ actual - expected')
  if (!first.endsWith(':')) return first.slice(0, longest)
  const changed = rest.filter((line) => /^[+-]/.test(line))
  const shown = (changed.length > 0 ? changed : rest.slice(0, 1)).map((line) => line.replace(/ +/g, ' '))
  return [first, ...shown].join(' ').slice(0, longest)
}
