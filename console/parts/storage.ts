/**
 * Storage: what a browser keeps for the console. It may be full, or denied by the user, the browser or the page around this one. So
 * nothing here throws: what is not kept reads as absent.
 *
 * theme/opening.ts, which cannot import, and Mantine, which keeps the chosen color scheme, each take the same care themselves.
 */
export interface Place {
  read(key: string): string | null
  /** @returns whether it is kept */
  write(key: string, value: string): boolean
  remove(key: string): void
}

/** Kept for all tabs, from now on. */
export const inBrowser = place(() => localStorage)

/** Kept for this tab, until it is closed. */
export const inTab = place(() => sessionStorage)

/** @param open asked each time: where storage is denied, even naming it throws */
function place(open: () => Storage): Place {
  return {
    read: (key) => attempt(() => open().getItem(key)) ?? null,
    write: (key, value) => attempt(() => open().setItem(key, value) ?? true) ?? false,
    remove: (key) => attempt(() => open().removeItem(key)),
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
