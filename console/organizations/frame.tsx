/** Around the pages of an organization: they go when the organization does, or when the caller is put out of it. */
import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useParams } from '@tanstack/react-router'
import { Fragment, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { NotFoundInside } from '../layout/shell.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import {
  type Organization,
  organizationQuery,
  readListsAgain,
  readOrganizationsAgain,
  useOrganization,
} from './organization.ts'

export function OrganizationFrame() {
  const { orgId } = useParams({ from: '/inside/organizations/$orgId' })
  const { isGone, before } = useOrganization(orgId)
  useEffect(() => watchRefusals(orgId), [orgId])
  if (isGone) return before ? <Gone organization={before} /> : <NotFoundInside />
  // With the key, lists of one organization never stand in for those of another.
  return (
    <Fragment key={orgId}>
      <Outlet />
    </Fragment>
  )
}

/** In place of an organization that was open here: the caller is not in it any more, or it has another slug. */
function Gone({ organization: { id, slug, name } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { data: renamed, isPending } = useQuery({ ...organizationQuery(id), staleTime: 0, gcTime: 0 })
  useEffect(() => void readListsAgain(), [])
  if (isPending) return null
  if (renamed && renamed.slug !== slug)
    return <Navigate to="/organizations/$orgId" params={{ orgId: renamed.slug }} replace />
  return (
    <Page title={t('organizations.gone.title', { name })} lead={t('organizations.gone.lead')}>
      <ButtonLink to="/organizations" variant="default">
        {t('organizations.gone.toOrganizations')}
      </ButtonLink>
    </Page>
  )
}

/** What is refused here may mean that the caller's place in the organization is another than shown: it is read again. */
function watchRefusals(orgId: string): () => void {
  const leaveQueries = queries.getQueryCache().subscribe((event) => {
    const [first, id, part] = event.query.queryKey
    const isPart = first === 'organizations' && id === orgId && part !== undefined
    if (!isPart || event.type !== 'updated' || event.action.type !== 'error') return
    // Only the organization: its parts would be refused again, and so on.
    if (isRefusal(event.action.error, 'not_found', 'forbidden'))
      void queries.invalidateQueries({ queryKey: organizationQuery(orgId).queryKey, exact: true })
  })
  const leaveMutations = queries.getMutationCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error') return
    if (isRefusal(event.action.error, 'not_found', 'forbidden', 'role_above_yours')) void readOrganizationsAgain()
  })
  return () => {
    leaveQueries()
    leaveMutations()
  }
}
