import { Page } from '../parts/page.tsx'

export function UserPage() {
  return <Page title="User">…</Page>
}
