/** One sign-in provider: where it sends people back, its settings, its secret, trying it, deleting it. */
import { Alert, Badge, Button, Group, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconArrowLeft } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Copyable } from '../parts/copyable.tsx'
import { changesOf, EditForm } from '../parts/edit-form.tsx'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { splitCharsOfUrls } from '../parts/split-chars.ts'
import { Time } from '../parts/time.tsx'
import { leaveToLink } from '../sign-in/provider-visit.ts'
import { DeleteProvider } from './deletion.tsx'
import { OnlyWayIn } from './only-way-in.tsx'
import { type Provider, readProvider, updateProvider, useProviderOfPage } from './provider.ts'
import '../texts/administration.ts'

export function ProviderPage() {
  const { t } = useTranslation()
  const { providerId } = useParams({ from: '/inside/admin/providers/$providerId' })
  const { provider, isGone } = useProviderOfPage(providerId)
  const { type, name, enabled, identityCount, callbackUrl, lastFailure } = provider
  const toAll = (
    <ButtonLink to="/admin/providers" variant="default" leftSection={<IconArrowLeft size={16} stroke={1.8} />}>
      {t('providers.all')}
    </ButtonLink>
  )
  if (isGone) {
    return (
      <Page title={t('providers.gone')} lead={t('providers.goneLead')}>
        {toAll}
      </Page>
    )
  }
  return (
    <Page
      key={providerId}
      title={name}
      lead={
        <>
          {t(`providers.types.${type}`)} · {t('providers.people', { count: identityCount })}{' '}
          {!enabled && <Badge color="gray">{t('providers.disabled')}</Badge>}
        </>
      }
      actions={toAll}
    >
      {lastFailure && (
        <Alert color="yellow" mb="xl" title={t(`providers.reasons.${lastFailure.reason}.title`)}>
          {t(`providers.reasons.${lastFailure.reason}.detail`)}
          <Text size="sm" c="dimmed" mt={4}>
            {t('providers.failed')} <Time iso={lastFailure.at} />
          </Text>
        </Alert>
      )}
      <Section title={t('providers.redirect')} lead={t('providers.redirectLead', { name })}>
        <Copyable value={callbackUrl} name={t('providers.redirect')} />
      </Section>
      <Section title={t('providers.trial')} lead={t('providers.trialLead', { name })}>
        <Trial provider={provider} />
      </Section>
      <Section title={t('providers.settings')}>
        <Settings provider={provider} />
      </Section>
      <Section title={t('providers.fields.clientSecret')} lead={secretLead(t, provider)}>
        <Secret provider={provider} />
      </Section>
      <Section title={t('providers.deletion.title')} lead={t('providers.deletion.lead', { count: identityCount })}>
        <DeleteProvider provider={provider} />
      </Section>
    </Page>
  )
}

/** Only OpenID Connect has clients without a secret. */
function secretLead(t: TFunction, { hasSecret, type }: Provider): string {
  if (hasSecret) return t('providers.secretLead')
  return type === 'oidc'
    ? t('providers.publicLead')
    : t('providers.noSecretLead', { type: t(`providers.types.${type}`) })
}

function Trial({ provider: { id, enabled } }: { readonly provider: Provider }) {
  const { t } = useTranslation()
  const leaving = useMutation({ mutationFn: () => leaveToLink(id) })
  return (
    <Group gap="sm">
      <Button variant="default" disabled={!enabled} loading={leaving.isPending} onClick={() => leaving.mutate()}>
        {t('providers.try')}
      </Button>
      {!enabled && (
        <Text size="sm" c="dimmed">
          {t('providers.tryDisabled')}
        </Text>
      )}
    </Group>
  )
}

const pick = ({ name, enabled, clientId, trustsEmail, microsoftTenant, redirectUris }: Provider) => ({
  name,
  enabled,
  clientId,
  trustsEmail,
  microsoftTenant: microsoftTenant ?? '',
  redirectUris,
})

function Settings({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation()
  const { id, type, issuer, enabled, onlyWayInCount } = provider
  const form = useForm({ initialValues: pick(provider) })
  return (
    <EditForm
      form={form}
      thing={provider}
      pick={pick}
      read={() => readProvider(id)}
      save={(values, before) => updateProvider(before, changesOf(pick(before), values))}
      onSaved={({ name }) => notifications.show({ message: t('providers.saved', { name }) })}
    >
      <Switch
        {...form.getInputProps('enabled', { type: 'checkbox' })}
        label={t('providers.fields.enabled')}
        description={t('providers.fields.enabledHint')}
      />
      <OnlyWayIn count={enabled && !form.values.enabled ? onlyWayInCount : undefined} />
      <TextInput
        {...form.getInputProps('name')}
        label={t('providers.fields.name')}
        description={t('providers.fields.nameHint')}
        autoComplete="off"
      />
      {issuer !== null && (
        <TextInput
          label={t('providers.fields.issuer')}
          description={t('providers.fields.issuerFixed')}
          value={issuer}
          readOnly
          variant="filled"
        />
      )}
      {type === 'microsoft' && (
        <TextInput
          {...form.getInputProps('microsoftTenant')}
          label={t('providers.fields.microsoftTenant')}
          description={t('providers.fields.microsoftTenantHint')}
          autoComplete="off"
        />
      )}
      <TextInput {...form.getInputProps('clientId')} label={t('providers.fields.clientId')} autoComplete="off" />
      {type === 'oidc' && (
        <Switch
          {...form.getInputProps('trustsEmail', { type: 'checkbox' })}
          label={t('providers.fields.trustsEmail')}
          description={t('providers.fields.trustsEmailHint')}
        />
      )}
      <TagsInput
        {...form.getInputProps('redirectUris')}
        label={t('providers.fields.redirectUris')}
        description={t('providers.fields.redirectUrisHint')}
        splitChars={splitCharsOfUrls}
      />
    </EditForm>
  )
}

function Secret({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation()
  const form = useForm({ name: 'secret', initialValues: { clientSecret: '' } })
  return (
    <Form
      form={form}
      submit={t('providers.replaceSecret')}
      disabled={form.values.clientSecret === ''}
      send={({ clientSecret }) => updateProvider(provider, { clientSecret })}
      onDone={({ name }) => {
        form.reset()
        notifications.show({ message: t('providers.saved', { name }) })
      }}
    >
      <PasswordField
        {...form.getInputProps('clientSecret')}
        label={t('providers.newSecret')}
        autoComplete="new-password"
      />
    </Form>
  )
}
