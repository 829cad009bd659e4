import { Page } from '../parts/page.tsx'

export function UndoEmailChangePage() {
  return <Page title="Undo">…</Page>
}
