/** The last value that was there: a dialog shows it while it closes. */
import { useRef } from 'react'

export function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value)
  if (value !== undefined) last.current = value
  return last.current
}
