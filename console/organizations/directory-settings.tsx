/** The settings of any organization, for admins: its logo, name and slug, its limit, its owner, and its end. */
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ifUnchanged } from '../api/versions.ts'
import { EditForm } from '../parts/edit-form.tsx'
import { Section } from '../parts/page.tsx'
import { DeleteOrganization } from './directory-deletion.tsx'
import { MemberLimit } from './directory-limit.tsx'
import { useAnyOrganization } from './directory-organization.tsx'
import { tenantOrganizationQuery, tenantOrganizationsKey } from './directory-search.ts'
import { TransferOrganization } from './directory-transfer.tsx'
import { changesOf, DetailFields, type Details, detailsOf } from './fields.tsx'
import { LogoField } from './logo.tsx'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import classes from './settings.module.css'

export function TenantOrganizationSettingsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const organization = useAnyOrganization()
  return (
    <div className={classes.narrow}>
      <Section title={t('organizations.settings.looks')}>
        <LogoField organization={organization} onChanged={showChanged} />
        <DetailsForm organization={organization} />
      </Section>
      <Section title={t('directory.limit.section')} lead={t('directory.limit.sectionLead')}>
        <MemberLimit organization={organization} />
      </Section>
      <Section title={t('directory.transfer.section')} lead={t('directory.transfer.sectionLead')}>
        <TransferOrganization organization={organization} />
      </Section>
      <Section
        title={t('directory.organizationDeletion.section')}
        lead={t('directory.organizationDeletion.sectionLead')}
      >
        <DeleteOrganization organization={organization} onDone={() => navigate({ to: '/admin/organizations' })} />
      </Section>
    </div>
  )
}

function showChanged(changed: Organization) {
  queries.setQueryData(tenantOrganizationQuery(changed.id).queryKey, changed)
  void queries.invalidateQueries({ queryKey: tenantOrganizationsKey })
  void readOrganizationsAgain()
}

function DetailsForm({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const form = useForm<Details>({ initialValues: detailsOf(organization) })
  const query = tenantOrganizationQuery(organization.id)
  return (
    <EditForm
      form={form}
      thing={organization}
      pick={detailsOf}
      read={() => queries.fetchQuery({ ...query, staleTime: 0 })}
      fields={{ slug_taken: 'slug' }}
      save={(values, before) =>
        ask(
          api.PATCH('/api/admin/organizations/{orgId}', {
            params: { path: { orgId: before.id }, ...ifUnchanged(before) },
            body: changesOf(before, values),
          }),
        )
      }
      onSaved={(changed) => {
        showChanged(changed)
        notifications.show({ message: t('organizations.settings.saved', { name: changed.name }) })
      }}
    >
      <DetailFields form={form} belowSlug={null} />
    </EditForm>
  )
}
