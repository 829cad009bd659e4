/** The session token, as a kind of credential. */
import { type Statement, statement } from '../../platform/database/database.ts'
import type { CredentialKind } from '../access/credential-kinds.ts'
import { readToken, sessionTokenPattern, type TokenHash } from '../access/tokens.ts'
import { expiry, isSessionFresh, isSessionLive } from './lifetime.ts'

export const sessionKind: CredentialKind = {
  name: 'session',
  pattern: new RegExp(sessionTokenPattern),
  read: readToken,
  find: (token) => statement`
    select s.id as session_id, s.user_id, s.name as device, s.last_active_at < now() - interval '1 minute' as is_stale,
      s.assurance, ${isSessionFresh} as is_fresh,
      ${expiry} as session_expires_at
    from sessions s
    where s.tenant_id = ${token.tenant} and ${hasToken(token)} and ${isSessionLive}`,
  userOf,
  sessionOf: ({ tenant, hash }) =>
    statement`(select id from sessions where tenant_id = ${tenant} and token_hash = ${hash})`,
  callerOf: userOf,
}

/** No one of `sessions s`: a condition. PostgreSQL would drop the table for a plain `false`, and then Citus finds no node for the rest. */
export const noSession = statement`s.id = ''`

/** Which of `sessions s` has a token: a condition. */
export function hasToken({ hash }: TokenHash): Statement {
  return statement`s.token_hash = ${hash}`
}

function userOf({ tenant, hash }: TokenHash) {
  return statement`(select user_id from sessions where tenant_id = ${tenant} and token_hash = ${hash})`
}
