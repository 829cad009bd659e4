/** The pages before signing in, and those that a link in a mail or in the terminal opens. */
import { createRoute } from '@tanstack/react-router'
import { readRequestSearch } from '../applications/request-search.ts'
import { Outside } from '../layout/outside.tsx'
import { exactly } from '../parts/search.ts'
import { SignInPage } from '../sign-in/sign-in.tsx'
import { readSignInSearch } from '../sign-in/sign-in-search.ts'
import { page } from './page.ts'
import { root } from './root.ts'

/** The selected mail. The mailbox key is in the fragment. */
function readMailboxSearch({ mail }: Record<string, unknown>): { readonly mail?: string } {
  return typeof mail === 'string' ? { mail } : {}
}

export const outside = createRoute({ getParentRoute: () => root, id: 'outside', component: Outside })

export const outsidePages = [
  createRoute({
    getParentRoute: () => outside,
    path: '/sign-in',
    validateSearch: exactly(readSignInSearch),
    component: SignInPage, // mostly the first page of all, so its code comes with the start
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/sign-in/callback/$providerId',
    component: page(() => import('../sign-in/callback.tsx'), 'CallbackPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/sign-up',
    validateSearch: exactly(readSignInSearch),
    component: page(() => import('../sign-in/sign-up.tsx'), 'SignUpPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/verify-email',
    component: page(() => import('../sign-in/email-verification.tsx'), 'VerifyEmailPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/authorize',
    validateSearch: exactly(readRequestSearch),
    component: page(() => import('../applications/authorize.tsx'), 'AuthorizePage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/signed-out',
    validateSearch: exactly(readRequestSearch),
    component: page(() => import('../applications/signed-out.tsx'), 'SignedOutPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/forgot-password',
    component: page(() => import('../sign-in/password-reset.tsx'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/reset-password',
    component: page(() => import('../sign-in/password-reset.tsx'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/undo-email-change',
    component: page(() => import('../sign-in/undo-email-change.tsx'), 'UndoEmailChangePage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/end-session',
    component: page(() => import('../sign-in/end-session.tsx'), 'EndSessionPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/goodbye',
    component: page(() => import('../users/deletion-notice.tsx'), 'DeletionNoticePage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/set-up',
    component: page(() => import('../tenants/set-up.tsx'), 'SetUpPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/invitation',
    component: page(() => import('../organizations/acceptance.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/join',
    component: page(() => import('../joining/join.tsx'), 'JoinPage'),
  }),
  createRoute({
    getParentRoute: () => outside,
    path: '/mailbox',
    validateSearch: exactly(readMailboxSearch),
    component: page(() => import('../mail/mailbox.tsx'), 'MailboxPage'),
  }),
] as const
