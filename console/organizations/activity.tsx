import { Page } from '../parts/page.tsx'

export function OrganizationActivityPage() {
  return <Page title="activity">…</Page>
}
