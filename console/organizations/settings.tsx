/** The settings of an organization: those who may change them, others read them. */
import { Alert, Button, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { basePath } from '../api/base.ts'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ifUnchanged } from '../api/versions.ts'
import { Advanced } from '../parts/advanced.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { EditForm } from '../parts/edit-form.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Pending } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Deletion } from './deletion.tsx'
import { changesOf, DetailFacts, DetailFields, type Details, detailsOf } from './fields.tsx'
import { Leaving, useMayLeave } from './leaving.tsx'
import { LogoField } from './logo.tsx'
import { type Organization, organizationQuery, readOrganizationsAgain, useOrganizationOfPage } from './organization.ts'
import { useMay } from './permissions.ts'
import { SecondFactor } from './second-factor.tsx'
import classes from './settings.module.css'
import { addressOf } from './slug.ts'
import { TurnedOff } from './turned-off.tsx'

const from = '/inside/organizations/$orgId/settings' as const

export function OrganizationSettingsPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const mayUpdate = may('organization:update')
  return (
    <Page title={t('organizations.settings.title')} lead={mayUpdate ? undefined : t('organizations.settings.readLead')}>
      <Section title={t('organizations.settings.looks')}>
        {mayUpdate ? (
          <>
            <LogoField organization={organization} onChanged={showLogo} />
            <Editor organization={organization} />
          </>
        ) : (
          <DetailFacts organization={organization} />
        )}
      </Section>
      <SecondFactor organization={organization} />
      <LeavingSection organization={organization} />
      {may('organization:delete') && <Deletion organization={organization} />}
      <TurnedOff organization={organization} />
      {mayUpdate && <ForDevelopers organization={organization} />}
    </Page>
  )
}

function Editor({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const navigate = useNavigate({ from: '/organizations/$orgId/settings' })
  const { orgId } = useParams({ from })
  const form = useForm<Details>({ initialValues: detailsOf(organization) })
  const { slug } = form.values
  return (
    <EditForm
      form={form}
      thing={organization}
      pick={detailsOf}
      read={() => queries.fetchQuery({ ...organizationQuery(organization.id), staleTime: 0 })}
      fields={{ slug_taken: 'slug' }}
      save={(values, before) =>
        ask(
          api.PATCH('/api/organizations/{orgId}', {
            params: { path: { orgId: before.id }, ...ifUnchanged(before) },
            body: changesOf(before, values),
          }),
        )
      }
      onSaved={async (changed) => {
        for (const key of [changed.slug, changed.id]) queries.setQueryData(organizationQuery(key).queryKey, changed)
        // If the address contains the slug and not the id, it follows the new slug.
        if (orgId !== organization.id && changed.slug !== orgId)
          await navigate({ params: { orgId: changed.slug }, replace: true })
        void readOrganizationsAgain()
        notifications.show({ message: t('organizations.settings.saved', { name: changed.name }) })
      }}
    >
      <DetailFields
        form={form}
        belowSlug={
          <Status>
            {slug !== organization.slug && (
              <Alert color="yellow" role="note">
                {t('organizations.settings.slugWarning', { address: addressOf(organization.slug, basePath) })}
              </Alert>
            )}
          </Status>
        }
      />
    </EditForm>
  )
}

function showLogo(changed: Organization) {
  for (const key of [changed.slug, changed.id]) queries.setQueryData(organizationQuery(key).queryKey, changed)
  void readOrganizationsAgain()
}

function LeavingSection({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const mayLeave = useMayLeave(organization)
  const [isOpen, { open, close }] = useDisclosure()
  if (mayLeave === undefined) return <Pending />
  if (!mayLeave) return null
  return (
    <Section title={t('organizations.settings.leaving')} lead={t('organizations.settings.leavingLead')}>
      <Button variant="default" c="red" onClick={open}>
        {t('organizations.leaving.leave')}
      </Button>
      <Leaving organization={organization} isOpen={isOpen} onClose={close} />
    </Section>
  )
}

function ForDevelopers({ organization: { id, metadata } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  return (
    <Advanced>
      <dl className={classes.lookup}>
        <dt>{t('organizations.settings.id')}</dt>
        <dd>
          <Copyable value={id} name={t('organizations.settings.yourId')} />
        </dd>
        {Object.keys(metadata).length > 0 && (
          <>
            <dt>{t('organizations.settings.metadata')}</dt>
            <dd>
              <Text size="sm" c="dimmed">
                {t('organizations.settings.metadataLead')}
              </Text>
              <pre className={classes.metadata}>{JSON.stringify(metadata, null, 2)}</pre>
            </dd>
          </>
        )}
      </dl>
    </Advanced>
  )
}
