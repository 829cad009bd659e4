import { Page } from '../parts/page.tsx'

export function OrganizationSettingsPage() {
  return <Page title="settings">…</Page>
}
