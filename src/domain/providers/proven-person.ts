/** The person that a provider has told us of. */
import { formats } from '../../platform/http/formats.ts'
import { normalizeEmail, normalizeName } from '../../platform/http/schemas.ts'
import { ProviderFailure } from './failures.ts'

/** Issuer and subject name the person; an address never does. */
export interface ProvenPerson {
  readonly issuer: string
  readonly subject: string
  /** In the form of `normalizeEmail`. */
  readonly email: string | null
  /** Whether the provider is known to have verified the address. */
  readonly emailBelieved: boolean
  /** Fits the format `name`. */
  readonly name: string | null
}

/**
 * @param told as the provider sent it: an address or a name that does not fit is left out
 * @throws ProviderFailure bad_token, if the subject is none of OpenID Connect: at most 255 characters of ASCII
 */
export function toPerson(told: Readonly<Record<keyof ProvenPerson, unknown>>): ProvenPerson {
  const { issuer, subject, email, name } = told
  if (typeof issuer !== 'string' || typeof subject !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(subject))
    throw new ProviderFailure('bad_token')
  const address = addressIn(email)
  return {
    issuer,
    subject,
    email: address ?? null,
    emailBelieved: address !== undefined && told.emailBelieved === true,
    name: isName(name) ? normalizeName(name) : null,
  }
}

/** @returns the address in a provider's value, in the form of `normalizeEmail` */
export function addressIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 320 ? normalizeEmail(value) : undefined
}

/** Whether a provider's value can be a person's name. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 400 && formats.name.fits(value)
}
