/** A forgotten password: requesting a link, and choosing a new password with it. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { hasRequest } from '../applications/authorization.ts'
import { HomeButton, useHome } from '../applications/home.tsx'
import { Form, Refused } from '../parts/form.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import { Loading } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { UsernameField } from '../parts/username-field.tsx'
import { callerQuery } from '../users/me.ts'
import { isAbout, type MailedLink, OfLink, outcomeOf } from './mailed-link.tsx'
import { NewPassword } from './new-password.tsx'
import { forgetCaller } from './session.ts'
import { signInFor } from './sign-in-search.ts'

export function ForgotPasswordPage() {
  const { t } = useTranslation()
  const { email: typed, next } = useLocation({ select: ({ state }) => state })
  const { data: caller, isPending } = useQuery(callerQuery)
  const [sentTo, setSentTo] = useState<string>()
  const email = typed ?? caller?.email ?? ''
  const back = (
    <TextLink
      {...signInFor(next ?? (hasRequest() ? '/authorize' : undefined))}
      state={{ email: sentTo ?? email }}
      inherit
    >
      {t('signIn.forgot.back')}
    </TextLink>
  )
  if (sentTo !== undefined)
    return (
      <Task
        key="sent"
        title={t('signIn.forgot.sentTitle')}
        lead={t('signIn.forgot.sentLead', { email: sentTo })}
        others={back}
      >
        <Text c="dimmed" size="sm" mb="md">
          {t('signIn.forgot.sentHint')}
        </Text>
        <Sent email={sentTo} onAnother={() => setSentTo(undefined)} />
      </Task>
    )
  return (
    <Task key="request" title={t('signIn.forgot.title')} lead={t('signIn.forgot.lead')} others={back}>
      {isPending && typed === undefined ? <Loading rows={2} /> : <ForgotForm email={email} onSent={setSentTo} />}
    </Task>
  )
}

/** The link is mailed again, or to another address. */
function Sent({ email, onAnother }: { readonly email: string; readonly onAnother: () => void }) {
  const { t } = useTranslation()
  const sending = useMutation({
    mutationFn: () => ask(api.POST('/api/auth/forgot-password', { body: { email } })),
    meta: { shows: true },
    onSuccess: () => notifications.show({ message: t('signIn.forgot.resent', { email }) }),
  })
  return (
    <Stack gap="sm">
      {sending.isError && <Refused error={sending.error} />}
      <Group gap="xs">
        <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
          {t('signIn.forgot.resend')}
        </Button>
        <Button variant="subtle" px="xs" onClick={onAnother}>
          {t('signIn.forgot.again')}
        </Button>
      </Group>
    </Stack>
  )
}

function ForgotForm({ email, onSent }: { readonly email: string; readonly onSent: (email: string) => void }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { email } })
  return (
    <Form
      form={form}
      submit={t('signIn.forgot.submit')}
      fullWidth
      send={(body) => ask(api.POST('/api/auth/forgot-password', { body }))}
      onDone={(_, values) => onSent(values.email)}
    >
      <TextInput
        {...form.getInputProps('email')}
        label={t('signIn.email')}
        type="email"
        autoComplete="username"
        autoFocus
      />
    </Form>
  )
}

export function ResetPasswordPage() {
  return <OfLink>{(link) => <ResetPassword {...link} />}</OfLink>
}

function ResetPassword({ token, spend }: MailedLink) {
  const { t } = useTranslation()
  const { data: caller } = useQuery(callerQuery)
  const home = useHome()
  const [state, setState] = useState<'asking' | 'done' | 'spent'>('asking')
  // The person is known if they are signed in, and once they have set the password.
  const [email, setEmail] = useState<string>()
  const isCaller = isAbout(token, caller)
  if (state === 'asking' && isCaller && caller?.email !== email) setEmail(caller?.email)
  const form = useForm({ initialValues: { newPassword: '' } })

  if (state === 'done')
    return (
      <Task key="done" title={t('signIn.reset.doneTitle')} lead={t('signIn.reset.doneLead')}>
        <Stack gap="sm">
          {home && <HomeButton home={home} />}
          <ButtonLink
            to="/sign-in"
            state={{ ...(email !== undefined && { email }) }}
            variant={home ? 'default' : 'filled'}
            fullWidth
          >
            {t('signIn.signIn.submit')}
          </ButtonLink>
        </Stack>
      </Task>
    )
  if (state === 'spent')
    return (
      <Task key="spent" title={t('signIn.link.spent')} lead={t('signIn.reset.spentLead')}>
        <Stack gap="sm">
          <ButtonLink to="/forgot-password" state={{ ...(email !== undefined && { email }) }} fullWidth>
            {t('signIn.reset.another')}
          </ButtonLink>
          <ButtonLink to="/sign-in" variant="default" fullWidth>
            {t('signIn.signIn.submit')}
          </ButtonLink>
        </Stack>
      </Task>
    )
  return (
    <Task key="asking" title={t('signIn.reset.title')} lead={t('signIn.reset.lead')}>
      <Form
        form={form}
        submit={t('signIn.reset.submit')}
        fullWidth
        send={({ newPassword }) =>
          outcomeOf(
            ask(api.POST('/api/auth/reset-password', { body: { token, newPassword } })).then((set) =>
              setEmail(set.email),
            ),
          )
        }
        onDone={(result) => {
          setState(result)
          spend()
          if (result === 'done' && isCaller) forgetCaller() // all their sessions have ended
        }}
      >
        <UsernameField email={email} />
        <NewPassword
          {...form.getInputProps('newPassword')}
          label={t('signIn.newPassword')}
          identities={email === undefined ? [] : [email]}
          autoFocus
        />
      </Form>
    </Task>
  )
}
