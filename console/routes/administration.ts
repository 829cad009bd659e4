/** The pages of tenant admins. */
import { createRoute, notFound, Outlet, retainSearchParams } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { applicationQuery } from '../applications/application.ts'
import { readActivitySearch } from '../audit/search.ts'
import { readEventSearch } from '../events/search.ts'
import { readOrganizationsSearch, tenantOrganizationQuery } from '../organizations/directory-search.ts'
import { readMemberSearch } from '../organizations/member.ts'
import { readInvitationSearch } from '../organizations/people-search.ts'
import { permissionsIn } from '../organizations/permissions.ts'
import { whereOf } from '../organizations/place.ts'
import { exactly } from '../parts/search.ts'
import { providerQuery } from '../providers/provider.ts'
import { readTenantActivitySearch, type TenantActivitySearch } from '../tenants/activity-search.ts'
import { userQuery } from '../users/administration-user.ts'
import { readUsersSearch } from '../users/directory-search.ts'
import { callerQuery } from '../users/me.ts'
import { inside, nothingInside } from './inside.ts'
import { asNotFound, page } from './page.ts'

/** Other users get "Page not found". */
export const admin = createRoute({
  getParentRoute: () => inside,
  path: '/admin',
  beforeLoad: () => {
    if (queries.getQueryData(callerQuery.queryKey)?.role !== 'admin') throw notFound()
  },
  component: Outlet,
  notFoundComponent: nothingInside,
})

/** One user: a frame with tabs. */
const user = createRoute({
  getParentRoute: () => admin,
  path: '/users/$userId',
  loader: ({ params }) => queries.ensureQueryData(userQuery(params.userId)).catch(asNotFound),
  component: page(() => import('../users/administration.tsx'), 'UserFrame'),
})

/** One organization: a frame with tabs. Not `$orgId`, for which the shell shows the navigation of a member. */
const anyOrganization = createRoute({
  getParentRoute: () => admin,
  path: '/organizations/$organizationId',
  loader: ({ params }) =>
    queries
      .ensureQueryData(tenantOrganizationQuery(params.organizationId))
      .then((organization) => queries.ensureQueryData(permissionsIn(whereOf(organization))))
      .catch(asNotFound),
  component: page(() => import('../organizations/directory-organization.tsx'), 'TenantOrganizationFrame'),
})

export const adminPages = [
  createRoute({
    getParentRoute: () => admin,
    path: '/users',
    validateSearch: exactly(readUsersSearch),
    component: page(() => import('../users/directory.tsx'), 'UsersPage'),
  }),
  user.addChildren([
    createRoute({
      getParentRoute: () => user,
      path: '/',
      component: page(() => import('../users/administration-profile.tsx'), 'UserProfilePage'),
    }),
    createRoute({
      getParentRoute: () => user,
      path: '/devices',
      component: page(() => import('../users/administration-devices.tsx'), 'UserDevicesPage'),
    }),
    createRoute({
      getParentRoute: () => user,
      path: '/organizations',
      component: page(() => import('../users/administration-organizations.tsx'), 'UserOrganizationsPage'),
    }),
    createRoute({
      getParentRoute: () => user,
      path: '/activity',
      validateSearch: exactly(readActivitySearch),
      component: page(() => import('../users/administration-activity.tsx'), 'UserActivityPage'),
    }),
  ]),
  createRoute({
    getParentRoute: () => admin,
    path: '/organizations',
    validateSearch: exactly(readOrganizationsSearch),
    component: page(() => import('../organizations/directory.tsx'), 'TenantOrganizationsPage'),
  }),
  anyOrganization.addChildren([
    createRoute({
      getParentRoute: () => anyOrganization,
      path: '/',
      validateSearch: exactly(readMemberSearch),
      component: page(() => import('../organizations/directory-members.tsx'), 'TenantMembersPage'),
    }),
    createRoute({
      getParentRoute: () => anyOrganization,
      path: '/invitations',
      validateSearch: exactly(readInvitationSearch),
      component: page(() => import('../organizations/directory-invitations.tsx'), 'TenantInvitationsPage'),
    }),
    createRoute({
      getParentRoute: () => anyOrganization,
      path: '/activity',
      validateSearch: exactly(readActivitySearch),
      component: page(() => import('../organizations/directory-activity.tsx'), 'TenantOrganizationActivityPage'),
    }),
    createRoute({
      getParentRoute: () => anyOrganization,
      path: '/settings',
      component: page(() => import('../organizations/directory-settings.tsx'), 'TenantOrganizationSettingsPage'),
    }),
  ]),
  createRoute({
    getParentRoute: () => admin,
    path: '/access',
    component: page(() => import('../access/access.tsx'), 'AccessPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/providers',
    component: page(() => import('../providers/providers.tsx'), 'ProvidersPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/providers/$providerId',
    loader: ({ params }) => queries.ensureQueryData(providerQuery(params.providerId)).catch(asNotFound),
    component: page(() => import('../providers/provider-page.tsx'), 'ProviderPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/applications',
    component: page(() => import('../applications/applications.tsx'), 'ApplicationsPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/applications/new',
    component: page(() => import('../applications/creation.tsx'), 'NewApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/applications/$appId',
    loader: ({ params }) => queries.ensureQueryData(applicationQuery(params.appId)).catch(asNotFound),
    component: page(() => import('../applications/application-page.tsx'), 'ApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/keys',
    component: page(() => import('../keys/tenant-keys.tsx'), 'TenantKeysPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/webhooks',
    component: page(() => import('../webhooks/tenant-webhooks.tsx'), 'TenantWebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/webhooks/$webhookId',
    component: page(() => import('../webhooks/webhook-page.tsx'), 'TenantWebhookPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/events',
    validateSearch: exactly(readEventSearch),
    component: page(() => import('../events/events.tsx'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/activity',
    validateSearch: exactly(readTenantActivitySearch),
    search: { middlewares: [retainSearchParams<TenantActivitySearch>(['userId'])] }, // it stays while other filters change
    component: page(() => import('../tenants/activity.tsx'), 'TenantActivityPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/settings',
    component: page(() => import('../tenants/settings.tsx'), 'TenantSettingsPage'),
  }),
] as const
