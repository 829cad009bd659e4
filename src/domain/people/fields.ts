/**
 * The fields of a user that people edit, each listed once. A new field of the profile belongs in `ofThemselves`: shape, bodies, statements,
 * import and export follow.
 */
import { Type } from 'typebox'
import { statement } from '../../platform/database/database.ts'
import type { Fields } from '../../platform/database/fields.ts'
import {
  HttpsUrl,
  Metadata,
  MetadataPatch,
  Name,
  Nullable,
  normalizeName,
  OneOf,
  PictureUrl,
} from '../../platform/http/schemas.ts'
import { tenantRoles } from '../permissions/roles.ts'

export const Locale = Type.String({
  maxLength: 35,
  format: 'locale',
  description: 'A language tag (BCP 47).',
  examples: ['en-GB'],
})
const TimeZone = Type.String({
  maxLength: 64,
  format: 'time-zone',
  description: 'The IANA name of a time zone.',
  examples: ['Europe/Berlin'],
})

export const userStatuses = ['active', 'suspended'] as const

/** What users change of their own profile. */
export const ofThemselves = {
  name: {
    schema: Nullable(Name),
    imported: Type.Optional(Name),
    stored: normalizeName,
    type: statement`text`,
    class: 'personal',
    seenBy: 'invited',
  },
  avatarUrl: {
    schema: Nullable(PictureUrl),
    imported: Type.Optional(HttpsUrl),
    type: statement`text`,
    class: 'personal',
    seenBy: 'members',
  },
  locale: {
    schema: Nullable(Locale),
    imported: Type.Optional(Locale),
    type: statement`text`,
    class: 'personal',
    seenBy: 'themselves',
  },
  timeZone: {
    schema: Nullable(TimeZone),
    imported: Type.Optional(TimeZone),
    type: statement`text`,
    class: 'personal',
    seenBy: 'themselves',
  },
  metadata: {
    schema: Metadata,
    patched: MetadataPatch,
    imported: { ...Metadata, default: {} },
    type: statement`jsonb`,
    class: 'personal',
    seenBy: 'themselves',
  },
} as const satisfies Fields

/** What only admins of the tenant change. They also change the name. */
export const ofTenantAdmins = {
  appMetadata: {
    schema: Metadata,
    patched: MetadataPatch,
    imported: { ...Metadata, default: {} },
    type: statement`jsonb`,
    class: 'personal',
    seenBy: 'themselves',
  },
  role: {
    schema: OneOf(tenantRoles, { examples: ['user'] }),
    imported: OneOf(tenantRoles, { default: 'user' }),
    type: statement`text`,
    class: 'public',
    seenBy: 'themselves',
  },
  status: {
    schema: OneOf(userStatuses),
    imported: OneOf(userStatuses, { default: 'active' }),
    type: statement`text`,
    class: 'public',
    seenBy: 'members',
  },
} as const satisfies Fields

export const userFields = { ...ofThemselves, ...ofTenantAdmins }
