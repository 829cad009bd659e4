/** The root of all routes. */
import { createRootRoute } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { NotFound, Root, RootFailed } from '../layout/root.tsx'
import { tenantQuery } from '../tenants/tenant.ts'

export const root = createRootRoute({
  // Before anything else is asked: it says whose people the answers are about.
  beforeLoad: async () => {
    await queries.ensureQueryData(tenantQuery)
  },
  component: Root,
  errorComponent: RootFailed,
  notFoundComponent: NotFound,
})
