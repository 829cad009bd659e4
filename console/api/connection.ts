/**
 * The connection to the service. It is lost when the browser goes offline, or when a request gets no response. The response to any
 * later request restores it: a service on the same machine can be reached while the browser is offline.
 */
import { useSyncExternalStore } from 'react'

let isLost = false
let losses = 0
const listeners = new Set<() => void>()

function set(next: boolean): void {
  if (next === isLost) return
  isLost = next
  for (const listener of listeners) listener()
}

/** How often the connection was lost: a request keeps this from before it was sent. */
export function countLosses(): number {
  return losses
}

/** @param before countLosses() from before the request was sent: if the connection was lost since, the response says nothing */
export function noteResponse(before: number): void {
  if (before === losses) set(false)
}

export function noteNoResponse(): void {
  losses++
  set(true)
}

addEventListener('offline', noteNoResponse)
addEventListener('online', () => set(false))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnectionLost(): boolean {
  return useSyncExternalStore(subscribe, () => isLost)
}
