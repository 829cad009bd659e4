import { Page } from '../parts/page.tsx'

export function DeleteAccountPage() {
  return <Page title="Delete">…</Page>
}
