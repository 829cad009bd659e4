/** Rows: the shapes that an import reads and an export writes, one row for each user, organization, membership, identity, application and webhook. */
import { type Static, Type } from 'typebox'
import { readForeignHash } from '../../domain/credentials/foreign-hashes.ts'
import { ForeignSecret, faultOfSecret } from '../../domain/credentials/totp.ts'
import { caps } from '../../domain/limits/caps.ts'
import { organizationFields } from '../../domain/organizations/fields.ts'
import { isTooFar } from '../../domain/organizations/grants.ts'
import { membershipStatuses } from '../../domain/organizations/members.ts'
import { ExternalId } from '../../domain/people/external-ids.ts'
import { userFields } from '../../domain/people/fields.ts'
import { RoleKey } from '../../domain/permissions/access-model.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { ActionList } from '../../domain/record/entries.ts'
import { WebhookName, WebhookUrl } from '../../domain/webhooks/webhooks.ts'
import { NewApplication } from '../../features/applications/applications.ts'
import { importedOf } from '../../platform/database/fields.ts'
import { type Fault, type FaultCode, faultOf } from '../../platform/http/faults.ts'
import { Email, Nullable, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import { buildChecker } from '../../platform/http/validation.ts'
import { parseJson } from '../../platform/json.ts'
import type { Columns, FileRecord } from './files.ts'
import { PictureText } from './pictures.ts'
import type { Reason } from './reasons.ts'

/** The files, in the order in which they are imported. */
export const kinds = ['users', 'organizations', 'memberships', 'identities', 'applications', 'webhooks'] as const
export type Kind = (typeof kinds)[number]

const closed = { additionalProperties: false }

export type UserRow = Static<typeof UserRow>
const UserRow = Type.Object(
  {
    externalId: ExternalId,
    email: Email,
    emailVerified: Type.Boolean({ default: false }),
    ...importedOf(userFields),
    avatar: Type.Optional(PictureText),
    createdAt: Type.Optional(Timestamp),
    passwordHash: Type.Optional(Type.String({ maxLength: 1024 })),
    totpSecret: Type.Optional(ForeignSecret),
  },
  closed,
)

export type OrganizationRow = Static<typeof OrganizationRow>
const OrganizationRow = Type.Object(
  {
    externalId: ExternalId,
    ...importedOf(organizationFields),
    logo: Type.Optional(PictureText),
    createdAt: Type.Optional(Timestamp),
  },
  closed,
)

export type MembershipRow = Static<typeof MembershipRow>
const MembershipRow = Type.Object(
  {
    organization: ExternalId,
    user: ExternalId,
    role: Role,
    grants: Type.Optional(
      Type.Array(Type.Object({ role: RoleKey, expiresAt: Type.Optional(Nullable(Timestamp)) }, closed), {
        maxItems: caps.grants.most,
      }),
    ),
    status: OneOf(membershipStatuses, { default: 'active' }),
    expiresAt: Type.Optional(Timestamp),
    joinedAt: Type.Optional(Timestamp),
  },
  closed,
)

export type IdentityRow = Static<typeof IdentityRow>
const IdentityRow = Type.Object(
  {
    user: ExternalId,
    provider: Type.String({ minLength: 1, maxLength: 100, pattern: '^\\P{Cc}+$' }),
    subject: Type.String({ pattern: '^[ -~]{1,255}$' }), // as in ID tokens
    issuer: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    email: Type.Optional(Email),
    createdAt: Type.Optional(Timestamp),
  },
  closed,
)

export type ApplicationRow = Static<typeof NewApplication>

export type WebhookRow = Static<typeof WebhookRow>
const WebhookRow = Type.Object(
  {
    organization: Type.Optional(ExternalId),
    name: WebhookName,
    url: WebhookUrl,
    types: { ...ActionList, default: [] },
  },
  closed,
)

/** The content of a row, by the kind of file. */
export interface RowOf {
  readonly users: UserRow
  readonly organizations: OrganizationRow
  readonly memberships: MembershipRow
  readonly identities: IdentityRow
  readonly applications: ApplicationRow
  readonly webhooks: WebhookRow
}

interface Schema {
  readonly properties: Readonly<Record<string, { readonly type?: unknown }>>
  readonly required?: readonly string[]
}
const schemas = {
  users: UserRow,
  organizations: OrganizationRow,
  memberships: MembershipRow,
  identities: IdentityRow,
  applications: NewApplication,
  webhooks: WebhookRow,
} as Readonly<Record<Kind, Schema>>

/** @returns all columns of a file, and the required ones: those that the schema requires and that have no default */
export function columnsOf(kind: Kind): Columns {
  const { properties, required = [] } = schemas[kind]
  const withoutDefault = required.filter((column) => !Object.hasOwn(properties[column] ?? {}, 'default'))
  return { all: Object.keys(properties), required: withoutDefault }
}

export interface Skipped {
  readonly reason: Reason
  /** Each invalid column with the code of its fault; never a value. */
  readonly faults?: readonly { readonly column: string; readonly code: FaultCode }[]
}

/** The outcome of a row. `made`: it was inserted. `unchanged`: it already exists, and the row's values are ignored. */
export type Outcome = 'made' | 'unchanged' | Skipped

/** A valid row. */
export interface Row<Content> {
  /** Its number in the file, from 1; the header line of a CSV file is not counted. */
  readonly number: number
  readonly content: Content
}

/** An invalid row, with the external ids that can be read from it. */
export interface BadRow {
  readonly number: number
  readonly name: Readonly<Record<string, string>>
  readonly skipped: Skipped
}

export function isValidRow<Content>(row: Row<Content> | BadRow): row is Row<Content> {
  return 'content' in row
}

export type RowReader<K extends Kind> = (record: FileRecord) => Row<RowOf[K]> | BadRow

/** @returns a function that checks a record and converts it to a row */
export function buildReader<K extends Kind>(kind: K): RowReader<K> {
  const { properties } = schemas[kind]
  const check = buildChecker(schemas[kind])
  return ({ number, fields, isText }) => {
    if (!fields) return { number, name: {}, skipped: { reason: 'malformed' } }
    const present = Object.entries(fields).filter(([, value]) => value !== null && value !== (isText ? '' : null))
    const content = Object.fromEntries(
      present.map(([column, value]) => [column, isText ? fromText(value as string, properties[column]?.type) : value]), // with `isText`, all values are strings
    )
    const faulty = check(content)
    const faults = faulty.length === 0 ? furtherFaults(kind, content) : faulty
    const name = nameOf(kind, content)
    if (faults.length > 0) return { number, name, skipped: { reason: 'invalid', faults: faults.map(columnOf) } }
    const reason = faultOfHash(content.passwordHash as string | undefined) // the schema let it pass
    return reason ? { number, name, skipped: { reason } } : { number, content: content as RowOf[K] }
  }
}

/** What no schema says. @param content that the schema let pass */
function furtherFaults(kind: Kind, content: object): Fault[] {
  if (kind === 'memberships') return faultsOfTerms(content as MembershipRow)
  const { totpSecret } = content as Partial<UserRow>
  const fault = totpSecret === undefined ? undefined : faultOfSecret(totpSecret)
  return fault ? [faultOf('/totpSecret', fault)] : []
}

/** What no schema says of a membership. As in the API, no role is granted twice, and no end is more than five years ahead. */
function faultsOfTerms({ expiresAt, grants = [] }: MembershipRow): Fault[] {
  const isTwice = grants.some(({ role }, at) => grants.findIndex((other) => other.role === role) < at)
  const isFar = grants.some((grant) => grant.expiresAt != null && isTooFar(grant.expiresAt, Date.now()))
  return [
    ...(isTwice ? [faultOf('/grants', 'not_allowed')] : []),
    ...(isFar ? [faultOf('/grants', 'out_of_range')] : []),
    ...(expiresAt !== undefined && isTooFar(expiresAt, Date.now()) ? [faultOf('/expiresAt', 'out_of_range')] : []),
  ]
}

/** The columns with external ids. A subject tells of a person, and is in no report. */
const namedBy: Readonly<Record<Kind, readonly string[]>> = {
  users: ['externalId'],
  organizations: ['externalId'],
  memberships: ['organization', 'user'],
  identities: ['user'],
  applications: [],
  webhooks: ['organization'],
}

/** @returns the external ids by which a report names a row, by column */
export function nameOf(kind: Kind, content: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const columns = namedBy[kind]
  const named = columns.map((column) => [column, content[column]] as const)
  return Object.fromEntries(named.flatMap(([column, value]) => (isExternalId(value) ? [[column, value]] : [])))
}

const faultsOfName = buildChecker(Type.Object({ externalId: ExternalId }))

function isExternalId(value: unknown): value is string {
  return faultsOfName({ externalId: value }).length === 0
}

/** Converts a CSV value to the type of its column. A text that cannot be converted is returned as it is, and the schema refuses it. */
function fromText(text: string, type: unknown): unknown {
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true' // spreadsheets write TRUE
  if (type === 'integer' && /^\d{1,9}$/.test(text)) return Number(text)
  if (type !== 'object' && type !== 'array') return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** @returns the column that a fault is in, for a report */
export function columnOf({ pointer, code }: { readonly pointer: string; readonly code: FaultCode }) {
  const column = pointer.split('/')[1] ?? ''
  return { column: column.slice(0, 50), code }
}

function faultOfHash(hash: string | undefined): Reason | undefined {
  if (hash === undefined) return undefined
  const foreign = readForeignHash(hash)
  if (!foreign) return 'unknown_hash'
  return foreign.isBearable ? undefined : 'costly_hash'
}

/**
 * If several rows have the same external id, the first one counts.
 *
 * @param outcomes by external id, for those that did not exist before
 * @returns the outcome of each row, in the order of `rows`
 */
export function outcomesOf(
  rows: readonly Row<{ readonly externalId: string }>[],
  outcomes: ReadonlyMap<string, Outcome>,
): Outcome[] {
  const seen = new Set<string>()
  return rows.map(({ content: { externalId } }) => {
    const outcome = outcomes.get(externalId) ?? 'unchanged'
    if (seen.has(externalId)) return typeof outcome === 'string' ? 'unchanged' : { reason: 'duplicate' }
    seen.add(externalId)
    return outcome
  })
}

/** @returns the first row of each external id that is not in `known` */
export function freshOf<Content extends { readonly externalId: string }>(
  rows: readonly Row<Content>[],
  known: ReadonlyMap<string, unknown>,
): Content[] {
  const fresh = new Map<string, Content>()
  for (const { content } of rows)
    if (!known.has(content.externalId) && !fresh.has(content.externalId)) fresh.set(content.externalId, content)
  return [...fresh.values()]
}
