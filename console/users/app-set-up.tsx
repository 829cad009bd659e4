/** Setting up an authenticator app: a QR code to scan, and the first code that the app shows. */
import { PinInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { generate } from 'lean-qr'
import { toSvgDataURL } from 'lean-qr/extras/svg'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Copyable } from '../parts/copyable.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Refused } from '../parts/form.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { readAgain } from './factors.ts'

interface AppSetUpProps {
  readonly onClose: () => void
  readonly onCodes: (codes: readonly string[]) => void
}

export function AppSetUp({ onClose, onCodes }: AppSetUpProps) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const { data, isPending, error, refetch } = useQuery({
    queryKey: ['factor-setup'],
    queryFn: () => ask(api.POST('/api/users/me/factors/setup', { body: { type: 'totp' } })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnReconnect: false,
  })
  const adding = useMutation({
    mutationFn: (typed: string) =>
      ask(api.POST('/api/users/me/factors', { body: { type: 'totp', setup: data?.setup ?? '', code: typed } })),
    meta: { shows: true },
    onSuccess: async ({ recoveryCodes }) => {
      onClose()
      if (recoveryCodes) onCodes(recoveryCodes)
      notifications.show({ message: t('users.factors.appAdded') })
      await readAgain()
    },
    onError: () => setCode(''),
  })
  return (
    <Dialog opened onClose={onClose} title={t('users.factors.appTitle')}>
      {data ? (
        <Stack gap="md">
          <Text size="sm">{t('users.factors.scan')}</Text>
          <img src={pictureOf(data.uri ?? '')} alt={t('users.factors.qr')} width={200} height={200} />
          <Text size="sm">{t('users.factors.type')}</Text>
          <Copyable value={data.secret ?? ''} name={t('users.factors.secret')} />
          {adding.isError && <Refused error={adding.error} />}
          <Text size="sm" id="app-code">
            {t('users.factors.enter')}
          </Text>
          <PinInput
            length={6}
            type="number"
            oneTimeCode
            value={code}
            disabled={adding.isPending}
            aria-label={t('signIn.steps.code')}
            onChange={setCode}
            onComplete={(complete) => adding.mutate(complete)}
          />
        </Stack>
      ) : isPending ? (
        <Loading rows={3} />
      ) : (
        <Failed error={error} retry={refetch} />
      )}
    </Dialog>
  )
}

/** Dark on white, so that cameras read it in the dark scheme too. */
function pictureOf(uri: string): string {
  return toSvgDataURL(generate(uri), { on: '#000000', off: '#ffffff', padX: 2, padY: 2 })
}
