/** How many members an organization may have, for tenant admins. Without a limit of its own, that of the tenant holds. */
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { EditForm } from '../parts/edit-form.tsx'
import { LimitInput } from '../parts/limit-input.tsx'
import { useTenantSettings } from '../tenants/settings-tenant.ts'
import { tenantOrganizationQuery, tenantOrganizationsKey } from './directory-search.ts'
import { readOrganizationsAgain } from './organization.ts'

type TenantOrganization = Versioned<Schemas['Organization']>

const pick = ({ memberLimit }: TenantOrganization) => ({ memberLimit })

export function MemberLimit({ organization }: { readonly organization: TenantOrganization }) {
  const { t } = useTranslation()
  const { data: settings } = useTenantSettings()
  const form = useForm({ initialValues: pick(organization) })
  const query = tenantOrganizationQuery(organization.id)
  const ofTenant = settings?.memberLimit ?? null
  return (
    <EditForm
      form={form}
      thing={organization}
      pick={pick}
      read={() => queries.fetchQuery({ ...query, staleTime: 0 })}
      save={({ memberLimit }, before) =>
        ask(
          api.PATCH('/api/admin/organizations/{orgId}', {
            params: { path: { orgId: before.id }, ...ifUnchanged(before) },
            body: { memberLimit },
          }),
        )
      }
      onSaved={(changed) => {
        queries.setQueryData(query.queryKey, changed)
        void queries.invalidateQueries({ queryKey: tenantOrganizationsKey })
        void readOrganizationsAgain()
        notifications.show({ message: t('directory.limit.saved', { name: changed.name }) })
      }}
    >
      <LimitInput
        {...form.getInputProps('memberLimit')}
        label={t('directory.limit.label')}
        description={
          ofTenant === null ? t('directory.limit.hintWithout') : t('directory.limit.hint', { limit: ofTenant })
        }
      />
    </EditForm>
  )
}
