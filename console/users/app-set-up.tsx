/** Setting up an authenticator app: a QR code to scan, and the first code that the app shows. */
import { Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { generate } from 'lean-qr'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { CodeField, spendCode } from '../parts/code-field.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { readAgain } from './factors.ts'
import classes from './me.module.css'

/** What the API has made: nothing is stored until the first code is right. */
export interface Setup {
  readonly setup: string
  readonly secret: string
  readonly uri: string
}

/** @throws Refusal */
export async function beginSetup(): Promise<Setup> {
  const { setup, secret, uri } = await ask(api.POST('/api/users/me/factors/setup', { body: { type: 'totp' } }))
  if (setup === undefined || secret === undefined || uri === undefined) throw new Error('a setup of an app')
  return { setup, secret, uri }
}

interface AppSetUpProps {
  readonly setup: Setup | undefined
  /** It takes the place of another one. */
  readonly isReplacing: boolean
  readonly onClose: () => void
  readonly onAdded: (added: { readonly recoveryCodes?: readonly string[] }, message: string) => void
}

/** The dialog, which is open while there is a setup. */
export function AppSetUp({ setup, isReplacing, onClose, onAdded }: AppSetUpProps) {
  const { t } = useTranslation()
  return (
    <Dialog
      opened={setup !== undefined}
      onClose={onClose}
      makes={isReplacing ? undefined : 'codes'}
      title={t(isReplacing ? 'users.factors.replaceApp' : 'users.factors.addApp')}
    >
      {setup && <Steps setup={setup} isReplacing={isReplacing} onClose={onClose} onAdded={onAdded} />}
    </Dialog>
  )
}

function Steps({ setup: made, isReplacing, onClose, onAdded }: AppSetUpProps & { readonly setup: Setup }) {
  const { t } = useTranslation()
  const { setup, secret, uri } = made
  const adding = useMutation({
    mutationFn: (typed: string) =>
      spendCode(typed, (code) => ask(api.POST('/api/users/me/factors', { body: { type: 'totp', setup, code } }))),
    meta: { shows: true },
    onSuccess: async (added) => {
      onClose()
      onAdded(added, t(isReplacing ? 'users.factors.appReplaced' : 'users.factors.appAdded'))
      await readAgain()
    },
  })
  return (
    <Stack gap="md">
      <Text size="sm">{t('users.factors.scan')}</Text>
      <Picture uri={uri} name={t('users.factors.qr')} />
      <Text size="sm">{t('users.factors.type')}</Text>
      <Copyable value={secret} name={t('users.factors.secret')} isGrouped />
      <CodeField lead={t('users.factors.enter')} proving={adding} />
    </Stack>
  )
}

/** Dark on white, so that cameras read it in the dark scheme too. Not an image: the policy of our pages refuses those of data. */
function Picture({ uri, name }: { readonly uri: string; readonly name: string }) {
  const code = generate(uri)
  const places = Array.from({ length: code.size }, (_, place) => place)
  const path = places.flatMap((y) => places.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`)).join('')
  return (
    <svg
      className={classes.qr}
      viewBox={`-3 -3 ${code.size + 6} ${code.size + 6}`}
      role="img"
      aria-label={name}
      shapeRendering="crispEdges"
    >
      <rect x={-3} y={-3} width={code.size + 6} height={code.size + 6} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
