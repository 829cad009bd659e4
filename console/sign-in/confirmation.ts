/** The attempt by which the user confirms to be there: in the dialog, or on the page of an application that asks for it. */
import { useQuery } from '@tanstack/react-query'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import type { Wanted } from '../api/confirmation.ts'
import { attemptOf } from './steps.tsx'

/**
 * Begins an attempt, and another one when `refetch` is called, but not by itself: people leave the page for their authenticator app while
 * a step or a dialog is open that is about this attempt, or about its refusal.
 */
export function useConfirmation(wanted: Wanted) {
  return useQuery({
    queryKey: ['confirmation', wanted],
    queryFn: () => beginConfirmation(wanted),
    gcTime: 0,
    staleTime: 'static',
    retry: false,
  })
}

async function beginConfirmation({ secondFactor }: Wanted): Promise<Schemas['Attempt']> {
  const body = secondFactor ? { secondFactor: true as const } : {}
  const error: unknown = await ask(api.POST('/api/auth/confirm', { body, params: asCookie })).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const attempt = attemptOf(error)
  if (!attempt) throw error
  return attempt
}
