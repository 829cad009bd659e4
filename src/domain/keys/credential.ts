/** The key, as a kind of credential. */
import { type Statement, statement } from '../../platform/database/database.ts'
import type { CredentialKind } from '../access/credential-kinds.ts'
import { hasChecksum, keyTokenPattern, readToken, type TokenHash } from '../access/tokens.ts'
import { isSecretLive } from '../secrets.ts'
import { isKeyLive, isKeyOffered } from './keys.ts'

export const keyKind: CredentialKind = {
  name: 'key',
  pattern: new RegExp(keyTokenPattern),
  read: (token) => (hasChecksum(token) ? readToken(token) : undefined),
  find: ({ tenant, hash }) => statement`
    select null::text as session_id, k.user_id, null::text as device,
      coalesce(s.last_used_at < now() - interval '1 minute', true) as is_stale, k.assurance, false as is_fresh,
      k.id as key_id, k.owner_type, k.organization_id as key_organization_id, k.scopes,
      least(k.expires_at, s.expires_at) as key_expires_at, k.name as key_name, k.expires_at as key_end
    from api_key_secrets s
    join api_keys k on k.tenant_id = ${tenant} and k.id = s.key_id
    where s.tenant_id = ${tenant} and s.token_hash = ${hash}
      and ${isSecretLive} and ${isKeyLive} and ${isKeyOffered}`,
  userOf: (token) => ofKey(token, statement`k.user_id`),
  sessionOf: () => statement`null::text`,
  callerOf: (token) => ofKey(token, statement`k.id`),
}

function ofKey({ tenant, hash }: TokenHash, column: Statement): Statement {
  return statement`(
    select ${column}
    from api_key_secrets s
    join api_keys k on k.tenant_id = ${tenant} and k.id = s.key_id
    where s.tenant_id = ${tenant} and s.token_hash = ${hash})`
}
