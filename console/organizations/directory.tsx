import { Page } from '../parts/page.tsx'

export function TenantOrganizationsPage() {
  return <Page title="directory">…</Page>
}
