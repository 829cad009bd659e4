/**
 * Watches whose session it is: that can change in another tab, on another device, or while the page lay in the browser's memory.
 *
 * Invariant: nothing of one person is shown, or sent, as another.
 */
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Schemas } from '../api/client.ts'
import { onSessionEnd, queries } from '../api/queries.ts'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { callerQuery } from '../users/me.ts'
import { forgetSession, onSessionOfOthers } from './session.ts'

export function useSessionWatch(): void {
  const router = useRouter()
  useEffect(() => {
    // The pages outside say themselves what that means to them, and their tokens must not get into a query.
    const isInside = () => !router.state.matches.some(({ routeId }) => routeId === '/outside')
    let last = queries.getQueryData(callerQuery.queryKey)
    let isEnding = false

    const end = async () => {
      if (isEnding) return
      isEnding = true
      forgetUnsaved()
      await router.navigate({ to: '/sign-in', search: { next: router.state.location.href, ended: true } })
      forgetSession()
      isEnding = false
    }
    const loadAnew = () => {
      forgetUnsaved() // a question could be answered by staying
      location.reload()
    }
    const compare = (caller: Schemas['User'] | null) => {
      const before = last
      last = caller
      if (!before || !isInside()) return
      if (caller === null) void end()
      else if (caller.id !== before.id) loadAnew()
      else if (caller.role !== before.role) void router.invalidate()
    }
    const key = JSON.stringify(callerQuery.queryKey)
    const unsubscribe = queries.getQueryCache().subscribe(({ type, query }) => {
      if (query.queryHash !== key) return
      if (type === 'removed') last = undefined
      else if (type === 'updated' && query.state.data !== undefined) compare(query.state.data)
    })
    onSessionEnd(() => {
      if (!last) return // nobody was signed in
      if (isInside()) void end()
      else queries.setQueryData(callerQuery.queryKey, null)
    })
    const stopListening = onSessionOfOthers(() => void queries.refetchQueries({ queryKey: callerQuery.queryKey }))
    // Back from the browser's memory, as it was left: whoever it was then.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && loadAnew()
    addEventListener('pageshow', onShow)
    return () => {
      unsubscribe()
      stopListening()
      removeEventListener('pageshow', onShow)
    }
  }, [router])
}
