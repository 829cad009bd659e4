/**
 * The fields of an organization that people edit, each listed once. A new field belongs in `described`: shape, bodies, statements, import
 * and export follow.
 */
import { Type } from 'typebox'
import { statement } from '../../platform/database/database.ts'
import type { Fields } from '../../platform/database/fields.ts'
import {
  HttpsUrl,
  Metadata,
  MetadataPatch,
  Nullable,
  normalizeName,
  OneOf,
  OrganizationName,
  PictureUrl,
} from '../../platform/http/schemas.ts'
import { Slug } from './slugs.ts'

/** Who of an organization needs a second factor: nobody, or everybody. */
const organizationPolicies = ['optional', 'required'] as const

/** What creates an organization, and what its admins and those of the tenant change. */
export const described = {
  name: {
    schema: OrganizationName,
    imported: OrganizationName,
    stored: normalizeName,
    type: statement`text`,
    class: 'public',
    seenBy: 'invited',
  },
  slug: {
    schema: Slug,
    imported: Type.Optional(Slug),
    type: statement`text`,
    class: 'public',
    seenBy: 'invited',
  },
  logoUrl: {
    schema: Nullable(PictureUrl),
    imported: Type.Optional(HttpsUrl),
    type: statement`text`,
    class: 'public',
    seenBy: 'invited',
  },
  metadata: {
    schema: Metadata,
    patched: MetadataPatch,
    imported: { ...Metadata, default: {} },
    type: statement`jsonb`,
    class: 'public',
    seenBy: 'members',
  },
} as const satisfies Fields

/** What only its owners change. */
export const ofOwners = {
  secondFactor: {
    schema: OneOf(organizationPolicies, {
      description: 'Whether members need a second factor for the organization’s routes.',
      examples: ['optional'],
    }),
    patched: OneOf(organizationPolicies, {
      description: 'Only owners change it, in a fresh session. Turning it on needs a session with two factors.',
    }),
    imported: OneOf(organizationPolicies, { default: 'optional' }),
    type: statement`text`,
    class: 'public',
    seenBy: 'members',
  },
} as const satisfies Fields

/** What only admins of the tenant change. */
export const ofTenantAdmins = {
  memberLimit: {
    schema: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        format: 'int32',
        description: 'The most members. Null: as many as the tenant allows.',
      }),
    ),
    imported: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    type: statement`integer`,
    class: 'public',
    seenBy: 'members',
  },
} as const satisfies Fields

export const organizationFields = { ...described, ...ofOwners, ...ofTenantAdmins }
