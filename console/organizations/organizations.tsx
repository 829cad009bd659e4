import { Page } from '../parts/page.tsx'

export function OrganizationsPage() {
  return <Page title="organizations">…</Page>
}
