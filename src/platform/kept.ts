/**
 * Keeps what is computed once and used often.
 *
 * @param compute is called at the first use, and again after it has failed
 * @returns a function that gives the one result
 */
export function kept<Result>(compute: () => Promise<Result>): () => Promise<Result> {
  let computing: Promise<Result> | undefined
  return () => {
    computing ??= compute().catch((error: unknown) => {
      computing = undefined
      throw error
    })
    return computing
  }
}
