/** The uses of keys, and the kinds of random secrets, each in one list. */

/** The uses of HMAC-SHA-256 (RFC 2104). Each has its own key. */
export const macs = {
  'mailed-token': 'a mailed link: its purpose, tenant, row and generation',
  'join-token': 'a link to join: its tenant and id',
  guessing: 'accounts, networks and known devices whose wrong passwords are counted',
  once: 'the name of a job that is queued only once',
  rate: 'people, addresses and networks whose requests a shared rate counts',
  idempotency: 'the body of a request with an idempotency key',
  'mail-code': 'the mailed code of a half-done sign-in: its tenant, id and generation',
  'attempt-address': 'the address of a half-done sign-in, by which it is found when the account changes',
  refresh: 'a refresh token: its tenant, grant and generation',
  access: 'an access token of an application: its tenant, grant and end',
  mailbox: 'the key of the local mailbox beside an embedded database, if none is set',
  secret: 'a secret itself, to name it beside what is sealed under it',
} as const

/** The uses of AES-256-GCM. Each has its own key. */
export const seals = {
  cursor: 'where a page of a list ends; bound to route, caller, filters and order',
  job: 'personal data and names in a queued job; bound to the tenant',
  challenge: 'a WebAuthn challenge: what it is for, and until when; bound to the tenant',
  setup: 'the seed of an authenticator app that is being set up; bound to tenant and user',
  factor: 'the seed of an authenticator app; bound to tenant, table and row',
  provider: 'the client secret of a provider; bound to tenant, table and row',
  webhook: 'the secret that signs what a webhook sends; bound to tenant, table and row',
  'signing-key': 'the private key that signs a tenant’s tokens; bound to tenant, table and row',
  tombstone: 'the id of a deleted person, in the event that says so; bound to tenant and entry',
  request: 'an authorization or sign-out request of an application, checked; bound to the tenant',
  code: 'what an application gets for a code; bound to the tenant',
  attempt: 'what a half-done sign-in rests on; bound to tenant, table and row',
} as const

/** The kinds of random secrets, with their length in bytes. */
export const secrets = {
  ghs: { bytes: 32, of: 'the token of a session' },
  ghk: { bytes: 32, of: 'the secret of a key' },
  ghx: { bytes: 32, of: 'the secret of an application' },
  whsec: { bytes: 32, of: 'the secret that signs what a webhook sends' },
  ghu: { bytes: 32, of: 'the link that creates a tenant’s first admin' },
  gha: { bytes: 32, of: 'the token of a half-done sign-in' },
  challenge: { bytes: 32, of: 'the nonce in a WebAuthn challenge' },
  provider: { bytes: 32, of: 'state, nonce and code verifier of a sign-in at a provider' },
  device: { bytes: 32, of: 'the token that identifies a known device' },
  picture: { bytes: 24, of: 'the name of a picture in its URL' },
  root: { bytes: 32, of: 'GUILDHALL_SECRET, if it is generated with the data' },
  database: { bytes: 24, of: 'the passwords of the embedded PostgreSQL, one for each role' },
  mailbox: { bytes: 18, of: 'the key of the local mailbox with `DATABASE_URL`, if none is set' },
  nobody: { bytes: 32, of: 'the password that is hashed for an unknown account, to take equally long' },
} as const
