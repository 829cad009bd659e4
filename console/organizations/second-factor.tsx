/** Whether an organization requires a second factor of its members. Those who may delete it change this, others read it. */
import { Switch, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Refusal } from '../api/refusal.ts'
import { ifUnchanged } from '../api/versions.ts'
import { EditForm } from '../parts/edit-form.tsx'
import { Section } from '../parts/page.tsx'
import { type Organization, organizationQuery, readOrganizationsAgain } from './organization.ts'
import { useMay } from './permissions.ts'

export function SecondFactor({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { secondFactor } = organization
  const may = useMay(organization)
  return (
    <Section title={t('organizations.secondFactor.title')} lead={t('organizations.secondFactor.lead')}>
      {may('organization:delete') ? (
        <Editor organization={organization} />
      ) : (
        <Text size="sm">{t(`organizations.secondFactor.${secondFactor}`)}</Text>
      )}
    </Section>
  )
}

const pick = ({ secondFactor }: Organization) => ({ isRequired: secondFactor === 'required' })

function Editor({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pick(organization) })
  return (
    <EditForm
      form={form}
      submit={t('organizations.secondFactor.submit')}
      thing={organization}
      pick={pick}
      read={() => queries.fetchQuery({ ...organizationQuery(organization.id), staleTime: 0 })}
      save={({ isRequired }, before) =>
        ask(
          api.PATCH('/api/organizations/{orgId}', {
            params: { path: { orgId: before.id }, ...ifUnchanged(before) },
            body: { secondFactor: isRequired ? 'required' : 'optional' },
          }),
        ).catch((error: unknown) => {
          throw Refusal.ofRequiring(error)
        })
      }
      onSaved={(changed) => {
        for (const key of [changed.slug, changed.id]) queries.setQueryData(organizationQuery(key).queryKey, changed)
        void readOrganizationsAgain()
        notifications.show({ message: t('organizations.settings.saved', { name: changed.name }) })
      }}
    >
      <Switch
        {...form.getInputProps('isRequired', { type: 'checkbox' })}
        label={t('organizations.secondFactor.switch')}
        description={t('organizations.secondFactor.hint')}
      />
    </EditForm>
  )
}
