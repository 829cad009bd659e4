/** The router. The routes stand in `routes/`, and each page is loaded when it is first opened. */
import { createRouter } from '@tanstack/react-router'
import { basePath } from './api/base.ts'
import { admin, adminPages } from './routes/administration.ts'
import { inside, start } from './routes/inside.ts'
import { mePages } from './routes/me.ts'
import { organization, organizationPages, organizationsPages } from './routes/organizations.ts'
import { outside, outsidePages } from './routes/outside.ts'
import { root } from './routes/root.ts'

const routeTree = root.addChildren([
  outside.addChildren(outsidePages),
  inside.addChildren([
    start,
    ...mePages,
    ...organizationsPages,
    organization.addChildren(organizationPages),
    admin.addChildren(adminPages),
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: basePath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // The keys are in the session storage, where no token of a fragment may be.
  getScrollRestorationKey: ({ state, pathname, searchStr }) => state.__TSR_key ?? pathname + searchStr,
  defaultPendingMs: 300,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
