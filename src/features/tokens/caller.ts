/**
 * The caller: who sends a request, what they are in an organization, and what they may do there now.
 *
 * A product's server asks this in one request, for each request that it gets: with the credential of that request (`GET /api/caller`), or
 * with a key of its own (verification.ts).
 */
import { type Static, Type } from 'typebox'
import {
  type Caller,
  type CallingApplication,
  isShutTo,
  type KeyCaller,
  type OrganizationCaller,
} from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import type { Found } from '../../domain/access/caller.ts'
import type { CredentialKind } from '../../domain/access/credential-kinds.ts'
import { Application } from '../../domain/applications/applications.ts'
import { Key, type KeyRow, ownerOf } from '../../domain/keys/keys.ts'
import { AllRoles } from '../../domain/organizations/members.ts'
import { Organization, OrganizationPath } from '../../domain/organizations/organizations.ts'
import { User } from '../../domain/people/users.ts'
import { mostPermissions, PermissionKey } from '../../domain/permissions/access-model.ts'
import { allRolesOf } from '../../domain/permissions/held.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { holdingsOf, minimumRolesWith, type OwnMinimumRole } from '../../domain/permissions/rules.ts'
import { expiry } from '../../domain/sessions/lifetime.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { Id, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export const CallerShown = Type.Object(
  {
    type: OneOf(['user', 'key'], {
      description: 'A person, by a session or a key of theirs; or a key of an organization or of the tenant.',
    }),
    user: Nullable(
      Type.Object(Type.Pick(User, ['id', 'email', 'emailVerified', 'name', 'avatarUrl', 'role']).properties, {
        description: 'The person. Null for a key of an organization or of the tenant.',
      }),
    ),
    key: Nullable(
      Type.Object(Type.Pick(Key, ['id', 'name', 'owner', 'scopes', 'expiresAt']).properties, {
        description: 'The key. Null for a session.',
      }),
    ),
    session: Nullable(
      Type.Object(
        { id: Id('dev'), expiresAt: Timestamp },
        { description: 'The session, or that of the application’s grant. Null for a key.' },
      ),
    ),
    application: Nullable(
      Type.Object(Type.Pick(Application, ['id', 'name']).properties, {
        description: 'The application that calls for the person, by its access token. Null for a session or a key.',
      }),
    ),
    organization: Nullable(
      Type.Object(
        {
          ...Type.Pick(Organization, ['id', 'slug', 'name']).properties,
          role: Nullable(Role),
          roles: AllRoles,
        },
        {
          description:
            'The organization that the request names; null if it names none. A key that is no person’s is no member: its `role` is null, and `roles` is empty.',
        },
      ),
    ),
    permissions: Type.Array(PermissionKey, {
      maxItems: mostPermissions,
      description:
        'What the caller may do in the organization now, sorted. Without an organization, the scopes of the key; of a session, none.',
    }),
  },
  { $id: 'Caller', description: 'Who sends a request, and what they may do.' },
)

export async function callerRoutes(app: App): Promise<void> {
  app.addSchema(CallerShown)

  app.get(
    '/caller',
    {
      config: {
        access: 'caller',
        scope: 'any',
        organizationIn: 'query',
        problems: ['not_found', 'membership_suspended'],
      },
      schema: {
        operationId: 'getCaller',
        summary: 'Who is calling',
        description:
          'Whose session, key or access token it is, and what the caller may do in an organization now. For the server of a product, which asks this with the token of a request that it got.',
        tags: ['Access'],
        querystring: Type.Object({ organization: Type.Optional(OrganizationPath) }, { additionalProperties: false }),
        response: { 200: ref(CallerShown) },
      },
    },
    async (request) => {
      const { caller, credentials, organizations } = await request.readAsCaller<{
        credentials: CredentialRow
        organizations?: OrganizationRow
      }>(
        (names) => ({
          credentials: selectCredential(names),
          ...(request.query.organization !== undefined && { organizations: selectOrganization(names) }),
        }),
        { byKey: true },
      )
      return showCaller(caller, credentials, organizations)
    },
  )
}

/** What is shown of a credential and its person, beside what a door finds. */
export type CredentialRow = SessionRow | ShownKeyRow

interface SessionRow {
  readonly avatarUrl: string | null
  readonly sessionExpiresAt: string
}

interface ShownKeyRow
  extends Pick<KeyRow, 'id' | 'name' | 'ownerType' | 'userId' | 'organizationId' | 'scopes' | 'expiresAt'> {
  readonly avatarUrl: string | null
}

function selectCredential({ tenant, session, key }: Names): Statement {
  if (key === undefined)
    return statement`
      select u.avatar_url, ${expiry} as session_expires_at
      from tenants t
      join sessions s on s.tenant_id = ${tenant} and s.id = ${session}
      join users u on u.tenant_id = ${tenant} and u.id = s.user_id
      where t.id = ${tenant}`
  return statement`
    select k.id, k.name, k.owner_type, k.user_id, k.organization_id, k.scopes, k.expires_at, u.avatar_url
    from api_keys k
    left join users u on u.tenant_id = ${tenant} and u.id = k.user_id
    where k.tenant_id = ${tenant} and k.id = ${key}`
}

/** The same where the caller is found by a statement of the handler: columns beside those of `findCaller`, for `shownIn`. */
export function shownColumns({ name }: CredentialKind): Statement {
  return name === 'key'
    ? statement`, u.avatar_url, c.key_name, c.key_end`
    : statement`, u.avatar_url, c.session_expires_at`
}

/** What `shownColumns` selects. */
export interface ShownColumns {
  readonly avatarUrl: string | null
  readonly sessionExpiresAt?: string
  readonly keyName?: string
  readonly keyEnd?: string | null
}

/** @param row of a credential that lives */
export function shownIn(row: Found & ShownColumns): CredentialRow {
  const { avatarUrl, sessionExpiresAt, keyId: id, keyName: name, keyEnd: expiresAt = null, ownerType, userId } = row
  if (sessionExpiresAt !== undefined) return { avatarUrl, sessionExpiresAt }
  if (!id || !ownerType || name === undefined) throw new Error('A key was found, and not what is shown of it.')
  const organizationId = row.keyOrganizationId ?? null
  return { id, name, ownerType, userId, organizationId, scopes: [...(row.scopes ?? [])], expiresAt, avatarUrl }
}

/** The organization that a request names, with the product's permissions. */
export interface OrganizationRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly productPermissions: readonly OwnMinimumRole[]
}

export function selectOrganization({ tenant, organization }: Names): Statement {
  return statement`
    select o.id, o.slug, o.name,
      (select coalesce(json_agg(json_build_object('key', p.key, 'minimumRole', p.minimum_role)), '[]')
        from permissions p where p.tenant_id = ${tenant}) as product_permissions
    from organizations o
    where o.tenant_id = ${tenant} and o.id = ${organization}`
}

/** A caller in the shape of `CallerShown`. */
export function showCaller(
  caller: Caller | KeyCaller,
  [credential]: readonly CredentialRow[],
  organizations?: readonly (OrganizationRow | undefined)[],
): Static<typeof CallerShown> {
  if (!credential) throw new Error('The caller’s credential is not there.')
  const standing = standingOf(caller, organizations)
  const key = 'ownerType' in credential ? showKey(caller.tenantId, credential) : null
  const session =
    caller.type === 'user' && caller.sessionId !== null && 'sessionExpiresAt' in credential
      ? { id: caller.sessionId, expiresAt: credential.sessionExpiresAt }
      : null
  return {
    type: caller.type,
    user: caller.type === 'user' ? showUser(caller, credential) : null,
    key,
    session,
    application: caller.type === 'user' && caller.application ? showApplication(caller.application) : null,
    organization: standing?.organization ?? null,
    permissions: [...(standing?.holdings.keys() ?? key?.scopes ?? [])].sort(),
  }
}

function showUser({ userId: id, email, emailVerified, name, tenantRole: role }: Caller, { avatarUrl }: CredentialRow) {
  return { id, email, emailVerified, name, avatarUrl, role }
}

function showApplication({ id, name }: CallingApplication) {
  return { id, name }
}

function showKey(tenant: string, row: ShownKeyRow) {
  const { id, name, scopes, expiresAt } = row
  return { id, name, owner: ownerOf(tenant, row), scopes: [...scopes], expiresAt }
}

/** What the caller is and holds in the organization that the request names; undefined if it names none. */
export function standingOf(caller: Caller | KeyCaller, [row]: readonly (OrganizationRow | undefined)[] = []) {
  if (!row) return undefined
  const { id, slug, name, productPermissions } = row
  const holder = caller as OrganizationCaller // the door has let them into the organization, else it had thrown
  const roles =
    holder.type === 'user'
      ? { role: holder.role, roles: allRolesOf(holder.role, holder.grants) }
      : { role: null, roles: [] }
  const held = holdingsOf(holder, minimumRolesWith(productPermissions))
  return {
    organization: { id, slug, name, ...roles },
    holdings: new Map([...held].filter(([key]) => !isShutTo(holder, key))),
    /** When the membership ends, and each grant, because `organization` names its role. Permissions end no earlier. */
    ends: [holder.expiresAt, ...holder.grants.map(({ expiresAt }) => expiresAt)],
  }
}
