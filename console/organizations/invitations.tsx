import { Page } from '../parts/page.tsx'

export function InvitationsPage() {
  return <Page title="invitations">…</Page>
}
