/** The keys of an organization, for those who may see them. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { permissionsOfModelQuery } from '../organizations/grants.tsx'
import { type Organization, useOrganizationOfPage } from '../organizations/organization.ts'
import { useMay, usePermissions } from '../organizations/permissions.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { keysOfOrganization } from './key.ts'
import { KeysPage } from './keys-page.tsx'
import { useScopeGroups } from './scopes.ts'
import '../texts/keys.ts'

const from = '/inside/organizations/$orgId/keys' as const

export function OrganizationKeysPage() {
  const { orgId } = useParams({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  if (!may('keys:read')) return <NotTheirs organization={organization} />
  return <OrganizationKeys orgId={orgId} organization={organization} mayWrite={may('keys:write')} />
}

interface OfOrganization {
  readonly organization: Organization
}

function NotTheirs({ organization: { name, slug } }: OfOrganization) {
  const { t } = useTranslation()
  return (
    <Page title={t('keys.organization.title')}>
      <Empty
        title={t('keys.organization.notYours')}
        action={
          <ButtonLink to="/organizations/$orgId/members" params={{ orgId: slug }} variant="default">
            {t('keys.organization.toMembers')}
          </ButtonLink>
        }
      >
        {t('keys.organization.notYoursLead', { name })}
      </Empty>
    </Page>
  )
}

interface OrganizationKeysProps extends OfOrganization {
  readonly orgId: string
  readonly mayWrite: boolean
}

function OrganizationKeys({ orgId, organization, mayWrite }: OrganizationKeysProps) {
  const { t } = useTranslation()
  const { name: tenant, organizationKeys } = useTenant()
  const { id, name } = organization
  const list = useMemo(() => keysOfOrganization(orgId), [orgId])
  const held = usePermissions(organization)
  const naming = useQuery(permissionsOfModelQuery(id))
  const { data: permissions = [] } = naming
  const groups = useScopeGroups('organization', permissions)
  const givable = useScopeGroups(
    'organization',
    permissions.filter(({ key }) => held.includes(key)),
  )
  return (
    <KeysPage
      list={list}
      title={t('keys.organization.title')}
      lead={t('keys.organization.lead', { name })}
      none={{ title: t('keys.organization.none'), lead: t('keys.organization.noneLead', { name }) }}
      off={
        organizationKeys
          ? undefined
          : {
              title: t('keys.organization.off'),
              lead: t('keys.organization.offLead', { tenant }),
              leadWithKeys: t('keys.organization.offWithKeys', { tenant }),
            }
      }
      mayWrite={mayWrite}
      naming={naming}
      groups={groups}
      givable={givable}
    />
  )
}
