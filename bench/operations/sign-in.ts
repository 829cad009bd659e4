/** Signing in by a passkey, on a device that the account knows. The options, with their challenge, are there before the load begins. */
import { Type } from 'typebox'
import { newToken } from '../../src/domain/access/tokens.ts'
import { makeChallenge, openChallenge } from '../../src/domain/credentials/challenges.ts'
import { type AssertionCredential, readClientData } from '../../src/domain/credentials/passkey-credentials.ts'
import { verifyAssertion } from '../../src/domain/credentials/passkey-verification.ts'
import type { Passkey } from '../../src/domain/credentials/passkeys.ts'
import { User } from '../../src/domain/people/users.ts'
import { Device } from '../../src/domain/sessions/sessions.ts'
import { Keyring, sha256 } from '../../src/platform/cryptography.ts'
import { newId, ref } from '../../src/platform/http/schemas.ts'
import { answerTo, deviceTokenOf, ownerOfPasskey, owners, site } from '../passkeys.ts'
import { challenges, otherId, secret, signedCookie } from '../population.ts'
import { common, recorded } from './change.ts'
import { type Operation, type Place, type Query, type Received, type Row, userColumns } from './operation.ts'

const keyring = new Keyring([secret])
const purpose = { purpose: 'sign_in', userId: null } as const

export const signIns: readonly Operation[] = [
  {
    ...common,
    name: 'sign-in by passkey',
    callers: () => owners,
    ask: (i, { tenant }) => {
      const user = ownerOfPasskey(i)
      const { challenge } = makeChallenge(keyring, tenant, { ...purpose, attemptOrSession: null })
      const body = { credential: answerTo(challenge, user), deviceToken: deviceTokenOf(user) }
      return { method: 'POST', path: '/api/auth/sign-in/passkey', body }
    },
    // Of better-auth, which stores its challenges.
    limit: () => challenges,
    askOther: (i) => {
      const token = otherId('challenge', i + 1)
      return {
        method: 'POST',
        path: '/api/auth/passkey/verify-authentication',
        cookie: signedCookie('better-auth-passkey', token),
        body: { response: answerTo(token, ownerOfPasskey(i)) },
      }
    },
    bare: {
      url: '/api/auth/sign-in/passkey',
      schema: Type.Object({
        user: ref(User),
        session: Type.Object({ token: Type.String(), deviceToken: Type.String(), device: ref(Device) }),
      }),
      statement: () => `
        with caller as (
          select id as user_id from users where tenant_id = $1 and id = $3 and status = 'active' and $2::bytea is null),
        used as (
          update factors f set sign_count = $5, last_used_at = now()
          from caller
          where f.tenant_id = $1 and f.id = $4 and f.user_id = caller.user_id and (f.sign_count < $5 or $5 = 0)
          returning f.id),
        spent as (
          insert into spent_challenges (tenant_id, hash, expires_at)
          select $1, $6, now() + interval '10 minutes' from used),
        known as (
          update known_devices d set last_used_at = now()
          from caller
          where d.tenant_id = $1 and d.user_id = caller.user_id and d.token_hash = $7
          returning d.token_hash),
        changed as (
          insert into sessions as s (tenant_id, id, user_id, token_hash, name, type, ip, network, device_hash, methods, assurance)
          select $1, $8, user_id, $9, 'Unknown device', 'other', '127.0.0.1', '127.0.0.1', token_hash, '{passkey}', 2
          from caller, used, known
          returning s.*),
        seen as (
          update users u set last_active_at = now()
          from caller
          where u.tenant_id = $1 and u.id = caller.user_id
          returning ${userColumns})
        ${recorded('session.started', '$10', 'null', '$8::text')}
        select seen.*, row_to_json(changed) as session, $11::text as token
        from seen, changed`,
      values: prove,
      answer: ([row], { body }) => row && toSignedIn(row, body.deviceToken),
    },
  },
]

/** Verifies the answer of a passkey, as the service does. */
async function prove({ body }: Received, { tenant }: Place, query: Query): Promise<readonly unknown[]> {
  const credential = body.credential as AssertionCredential // `ask` makes it
  const rows = await query('passkey', findPasskey, [tenant, Buffer.from(credential.id, 'base64url')])
  const passkey = rows[0] as unknown as Passkey // the statement selects these columns
  const challenge = readClientData(credential)?.challenge ?? ''
  const checked = await verifyAssertion({ site, challenge, ...purpose }, credential, passkey)
  if (!openChallenge(keyring, tenant, challenge) || checked.outcome !== 'verified')
    throw new Error('The passkey is refused.')
  const { token, hash } = newToken('ghs', tenant)
  const deviceHash = sha256(String(body.deviceToken))
  const { id, userId } = passkey
  return [userId, id, checked.signCount, sha256(challenge), deviceHash, newId('dev'), hash, newId('aud'), token]
}

const findPasskey = `
  select id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey", sign_count::int as "signCount",
    is_synced as "isSynced", can_sign_in as "canSignIn"
  from factors
  where tenant_id = $1 and credential_id = $2`

function toSignedIn({ session, token, ...user }: Row, deviceToken: unknown): Row {
  const { created_at, last_active_at, ...made } = session as Row // a row of the table
  const expiresAt = new Date(new Date(String(created_at)).getTime() + 14 * 86_400_000)
  const times = { authenticatedAt: created_at, createdAt: created_at, lastActiveAt: last_active_at, expiresAt }
  return { user, session: { token, deviceToken, device: { ...made, ...times, current: true, applications: [] } } }
}
