/** Adding a sign-in provider. Its page then shows the redirect URI to register there. */
import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import { readListAgain } from '../tenants/settings-tenant.ts'
import { type ProviderType, providerQuery, providersQuery, providerTypes } from './provider.ts'

interface AddProviderProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function AddProvider({ isOpen, onClose }: AddProviderProps) {
  const { t } = useTranslation()
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('providers.creation.title')}>
      <CreationForm onClose={onClose} />
    </Dialog>
  )
}

function CreationForm({ onClose }: Pick<AddProviderProps, 'onClose'>) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: {
      type: 'google' as ProviderType,
      name: t('providers.types.google') as string,
      issuer: '',
      microsoftTenant: 'common',
      clientId: '',
      clientSecret: '',
    },
  })
  useUnsaved(form)
  const { type, name } = form.values
  /** The name follows the type until it is typed. */
  const choose = (next: ProviderType) => {
    const isOurs = name === '' || providerTypes.some((each) => name === t(`providers.types.${each}`))
    form.setValues({ type: next, ...(isOurs && { name: next === 'oidc' ? '' : t(`providers.types.${next}`) }) })
  }
  return (
    <Form
      form={form}
      submit={t('providers.creation.submit')}
      send={({ issuer, microsoftTenant, clientSecret, ...values }) =>
        ask(
          api.POST('/api/admin/providers', {
            body: {
              ...values,
              ...(type === 'oidc' && { issuer: issuer.trim() }),
              ...(type === 'microsoft' && { microsoftTenant }),
              ...(clientSecret !== '' && { clientSecret }),
            },
          }),
        )
      }
      onDone={async (provider) => {
        queries.setQueryData(providerQuery(provider.id).queryKey, provider)
        readListAgain(providersQuery)
        form.resetDirty()
        onClose()
        await navigate({ to: '/admin/providers/$providerId', params: { providerId: provider.id } })
      }}
    >
      <NativeSelect
        {...form.getInputProps('type')}
        onChange={({ currentTarget }) => choose(currentTarget.value as ProviderType)} // one of the options
        label={t('providers.fields.type')}
        data={providerTypes.map((value) => ({ value, label: t(`providers.types.${value}`) }))}
        data-autofocus
      />
      <TextInput
        {...form.getInputProps('name')}
        label={t('providers.fields.name')}
        description={t('providers.fields.nameHint')}
        autoComplete="off"
      />
      {type === 'oidc' && (
        <TextInput
          {...form.getInputProps('issuer')}
          label={t('providers.fields.issuer')}
          description={t('providers.fields.issuerHint')}
          placeholder="https://"
          type="url"
          autoComplete="off"
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
      <PasswordField
        {...form.getInputProps('clientSecret')}
        label={t('providers.fields.clientSecret')}
        description={t(
          type === 'oidc' ? 'providers.fields.clientSecretHintPublic' : 'providers.fields.clientSecretHint',
        )}
        autoComplete="new-password"
      />
      <Text size="sm" c="dimmed">
        {t('providers.creation.next')}
      </Text>
    </Form>
  )
}
