/** The caller's passkeys, authenticator app and recovery codes. */
import { Alert, Button, Group, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { Refused } from '../parts/form.tsx'
import listClasses from '../parts/list.module.css'
import { Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { PasskeyHint } from '../sign-in/passkey-hint.tsx'
import { createPasskey, hasPasskeys, PasskeyCancelled, signalPasskeys } from '../sign-in/passkeys.ts'
import { useTenant } from '../tenants/tenant.ts'
import { AppSetUp, beginSetup, type Setup } from './app-set-up.tsx'
import { FactorItem } from './factor-item.tsx'
import { factorsQuery, readAgain } from './factors.ts'
import { useMe } from './me.ts'
import { RecoveryCodes, RecoveryCodesDialog } from './recovery-codes.tsx'
import { VerifyFirst } from './verification.tsx'

export function SecondFactors() {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const { data } = useQuery(factorsQuery)
  return (
    <Section title={t('users.factors.title')} lead={t('users.factors.lead')}>
      <Stack gap="md">
        {data && data.requiredBy.length > 0 && data.data.length === 0 && (
          <Alert color="yellow" title={t('users.factors.required')}>
            {t(data.requiredBy.includes('tenant') ? 'users.factors.requiredByTenant' : 'users.factors.requiredByOne', {
              tenant,
            })}
          </Alert>
        )}
        <FactorList />
      </Stack>
    </Section>
  )
}

/** The caller's factors, adding one, and the recovery codes. */
export function FactorList() {
  const { t } = useTranslation()
  const { emailVerified } = useMe()
  const { data, isPending, error, refetch } = useQuery(factorsQuery)
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <>
      {data ? (
        <Stack gap="md">
          {data.data.length > 0 && (
            <ul className={listClasses.framed} aria-label={t('users.factors.title')}>
              {data.data.map((factor) => (
                <FactorItem key={factor.id} factor={factor} />
              ))}
            </ul>
          )}
          {emailVerified ? (
            <AddFactor hasApp={data.data.some(({ type }) => type === 'totp')} onCodes={setCodes} />
          ) : (
            <VerifyFirst lead={t('users.factors.verifyFirst')} />
          )}
          {data.recoveryCodes && <RecoveryCodes left={data.recoveryCodes.left} onCodes={setCodes} />}
        </Stack>
      ) : isPending ? (
        <Loading rows={2} />
      ) : (
        <Failed error={error} retry={refetch} />
      )}
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />
    </>
  )
}

interface AddProps {
  readonly hasApp: boolean
  readonly onCodes: (codes: readonly string[]) => void
}

function AddFactor({ hasApp, onCodes }: AddProps) {
  const { t } = useTranslation()
  const { passkeyDomain } = useTenant().signIn
  const [setup, setSetup] = useState<Setup>()
  const settingUp = useMutation({ mutationFn: beginSetup, meta: { shows: true }, onSuccess: setSetup })
  const onAdded = ({ recoveryCodes }: { readonly recoveryCodes?: readonly string[] }) =>
    recoveryCodes && onCodes(recoveryCodes)
  const adding = useMutation({
    mutationFn: async () => {
      const { options } = await ask(api.POST('/api/users/me/factors/setup', { body: { type: 'passkey' } }))
      if (!options) throw new Error('the options of a passkey')
      const credential = await createPasskey(options)
      const added = await ask(api.POST('/api/users/me/factors', { body: { type: 'passkey', credential } }))
      void signalPasskeys(options, credential.id)
      return added
    },
    meta: { shows: true },
    onSuccess: async (added) => {
      onAdded(added)
      notifications.show({ message: t('users.factors.passkeyAdded') })
      await readAgain()
    },
  })
  const begin = (mutation: typeof adding | typeof settingUp) => {
    adding.reset()
    settingUp.reset()
    mutation.mutate()
  }
  // Somebody who closes a dialog knows that nothing was added.
  const error = [adding.error, settingUp.error].find(
    (each) => each && !(each instanceof PasskeyCancelled) && !isRefusal(each, 'confirmation_required'),
  )
  return (
    <Stack gap="sm">
      {error && <Refused error={error} />}
      <Group gap="sm">
        {hasPasskeys(passkeyDomain) && (
          <Button variant="default" loading={adding.isPending} onClick={() => begin(adding)}>
            {t('users.factors.addPasskey')}
          </Button>
        )}
        <Button variant="default" loading={settingUp.isPending} onClick={() => begin(settingUp)}>
          {t(hasApp ? 'users.factors.replaceApp' : 'users.factors.addApp')}
        </Button>
        <AppSetUp setup={setup} onClose={() => setSetup(undefined)} onAdded={onAdded} />
      </Group>
      <PasskeyHint />
    </Stack>
  )
}
