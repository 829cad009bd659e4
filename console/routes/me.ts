/** The pages about oneself. */
import { createRoute } from '@tanstack/react-router'
import { readActivitySearch } from '../audit/search.ts'
import { exactly } from '../parts/search.ts'
import { readSignInSearch } from '../sign-in/sign-in-search.ts'
import { inside } from './inside.ts'
import { page } from './page.ts'

export const mePages = [
  createRoute({
    getParentRoute: () => inside,
    path: '/me',
    component: page(() => import('../users/profile.tsx'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/security',
    component: page(() => import('../users/security.tsx'), 'SecurityPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/second-factor',
    validateSearch: exactly(readSignInSearch),
    component: page(() => import('../users/required-factor.tsx'), 'RequiredFactorPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/devices',
    component: page(() => import('../users/devices.tsx'), 'DevicesPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/activity',
    validateSearch: exactly(readActivitySearch),
    component: page(() => import('../users/activity.tsx'), 'MyActivityPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/invitations',
    component: page(() => import('../users/my-invitations.tsx'), 'MyInvitationsPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/keys',
    component: page(() => import('../keys/my-keys.tsx'), 'MyKeysPage'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: '/me/delete',
    component: page(() => import('../users/deletion.tsx'), 'DeleteAccountPage'),
  }),
] as const
