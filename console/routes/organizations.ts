/** The pages of organizations: the list, a new one, and those of one organization. */
import { createRoute, redirect } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { readActivitySearch } from '../audit/search.ts'
import { organizationQuery } from '../organizations/organization.ts'
import { fromInvitations, readPeopleSearch } from '../organizations/people-search.ts'
import { permissionsQuery } from '../organizations/permissions.ts'
import { fromSegment, toSegment } from '../organizations/slug.ts'
import { exactly, readQuery } from '../parts/search.ts'
import { failedInside, inside, nothingInside } from './inside.ts'
import { asNotFound, page } from './page.ts'

export const organizationsPages = [
  createRoute({
    getParentRoute: () => inside,
    path: '/organizations',
    validateSearch: exactly(readQuery),
    component: page(() => import('../organizations/organizations.tsx'), 'OrganizationsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/organizations/new',
    component: page(() => import('../organizations/creation.tsx'), 'NewOrganizationPage'),
  }),
] as const

/** The organization is only in the address, so that two tabs can show two organizations. */
export const organization = createRoute({
  getParentRoute: () => inside,
  path: '/organizations/$orgId',
  params: {
    parse: ({ orgId }) => ({ orgId: fromSegment(orgId) }),
    stringify: ({ orgId }) => ({ orgId: toSegment(orgId) }),
  },
  loader: ({ params }) =>
    queries
      .ensureQueryData(organizationQuery(params.orgId))
      .then(({ id }) => queries.ensureQueryData(permissionsQuery(id)))
      .catch(asNotFound),
  component: page(() => import('../organizations/frame.tsx'), 'OrganizationFrame'),
  notFoundComponent: nothingInside,
  errorComponent: failedInside,
})

export const organizationPages = [
  createRoute({
    getParentRoute: () => organization,
    path: '/',
    component: page(() => import('../organizations/overview.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/members',
    validateSearch: exactly(readPeopleSearch),
    component: page(() => import('../organizations/people.tsx'), 'PeoplePage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/invitations',
    validateSearch: exactly(fromInvitations),
    beforeLoad: ({ params, search }) => {
      throw redirect({ to: '/organizations/$orgId/members', params, search, replace: true })
    },
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/links',
    component: page(() => import('../organizations/links.tsx'), 'LinksPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/keys',
    component: page(() => import('../keys/organization-keys.tsx'), 'OrganizationKeysPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/webhooks',
    component: page(() => import('../webhooks/organization-webhooks.tsx'), 'OrganizationWebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/webhooks/$webhookId',
    component: page(() => import('../webhooks/webhook-page.tsx'), 'OrganizationWebhookPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/activity',
    validateSearch: exactly(readActivitySearch),
    component: page(() => import('../organizations/activity.tsx'), 'OrganizationActivityPage'),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/settings',
    component: page(() => import('../organizations/settings.tsx'), 'OrganizationSettingsPage'),
  }),
] as const
