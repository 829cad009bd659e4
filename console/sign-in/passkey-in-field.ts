/** A passkey in the address field: the browser offers it among what it fills in, and the user signs in by picking it. */
import { useEffect, useRef, useState } from 'react'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import { askForPasskey, hasPasskeysInFields, PasskeyCancelled } from './passkeys.ts'

/** Options are good for ten minutes. */
const renewal = 9 * 60_000
/** A browser that answers sooner has asked nobody, and would answer the same again. */
const soonest = 1000

interface PasskeyInField {
  /** Only one request for a passkey can be open: off while another way is used. */
  readonly isOffered: boolean
  readonly onDone: (user: Schemas['User']) => unknown
}

/** @returns why the picked passkey was refused */
export function usePasskeyInField({ isOffered, onDone }: PasskeyInField): unknown {
  const [error, setError] = useState<unknown>()
  const done = useRef(onDone)
  done.current = onDone
  useEffect(() => {
    if (!isOffered) return
    const ending = new AbortController()
    const offer = async () => {
      if (!(await hasPasskeysInFields())) return
      while (!ending.signal.aborted) {
        const user = await offerOnce(ending.signal, setError)
        if (user && !ending.signal.aborted) return done.current(user)
      }
    }
    // What the browser or the API cannot do now, the button for passkeys says if it is used.
    void offer().catch(() => {})
    return () => {
      ending.abort()
      setError(undefined)
    }
  }, [isOffered])
  return error
}

/** @returns nobody if the options have to be renewed, or the picked passkey was refused @throws if there is nothing to offer */
async function offerOnce(ending: AbortSignal, onRefused: (error: unknown) => void) {
  const { options } = await ask(api.POST('/api/auth/passkey-options', { body: {} }))
  const credential = await pick(options, ending)
  if (!credential) return undefined
  onRefused(undefined)
  try {
    return (await ask(api.POST('/api/auth/sign-in/passkey', { body: { credential }, params: asCookie }))).user
  } catch (error) {
    onRefused(error)
    return undefined
  }
}

/** @returns nothing if the time is up, the offer is over, or the user has closed the browser's dialog */
async function pick(options: Schemas['PasskeyRequestOptions'], ending: AbortSignal) {
  const begin = performance.now()
  const renewing = new AbortController()
  const timer = setTimeout(() => renewing.abort(), renewal)
  const signal = AbortSignal.any([ending, renewing.signal])
  try {
    return await askForPasskey(options, signal)
  } catch (error) {
    const isClosed = error instanceof PasskeyCancelled && performance.now() - begin > soonest
    if (signal.aborted || isClosed) return undefined
    throw error
  } finally {
    clearTimeout(timer)
  }
}
