/**
 * Caps: the greatest number of each thing that somebody may have, in one list. Rates, which count in time, are in limits.ts.
 *
 * `npm run docs` writes the list into docs/security/authorization.md, and a test compares the other documents with it. The console imports
 * this file, so it imports types alone.
 */
import type { Config } from '../../platform/settings/config.ts'

interface Fixed {
  readonly what: string
  /** What the next one leads to. */
  readonly beyond: string
  readonly most: number
}

interface FromSetting {
  readonly what: string
  readonly beyond: string
  /** The setting that it follows. */
  readonly setting: string
  mostOf(config: Config): number
}

export type Cap = Fixed | FromSetting

export const caps = {
  organizations: {
    what: 'organizations that a person owns, to create another one',
    beyond: '`limit_reached`',
    setting: 'MAX_ORGANIZATIONS',
    mostOf: (config) => config.maxOrganizations,
  },
  pendingInvitations: {
    what: 'pending invitations of an organization',
    beyond: '`limit_reached`',
    setting: 'MAX_PENDING_INVITES',
    mostOf: (config) => config.maxPendingInvites,
  },
  sessions: {
    what: 'sessions of a person',
    beyond: 'the least active one ends',
    setting: 'MAX_SESSIONS',
    mostOf: (config) => config.maxSessions,
  },
  links: { what: 'live links of an organization', beyond: '`limit_reached`', most: 20 },
  grants: { what: 'roles of the product that are granted to a member', beyond: '`invalid_request`', most: 10 },
  factors: { what: 'factors (passkeys and authenticator apps) of a person', beyond: '`limit_reached`', most: 20 },
  recoveryCodes: { what: 'recovery codes of a person', beyond: 'new codes replace all', most: 10 },
  identities: { what: 'linked accounts of a person', beyond: '`limit_reached`', most: 10 },
  knownDevices: { what: 'known devices of a person', beyond: 'the one unused for longest is forgotten', most: 100 },
  wrongProofs: { what: 'wrong proofs of an attempt to sign in', beyond: '`attempt_spent`', most: 5 },
  attempts: {
    what: 'half-done sign-ins of a person at one step, apart for each session, for known devices and for unknown ones; and half-done sign-ins of an address whose code was not mailed',
    beyond: 'the oldest one ends',
    most: 20,
  },
  providers: { what: 'sign-in providers of a tenant', beyond: '`limit_reached`', most: 20 },
  keys: { what: 'live keys of a person', beyond: '`limit_reached`', most: 20 },
  organizationKeys: { what: 'live keys of an organization', beyond: '`limit_reached`', most: 50 },
  tenantKeys: { what: 'live keys of a tenant', beyond: '`limit_reached`', most: 50 },
  applicationGrants: {
    what: 'live grants of a session for an application',
    beyond: 'the least used one ends',
    most: 10,
  },
  applications: { what: 'applications of a tenant', beyond: '`limit_reached`', most: 50 },
  webhooks: { what: 'webhooks of a tenant', beyond: '`limit_reached`', most: 20 },
  organizationWebhooks: { what: 'webhooks of an organization', beyond: '`limit_reached`', most: 5 },
  permissions: { what: 'permissions of a product', beyond: '`invalid_request`', most: 200 },
  roles: { what: 'roles of a product', beyond: '`invalid_request`', most: 50 },
} as const satisfies Record<string, Cap>
