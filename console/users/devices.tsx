import { Page } from '../parts/page.tsx'

export function DevicesPage() {
  return <Page title="Devices">…</Page>
}
