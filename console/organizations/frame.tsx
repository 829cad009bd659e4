/**
 * The frame of an organization's pages. It replaces them when the organization is deleted or the caller is removed. If only the slug
 * changes, the pages stay, with everything typed into them.
 */
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { Fragment, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { NotFoundInside } from '../layout/shell.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { OfOrganization } from '../parts/of-organization.ts'
import { Page } from '../parts/page.tsx'
import { asNews } from '../theme/messages.ts'
import { type Organization, organizationQuery, readListsAgain, useOrganization } from './organization.ts'
import { permissionsQuery } from './permissions.ts'
import { roles } from './roles.ts'

export function OrganizationFrame() {
  const { orgId } = useParams({ from: '/inside/organizations/$orgId' })
  const { isGone, before } = useOrganization(orgId)
  const isLost = useSlugChange(orgId, isGone ? before : undefined)
  useEffect(() => watchRefusals(orgId), [orgId])
  useRoleLoss(before)
  if (isGone && before === undefined) return <NotFoundInside />
  if (isLost && before !== undefined) return <Gone organization={before} />
  // The key keeps the lists of one organization from being placeholders in another.
  return (
    <Fragment key={before?.id ?? orgId}>
      <OfOrganization value={before?.name}>
        <Outlet />
      </OfOrganization>
    </Fragment>
  )
}

/**
 * Follows the organization to a new slug.
 *
 * @param before the organization as it was read last, if nothing is found under its slug any more
 * @returns whether nothing is found under its id either
 */
function useSlugChange(orgId: string, before: Organization | undefined): boolean {
  const navigate = useNavigate()
  const isAsked = before !== undefined
  const query = organizationQuery(before?.id ?? '')
  const { data: found, error, isFetching } = useQuery({ ...query, enabled: isAsked, staleTime: 0, gcTime: 0 })
  const slug = isAsked && !isFetching && error === null ? found?.slug : undefined
  useEffect(() => {
    if (slug === undefined || slug === orgId) return
    queries.setQueryData(organizationQuery(slug).queryKey, found)
    void readListsAgain()
    void navigate({ to: '.', params: { orgId: slug }, search: true, replace: true, ignoreBlocker: true })
  }, [slug, orgId, found, navigate])
  return isAsked && !isFetching && isRefusal(error, 'not_found')
}

/** Tells the caller that their role is lower now, since forms and buttons of the higher role disappear. */
function useRoleLoss(organization: Organization | undefined): void {
  const { t } = useTranslation()
  const last = useRef(organization)
  useEffect(() => {
    const before = last.current
    last.current = organization
    if (!organization?.role || !before?.role || organization.id !== before.id) return
    if (roles.indexOf(organization.role) >= roles.indexOf(before.role)) return
    const role = t(`organizations.members.asRole.${organization.role}`)
    notifications.show({ ...asNews, message: t('organizations.roleLost', { role, organization: organization.name }) })
  }, [organization, t])
}

/** Replaces the pages of an organization that the caller does not belong to any more. */
function Gone({ organization: { name } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  useEffect(() => void readListsAgain(), [])
  return (
    <Page title={t('organizations.gone.title', { name })} lead={t('organizations.gone.lead')}>
      <ButtonLink to="/organizations" variant="default">
        {t('organizations.gone.toOrganizations')}
      </ButtonLink>
    </Page>
  )
}

/** A refused part of an organization may mean that the caller may do less now: the organization and their permissions are read again. */
function watchRefusals(orgId: string): () => void {
  const { queryKey } = organizationQuery(orgId)
  return queries.getQueryCache().subscribe((event) => {
    const [first, id, part] = event.query.queryKey
    if (first !== 'organizations' || part === undefined || part === 'permissions') return
    const known = queries.getQueryData(queryKey)
    // Some parts are read by the slug, some by the id.
    const isPart = id === orgId || id === known?.id
    if (!isPart || event.type !== 'updated' || event.action.type !== 'error') return
    // Without its parts, which would be refused again, in a loop.
    if (!isRefusal(event.action.error, 'not_found', 'forbidden')) return
    void queries.invalidateQueries({ queryKey, exact: true })
    if (known) void queries.invalidateQueries({ queryKey: permissionsQuery(known.id).queryKey })
  })
}
