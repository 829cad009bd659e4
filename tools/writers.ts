/**
 * The files that write each table, with the reason. A function there keeps each invariant of the table, and other code calls it. A new file
 * in this list needs a reason of its own. `features/tenants/deletion.ts` empties every table of a tenant that is gone, by a list of its own.
 */
export const writers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tenants: {
    'features/tenants/tenants.ts': 'the operator',
    'features/tenants/deletion.ts': 'a tenant that is being deleted',
    'features/administration/settings.ts': 'settings of tenant admins',
    'features/roles/model-changes.ts': 'the version of the access model',
    'domain/webhooks/webhook-states.ts': 'that there are webhooks',
  },
  tenant_domains: {
    'features/tenants/tenants.ts': 'the operator',
    'features/tenants/deletion.ts': 'a tenant that is being deleted',
  },
  set_up_links: { 'features/tenants/set-up.ts': 'the link that makes the first admin' },
  users: {
    'domain/people/make-user.ts': 'every account is made here',
    'domain/people/email.ts': 'the address',
    'domain/people/addresses.ts': 'pending addresses that belong to somebody who is erased',
    'domain/credentials/passwords.ts': 'the password',
    'domain/credentials/mailed-tokens.ts': 'a pending address is cancelled with its link',
    'domain/erasure/erasure.ts': 'the row of an erased person',
    'domain/sessions/completion.ts': 'last activity, at a sign-in',
    'domain/sessions/uses.ts': 'last activity',
    'features/me/profile.ts': 'the profile: no invariant',
    'features/administration/user-changes.ts':
      'role and status, with the profile in one statement, under the lock of the tenant',
    'domain/search/writing.ts': 'the words by which a search finds them',
  },
  user_words: { 'domain/search/writing.ts': 'the same, in their index' },
  former_addresses: { 'domain/people/addresses.ts': 'addresses of the past' },
  mailed_tokens: {
    'domain/credentials/mailed-tokens.ts': 'links',
    'domain/people/addresses.ts': 'the address of a link to an erased person’s address',
  },
  sessions: {
    'domain/sessions/completion.ts': 'every session is made here',
    'domain/sessions/endings.ts': 'every session ends here',
    'domain/sessions/sessions.ts': 'a second factor that was enrolled; retention',
    'domain/sessions/uses.ts': 'last activity',
  },
  providers: {
    'features/providers/creation.ts': 'a new provider',
    'features/providers/providers.ts': 'its settings, and its end',
    'domain/providers/stored.ts': 'the last failure',
    'domain/sealing/resealing.ts': 'the seal of client secrets',
  },
  applications: { 'domain/applications/application-states.ts': 'applications begin, change and end here' },
  application_secrets: {
    'domain/applications/application-states.ts': 'and so do their secrets',
    'domain/sessions/uses.ts': 'their last use',
  },
  grants: {
    'domain/applications/granting.ts': 'grants begin and are exchanged here',
    'domain/sessions/uses.ts': 'their last use',
    'domain/sessions/grants.ts': 'and end here',
  },
  signing_keys: {
    'domain/signing-keys/signing-keys.ts': 'keys begin and end here',
    'domain/sealing/resealing.ts': 'the seal of private keys',
  },
  known_devices: { 'domain/credentials/known-devices.ts': 'devices' },
  password_attempts: { 'domain/credentials/guessing.ts': 'counts of wrong passwords' },
  factors: {
    'domain/credentials/passkeys.ts': 'passkeys, and their use',
    'domain/credentials/factors.ts': 'authenticator apps, and the end of factors',
    'domain/sealing/resealing.ts': 'the seal of seeds',
  },
  recovery_codes: { 'domain/credentials/recovery-codes.ts': 'recovery codes' },
  spent_challenges: { 'domain/credentials/challenges.ts': 'spent challenges' },
  attempts: { 'domain/sessions/attempts.ts': 'half-done sign-ins' },
  identities: {
    'domain/credentials/identities.ts': 'linked accounts',
    'process/transfer/identities.ts': 'imported linked accounts, by the batch',
  },
  organizations: {
    'domain/organizations/creation.ts': 'a new organization, with its first owner and both counts',
    'domain/organizations/changes.ts': 'editable fields',
    'domain/organizations/memberships.ts': 'the counts',
    'domain/erasure/organizations.ts': 'the row of an erased organization',
    'process/transfer/organizations.ts': 'imported organizations, with their owners and both counts',
    'domain/search/writing.ts': 'the words by which a search finds them',
  },
  organization_words: { 'domain/search/writing.ts': 'the same, in their index' },
  memberships: {
    'domain/organizations/memberships.ts': 'memberships begin, change and end here',
    'domain/organizations/settling.ts': 'that the mail before the end went out',
    'domain/sessions/uses.ts': 'last activity',
    'domain/organizations/creation.ts': 'the first owner',
    'process/transfer/memberships.ts': 'imported members, by the batch',
    'process/transfer/organizations.ts': 'imported owners, by the batch',
    'domain/mail/mail.ts': 'the role that a mail has told',
  },
  pictures: { 'domain/pictures/pictures.ts': 'pictures begin and end here' },
  permissions: { 'features/roles/model-changes.ts': 'the access model changes as a whole' },
  roles: { 'features/roles/model-changes.ts': 'the access model changes as a whole' },
  role_grants: {
    'domain/organizations/grants.ts': 'grants begin, change and end here',
    'domain/organizations/memberships.ts': 'who gave a grant, of an erased person',
    'domain/organizations/settling.ts': 'grants whose time has ended',
    'process/transfer/memberships.ts': 'grants of imported members, by the batch',
  },
  links: {
    'domain/organizations/link-states.ts': 'links begin, are used and end here',
    'domain/keys/key-states.ts': 'those that a key made end with it',
  },
  exclusions: {
    'domain/organizations/exclusions.ts': 'who was put out, and is let in again',
    'domain/organizations/memberships.ts': 'who removed them, of an erased person',
  },
  invitations: {
    'domain/organizations/invitation-states.ts': 'invitations begin, change their state and end here',
    'domain/keys/key-states.ts': 'those that a key sent end with it',
    'domain/search/writing.ts': 'the words by which a search finds them',
  },
  invitation_words: { 'domain/search/writing.ts': 'the same, in their index' },
  api_keys: { 'domain/keys/key-states.ts': 'keys begin, change and end here' },
  api_key_secrets: { 'domain/keys/key-states.ts': 'and so do their secrets' },
  external_users: {
    'domain/people/external-ids.ts': 'external ids of one user',
    'process/transfer/users.ts': 'ids of imported users',
  },
  external_organizations: {
    'domain/people/external-ids.ts': 'external ids of one organization',
    'process/transfer/organizations.ts': 'ids of imported organizations',
  },
  audit_entries: {
    'domain/record/record.ts': 'every entry is written here; retention',
    'domain/record/log-erasure.ts': 'the log of an erased organization',
  },
  audit_details: {
    'domain/record/record.ts': 'details of an entry',
    'domain/record/log-erasure.ts': 'details of erased people',
    'domain/people/addresses.ts': 'details that contain an erased person’s address',
  },
  subjects: {
    'domain/record/record.ts': 'a subject for each person and organization',
    'domain/erasure/organizations.ts': 'subjects of an erased organization',
  },
  mails: {
    'domain/mail/mail.ts': 'the local mailbox',
    'domain/erasure/erasure.ts': 'mails about invitations of an erased person',
    'domain/people/addresses.ts': 'mails to an erased person’s addresses',
  },
  outbox: {
    'platform/jobs/queue.ts': 'jobs get into it, and are taken out of it',
    'domain/record/record.ts': 'every entry gets into it',
    'domain/record/feed-erasure.ts': 'events of an erased organization',
    'platform/jobs/batch.ts': 'what is in the queue or the feed leaves it',
  },
  feeds: {
    'platform/jobs/batch.ts': 'the row that the relay of a tenant locks, with the last sequence',
    'domain/record/feed-erasure.ts': 'up to where events have been removed',
  },
  feed: {
    'platform/jobs/batch.ts': 'events get their place',
    'domain/record/feed-erasure.ts': 'retention; events of an erased organization',
    'domain/record/tombstones.ts': 'tombstones end before their events',
  },
  webhooks: {
    'domain/webhooks/webhook-states.ts': 'webhooks begin, change and end here',
    'domain/webhooks/erasure.ts': 'who set the URL, of an erased person',
    'domain/webhooks/notices.ts': 'which notices were sent, and who has lost the right to the URL',
    'domain/delivery/health.ts': 'the place, and what failures and successes make of a webhook',
    'domain/delivery/testing.ts': 'the outcome of a test',
    'domain/record/missed-events.ts': 'events that were removed before they were sent',
  },
  webhook_deliveries: {
    'domain/delivery/deliveries.ts': 'what was sent',
    'domain/delivery/handing-over.ts': 'attempts that go on without their run',
    'domain/webhooks/retention.ts': 'retention',
    'domain/webhooks/webhook-states.ts': 'what a replay sends again in its order',
    'features/webhooks/deliveries.ts': 'what a person has sent again',
  },
  webhook_secrets: {
    'domain/webhooks/secrets.ts': 'secrets begin and end here',
    'domain/sealing/resealing.ts': 'the seal of secrets',
  },
  rates: { 'platform/http/rates.ts': 'counts of requests' },
  idempotency_keys: { 'platform/http/idempotency.ts': 'stored answers' },
  idempotency_names: { 'platform/http/idempotency.ts': 'whom stored answers name' },
}
