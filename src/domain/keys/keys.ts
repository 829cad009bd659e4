/**
 * Keys: what programs send instead of a session. A key belongs to a person, an organization or the tenant. key-states.ts makes, changes and
 * ends them; credential.ts finds the key of a request.
 */
import { type Static, Type } from 'typebox'
import { type Statement, statement } from '../../platform/database/database.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { Id, inUtc, Name, Nullable, OneOf, ref, Timestamp, uuidToTenantId } from '../../platform/http/schemas.ts'
import { mostPermissions, PermissionKey } from '../permissions/access-model.ts'
import { type OwnerType, ownerTypes } from '../permissions/scopes.ts'
import { isSecretLive } from '../secrets.ts'

export const endings = ['revoked', 'expired', 'holder_left', 'reset', 'suspended', 'left', 'removed'] as const
export type Ending = (typeof endings)[number]

export const KeyName = { ...Name, description: 'What the key is for.', examples: ['Nightly import'] }
export const Scopes = Type.Array(PermissionKey, {
  minItems: 1,
  maxItems: mostPermissions,
  description: 'The permissions of the key.',
  examples: [['members:read']],
})

export type Key = Static<typeof Key>
export const Key = Type.Object(
  {
    id: Id('key'),
    name: KeyName,
    owner: Type.Object({
      type: OneOf(ownerTypes),
      id: Type.String({ maxLength: 40, examples: ['user_01k9zq3v5hf8gs4m2y7c6t0wdn'] }),
    }),
    scopes: Scopes,
    organizationId: Nullable({
      ...Id('org'),
      description: 'The owner, or the one organization that a person’s key is limited to.',
    }),
    holder: Nullable(
      Type.Object(
        { id: Id('user'), name: Nullable(Name) },
        {
          description: 'Who has seen the secret of a key of an organization or of the tenant. Null for keys of people.',
        },
      ),
    ),
    holderLeftAt: Nullable({
      ...Timestamp,
      description:
        'When the holder lost the right to the key, or took back a change of their address after they got its secret.',
    }),
    status: OneOf(['active', 'ended']),
    endedBecause: Nullable(OneOf(endings)),
    expiresAt: Nullable(Timestamp),
    lastUsedAt: Nullable({
      ...Timestamp,
      description: 'When it was last used, to the minute, also by a secret that has ended since.',
    }),
    secrets: Type.Array(
      Type.Object({
        hint: Type.String({ minLength: 4, maxLength: 4, description: 'The last four characters.', examples: ['x9Ab'] }),
        createdAt: Timestamp,
        expiresAt: Nullable(Timestamp),
        lastUsedAt: Nullable(Timestamp),
      }),
      { maxItems: 2 },
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Key', description: 'A key of a person, an organization or the tenant.' },
)

/** The answer of making and of rotating a key. */
export const KeyWithSecret = Type.Object(
  {
    key: ref(Key),
    secret: Type.String({
      maxLength: 90,
      description: 'Shown once: Guildhall stores its hash alone.',
      examples: ['ghk_01k9zq3v5hf8gs4m2y7c6t0wdn.…'],
    }),
  },
  { $id: 'KeyWithSecret', description: 'A key and its new secret.' },
)

/** A row that `selectKeys` selects. */
export type KeyRow = Omit<Key, 'owner'> & Versioned & { readonly ownerType: OwnerType; readonly userId: string | null }

/** Which of `api_keys k` live, by the statement’s clock. */
export const isKeyLive = statement`(k.ended_at is null and (k.expires_at is null or k.expires_at > statement_timestamp()))`

/** Whether the tenant `t` lets the owners of such a key as `api_keys k` have keys. While it does not, theirs do nothing. */
export const isKeyOffered = statement`
  (case when k.owner_type = 'user' then t.personal_keys when k.owner_type = 'organization' then t.organization_keys else true end)`

/** When one of `api_keys k` was last used. The row has the uses of secrets that are gone. */
export function lastUseOf(tenant: string): Statement {
  return statement`
    greatest(k.last_used_at, (
      select max(s.last_used_at) from api_key_secrets s where s.tenant_id = ${tenant} and s.key_id = k.id))`
}

/** Keys, of `api_keys k`; a condition on `k` and an order may follow. */
export function selectKeys(tenant: string): Statement {
  return statement`
    select k.id, k.name, k.owner_type, k.user_id, k.organization_id, k.scopes, k.holder_left_at,
      (select json_build_object('id', h.id, 'name', h.name)
        from users h where h.tenant_id = ${tenant} and h.id = k.holder_id) as holder,
      case when ${isKeyLive} then 'active' else 'ended' end as status,
      case when not ${isKeyLive} then
        coalesce(k.ended_because, case when k.holder_left_at is null then 'expired' else 'holder_left' end) end as ended_because,
      k.expires_at,
      ${lastUseOf(tenant)} as last_used_at,
      (select coalesce(json_agg(json_build_object('hint', s.hint, 'createdAt', s.created_at, 'expiresAt', s.expires_at,
          'lastUsedAt', s.last_used_at) order by s.created_at desc), '[]')
        from api_key_secrets s
        where s.tenant_id = ${tenant} and s.key_id = k.id and ${isKeyLive} and ${isSecretLive}) as secrets,
      k.created_at, k.updated_at, k.version
    from api_keys k
    where k.tenant_id = ${tenant}`
}

export function toKey(tenant: string, { ownerType, userId, ...row }: KeyRow): Key & Versioned {
  const secrets = row.secrets.map(({ hint, createdAt, expiresAt, lastUsedAt }) => ({
    hint,
    createdAt: inUtc(createdAt),
    expiresAt: expiresAt && inUtc(expiresAt),
    lastUsedAt: lastUsedAt && inUtc(lastUsedAt),
  }))
  return { ...row, secrets, owner: ownerOf(tenant, { ownerType, userId, ...row }) }
}

export function ownerOf(
  tenant: string,
  { ownerType, userId, organizationId }: Pick<KeyRow, 'ownerType' | 'userId' | 'organizationId'>,
): Key['owner'] {
  const ids = { user: userId, organization: organizationId, tenant: uuidToTenantId(tenant) }
  return { type: ownerType, id: ids[ownerType] as string } // the check `api_keys_owner_check`
}

/** The organization whose log an entry about a key belongs to. A person’s key that is limited to one is not its own. */
export function logOf({ ownerType, organizationId }: Pick<KeyRow, 'ownerType' | 'organizationId'>): string | null {
  return ownerType === 'organization' ? organizationId : null
}
