/**
 * The access token of an application, as a kind of credential: the application calls for the person of its grant, by the rights that the person
 * has now.
 *
 * Nothing is stored of a token, so its text is believed once its HMAC is right. Whether it may be used is judged at each request: grant,
 * application, session and user must live.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import type { CredentialKind } from '../access/credential-kinds.ts'
import { accessTokenPattern, readToken, type TokenHash } from '../access/tokens.ts'
import { isOpenedUntil } from '../sessions/grants.ts'
import { expiry, isSessionLive } from '../sessions/lifetime.ts'
import { openAccessToken } from './grant-tokens.ts'

/** @param keyring opens the tokens */
export function applicationKind(keyring: Keyring): CredentialKind {
  return {
    name: 'application',
    pattern: new RegExp(accessTokenPattern),
    read: (token) => {
      const opened = openAccessToken(keyring, token)
      return opened && { ...readToken(token), grant: { id: opened.grantId, end: opened.end } }
    },
    find: ({ tenant, grant }) => statement`
      select s.id as session_id, s.user_id, s.name as device,
        least(s.last_active_at, g.last_used_at) < now() - interval '1 minute' as is_stale, s.assurance, false as is_fresh,
        g.id as grant_id, a.id as application_id, a.name as application_name, ${grant?.end ?? 0}::float8 as token_end,
        array(select scope from unnest(g.scopes) scope where scope = any(a.scopes)) as scopes,
        ${expiry} as session_expires_at
      from grants g
      join applications a on a.tenant_id = ${tenant} and a.id = g.application_id
      join sessions s on s.tenant_id = ${tenant} and s.id = g.session_id
      where g.tenant_id = ${tenant} and g.id = ${grant?.id ?? null} and ${isOpenedUntil(grant?.end ?? 0)} and ${isSessionLive}`,
    userOf,
    sessionOf: (token) => ofGrant(token, statement`g.session_id`),
    callerOf: (token) => ofGrant(token, statement`s.user_id || ' ' || g.application_id`),
  }
}

function userOf(token: TokenHash): Statement {
  return ofGrant(token, statement`s.user_id`)
}

function ofGrant({ tenant, grant }: TokenHash, column: Statement): Statement {
  return statement`(
    select ${column}
    from grants g
    join sessions s on s.tenant_id = ${tenant} and s.id = g.session_id
    where g.tenant_id = ${tenant} and g.id = ${grant?.id ?? null})`
}
