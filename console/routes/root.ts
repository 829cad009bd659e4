/** The root of all routes. */
import { createRootRoute } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { NotFound, Root, RootFailed } from '../layout/root.tsx'
import { tenantQuery } from '../tenants/tenant.ts'

export const root = createRootRoute({
  // First of all, since every other response is about this tenant.
  beforeLoad: async () => {
    const { name } = await queries.ensureQueryData(tenantQuery)
    if (document.title === 'Guildhall') document.title = name // until the first page names itself
  },
  component: Root,
  errorComponent: RootFailed,
  notFoundComponent: NotFound,
})
