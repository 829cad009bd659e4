/** Whether an organization requires a second factor of its members. Those who may delete it change this, others read it. */
import { Switch, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Refusal } from '../api/refusal.ts'
import { ifUnchanged } from '../api/versions.ts'
import { Confirm } from '../parts/confirm.tsx'
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
        <Requirement organization={organization} />
      ) : (
        <Text size="sm">{t(`organizations.secondFactor.${secondFactor}`)}</Text>
      )}
    </Section>
  )
}

/** The switch asks first: others may be unable to open the organization from then on. */
function Requirement({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { id, name, secondFactor } = organization
  const [isAsking, asking] = useDisclosure()
  // The dialog closes after the change, with the words with which it opened.
  const [change, setChange] = useState<'require' | 'stop'>('require')
  const isRequired = secondFactor === 'required'
  const begin = () => {
    setChange(isRequired ? 'stop' : 'require')
    asking.open()
  }
  const save = async () => {
    const changed = await ask(
      api.PATCH('/api/organizations/{orgId}', {
        params: { path: { orgId: id }, ...ifUnchanged(organization) },
        body: { secondFactor: change === 'require' ? 'required' : 'optional' },
      }),
    ).catch((error: unknown) => {
      throw Refusal.ofRequiring(error)
    })
    for (const key of [changed.slug, changed.id]) queries.setQueryData(organizationQuery(key).queryKey, changed)
    void readOrganizationsAgain()
    notifications.show({ message: t('organizations.settings.saved', { name: changed.name }) })
  }
  return (
    <>
      <Switch checked={isRequired} label={t('organizations.secondFactor.switch')} onChange={begin} />
      <Confirm
        title={t(`organizations.secondFactor.${change}.title`)}
        submit={t(`organizations.secondFactor.${change}.submit`)}
        isGiving
        isOpen={isAsking}
        onClose={asking.close}
        act={save}
      >
        {t(`organizations.secondFactor.${change}.lead`, { name })}
      </Confirm>
    </>
  )
}
