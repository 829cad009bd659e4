/** Users: the shape in which a person is shown to themselves and to tenant admins. */
import { type Static, Type } from 'typebox'
import { type Statement, statement } from '../../platform/database/database.ts'
import { fieldColumns, schemasOf } from '../../platform/database/fields.ts'
import { Id, Name, Nullable, Timestamp } from '../../platform/http/schemas.ts'
import { ExternalId, externalIdOfUser } from './external-ids.ts'
import { userFields } from './fields.ts'

const StoredEmail = Type.String({ maxLength: 254, examples: ['ann@example.com'] })

export type User = Static<typeof User>
export const User = Type.Object(
  {
    id: Id('user'),
    email: StoredEmail,
    emailVerified: Type.Boolean(),
    pendingEmail: Nullable(Type.String({ maxLength: 254, description: 'An address that is not verified yet.' })),
    ...schemasOf(userFields),
    hasPassword: Type.Boolean({ description: 'Whether the user can sign in with a password.' }),
    hasSecondFactor: Type.Boolean({
      description: 'Whether the user has an authenticator app, a passkey or a security key.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    lastActiveAt: Nullable(Timestamp),
    externalId: Type.Optional(Nullable(ExternalId)),
  },
  { $id: 'User', description: 'A user, as shown to themselves and to admins of the tenant.' },
)

/** A person as others see them: inviters, and whom an invitation is from. */
export const Person = Type.Object(
  { id: Id('user'), name: Nullable(Name) },
  { $id: 'Person', description: 'A user, as shown to others.' },
)

/**
 * Whether a row of `users` has a factor. `offset 0` keeps it a look-up for each row: PostgreSQL may else read all factors of the tenant
 * for one page of a list.
 *
 * @param users the table's name in the statement
 */
export function hasFactor(tenant: string, users: Statement): Statement {
  return statement`exists (select from factors f where f.tenant_id = ${tenant} and f.user_id = ${users}.id offset 0)`
}

export const userColumns = (tenant: string) => statement`
  id, email, email_verified, pending_email, ${fieldColumns(userFields)},
  users.password_hash is not null as has_password,
  ${hasFactor(tenant, statement`users`)} as has_second_factor,
  created_at, updated_at, last_active_at, version`

/** To be followed by its `where`. */
export const selectUser = (tenant: string) => statement`select ${userColumns(tenant)} from users`

/** The same for admins of the tenant, with the external id. */
export function selectUserForAdmins(tenant: string): Statement {
  return statement`select ${userColumns(tenant)}, ${externalIdOfUser(tenant)} from users`
}
