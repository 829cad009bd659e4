/** Reasons: why an import skips rows. */
import { caps } from '../../domain/limits/caps.ts'

/** Why a row is skipped; the list is closed. */
export const reasons = {
  malformed: 'The row is not a JSON object, or the number of its values differs from the number of columns.',
  invalid: 'A value is invalid for its column.',
  unknown_hash: 'The format of the password hash is unknown.',
  costly_hash: 'Verifying the password hash would take too long.',
  duplicate: 'An earlier row with the same external id was skipped.',
  email_taken: 'Another user of the tenant has the address, or can still restore it with an undo link.',
  email_domain_not_allowed: 'The tenant does not allow addresses of this domain.',
  slug_taken: 'Another organization of the tenant has the slug, or it is a word that belongs to pages, such as new.',
  no_owner: 'No membership names an existing user as its owner, or the row that does is skipped.',
  unknown_organization: 'The organization does not exist: it was skipped or deleted, or is in no file.',
  unknown_user: 'The user does not exist: they were skipped or deleted, or are in no file.',
  unknown_role: 'The tenant has no role with a key in `grants`.',
  owner_cannot_end: 'An owner is neither suspended nor has an end.',
  ended: 'The end of the membership is in the past.',
  unknown_provider: 'The tenant has no sign-in provider with this name or id.',
  identity_taken: 'The account at the provider is linked to another user.',
  too_many_identities: `The user has ${caps.identities.most} linked accounts already.`,
  name_taken: 'An earlier row has the same name and kind; for webhooks, the same name, URL and organization.',
  too_many_applications: `The tenant has ${caps.applications.most} applications.`,
  too_many_webhooks: `The tenant has ${caps.webhooks.most} webhooks, or the organization ${caps.organizationWebhooks.most}.`,
  email_not_verified:
    'The address is not verified, and the account may be that of somebody who signed up here with it.',
} as const
export type Reason = keyof typeof reasons
