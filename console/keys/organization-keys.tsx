/** The keys of an organization, for those who may see them. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { permissionsOfModelQuery } from '../organizations/grants.tsx'
import { NotAllowed } from '../organizations/not-allowed.tsx'
import { type Organization, useOrganizationOfPage } from '../organizations/organization.ts'
import { useMay, usePermissions } from '../organizations/permissions.ts'
import { Page } from '../parts/page.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { keysOfOrganization } from './key.ts'
import { KeysPage } from './keys-page.tsx'
import { useScopeGroups } from './scopes.ts'
import '../texts/keys.ts'

const from = '/inside/organizations/$orgId/keys' as const

export function OrganizationKeysPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  if (!may('keys:read'))
    return (
      <Page title={t('keys.organization.title')}>
        <NotAllowed organization={organization} title={t('keys.organization.notYours')} />
      </Page>
    )
  return <OrganizationKeys orgId={orgId} organization={organization} mayWrite={may('keys:write')} />
}

interface OrganizationKeysProps {
  readonly organization: Organization
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
