import { Page } from '../parts/page.tsx'

export function ForgotPasswordPage() {
  return <Page title="Forgot">…</Page>
}

export function ResetPasswordPage() {
  return <Page title="Reset">…</Page>
}
