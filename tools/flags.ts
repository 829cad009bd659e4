/** The arguments of our own scripts, which take at most one flag. */

/**
 * @param flag  the script's only flag, or none
 * @param usage how to call the script
 * @returns whether the flag was given. For any other argument the process ends before it does anything.
 */
export function readFlag(flag: string | undefined, usage: string): boolean {
  const given = process.argv.slice(2)
  if (given.some((each) => each !== flag)) {
    console.error(`usage: ${usage}`)
    process.exit(2)
  }
  return given.length > 0
}
