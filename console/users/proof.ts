/** How the caller proves to be there before something that cannot be undone. */
import { useQuery } from '@tanstack/react-query'
import { devicesQuery } from './device.ts'
import { useMe } from './me.ts'

/**
 * Whether a form asks for the password. It does not if the account has none, or if the session has proven two factors: then the API
 * wants a fresh session, for which the page asks by itself (api/confirmation.ts).
 */
export function useAsksPassword(): boolean {
  const { hasPassword } = useMe()
  const { data } = useQuery({ ...devicesQuery, enabled: hasPassword })
  return hasPassword && data?.data.find(({ current }) => current)?.assurance !== 2
}
