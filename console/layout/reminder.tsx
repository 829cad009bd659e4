/** Reminds of what an account lacks, one thing at a time: a verified address, then a name. */
import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../parts/links.tsx'
import { BusyButton } from '../theme/busy-button.tsx'
import { useMe } from '../users/me.ts'
import { useResending } from '../users/verification.tsx'
import { Strip } from './strip.tsx'

export function Reminder() {
  const { emailVerified, name } = useMe()
  if (!emailVerified) return <Unverified />
  return name === null ? <Nameless /> : null
}

function Unverified() {
  const { t } = useTranslation()
  const { email } = useMe()
  const resending = useResending()
  return (
    <Strip color="yellow">
      {t('general.unverified.lead', { email })}{' '}
      <Anchor
        component={BusyButton}
        data-loading={resending.isPending}
        inherit
        underline="always"
        onClick={() => resending.mutate()}
      >
        {t('general.unverified.resend')}
      </Anchor>
    </Strip>
  )
}

function Nameless() {
  const { t } = useTranslation()
  return (
    <Strip color="gray">
      {t('general.nameless.lead')}{' '}
      <TextLink to="/me" inherit underline="always">
        {t('general.nameless.add')}
      </TextLink>
    </Strip>
  )
}
