/** Signing in. */
import { Alert, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Form } from '../parts/form.tsx'
import { TextLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { callerQuery } from '../users/me.ts'

export function SignInPage() {
  const { t } = useTranslation()
  const tenant = useTenant()
  const router = useRouter()
  const { next, ended } = useSearch({ from: '/outside/sign-in' })
  const form = useForm({ initialValues: { email: '', password: '' } })
  return (
    <Task
      title={t('signIn.signIn.title', { tenant: tenant.name })}
      others={
        tenant.signUp === 'open' && (
          <span>
            {t('signIn.signIn.noAccount')}{' '}
            <TextLink to="/sign-up" search={{ ...(next !== undefined && { next }) }} inherit>
              {t('signIn.signIn.signUp')}
            </TextLink>
          </span>
        )
      }
    >
      {ended && (
        <Alert mb="md" color="gray" title={t('general.sessionEnded')}>
          {t('general.sessionEndedLead')}
        </Alert>
      )}
      <Form
        form={form}
        submit={t('signIn.signIn.submit')}
        fullWidth
        fields={{ invalid_credentials: 'password' }}
        send={(body) => ask(api.POST('/api/auth/sign-in', { body, params: asCookie }))}
        onDone={({ user }) => {
          queries.setQueryData(callerQuery.queryKey, user)
          router.history.push(next ?? router.buildLocation({ to: '/organizations' }).href)
        }}
      >
        <TextInput
          {...form.getInputProps('email')}
          label={t('signIn.email')}
          type="email"
          autoComplete="username"
          autoFocus
        />
        <PasswordInput
          {...form.getInputProps('password')}
          label={t('signIn.password')}
          autoComplete="current-password"
        />
        <TextLink to="/forgot-password" size="sm">
          {t('signIn.signIn.forgot')}
        </TextLink>
      </Form>
    </Task>
  )
}
