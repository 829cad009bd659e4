/** Every kind of mail, gathered from its families. */
import { accountMails } from './account.ts'
import { applicationMails } from './applications.ts'
import type { MailKinds } from './composition.ts'
import { deletionNoticeMails } from './deletion-notice.ts'
import { keyMails } from './keys.ts'
import { membershipMails } from './membership.ts'
import { organizationMails } from './organization.ts'
import type { MailJob } from './queue.ts'
import { signInMails } from './sign-in.ts'
import { warningMails } from './warnings.ts'
import { webhookMails } from './webhooks.ts'

export const kinds: MailKinds<MailJob['kind']> = {
  ...accountMails,
  ...applicationMails,
  ...deletionNoticeMails,
  ...keyMails,
  ...membershipMails,
  ...organizationMails,
  ...signInMails,
  ...warningMails,
  ...webhookMails,
}
