/** The router: a table of contents of the console. Each page is loaded when it is first opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { basePath } from './api/base.ts'
import { queries } from './api/queries.ts'
import { reached } from './api/reached.ts'
import { isRefusal } from './api/refusal.ts'
import { readActivitySearch } from './audit/search.ts'
import { NotFound, Root, RootFailed } from './layout/root.tsx'
import { readOrganizationsSearch, tenantOrganizationQuery } from './organizations/directory-search.ts'
import { readInvitationSearch } from './organizations/invitation.ts'
import { readMemberSearch } from './organizations/member.ts'
import { organizationQuery } from './organizations/organization.ts'
import { exactly, readQuery } from './parts/search.ts'
import { readSignInSearch } from './sign-in/sign-in-search.ts'
import { readTenantActivitySearch, type TenantActivitySearch } from './tenants/activity-search.ts'
import { tenantQuery } from './tenants/tenant.ts'
import { userQuery } from './users/administration-user.ts'
import { readUsersSearch } from './users/directory-search.ts'
import { callerQuery } from './users/me.ts'

const root = createRootRoute({
  // Before anything else is asked: it says whose people the answers are about.
  beforeLoad: async () => {
    await queries.ensureQueryData(tenantQuery)
  },
  component: Root,
  errorComponent: RootFailed,
  notFoundComponent: NotFound,
})

// --- Before signing in, and what links in mails and in the terminal open

/** The mail that is read; the key is in the fragment. */
function readMailboxSearch({ mail }: Record<string, unknown>): { readonly mail?: string } {
  return typeof mail === 'string' ? { mail } : {}
}

const outside = createRoute({ getParentRoute: () => root, id: 'outside', component: Outlet })
const outsidePages = [
  createRoute({
    getParentRoute: () => outside,
    path: '/sign-in',
    validateSearch: exactly(readSignInSearch),
    component: lazyRouteComponent(
      reached(() => import('./sign-in/sign-in.tsx')),
      'SignInPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/sign-up',
    validateSearch: exactly(readSignInSearch),
    component: lazyRouteComponent(
      reached(() => import('./sign-in/sign-up.tsx')),
      'SignUpPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/verify-email',
    component: lazyRouteComponent(
      reached(() => import('./sign-in/email-verification.tsx')),
      'VerifyEmailPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/forgot-password',
    component: lazyRouteComponent(
      reached(() => import('./sign-in/password-reset.tsx')),
      'ForgotPasswordPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/reset-password',
    component: lazyRouteComponent(
      reached(() => import('./sign-in/password-reset.tsx')),
      'ResetPasswordPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/undo-email-change',
    component: lazyRouteComponent(
      reached(() => import('./sign-in/undo-email-change.tsx')),
      'UndoEmailChangePage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/end-session',
    component: lazyRouteComponent(
      reached(() => import('./sign-in/end-session.tsx')),
      'EndSessionPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/goodbye',
    component: lazyRouteComponent(
      reached(() => import('./users/goodbye.tsx')),
      'GoodbyePage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/set-up',
    component: lazyRouteComponent(
      reached(() => import('./tenants/set-up.tsx')),
      'SetUpPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/invitation',
    component: lazyRouteComponent(
      reached(() => import('./organizations/acceptance.tsx')),
      'InvitationPage',
    ),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/mailbox',
    validateSearch: exactly(readMailboxSearch),
    component: lazyRouteComponent(
      reached(() => import('./mail/mailbox.tsx')),
      'MailboxPage',
    ),
  }),
] as const

// --- Signed in

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  async beforeLoad({ location }) {
    const caller = await queries.ensureQueryData(callerQuery)
    if (caller === null)
      throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { next: location.href } })
  },
  component: lazyRouteComponent(
    reached(() => import('./layout/shell.tsx')),
    'Shell',
  ),
  errorComponent: lazyRouteComponent(
    reached(() => import('./layout/shell.tsx')),
    'PageFailed',
  ),
})

const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/organizations' })
  },
})

const mePages = [
  createRoute({
    getParentRoute: () => inside,
    path: '/me',
    component: lazyRouteComponent(
      reached(() => import('./users/profile.tsx')),
      'ProfilePage',
    ),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/security',
    component: lazyRouteComponent(
      reached(() => import('./users/security.tsx')),
      'SecurityPage',
    ),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/devices',
    component: lazyRouteComponent(
      reached(() => import('./users/devices.tsx')),
      'DevicesPage',
    ),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/activity',
    validateSearch: exactly(readActivitySearch),
    component: lazyRouteComponent(
      reached(() => import('./users/activity.tsx')),
      'MyActivityPage',
    ),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/invitations',
    component: lazyRouteComponent(
      reached(() => import('./users/my-invitations.tsx')),
      'MyInvitationsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/delete',
    component: lazyRouteComponent(
      reached(() => import('./users/deletion.tsx')),
      'DeleteAccountPage',
    ),
  }),
] as const

const organizations = createRoute({
  getParentRoute: () => inside,
  path: '/organizations',
  validateSearch: exactly(readQuery),
  component: lazyRouteComponent(
    reached(() => import('./organizations/organizations.tsx')),
    'OrganizationsPage',
  ),
})
const newOrganization = createRoute({
  getParentRoute: () => inside,
  path: '/organizations/new',
  component: lazyRouteComponent(
    reached(() => import('./organizations/creation.tsx')),
    'NewOrganizationPage',
  ),
})

/** Stands in place of the route that has it, so that the shell stays around it. */
const nothingInside = lazyRouteComponent(
  reached(() => import('./layout/shell.tsx')),
  'NotFoundInside',
)
const failedInside = lazyRouteComponent(
  reached(() => import('./layout/shell.tsx')),
  'PageFailed',
)

/** The organization is in the address, and nowhere else: two tabs can be in two. */
const organization = createRoute({
  getParentRoute: () => inside,
  path: '/organizations/$orgId',
  loader: ({ params }) => queries.ensureQueryData(organizationQuery(params.orgId)).catch(asNotFound),
  component: lazyRouteComponent(
    reached(() => import('./organizations/frame.tsx')),
    'OrganizationFrame',
  ),
  notFoundComponent: nothingInside,
  errorComponent: failedInside,
})
const organizationPages = [
  createRoute({
    getParentRoute: () => organization,
    path: '/',
    component: lazyRouteComponent(
      reached(() => import('./organizations/overview.tsx')),
      'OverviewPage',
    ),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/members',
    validateSearch: exactly(readMemberSearch),
    component: lazyRouteComponent(
      reached(() => import('./organizations/members.tsx')),
      'MembersPage',
    ),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/invitations',
    validateSearch: exactly(readInvitationSearch),
    component: lazyRouteComponent(
      reached(() => import('./organizations/invitations.tsx')),
      'InvitationsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/activity',
    validateSearch: exactly(readActivitySearch),
    component: lazyRouteComponent(
      reached(() => import('./organizations/activity.tsx')),
      'OrganizationActivityPage',
    ),
  }),
  createRoute({
    getParentRoute: () => organization,
    path: '/settings',
    component: lazyRouteComponent(
      reached(() => import('./organizations/settings.tsx')),
      'OrganizationSettingsPage',
    ),
  }),
] as const

/** For tenant admins. To others it is as if there were nothing. */
const admin = createRoute({
  getParentRoute: () => inside,
  path: '/admin',
  beforeLoad: () => {
    if (queries.getQueryData(callerQuery.queryKey)?.role !== 'admin') throw notFound()
  },
  component: Outlet,
  notFoundComponent: nothingInside,
})
const adminPages = [
  createRoute({
    getParentRoute: () => admin,
    path: '/users',
    validateSearch: exactly(readUsersSearch),
    component: lazyRouteComponent(
      reached(() => import('./users/directory.tsx')),
      'UsersPage',
    ),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/users/$userId',
    validateSearch: exactly(readActivitySearch),
    loader: ({ params }) => queries.ensureQueryData(userQuery(params.userId)).catch(asNotFound),
    component: lazyRouteComponent(
      reached(() => import('./users/administration.tsx')),
      'UserPage',
    ),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/organizations',
    validateSearch: exactly(readOrganizationsSearch),
    component: lazyRouteComponent(
      reached(() => import('./organizations/directory.tsx')),
      'TenantOrganizationsPage',
    ),
  }),
  // Not `$orgId`: that one is the organization that one is in, and the shell shows its places.
  createRoute({
    getParentRoute: () => admin,
    path: '/organizations/$organizationId',
    loader: ({ params }) => queries.ensureQueryData(tenantOrganizationQuery(params.organizationId)).catch(asNotFound),
    component: lazyRouteComponent(
      reached(() => import('./organizations/directory-organization.tsx')),
      'TenantOrganizationPage',
    ),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/activity',
    validateSearch: exactly(readTenantActivitySearch),
    search: { middlewares: [retainSearchParams<TenantActivitySearch>(['userId'])] }, // whatever else is filtered by
    component: lazyRouteComponent(
      reached(() => import('./tenants/activity.tsx')),
      'TenantActivityPage',
    ),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/settings',
    component: lazyRouteComponent(
      reached(() => import('./tenants/settings.tsx')),
      'TenantSettingsPage',
    ),
  }),
] as const

function asNotFound(error: unknown): never {
  if (isRefusal(error, 'not_found', 'invalid_id')) throw notFound()
  throw error
}

// --- Assembled

const routeTree = root.addChildren([
  outside.addChildren(outsidePages),
  inside.addChildren([
    start,
    ...mePages,
    organizations,
    newOrganization,
    organization.addChildren(organizationPages),
    admin.addChildren(adminPages),
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: basePath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // It is kept in the session's storage, where no token of a fragment may get.
  getScrollRestorationKey: ({ state, pathname, searchStr }) => state.__TSR_key ?? pathname + searchStr,
  defaultPendingMs: 300,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
