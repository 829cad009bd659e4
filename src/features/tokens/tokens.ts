/**
 * Tokens: JSON Web Tokens for services of the product that check them by themselves (RFC 9068).
 *
 * A token says what was true when it was made, for a few minutes: ending a session does not end its tokens. So none of our own routes
 * accepts one. A token ends no later than what it rests on: the session or key, the membership, and the grants of the roles
 * that it names.
 *
 * Making a token is one read and a signature. Only a tenant's first token writes something: its signing key.
 */
import { Type } from 'typebox'
import type { Caller, KeyCaller } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { PermissionKey } from '../../domain/permissions/access-model.ts'
import { isPermission } from '../../domain/permissions/permissions.ts'
import { endOf } from '../../domain/permissions/rules.ts'
import { noSession } from '../../domain/sessions/credential.ts'
import { authenticatedAt, expiry } from '../../domain/sessions/lifetime.ts'
import { Audience, issuerOf } from '../../domain/signing-keys/issuer.ts'
import { selectCurrentKey } from '../../domain/signing-keys/signing-keys.ts'
import { minted } from '../../platform/channels.ts'
import { randomBytes } from '../../platform/cryptography.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Timestamp, uuidToTenantId } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { type OrganizationRow, selectOrganization, standingOf } from './caller.ts'

/** How many characters the permissions of a token may have: many proxies accept headers of 8 KiB. */
const mostCharacters = 4_096

/** What a token is made by: one row. */
interface Terms {
  readonly now: string
  readonly keyId: string | null
  readonly tokenSeconds: number
  readonly tokenAudiences: readonly string[]
  /** These are null for a key. */
  readonly sessionExpiresAt: string | null
  readonly authenticatedAt: string | null
}

export async function tokenRoutes(app: App): Promise<void> {
  app.post(
    '/tokens',
    {
      config: {
        access: 'caller',
        scope: 'tokens:create',
        organizationIn: 'body',
        problems: ['not_found', 'membership_suspended'],
      },
      schema: {
        operationId: 'createToken',
        summary: 'Create a token',
        description:
          'Signs a token for a service that checks it by itself, with the keys at `jwks.json` below its issuer. It cannot be revoked, and the API does not accept it. Claims (RFC 9068): `iss`, `sub`, `aud`, `client_id`, `iat`, `exp`, `jti`, `scope` (permissions, separated by spaces), `auth_time` (of a session), `sid` (the session or key), and `org` if an organization is named.',
        tags: ['Access'],
        body: Type.Object(
          {
            organization: Type.Optional(OrganizationPath),
            audience: Type.Optional({
              ...Audience,
              description: 'One of the tenant’s `tokenAudiences`; without any, the tenant’s id. Default: the first.',
            }),
            permissions: Type.Optional(
              Type.Array(PermissionKey, {
                maxItems: 100,
                description:
                  'Those that the token may have, of which it has what the caller holds in the organization. Default: all that the product has defined.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object(
            {
              token: Type.String({ maxLength: 16_384, description: 'A JSON Web Token, signed with RS256.' }),
              expiresAt: Timestamp,
            },
            { description: 'The token.' },
          ),
        },
      },
    },
    async (request) => {
      const { organization, audience, permissions } = request.body
      if (permissions && organization === undefined) throw invalidRequest([faultOf('/organization', 'required')])
      const { caller, terms, organizations } = await request.readAsCaller<{
        terms: Terms
        organizations?: OrganizationRow
      }>(
        (names) => ({
          terms: selectTerms(names),
          ...(organization !== undefined && { organizations: selectOrganization(names) }),
        }),
        { byKey: true },
      )
      const [found] = terms
      if (!found) throw new Error('The caller’s tenant is not there.')
      const tenantId = uuidToTenantId(caller.tenantId)
      const standing = standingOf(caller, organizations)
      const held = [...(standing?.holdings ?? [])]
        .filter(([key]) => (permissions ? permissions.includes(key) : !isPermission(key)))
        .sort(([one], [other]) => (one < other ? -1 : 1))
      const audiences = found.tokenAudiences.length > 0 ? found.tokenAudiences : [tenantId]
      const aud = audience ?? audiences[0]
      const scope = held.map(([key]) => key).join(' ')
      checkFits({ isKnown: audiences.some((each) => each === aud), scope })
      const ends = [found.sessionExpiresAt, endOfKey(caller), ...(standing?.ends ?? [])].map(endOf)
      const iat = secondOf(Date.parse(found.now))
      const exp = Math.min(iat + found.tokenSeconds, ...ends.map(secondOf))
      const token = await app.signer.sign(caller.tenantId, found.keyId ?? undefined, 'at+jwt', {
        iss: issuerOf(app.config, tenantId),
        sub: caller.id,
        aud,
        client_id: caller.keyId ?? 'guildhall',
        iat,
        exp,
        jti: randomBytes(16).toString('base64url'),
        scope,
        ...(found.authenticatedAt !== null && { auth_time: secondOf(Date.parse(found.authenticatedAt)) }),
        sid: caller.type === 'key' ? caller.keyId : (caller.keyId ?? caller.sessionId),
        ...(standing && { org: withoutName(standing.organization) }),
      })
      minted.publish(undefined)
      return { token, expiresAt: new Date(exp * 1_000).toISOString() }
    },
  )
}

function selectTerms({ tenant, session, key }: Names): Statement {
  const isSession = key === undefined ? statement`s.id = ${session}` : noSession
  return statement`
    select statement_timestamp() as now, (${selectCurrentKey(tenant)}) as key_id, t.token_seconds, t.token_audiences,
      ${expiry} as session_expires_at, ${authenticatedAt} as authenticated_at
    from tenants t
    left join sessions s on s.tenant_id = ${tenant} and ${isSession}
    where t.id = ${tenant}`
}

/** @returns null for a session, and for a key without an end */
function endOfKey(caller: Caller | KeyCaller): string | null {
  return caller.type === 'key' ? caller.expiresAt : (caller.limits?.expiresAt ?? null)
}

/** @throws Problem invalid_request for an audience that is not one of the tenant's, and for permissions that are too long together */
function checkFits({ isKnown, scope }: { readonly isKnown: boolean; readonly scope: string }): void {
  const faults = [
    !isKnown && faultOf('/audience', 'not_allowed', 'One of the tenant’s `tokenAudiences` is needed.'),
    scope.length > mostCharacters &&
      faultOf('/permissions', 'too_long', `At most ${mostCharacters} characters of permissions fit. Name fewer.`),
  ].filter((fault) => fault !== false)
  if (faults.length > 0) throw invalidRequest(faults)
}

/** @param time in milliseconds @returns it in whole seconds, as tokens have it; never later */
function secondOf(time: number): number {
  return Math.floor(time / 1_000)
}

function withoutName({ id, slug, role, roles }: NonNullable<ReturnType<typeof standingOf>>['organization']) {
  return { id, slug, role, roles }
}
