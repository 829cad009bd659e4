/** The dialog in which the user confirms to be there, before the API does what was asked for (api/confirmation.ts). */
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Wanted } from '../api/confirmation.ts'
import { Dialog } from '../parts/dialog.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { callerQuery } from '../users/me.ts'
import { useConfirmation } from './confirmation.ts'
import type { ConfirmDialogProps } from './confirmations.tsx'
import { Steps } from './steps.tsx'
import '../theme/more-components.css'

export function ConfirmDialog({ wanted, isOpen, onClose, onGone }: ConfirmDialogProps) {
  const { t } = useTranslation()
  return (
    <Dialog
      opened={isOpen}
      onClose={() => onClose(false)}
      onExitTransitionEnd={onGone}
      title={t('signIn.confirm.title')}
      zIndex={220}
    >
      <Confirmation wanted={wanted} onDone={() => onClose(true)} />
    </Dialog>
  )
}

function Confirmation({ wanted, onDone }: { readonly wanted: Wanted; readonly onDone: () => void }) {
  const { t } = useTranslation()
  const { data: caller } = useQuery(callerQuery) // not useMe: the session may have ended meanwhile
  const query = useConfirmation(wanted)
  const { data: attempt, refetch } = query
  if (!attempt) return <LoadingOrFailed query={query} rows={2} />
  const two = attempt.methods.includes('password') ? 'leadBoth' : 'leadTwo'
  return (
    <Stack gap="md">
      <Text size="sm">{t(`signIn.confirm.${wanted.secondFactor ? two : 'lead'}`)}</Text>
      <Steps key={attempt.token} attempt={attempt} email={caller?.email} onDone={onDone} onEnd={() => refetch()} />
    </Stack>
  )
}
