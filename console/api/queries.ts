/**
 * The cache of what was read from the API.
 *
 * A key begins like the path that was read: `['organizations', slug, 'members', filters]`. Code that changes something
 * invalidates the shortest key that holds it.
 */
import { notifications } from '@mantine/notifications'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { wordsOf } from '../texts/refusals.ts'
import { asRefused } from '../theme/messages.ts'
import { isRefusal } from './refusal.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** `shows`: the form or dialog shows the refusal itself. */
    mutationMeta: { readonly shows?: boolean }
  }
}

type Listener = () => void
let sessionEnded: Listener = () => {}

/** Sets what happens when the API says that the session has ended. */
export function onSessionEnd(listener: Listener): void {
  sessionEnded = listener
}

function listen(error: unknown): void {
  // `tenant_mismatch`: somebody has signed in to another tenant in this browser.
  if (isRefusal(error, 'unauthenticated', 'tenant_mismatch')) sessionEnded()
}

/** Refusals of what a page would not offer, if it knew what is true now. */
const ofOldPages = [
  'version_mismatch',
  'not_found',
  'forbidden',
  'role_above_yours',
  'key_ended',
  'invitation_not_pending',
  'invitation_expired',
  'invitation_revoked',
  'invitation_declined',
  'invitation_used',
  'already_owner',
  'owner_cannot_end',
  'last_owner',
  'webhook_disabled',
  'last_way_in',
  'second_factor_in_use',
] as const

/** A refused action may mean that the page is out of date: everything on it is read again. */
export async function readAgainAfter(error: unknown): Promise<void> {
  if (isRefusal(error, ...ofOldPages)) await queries.invalidateQueries({ type: 'active' })
  // A page offers a way to sign in that was switched off since.
  if (isRefusal(error, 'sign_in_method_off')) await queries.invalidateQueries({ queryKey: ['tenant'], exact: true })
}

/** Whether the subject of the page was deleted. The page says so itself. */
function isPageGone(): boolean {
  return queries
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state }) => isRefusal(state.error, 'not_found'))
}

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey: [first] }) {
      listen(error)
      // The user is not an admin any more.
      if (first === 'admin' && isRefusal(error, 'forbidden'))
        void queries.invalidateQueries({ queryKey: ['users', 'me'], exact: true })
    },
  }),
  mutationCache: new MutationCache({
    async onError(error, _variables, _context, { meta }) {
      listen(error)
      const reading = readAgainAfter(error)
      if (meta?.shows || isRefusal(error, 'unauthenticated', 'tenant_mismatch')) return
      if (isRefusal(error, 'not_found')) {
        await reading
        if (isPageGone()) return
      }
      const { title, detail } = wordsOf(error)
      notifications.show({ ...asRefused, title, message: detail, autoClose: 8000 })
    },
  }),
  defaultOptions: {
    // `always`: without a connection a mutation fails at once. The default, `online`, would pause it and send it later.
    mutations: {
      networkMode: 'always',
      // They hold passwords, and secrets that are shown once. Not 0, which would look again every few milliseconds while one is under way.
      gcTime: 1000,
    },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 15_000,
      // Only failures that may be over a moment later. Offline is not among them: it is said at once.
      retry: (count, error) =>
        count < 2 && isRefusal(error, 'unreachable', 'unavailable', 'overloaded', 'internal', 'unexpected'),
    },
  },
})
