/**
 * Limits: every rate that is counted, in one list.
 *
 * The general ones are counted in each process (request-rates.ts), the others in the database (platform/http/rates.ts). Their names are
 * those in `RateLimit-Policy`, in the problem `rate_limited` and in `config.rates` of a route.
 */
import type { Config } from '../../platform/settings/config.ts'
import type { Rate } from '../../platform/settings/reader.ts'

export interface Limit {
  /** The setting that it follows; null: none changes it. */
  readonly setting: string | null
  /** Whom it counts, and how its rate differs from the setting. */
  readonly whose: string
  rateOf(config: Config): Rate
}

export const limits = {
  anonymous: {
    setting: 'LIMIT_ANONYMOUS',
    whose: 'a network, without a session or key',
    rateOf: (config) => config.limitAnonymous,
  },
  'unknown-session': {
    setting: 'LIMIT_ANONYMOUS',
    whose: 'a network, with sessions that this process has not seen yet',
    rateOf: (config) => config.limitAnonymous,
  },
  'unknown-key': {
    setting: 'LIMIT_ANONYMOUS',
    whose: 'a network, with keys that this process has not seen yet',
    rateOf: (config) => config.limitAnonymous,
  },
  'unknown-application': {
    setting: 'LIMIT_ANONYMOUS',
    whose: 'a network, for tokens and user information, with wrong secrets and tokens',
    rateOf: (config) => config.limitAnonymous,
  },
  pictures: {
    setting: 'LIMIT_ANONYMOUS',
    whose: 'a network, for pictures that were uploaded; ten times the setting',
    rateOf: (config) => times(config.limitAnonymous, 10),
  },
  requests: {
    setting: 'LIMIT_REQUESTS',
    whose: 'a session, and each grant of an application',
    rateOf: (config) => config.limitRequests,
  },
  key: {
    setting: 'LIMIT_KEY',
    whose: 'a key of a person or an organization',
    rateOf: (config) => config.limitKey,
  },
  'tenant-key': {
    setting: 'LIMIT_TENANT_KEY',
    whose: 'a key of the tenant',
    rateOf: (config) => config.limitTenantKey,
  },
  application: {
    setting: 'LIMIT_APPLICATION',
    whose: 'an application with a secret, for tokens and what it asks by them of the user',
    rateOf: (config) => config.limitApplication,
  },
  'sign-in': { setting: 'LIMIT_SIGN_IN_NETWORK', whose: 'a network', rateOf: (config) => config.limitSignInNetwork },
  'sign-up': { setting: 'LIMIT_SIGN_UP', whose: 'a network', rateOf: (config) => config.limitSignUp },
  mail: { setting: 'LIMIT_MAIL_NETWORK', whose: 'a network', rateOf: (config) => config.limitMailNetwork },
  'mail-recipient-access': {
    setting: 'LIMIT_MAIL',
    whose: 'an address, for a reset',
    rateOf: (config) => config.limitMail,
  },
  'mail-recipient-verification': {
    setting: 'LIMIT_MAIL',
    whose: 'an address, for verification',
    rateOf: (config) => config.limitMail,
  },
  'mail-recipient-code': {
    setting: 'LIMIT_MAIL',
    whose: 'an address, for mailed codes that somebody unknown asks for',
    rateOf: (config) => config.limitMail,
  },
  'mail-recipient-code-link': {
    setting: 'LIMIT_MAIL',
    whose: 'an address, for mailed codes that link an account of a provider',
    rateOf: (config) => config.limitMail,
  },
  'mail-recipient-code-known': {
    setting: 'LIMIT_MAIL',
    whose: 'an address, for mailed codes that its known devices and sessions ask for',
    rateOf: (config) => config.limitMail,
  },
  'mail-recipient-change': {
    setting: 'LIMIT_MAIL',
    whose: 'a new address, for a change of address',
    rateOf: (config) => config.limitMail,
  },
  'password-known': {
    setting: null,
    whose: 'a person, for the mail that somebody knows their password',
    rateOf: () => ({ count: 1, seconds: 86_400 }),
  },
  inviter: {
    setting: 'LIMIT_INVITES',
    whose:
      'a person, keys of theirs included, or a key that is no person’s; a tenth while the person’s address is unverified',
    rateOf: (config) => config.limitInvites,
  },
  organization: { setting: 'LIMIT_INVITES', whose: 'an organization', rateOf: (config) => config.limitInvites },
  network: {
    setting: 'LIMIT_INVITES',
    whose: 'a network; two and a half times the setting',
    rateOf: (config) => times(config.limitInvites, 2.5),
  },
  recipient: {
    setting: 'LIMIT_INVITES',
    whose: 'an invited address; always five, in the time of the setting',
    rateOf: (config) => ({ ...config.limitInvites, count: 5 }),
  },
  joins: {
    setting: 'LIMIT_JOINS',
    whose: 'a person, for joining by links',
    rateOf: (config) => config.limitJoins,
  },
  'link-joins': {
    setting: 'LIMIT_JOINS',
    whose: 'a link to join; five times the setting',
    rateOf: (config) => times(config.limitJoins, 5),
  },
  exports: {
    setting: null,
    whose: 'a person or a key, for lists as CSV',
    rateOf: () => ({ count: 10, seconds: 60 }),
  },
  'webhook-test': {
    setting: null,
    whose: 'a webhook, for tests',
    rateOf: () => ({ count: 10, seconds: 60 }),
  },
} as const satisfies Record<string, Limit>

/** @returns the rate, with its count multiplied */
export function times(rate: Rate, factor: number): Rate {
  return { ...rate, count: Math.max(1, Math.round(rate.count * factor)) }
}
