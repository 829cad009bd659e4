/** Deleting the account: first the consequences and what blocks it, then the password, then the notice that it is done. */
import { Alert, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { Form } from '../parts/form.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { leavePages } from '../sign-in/session.ts'
import { useTenant } from '../tenants/tenant.ts'
import { CurrentPassword } from './current-password.tsx'
import { type Impact, impactQuery } from './deletion-impact.ts'
import classes from './me.module.css'
import { useMe } from './me.ts'
import { useAsksPassword } from './proof.ts'
import { Takeovers } from './takeover.tsx'

export function DeleteAccountPage() {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const query = useQuery(impactQuery)
  return (
    <Page title={t('users.deletion.title')} lead={t('users.deletion.lead', { tenant })}>
      {query.data ? <Deletion impact={query.data} /> : <LoadingOrFailed query={query} rows={4} />}
    </Page>
  )
}

function Deletion({ impact }: { readonly impact: Impact }) {
  const { t } = useTranslation()
  const { blockingOrganizations, isLastAdmin } = impact
  const isBlocked = blockingOrganizations.length > 0 || isLastAdmin
  return (
    <>
      <Section title={t('users.deletion.goes')}>
        <Going impact={impact} />
      </Section>
      {isLastAdmin && (
        <Section title={t('users.deletion.lastAdmin')}>
          <Alert color="yellow" mb="md">
            {t('users.deletion.lastAdminLead')}
          </Alert>
          <ButtonLink to="/admin/users" variant="default">
            {t('users.deletion.toUsers')}
          </ButtonLink>
        </Section>
      )}
      {blockingOrganizations.length > 0 && (
        <Section
          title={t('users.deletion.blocking', { count: blockingOrganizations.length })}
          lead={t('users.deletion.blockingLead', { count: blockingOrganizations.length })}
        >
          <Takeovers organizations={blockingOrganizations} />
        </Section>
      )}
      <Section title={t('users.deletion.confirm')} lead={isBlocked ? t('users.deletion.blocked') : undefined}>
        {isBlocked ? (
          <TextLink to="/me" size="sm">
            {t('users.deletion.keep')}
          </TextLink>
        ) : (
          <DeletionForm />
        )}
      </Section>
    </>
  )
}

function Going({ impact: { counts, deletedOrganizations } }: { readonly impact: Impact }) {
  const { t } = useTranslation()
  const { email } = useMe()
  const counted = (['sessions', 'memberships', 'invitationsSent', 'invitationsReceived'] as const).filter(
    (what) => counts[what] > 0,
  )
  return (
    <ul className={classes.going}>
      <li>{t('users.deletion.profile', { email })}</li>
      {counted.map((what) => (
        <li key={what}>{t(`users.deletion.${what}`, { count: counts[what] })}</li>
      ))}
      {deletedOrganizations.map(({ id, slug, name }) => (
        <li key={id}>
          <TextLink to="/organizations/$orgId" params={{ orgId: slug }} inherit underline="always">
            {name}
          </TextLink>
          {t('users.deletion.organizationGoes')}
        </li>
      ))}
      <li>{t('users.deletion.traces')}</li>
    </ul>
  )
}

function DeletionForm() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { email } = useMe()
  const { refetch } = useQuery(impactQuery)
  const asksPassword = useAsksPassword()
  const form = useForm({ initialValues: { password: '', confirm: '' } })
  return (
    <Form
      form={form}
      submit={t('users.deletion.submit')}
      color="red"
      fields={{ wrong_password: 'password', too_many_attempts: 'password' }}
      send={({ password, confirm }) =>
        ask(api.DELETE('/api/users/me', { body: asksPassword ? { password } : { confirm } })).catch(
          (error: unknown) => {
            // Something has blocked the deletion since the page was read: shows it.
            if (isRefusal(error, 'sole_owner', 'last_admin')) void refetch()
            if (!isRefusal(error, 'confirmation_mismatch')) throw error
            const detail = t('users.deletion.mismatch')
            throw new Refusal({
              code: 'invalid_request',
              errors: [{ pointer: '/confirm', code: 'not_allowed', detail }],
            })
          },
        )
      }
      onDone={() => leavePages(() => navigate({ to: '/goodbye', replace: true, state: { isDeleted: true } }))}
      others={
        <ButtonLink to="/me" variant="default">
          {t('users.deletion.keep')}
        </ButtonLink>
      }
    >
      {asksPassword ? (
        <CurrentPassword
          {...form.getInputProps('password')}
          label={t('users.deletion.password')}
          description={t('users.deletion.confirmLead')}
        />
      ) : (
        <TextInput
          {...form.getInputProps('confirm')}
          label={t('users.deletion.email', { email })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </Form>
  )
}
