import { Page } from '../parts/page.tsx'

export function MyInvitationsPage() {
  return <Page title="Invitations">…</Page>
}
