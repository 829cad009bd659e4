import { Page } from '../parts/page.tsx'

export function SecurityPage() {
  return <Page title="Security">…</Page>
}
