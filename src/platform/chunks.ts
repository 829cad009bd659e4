/** Chunks: lists that are too long for one statement. */

/** @returns the list in arrays of `size`; the last one may be shorter */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}
