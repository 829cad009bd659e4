/** Sends something again on a click, and not twice. */
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * @param send resolves when the page shows the outcome. A click before that is none: the event may be delivered by then, and would be sent
 *   once more without a question
 * @returns a function for the button, and whether its button is busy
 */
export function useOnce(send: () => Promise<unknown>): [start: () => void, isBusy: boolean] {
  // `isPending` changes with the next render. A second click may come before it.
  const isSending = useRef(false)
  const { mutate, isPending } = useMutation({
    mutationFn: send,
    onSettled() {
      isSending.current = false
    },
  })
  const start = () => {
    if (isSending.current) return
    isSending.current = true
    mutate()
  }
  return [start, isPending]
}
