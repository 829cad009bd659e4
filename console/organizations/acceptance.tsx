import { Page } from '../parts/page.tsx'

export function InvitationPage() {
  return <Page title="Invitation">…</Page>
}
