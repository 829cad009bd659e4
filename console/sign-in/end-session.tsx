import { Page } from '../parts/page.tsx'

export function EndSessionPage() {
  return <Page title="End">…</Page>
}
