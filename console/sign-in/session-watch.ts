/**
 * Watches the session: it can change in another tab, on another device, or while the page is in the browser's back/forward cache.
 *
 * Invariant: nothing of one person is shown to, or sent as, another.
 */
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Schemas } from '../api/client.ts'
import { onSessionEnd, queries } from '../api/queries.ts'
import { forgetUnsaved, hasUnsaved } from '../parts/unsaved.ts'
import { callerQuery } from '../users/me.ts'
import { endConfirmation } from './confirmations.tsx'
import { hold, leavePages, onSessionOfOthers } from './session.ts'

export function useSessionWatch(): void {
  const router = useRouter()
  useEffect(() => {
    // The pages outside handle it themselves, and their tokens must not get into a query.
    const isInside = () => !router.state.matches.some(({ routeId }) => routeId === '/outside')
    let last = queries.getQueryData(callerQuery.queryKey)
    let isEnding = false

    const end = async () => {
      if (isEnding) return
      isEnding = true
      const next = router.state.location.href
      const state = { isLost: hasUnsaved() }
      await leavePages(() => router.navigate({ to: '/sign-in', search: { next, ended: true }, state }))
      isEnding = false
    }
    const reload = () => {
      forgetUnsaved() // otherwise the user could choose to stay
      hold(true)
      location.reload()
    }
    /** Somebody has signed in or out in this browser. The page is hidden until the current user is known. */
    const checkUser = async () => {
      const person = isInside() ? last : null
      const focused = document.activeElement
      if (person) hold(true)
      try {
        await queries.refetchQueries({ queryKey: callerQuery.queryKey, exact: true }, { throwOnError: Boolean(person) })
      } catch {
        return reload() // it shows the error
      }
      if (!person || queries.getQueryData(callerQuery.queryKey)?.id !== person.id) return
      hold(false)
      if (focused instanceof HTMLElement) focused.focus()
    }
    const changeRole = async ({ role }: Schemas['User']) => {
      await router.invalidate()
      if (role !== 'admin') queries.removeQueries({ queryKey: ['admin'] })
    }
    const compare = (caller: Schemas['User'] | null) => {
      const before = last
      last = caller
      if (!before) return
      if (caller?.id !== before.id) endConfirmation()
      if (!isInside()) return
      if (caller === null) void end()
      else if (caller.id !== before.id) reload()
      else if (caller.role !== before.role) void changeRole(caller)
    }
    const key = JSON.stringify(callerQuery.queryKey)
    const unsubscribe = queries.getQueryCache().subscribe(({ type, query }) => {
      if (query.queryHash !== key) return
      if (type === 'removed') {
        last = undefined
        if (isInside()) reload() // the user signed out and went back
      }
      if (type === 'updated' && query.state.data !== undefined) compare(query.state.data)
    })
    onSessionEnd(() => {
      if (!last) return // nobody was signed in
      if (isInside()) void end()
      else queries.setQueryData(callerQuery.queryKey, null)
    })
    const stopListening = onSessionOfOthers(() => void checkUser())
    // Back from the browser's cache: the user may be another now.
    const onHide = ({ persisted }: PageTransitionEvent) => persisted && hold(true)
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && reload()
    addEventListener('pagehide', onHide)
    addEventListener('pageshow', onShow)
    return () => {
      unsubscribe()
      stopListening()
      removeEventListener('pagehide', onHide)
      removeEventListener('pageshow', onShow)
    }
  }, [router])
}
