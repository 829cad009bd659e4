import { Page } from '../parts/page.tsx'

export function TenantActivityPage() {
  return <Page title="Activity">…</Page>
}
