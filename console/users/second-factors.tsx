/** The caller's passkeys, authenticator app and recovery codes, as rows of the page about security. */
import { Alert, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDeviceMobile, IconKey } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { Refused } from '../parts/form.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { PasskeyHint } from '../sign-in/passkey-hint.tsx'
import { createPasskey, hasPasskeys, PasskeyCancelled, signalPasskeys } from '../sign-in/passkeys.ts'
import { useTenant } from '../tenants/tenant.ts'
import { AppSetUp, beginSetup, type Setup } from './app-set-up.tsx'
import { FactorItem } from './factor-item.tsx'
import { codesLeftOf, type Factor, factorsQuery, readAgain } from './factors.ts'
import { useMe } from './me.ts'
import { type GivenCodes, RecoveryCodes, RecoveryCodesDialog } from './recovery-codes.tsx'
import { SecurityItems, SecurityRow } from './security-row.tsx'

/** Says who requires a second factor, if the caller has none. */
export function FactorRequired() {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const { data } = useQuery(factorsQuery)
  if (!data || data.requiredBy.length === 0 || data.data.length > 0) return null
  const by = data.requiredBy.includes('tenant') ? 'users.factors.requiredByTenant' : 'users.factors.requiredByOne'
  return (
    <Alert color="yellow" mb="md" title={t('users.factors.required')}>
      {t(by, { tenant })}
    </Alert>
  )
}

export function FactorRows() {
  const { t } = useTranslation()
  const query = useQuery(factorsQuery)
  const { data } = query
  const [given, setGiven] = useState<GivenCodes>()
  const onAdded = ({ recoveryCodes }: Added, message: string) => {
    if (recoveryCodes) setGiven({ codes: recoveryCodes, added: message })
    else notifications.show({ message })
  }
  if (!data)
    return (
      <SecurityRow icon={IconKey} title={t('users.factors.passkeys')}>
        <LoadingOrFailed query={query} rows={1} />
      </SecurityRow>
    )
  const left = codesLeftOf(data)
  return (
    <>
      <Passkeys passkeys={data.data.filter(({ type }) => type === 'passkey')} onAdded={onAdded} />
      <App app={data.data.find(({ type }) => type === 'totp')} onAdded={onAdded} />
      {left !== undefined && <RecoveryCodes left={left} onCodes={(codes) => setGiven({ codes })} />}
      <RecoveryCodesDialog given={given} onClose={() => setGiven(undefined)} />
    </>
  )
}

interface Added {
  readonly recoveryCodes?: readonly string[]
}

interface PasskeysProps {
  readonly passkeys: readonly Factor[]
  readonly onAdded: (added: Added, message: string) => void
}

function Passkeys({ passkeys, onAdded }: PasskeysProps) {
  const { t } = useTranslation()
  const { emailVerified } = useMe()
  const { passkeyDomain } = useTenant().signIn
  const adding = useMutation({
    mutationFn: addPasskey,
    meta: { shows: true },
    onSuccess: async (added) => {
      onAdded(added, t('users.factors.passkeyAdded'))
      await readAgain()
    },
  })
  const mayAdd = emailVerified && hasPasskeys(passkeyDomain)
  return (
    <SecurityRow
      icon={IconKey}
      title={t('users.factors.passkeys')}
      state={emailVerified ? t('users.factors.passkeysLead') : t('users.verifyFirst')}
      actions={
        mayAdd && (
          <Button
            variant="default"
            aria-label={t('users.factors.addPasskey')}
            loading={adding.isPending}
            onClick={() => adding.mutate()}
          >
            {t('users.security.add')}
          </Button>
        )
      }
    >
      <AddingRefused error={adding.error} />
      {emailVerified && <PasskeyHint />}
      {passkeys.length > 0 && <Factors label={t('users.factors.passkeys')} factors={passkeys} />}
    </SecurityRow>
  )
}

async function addPasskey(): Promise<Added> {
  const { options } = await ask(api.POST('/api/users/me/factors/setup', { body: { type: 'passkey' } }))
  if (!options) throw new Error('the options of a passkey')
  const credential = await createPasskey(options)
  const added = await ask(api.POST('/api/users/me/factors', { body: { type: 'passkey', credential } }))
  void signalPasskeys(options, credential.id)
  return added
}

interface AppProps {
  readonly app: Factor | undefined
  readonly onAdded: (added: Added, message: string) => void
}

function App({ app, onAdded }: AppProps) {
  const { t } = useTranslation()
  const { emailVerified } = useMe()
  const [setup, setSetup] = useState<Setup>()
  const settingUp = useMutation({ mutationFn: beginSetup, meta: { shows: true }, onSuccess: setSetup })
  return (
    <SecurityRow
      icon={IconDeviceMobile}
      title={t('users.factors.types.totp')}
      state={emailVerified ? t('users.factors.appLead') : t('users.verifyFirst')}
      actions={
        emailVerified && (
          <Button
            variant="default"
            aria-label={t(app ? 'users.factors.replaceApp' : 'users.factors.addApp')}
            loading={settingUp.isPending}
            onClick={() => settingUp.mutate()}
          >
            {t(app ? 'users.security.replace' : 'users.security.add')}
          </Button>
        )
      }
    >
      <AddingRefused error={settingUp.error} />
      {app && <Factors label={t('users.factors.types.totp')} factors={[app]} />}
      <AppSetUp setup={setup} isReplacing={app !== undefined} onClose={() => setSetup(undefined)} onAdded={onAdded} />
    </SecurityRow>
  )
}

/** Somebody who closes a dialog knows that nothing was added. */
function AddingRefused({ error }: { readonly error: unknown }) {
  if (!error || error instanceof PasskeyCancelled || isRefusal(error, 'confirmation_required')) return null
  return <Refused error={error} />
}

function Factors({ label, factors }: { readonly label: string; readonly factors: readonly Factor[] }) {
  return (
    <SecurityItems label={label}>
      {factors.map((factor) => (
        <FactorItem key={factor.id} factor={factor} />
      ))}
    </SecurityItems>
  )
}
