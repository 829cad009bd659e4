import { Page } from '../parts/page.tsx'

export function SetUpPage() {
  return <Page title="Setup">…</Page>
}
