import { Page } from '../parts/page.tsx'

export function NewOrganizationPage() {
  return <Page title="creation">…</Page>
}
