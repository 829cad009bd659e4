/** The arguments of our own scripts, of which each knows one at most. */

/**
 * @param flag  the one that the script knows; none when it takes nothing at all
 * @param usage how the script is called
 * @returns whether it was given. Ends the process where anything else was, before anything is done.
 */
export function readFlag(flag: string | undefined, usage: string): boolean {
  const given = process.argv.slice(2)
  if (given.some((each) => each !== flag)) {
    console.error(`usage: ${usage}`)
    process.exit(2)
  }
  return given.length > 0
}
