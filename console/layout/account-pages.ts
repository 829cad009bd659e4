/** The pages about oneself, for the menu of the person and the navigation of their account. */
import { IconActivity, IconDevices, IconKey, IconLock, IconMail, IconUser, type TablerIcon } from '@tabler/icons-react'
import { useHasKeys } from '../keys/key.ts'

const pages = [
  { to: '/me', icon: IconUser, name: 'profile' },
  { to: '/me/security', icon: IconLock, name: 'security' },
  { to: '/me/devices', icon: IconDevices, name: 'devices' },
  { to: '/me/activity', icon: IconActivity, name: 'activity' },
  { to: '/me/invitations', icon: IconMail, name: 'myInvitations' },
  // The last: where people get no new keys, it appears once it is known that there is one.
  { to: '/me/keys', icon: IconKey, name: 'myKeys' },
] as const satisfies readonly { readonly to: string; readonly icon: TablerIcon; readonly name: string }[]

export function useAccountPages(): readonly (typeof pages)[number][] {
  const hasKeys = useHasKeys()
  return pages.filter(({ to }) => hasKeys || to !== '/me/keys')
}
