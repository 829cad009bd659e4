/** Other ways to sign in than a password: a passkey, a mailed code, providers. */
import { Alert, Button, Divider, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import { Form, Refused } from '../parts/form.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { CodeMissing } from './code-steps.tsx'
import { PasskeyHint } from './passkey-hint.tsx'
import { usePasskeyInField } from './passkey-in-field.ts'
import { askForPasskey, hasPasskeys, PasskeyCancelled } from './passkeys.ts'
import { leaveForProvider } from './provider-visit.ts'
import { type Attempt, Steps } from './steps.tsx'

interface OtherWaysProps {
  /** A path of the console to go on to. */
  readonly next: string | undefined
  /** Proves the address of an account that a provider's visit makes. */
  readonly invitationToken?: string | undefined
  /** The address that was typed, or the only one that can sign in on this page. */
  readonly email?: string | undefined
  /** Is called with the address while it is typed. */
  readonly onEmail?: (email: string) => void
  readonly isFixed?: boolean | undefined
  /** It has no account yet, so that only a provider can make one. */
  readonly isNew?: boolean
  readonly onDone: (user: Schemas['User']) => unknown
  /** A step of its own replaces the form for the password. */
  readonly onStep: (isStep: boolean) => void
}

export function OtherWays(props: OtherWaysProps) {
  const { next, invitationToken, email, onEmail, isFixed = false, isNew = false, onDone, onStep } = props
  const { t } = useTranslation()
  const { passkeyDomain, mailCodes: hasMailCodes, providers } = useTenant().signIn
  const mailCodes = hasMailCodes && !isNew
  const [isMailing, setIsMailing] = useState(false)
  const isPasskey = hasPasskeys(passkeyDomain) && !isNew
  const signingIn = useMutation({
    mutationFn: async () => {
      const { options } = await ask(api.POST('/api/auth/passkey-options', { body: {} }))
      const credential = await askForPasskey(options)
      const { user } = await ask(api.POST('/api/auth/sign-in/passkey', { body: { credential }, params: asCookie }))
      return user
    },
    meta: { shows: true },
    onSuccess: onDone,
  })
  const leaving = useMutation({
    mutationFn: (providerId: string) => leaveForProvider(providerId, next, invitationToken),
    meta: { shows: true },
  })
  const isOffered = !isFixed && isPasskey && !isMailing && !leaving.isPending && (signingIn.isIdle || signingIn.isError)
  const refusedInField = usePasskeyInField({ isOffered, onDone })
  const isStep = (open: boolean) => {
    setIsMailing(open)
    onStep(open)
  }
  if (isMailing) {
    const back = () => isStep(false)
    return <MailedCode email={email} onEmail={onEmail} isFixed={isFixed} onDone={onDone} onBack={back} />
  }
  const isAlone = !isPasskey && !mailCodes && providers.length === 0
  const error =
    leaving.error ?? (signingIn.error instanceof PasskeyCancelled ? null : signingIn.error) ?? refusedInField
  return (
    <Stack gap="sm" mt={isAlone && error == null ? 0 : 'lg'}>
      {!isAlone && <Divider label={t('signIn.ways.or')} />}
      {error != null && <Refused error={error} />}
      {providers.map(({ id, name }) => (
        <Button key={id} variant="default" fullWidth loading={leaving.isPending} onClick={() => leaving.mutate(id)}>
          {t('signIn.ways.provider', { name })}
        </Button>
      ))}
      {isPasskey && (
        <Button variant="default" fullWidth loading={signingIn.isPending} onClick={() => signingIn.mutate()}>
          {t('signIn.ways.passkey')}
        </Button>
      )}
      {mailCodes && (
        <Button variant="default" fullWidth onClick={() => isStep(true)}>
          {t('signIn.ways.mailCode')}
        </Button>
      )}
      {!isNew && <PasskeyHint />}
    </Stack>
  )
}

interface MailedCodeProps {
  readonly email: string | undefined
  readonly onEmail: ((email: string) => void) | undefined
  readonly isFixed: boolean
  readonly onDone: (user: Schemas['User']) => unknown
  readonly onBack: () => void
}

function MailedCode({ email, onEmail, isFixed, onDone, onBack }: MailedCodeProps) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { email: email ?? '' },
    onValuesChange: (values) => onEmail?.(values.email),
  })
  const [attempt, setAttempt] = useState<Attempt>()
  if (attempt) {
    return (
      <Stack gap="md">
        <Alert color="gray" title={t('signIn.ways.codeSent')}>
          {t('signIn.ways.codeSentLead', { email: form.getValues().email })}
        </Alert>
        <Steps
          attempt={attempt}
          email={form.getValues().email}
          isMailed
          onDone={onDone}
          onEnd={() => setAttempt(undefined)}
        />
        <CodeMissing hint={t('signIn.ways.codeMissing')} onAgain={() => setAttempt(undefined)} />
      </Stack>
    )
  }
  return (
    <Form
      form={form}
      submit={t('signIn.steps.sendCode')}
      send={(body) => ask(api.POST('/api/auth/sign-in/mail-code', { body, params: asCookie }))}
      onDone={({ attempt: begun }) => setAttempt(begun)}
      others={
        <Button variant="subtle" onClick={onBack}>
          {t('signIn.ways.back')}
        </Button>
      }
    >
      <TextInput
        {...form.getInputProps('email')}
        label={t('signIn.email')}
        type="email"
        autoComplete="username"
        readOnly={isFixed}
        variant={isFixed ? 'filled' : 'default'}
        autoFocus
      />
    </Form>
  )
}
