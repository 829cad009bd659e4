/** The time, on pages that stay open: what shows it renders again every half minute, by one timer for all. */
import { useSyncExternalStore } from 'react'

/** In milliseconds: words that say minutes are late by no more. */
const pace = 30_000

const listeners = new Set<() => void>()
let ticks = 0
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    ticks++
    for (const each of listeners) each()
  }, pace)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** @returns the time of this rendering, in milliseconds */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => ticks)
  return Date.now()
}

/** @returns a function that says whether a time is still to come */
export function useIsFuture(): (iso: string) => boolean {
  const now = useNow()
  return (iso) => Date.parse(iso) > now
}
