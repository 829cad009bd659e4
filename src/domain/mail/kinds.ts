/** Every kind of mail, gathered from its families. */
import { accountKinds } from './account.ts'
import { applicationKinds } from './applications.ts'
import type { MailKinds } from './composition.ts'
import { deletionNoticeKinds } from './deletion-notice.ts'
import { keyKinds } from './keys.ts'
import { membershipKinds } from './membership.ts'
import { organizationKinds } from './organization.ts'
import type { MailJob } from './queue.ts'
import { signInKinds } from './sign-in.ts'
import { warningKinds } from './warnings.ts'
import { webhookKinds } from './webhooks.ts'

export const kinds: MailKinds<MailJob['kind']> = {
  ...accountKinds,
  ...applicationKinds,
  ...deletionNoticeKinds,
  ...keyKinds,
  ...membershipKinds,
  ...organizationKinds,
  ...signInKinds,
  ...warningKinds,
  ...webhookKinds,
}
