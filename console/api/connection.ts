/**
 * The connection to the service. It is lost when the browser goes offline, or when a request gets no response. Any response restores
 * it: a service on the same machine can be reached while the browser is offline.
 */
import { useSyncExternalStore } from 'react'

let isLost = false
const listeners = new Set<() => void>()

function set(next: boolean): void {
  if (next === isLost) return
  isLost = next
  for (const listener of listeners) listener()
}

export function noteResponse(): void {
  set(false)
}

export function noteNoResponse(): void {
  set(true)
}

addEventListener('offline', noteNoResponse)
addEventListener('online', noteResponse)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnectionLost(): boolean {
  return useSyncExternalStore(subscribe, () => isLost)
}
