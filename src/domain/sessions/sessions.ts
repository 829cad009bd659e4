/**
 * Sessions: the shape in which one is shown, and for whom which of them end. A session is one device on which somebody is signed in.
 * completion.ts starts them; `endSessions` (endings.ts) writes every end.
 *
 * Invariant: a session that ended is refused by the very next request with it, on every node; nobody caches one.
 */
import { type Static, Type } from 'typebox'
import {
  type Purge,
  pipeline,
  type Sent,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { Id, Name, Nullable, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { type Actor, type Caller, type KeyCaller, personOf } from '../access/actors.ts'
import type { TokenHash } from '../access/tokens.ts'
import { DeviceToken, forgetDevicesByHash } from '../credentials/known-devices.ts'
import { caps } from '../limits/caps.ts'
import { User } from '../people/users.ts'
import { record } from '../record/record.ts'
import { type Method, methods } from './attempts.ts'
import { deviceOf, deviceTypes } from './device.ts'
import { countLived, endSessions, lockPeopleOf } from './endings.ts'
import { grantedApplications } from './grants.ts'
import { authenticatedAt, expiry, isSessionLive } from './lifetime.ts'

export type Device = Static<typeof Device>
export const Device = Type.Object(
  {
    id: Id('dev'),
    name: Type.String({ maxLength: 130, examples: ['Chrome on macOS'] }),
    browser: Nullable(Type.String({ maxLength: 60, examples: ['Chrome'] })),
    os: Nullable(Type.String({ maxLength: 60, examples: ['macOS'] })),
    type: OneOf(deviceTypes),
    ip: Nullable(Type.String({ maxLength: 45, examples: ['203.0.113.7'] })),
    current: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    methods: Type.Array(OneOf(methods), { maxItems: 6, description: 'How its user signed in, or confirmed it last.' }),
    assurance: Type.Integer({ minimum: 1, maximum: 2, format: 'int32', description: '2 after two factors.' }),
    authenticatedAt: { ...Timestamp, description: 'The last sign-in or confirmation.' },
    createdAt: Timestamp,
    lastActiveAt: Timestamp,
    expiresAt: Timestamp,
    applications: Type.Array(
      Type.Object({
        id: Id('app'),
        name: { ...Name, examples: ['Acme'] },
        since: { ...Timestamp, description: 'When the person signed in to it.' },
        lastUsedAt: Timestamp,
      }),
      { maxItems: caps.applications.most, description: 'Into which the person has signed in with this session.' },
    ),
  },
  { $id: 'Device', description: 'A session: a device on which somebody is signed in.' },
)

/** The answer of whatever starts a session. */
export const SignedIn = Type.Object(
  {
    user: ref(User),
    session: Type.Object({
      token: Type.Optional(
        Type.String({
          maxLength: 80,
          description: 'Absent when the session is a cookie.',
          examples: ['ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…'],
        }),
      ),
      deviceToken: Type.Optional({
        ...DeviceToken,
        description:
          'Identifies this device at later sign-ins. Store it on the device, keep it after the session ends, and send it when somebody signs up or in there again. Absent when the session is a cookie: the device then has a cookie too. Also absent after a confirmation: keep the one that the device has.',
      }),
      device: ref(Device),
    }),
  },
  { $id: 'SignedIn', description: 'The user and the new session.' },
)

export const Devices = Type.Object(
  { data: Type.Array(ref(Device), { maxItems: 1000 }), nextCursor: Type.Null() },
  { description: 'The whole list.' },
)

export const Ended = Type.Object(
  { endedSessions: Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32' }) },
  { description: 'The number of sessions that were ended.' },
)

/**
 * Columns of a `Device`, of `sessions s` and `tenants t`.
 *
 * @param current the id of the request’s session; null: it has none
 */
export function deviceColumns(tenant: string, current: Statement | string | null): Statement {
  return statement`s.id, s.name, s.browser, s.os, s.type, s.ip, s.id is not distinct from ${current} as current, s.methods, s.assurance,
    ${authenticatedAt} as authenticated_at, s.created_at, s.last_active_at, ${expiry} as expires_at,
    (${grantedApplications(tenant)}) as applications`
}

export function selectDevices(tenant: string, user: Statement | string, session: Statement): Statement {
  return statement`
    select ${deviceColumns(tenant, session)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${tenant} and s.user_id = ${user} and ${isSessionLive}
    order by s.last_active_at desc, s.id desc`
}

/** Who a request comes from once it is known whose it is, though it carried no session. */
export function actorOf(
  { ip, userAgent, requestId }: RequestContext,
  userId: string,
  name: string | null,
): Extract<Actor, { type: 'user' }> {
  return {
    type: 'user',
    userId,
    name,
    ip,
    device: deviceOf(userAgent).name,
    keyId: null,
    requestId,
  }
}

/** Whether a credential is of a session, and the session lives. */
export async function isSessionOf(sql: Sql, { hash }: TokenHash, sessionId: string): Promise<boolean> {
  const live = await sql`
    select from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId} and s.token_hash = ${hash} and ${isSessionLive}`
  return live.length > 0
}

/** Notes that a session has proven a second factor by enrolling it. */
export async function raiseAssurance(sql: Sql, sessionId: string, method: Method): Promise<void> {
  await sql`
    update sessions set assurance = 2, methods = array_append(methods, ${method}::text)
    where tenant_id = ${sql.tenant} and id = ${sessionId} and assurance < 2`
}

/** Ends the session of a request's credential, if it has one that lives: also if a confirmation beside it replaces the token. */
export async function endOwnSession(context: RequestContext, credential: TokenHash | undefined): Promise<void> {
  if (!credential) return
  const { tenant, hash } = credential
  await context.database.inTenant(
    tenant,
    async (sql, { sessions = [] }) => {
      const [found] = sessions as { id: string }[] // as the statement selects them
      if (!found) return
      // By its id: while the lock is waited for, the token may be replaced.
      const own = statement`s.id = ${found.id}`
      const [, [ended]] = await pipeline([lockPeopleOf(sql, own), endSessions(sql, own)])
      if (!ended) return
      const actor = actorOf(context, ended.userId, ended.userName)
      await record(sql, actor, 'session.signed_out', { target: actor, details: { deviceId: ended.id } })
    },
    { first: { sessions: statement`select id from sessions where tenant_id = ${tenant} and token_hash = ${hash}` } },
  )
}

/**
 * Ends a session of the user's, and tells the audit log.
 *
 * @param user whose it is: the caller, or whom an admin names
 * @returns the device as it was, or undefined when the user has no such live session
 */
export async function endSession(
  sql: Sql,
  caller: Caller | KeyCaller,
  deviceId: string,
  { userId, name }: Pick<Caller, 'userId' | 'name'> = personOf(caller),
): Promise<Device | undefined> {
  const [, [device]] = await pipeline([
    lockPeopleOf(sql, statement`s.user_id = ${userId} and s.id = ${deviceId}`),
    sql<Device>`
      select ${deviceColumns(sql.tenant, caller.type === 'user' ? caller.sessionId : null)}
      from sessions s
      join tenants t on t.id = s.tenant_id
      where s.tenant_id = ${sql.tenant} and s.user_id = ${userId} and s.id = ${deviceId} and ${isSessionLive}
      for no key update of s`,
  ])
  if (!device) return undefined
  await endSessions(sql, statement`s.id = ${deviceId}`)
  await record(sql, caller, 'session.revoked', {
    target: { type: 'user', userId, name },
    details: { deviceId, device: device.name },
  })
  return device
}

/** Ends every session of the caller but the one that asks. @returns how many lived */
export function endOtherSessions(sql: Sql, { userId, sessionId }: Caller): Promise<number> {
  return endAllSessions(sql, userId, sessionId)
}

/** Ends every session of a user, or every one but one. @returns how many lived */
export async function endAllSessions(sql: Sql, userId: string, except: string | null = null): Promise<number> {
  return countLived(await endSessions(sql, statement`s.user_id = ${userId} and s.id is distinct from ${except}`))
}

/** Ends the sessions that identities began. Their people must be locked. @returns how many lived */
export async function endSessionsOfIdentities(sql: Sql, identityIds: readonly string[]): Promise<number> {
  return countLived(await endSessions(sql, statement`s.identity_id = any(${identityIds})`))
}

/**
 * Ends every session that an identity of a provider began. The provider must be locked, and before it those who had an identity. Who got one
 * between the two locks is not locked: beside another end of their sessions there may be a deadlock, which is tried again.
 *
 * @returns how many lived
 */
export async function endSessionsOfProvider(sql: Sql, providerId: string): Promise<number> {
  const begun = statement`s.identity_id in (
    select id from identities where tenant_id = ${sql.tenant} and provider_id = ${providerId})`
  return countLived(await endSessions(sql, begun))
}

/**
 * Ends a session that its user does not recognize, with every other session on the same device, and forgets the device: the others
 * started on a known device, so no mail told of them. Those that are over stay as they are: they may be any number.
 *
 * @returns how many of them lived
 */
export async function endUnrecognized(
  sql: Sql,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<number> {
  const [others, [reported]] = await pipeline([
    sql<{ id: string }>`
      with others as (
        select s.id
        from sessions reported
        join tenants t on t.id = ${sql.tenant}
        join sessions s
          on s.tenant_id = ${sql.tenant} and s.user_id = ${userId} and ${isSessionLive}
            -- Whenever it was created: the sign-in that began first, or on a server whose clock is behind, may have come second.
            and (s.device_hash = reported.device_hash
              -- The release before knew callers without cookies by their network, where the person may have been before.
              or (s.device_hash is null and s.network = reported.network and s.created_at >= reported.created_at))
        where reported.tenant_id = ${sql.tenant} and reported.id = ${id} and s.id <> ${id})
      update sessions s set network = null
      from others
      where s.tenant_id = ${sql.tenant} and s.id = others.id
      returning s.id`,
    sql<{ id: string; deviceHash: Buffer | null }>`
      update sessions set network = null where tenant_id = ${sql.tenant} and id = ${id} returning id, device_hash`,
  ])
  const ended = await endSessions(sql, statement`s.id = any(${[id, ...others.map((session) => session.id)]})`)
  if (reported?.deviceHash) await forgetDevicesByHash(sql, userId, [reported.deviceHash])
  return countLived(ended)
}

/** Deletes sessions of a person who is erased, with their grants. Ended ones stay for 30 days, so they may be many. @returns a row for each */
export function deleteSessionsOf(sql: Sql, userId: string, limit: number): Sent<unknown[]> {
  return sql`
    delete from sessions
    where tenant_id = ${sql.tenant} and id = any(array(
      select id from sessions where tenant_id = ${sql.tenant} and user_id = ${userId} limit ${limit}))
    returning id`
}

/**
 * Deletes sessions that ended 30 days ago, or have expired and were not used for 30 days. One with live grants ends first, so that its
 * applications are told: a tenant may let sessions be idle for longer.
 */
export const purgeSessions: Purge = (sql, batch) => sql`
  with over as (
    select s.id
    from sessions s
    join tenants t on t.id = ${sql.tenant}
    where s.tenant_id = ${sql.tenant} and s.last_active_at < now() - interval '30 days'
      and case when s.ended_at is null
        then ${expiry} < now() and not exists (
          select from grants g where g.tenant_id = ${sql.tenant} and g.session_id = s.id and g.ended_at is null)
        else s.ended_at < now() - interval '30 days' end
    limit ${batch}
    for update of s skip locked)
  delete from sessions s
  using over
  where s.tenant_id = ${sql.tenant} and s.id = over.id
  returning s.id`
