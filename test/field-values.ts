/** A value for each field of `domain/<resource>/fields.ts`, for the bodies of tests. The compiler names a missing one. */
import type { described, ofOwners } from '../src/domain/organizations/fields.ts'
import type { ofTenantAdmins, ofThemselves } from '../src/domain/people/fields.ts'
import type { ValuesOf } from '../src/platform/database/fields.ts'

export const organizationValues: ValuesOf<typeof described> = {
  name: 'Acme',
  slug: 'acme-of-fields',
  logoUrl: 'https://example.com/l.png',
  metadata: { plan: 'team' },
}

export const valuesOfOwners: ValuesOf<typeof ofOwners> = { secondFactor: 'optional' }

export const profileValues: ValuesOf<typeof ofThemselves> = {
  name: 'Ann',
  avatarUrl: 'https://example.com/a.png',
  locale: 'en-GB',
  timeZone: 'Europe/Berlin',
  metadata: { plan: 'team' },
}

export const valuesOfTenantAdmins: ValuesOf<typeof ofTenantAdmins> = {
  appMetadata: { plan: 'team' },
  role: 'user',
  status: 'active',
}
