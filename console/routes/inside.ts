/** The frame of all pages for signed-in users. Without a session it leads to signing in, and back from there. */
import { createRoute, redirect } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { callerQuery } from '../users/me.ts'
import { page } from './page.ts'
import { root } from './root.ts'

// A route with these replaces its own page, inside the shell.
export const nothingInside = page(() => import('../layout/shell.tsx'), 'NotFoundInside')
export const failedInside = page(() => import('../layout/shell.tsx'), 'PageFailed')

export const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  async beforeLoad({ location }) {
    const caller = await queries.ensureQueryData(callerQuery)
    if (caller === null)
      throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { next: location.href } })
  },
  component: page(() => import('../layout/shell.tsx'), 'Shell'),
  errorComponent: failedInside,
})

export const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/organizations' })
  },
})
