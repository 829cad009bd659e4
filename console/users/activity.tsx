import { Page } from '../parts/page.tsx'

export function MyActivityPage() {
  return <Page title="Activity">…</Page>
}
