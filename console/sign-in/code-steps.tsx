/** The steps of a half-done sign-in that take a code of six digits: of an authenticator app, or mailed. */
import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask } from '../api/client.ts'
import { CodeField, spendCode } from '../parts/code-field.tsx'
import { Refused } from '../parts/form.tsx'
import { BusyButton } from '../theme/busy-button.tsx'
import type { StepProps } from './steps.tsx'

interface CodeStepProps {
  readonly prove: (code: string) => Promise<void>
  readonly lead: 'totp' | 'mail'
}

export function CodeStep({ prove, lead }: CodeStepProps) {
  const { t } = useTranslation()
  const proving = useMutation({ mutationFn: (code: string) => spendCode(code, prove), meta: { shows: true } })
  return <CodeField lead={t(`signIn.steps.lead.${lead}`)} proving={proving} />
}

export function MailStep({ attempt, isMailed, prove, onRefused }: Omit<StepProps, 'method' | 'email'>) {
  const { t } = useTranslation()
  const [sent, setSent] = useState(0)
  const sending = useMutation({
    mutationFn: () =>
      ask(api.POST('/api/auth/sign-in/mail-code', { body: { attempt: attempt.token }, params: asCookie })),
    meta: { shows: true },
    onSuccess: () => setSent((before) => before + 1),
    onError: onRefused,
  })
  const refused = sending.isError && <Refused error={sending.error} />
  // Another code goes into an empty field, which gets the focus.
  const codeStep = <CodeStep key={sent} prove={(code) => prove({ mailCode: code })} lead="mail" />
  if (isMailed) return codeStep
  return sent > 0 ? (
    <Stack gap="md">
      {refused}
      {codeStep}
      <CodeMissing
        hint={t(sent > 1 ? 'signIn.steps.codeNewest' : 'signIn.steps.codeMissing')}
        isSending={sending.isPending}
        onAgain={() => sending.mutate()}
      />
    </Stack>
  ) : (
    <Stack gap="sm">
      {refused}
      <Text size="sm">{t('signIn.steps.lead.mailFirst')}</Text>
      <Button loading={sending.isPending} onClick={() => sending.mutate()}>
        {t('signIn.steps.sendCode')}
      </Button>
    </Stack>
  )
}

interface CodeMissingProps {
  readonly hint: string
  readonly isSending?: boolean
  /** Sends another code, or leads to where somebody asks for one. */
  readonly onAgain: () => void
}

/** For somebody whose code does not arrive. */
export function CodeMissing({ hint, isSending = false, onAgain }: CodeMissingProps) {
  const { t } = useTranslation()
  return (
    <>
      <div>
        <Anchor component={BusyButton} data-loading={isSending} size="sm" onClick={onAgain}>
          {t('signIn.ways.codeAgain')}
        </Anchor>
      </div>
      <Text size="sm" c="dimmed" role="status">
        {hint}
      </Text>
    </>
  )
}
