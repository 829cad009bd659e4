/**
 * The next step of a half-done sign-in: one proof, by one of the methods that the attempt accepts. A wrong proof can be tried again; an
 * attempt that has ended leads back to the beginning.
 */
import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { operations } from '../../client/src/openapi.d.ts'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { Form, Refused } from '../parts/form.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { UsernameField } from '../parts/username-field.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { CodeStep, MailStep } from './code-steps.tsx'
import { PasskeyHint, usePasskeysElsewhere } from './passkey-hint.tsx'
import { askForPasskey, hasPasskeys, PasskeyCancelled } from './passkeys.ts'

export type Attempt = Schemas['Attempt']
type Method = Attempt['methods'][number]
type Proof = Omit<operations['continueSignIn']['requestBody']['content']['application/json'], 'attempt'>

/** @returns the attempt that a refusal carries, if another step is missing */
export function attemptOf(error: unknown): Attempt | undefined {
  return isRefusal(error, 'sign_in_incomplete') ? error.problem.attempt : undefined
}

interface StepsProps {
  readonly attempt: Attempt
  /** The address of the account. Undefined if it is not known. */
  readonly email: string | undefined
  /** A code for it was mailed already, and the page offers another one. */
  readonly isMailed?: boolean
  /** Signed in, or confirmed. */
  readonly onDone: (user: Schemas['User']) => unknown
  /** The attempt has ended. */
  readonly onEnd: () => void
  /** Somebody else signs in instead. Undefined where nobody else can. */
  readonly onLeave?: (() => void) | undefined
}

export function Steps({ attempt: first, email, isMailed = false, onDone, onEnd, onLeave }: StepsProps) {
  const { t } = useTranslation()
  const {
    name: tenant,
    signIn: { passkeyDomain },
  } = useTenant()
  const isElsewhere = usePasskeysElsewhere()
  const [attempt, setAttempt] = useState(first)
  const usable = attempt.methods.filter((method) => method !== 'passkey' || hasPasskeys(passkeyDomain))
  const [chosen, setChosen] = useState<Method>()
  const method = chosen !== undefined && usable.includes(chosen) ? chosen : usable[0]
  const [isEnded, setIsEnded] = useState(false)
  const onRefused = (error: unknown) => {
    if (isRefusal(error, 'attempt_spent')) setIsEnded(true)
  }
  const prove = async (proof: Proof) => {
    try {
      const { user } = await ask(
        api.POST('/api/auth/sign-in/continue', { body: { attempt: attempt.token, ...proof }, params: asCookie }),
      )
      onDone(user)
    } catch (error) {
      const next = attemptOf(error)
      onRefused(error)
      if (!next) throw error
      setChosen(undefined)
      setAttempt(next)
    }
  }
  const hint = isElsewhere && attempt.methods.includes('passkey') && <PasskeyHint />
  if (method === undefined && hint) return hint
  if (isEnded || method === undefined) {
    return (
      <Stack gap="md">
        <Alert color="gray" title={t('signIn.steps.ended')} role="alert">
          {t('signIn.steps.endedLead')}
        </Alert>
        {/* The field that had the focus is gone. */}
        <Button onClick={onEnd} autoFocus>
          {t('signIn.steps.startAgain')}
        </Button>
      </Stack>
    )
  }
  return (
    <Stack gap="md" key={`${attempt.token} ${method}`}>
      {attempt.link && (
        <Alert color="gray" title={t('signIn.steps.link', { email: attempt.link.email ?? '' })}>
          {t('signIn.steps.linkLead', { provider: attempt.link.provider.name })}
          {isUnverified(attempt) && ` ${t('signIn.steps.linkBare')}`}
        </Alert>
      )}
      <Step
        method={method}
        attempt={attempt}
        email={email}
        isMailed={isMailed && attempt === first}
        prove={prove}
        onRefused={onRefused}
      />
      {usable.length > 1 && (
        <Group gap="md">
          {usable
            .filter((each) => each !== method)
            .map((each) => (
              <Anchor key={each} component="button" type="button" size="sm" onClick={() => setChosen(each)}>
                {t(`signIn.steps.instead.${each}`)}
              </Anchor>
            ))}
        </Group>
      )}
      {hint}
      {attempt.next === 'second_factor' && (
        <Text size="sm" c="dimmed">
          {t('signIn.steps.lost', { tenant })}
        </Text>
      )}
      {onLeave && (
        <div>
          <Anchor component="button" type="button" size="sm" onClick={onLeave}>
            {t('signIn.steps.somebodyElse')}
          </Anchor>
        </div>
      )}
    </Stack>
  )
}

/** Of an account to link: somebody who proves the mailbox gets it, but nothing that it was made with. */
function isUnverified({ methods }: Attempt): boolean {
  return methods.every((method) => method === 'mail_code')
}

export interface StepProps {
  readonly method: Method
  readonly attempt: Attempt
  readonly email: string | undefined
  readonly isMailed: boolean
  readonly prove: (proof: Proof) => Promise<void>
  /** Another request for the attempt was refused. */
  readonly onRefused: (error: unknown) => void
}

function Step({ method, attempt, email, isMailed, prove, onRefused }: StepProps) {
  if (method === 'totp') return <CodeStep prove={(code) => prove({ totp: code })} lead="totp" />
  if (method === 'mail_code')
    return <MailStep attempt={attempt} isMailed={isMailed} prove={prove} onRefused={onRefused} />
  if (method === 'passkey') return <PasskeyStep attempt={attempt} prove={prove} onRefused={onRefused} />
  if (method === 'recovery_code') return <RecoveryStep prove={prove} />
  return <PasswordStep email={email} prove={prove} />
}

function PasskeyStep({ attempt, prove, onRefused }: Pick<StepProps, 'attempt' | 'prove' | 'onRefused'>) {
  const { t } = useTranslation()
  const proving = useMutation({
    mutationFn: async () => {
      const { options } = await ask(api.POST('/api/auth/passkey-options', { body: { attempt: attempt.token } }))
      await prove({ credential: await askForPasskey(options) })
    },
    meta: { shows: true },
    onError: onRefused,
  })
  const isCancelled = proving.error instanceof PasskeyCancelled
  return (
    <Stack gap="sm">
      {proving.isError && !isCancelled && <Refused error={proving.error} />}
      <Text size="sm">{t('signIn.steps.lead.passkey')}</Text>
      <Button loading={proving.isPending} onClick={() => proving.mutate()} autoFocus>
        {t('signIn.steps.usePasskey')}
      </Button>
    </Stack>
  )
}

function RecoveryStep({ prove }: Pick<StepProps, 'prove'>) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { recoveryCode: '' } })
  return (
    <Form
      form={form}
      submit={t('signIn.steps.goOn')}
      fullWidth
      fields={{ wrong_proof: 'recoveryCode' }}
      send={({ recoveryCode }) =>
        prove({ recoveryCode: recoveryCode.trim() }).catch((error: unknown) => {
          // Nothing that looks like a code: to the user it is wrong like any other.
          throw isRefusal(error, 'invalid_request') ? new Refusal({ code: 'wrong_proof' }) : error
        })
      }
    >
      <TextInput
        {...form.getInputProps('recoveryCode')}
        label={t('signIn.steps.recoveryCode')}
        description={t('signIn.steps.lead.recovery')}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
      />
    </Form>
  )
}

function PasswordStep({ email, prove }: Pick<StepProps, 'email' | 'prove'>) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { password: '' } })
  return (
    <Form
      form={form}
      submit={t('signIn.steps.goOn')}
      fullWidth
      fields={{ wrong_proof: 'password' }}
      send={({ password }) => prove({ password })}
    >
      <UsernameField email={email} />
      <PasswordField
        {...form.getInputProps('password')}
        label={t('signIn.password')}
        autoComplete="current-password"
        autoFocus
      />
    </Form>
  )
}
