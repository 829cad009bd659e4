import { Page } from '../parts/page.tsx'

export function TenantSettingsPage() {
  return <Page title="Settings">…</Page>
}
