/** Devices: the sessions of a user, to be seen and ended by themselves and by tenant admins. */
import { Type } from 'typebox'
import type { Caller } from '../../domain/access/authorization.ts'
import { spendMailedTokens } from '../../domain/credentials/mailed-tokens.ts'
import { recordEvent } from '../../domain/record/record.ts'
import { isLive } from '../../domain/sessions/lifetime.ts'
import { Device, deviceColumns, endAllSessions, endOtherSessions, endSession } from '../../domain/sessions/sessions.ts'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Problem } from '../../platform/http/problems.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const Devices = Type.Object(
  { data: Type.Array(ref(Device), { maxItems: 1000 }), nextCursor: Type.Null() },
  { description: 'The whole list.' },
)
const Ended = Type.Object(
  { endedSessions: Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32' }) },
  { description: 'How many sessions were ended.' },
)

export async function deviceRoutes(app: App): Promise<void> {
  app.get(
    '/users/me/devices',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'listDevices',
        summary: 'Get active devices',
        description: 'Where you are signed in, newest activity first; all of them at once.',
        tags: ['Devices'],
        response: { 200: Devices },
      },
    },
    async (request) => {
      const [, data] = await request.readAsUser<[Device]>(({ tenant, user, session }) => [
        selectDevices(tenant, user, session),
      ])
      return { data, nextCursor: null }
    },
  )

  app.delete(
    '/users/me/devices/:deviceId',
    {
      config: { access: 'user', problems: ['not_found'] },
      schema: {
        operationId: 'endDevice',
        summary: 'Revoke device session',
        description: 'The next request of that device is refused. The current one may be ended too.',
        tags: ['Devices'],
        params: Type.Object({ deviceId: Id('dev') }),
        response: { 200: ref(Device) },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const device = await endSession(sql, caller, request.params.deviceId)
        if (!device) throw new Problem('not_found')
        return device
      }),
  )

  app.delete(
    '/users/me/devices',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'endOtherDevices',
        summary: 'End all other sessions',
        description: 'The caller’s own session stays. Links that were mailed before stop working.',
        tags: ['Devices'],
        response: { 200: Ended },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const endedSessions = await endOtherSessions(sql, caller)
        const spent = await spendMailedTokens(sql, caller.userId)
        await recordEvent(sql, caller, 'session.revoked', { target: caller, details: { endedSessions, ...spent } })
        return { endedSessions }
      }),
  )
}

/** The same, for tenant admins. */
export async function userDeviceRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users/:userId/devices',
    {
      config: { access: 'tenant_admin', problems: ['not_found'] },
      schema: {
        operationId: 'listUserDevices',
        summary: 'A user’s devices',
        description: 'Where the user is signed in, newest activity first; all of them at once.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: Devices },
      },
    },
    async (request) => {
      const { userId } = request.params
      const [, found, data] = await request.readAsTenantAdmin<[Owner, Device]>(({ tenant, session }) => [
        selectOwner(tenant, userId),
        selectDevices(tenant, userId, session),
      ])
      if (found.length === 0) throw new Problem('not_found')
      return { data, nextCursor: null }
    },
  )

  app.delete(
    '/admin/users/:userId/devices/:deviceId',
    {
      config: { access: 'tenant_admin', problems: ['not_found'] },
      schema: {
        operationId: 'endUserDevice',
        summary: 'Revoke a user’s device session',
        description: 'The next request of that device is refused.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user'), deviceId: Id('dev') }),
        response: { 200: ref(Device) },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { userId, deviceId } = request.params
        const device = await endSession(sql, caller, deviceId, await getOwner(sql, userId))
        if (!device) throw new Problem('not_found')
        return device
      }),
  )

  app.delete(
    '/admin/users/:userId/devices',
    {
      config: { access: 'tenant_admin', problems: ['not_found'] },
      schema: {
        operationId: 'endUserDevices',
        summary: 'End all of a user’s sessions',
        description:
          'Every one, the caller’s own too if it is theirs. Links that were mailed to the user stop working.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: Ended },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { userId, name } = await getOwner(sql, request.params.userId)
        const endedSessions = await endAllSessions(sql, userId)
        const spent = await spendMailedTokens(sql, userId)
        const target = { type: 'user', userId, name } as const
        await recordEvent(sql, caller, 'session.revoked', { target, details: { endedSessions, ...spent } })
        return { endedSessions }
      }),
  )
}

function selectDevices(tenant: string, user: Statement | string, session: Statement): Statement {
  return statement`
    select ${deviceColumns(session)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${tenant} and s.user_id = ${user} and ${isLive}
    order by s.last_active_at desc, s.id desc`
}

/** Whose devices they are. */
type Owner = Pick<Caller, 'userId' | 'name'>

function selectOwner(tenant: string, userId: string): Statement {
  return statement`select id as user_id, name from users where tenant_id = ${tenant} and id = ${userId}`
}

/** @throws Problem not_found */
async function getOwner(sql: Sql, userId: string): Promise<Owner> {
  const [owner] = await sql<Owner>`${selectOwner(sql.tenant, userId)}`
  if (!owner) throw new Problem('not_found')
  return owner
}
