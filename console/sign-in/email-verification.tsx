import { Page } from '../parts/page.tsx'

export function VerifyEmailPage() {
  return <Page title="Verify">…</Page>
}
