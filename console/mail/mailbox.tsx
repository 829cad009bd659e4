import { Page } from '../parts/page.tsx'

export function MailboxPage() {
  return <Page title="Mailbox">…</Page>
}
