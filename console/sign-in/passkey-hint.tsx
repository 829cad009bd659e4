/** On a page of a host that has no passkeys: leads to the page where they work. */
import { Anchor } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useTenant } from '../tenants/tenant.ts'
import { isPasskeyHost } from './passkeys.ts'

export function usePasskeysElsewhere(): boolean {
  const { passkeyDomain } = useTenant().signIn
  return passkeyDomain !== null && !isPasskeyHost(passkeyDomain)
}

/** Nothing on a page that can have passkeys. */
export function PasskeyHint() {
  const { t } = useTranslation()
  const { url } = useTenant().signIn
  const path = useLocation({ select: ({ href }) => href })
  if (!usePasskeysElsewhere()) return null
  return (
    <Anchor href={url + path} size="sm" underline="always">
      {t('signIn.ways.passkeysAt', { url })}
    </Anchor>
  )
}
