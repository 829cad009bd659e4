/** Devices of a user, for tenant admins: where somebody is signed in, and ending that. */

import { Type } from 'typebox'
import type { Caller, KeyCaller } from '../../domain/access/actors.ts'
import { checkRank } from '../../domain/access/rank.ts'
import { forgetDevices } from '../../domain/credentials/known-devices.ts'
import { spendMailedTokens } from '../../domain/credentials/mailed-tokens.ts'
import { recheckAdmin } from '../../domain/organizations/administration.ts'
import type { TenantRole } from '../../domain/permissions/roles.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { Device, Devices, Ended, endAllSessions, endSession, selectDevices } from '../../domain/sessions/sessions.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

/** The same, for tenant admins. */
export async function userDeviceRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users/:userId/devices',
    {
      config: { access: 'tenant_admin', scope: 'sessions:read', problems: ['not_found'] },
      schema: {
        operationId: 'listUserDevices',
        summary: 'A user’s devices',
        description: 'The user’s live sessions, most recently active first. The list has one page.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: Devices },
      },
    },
    async (request) => {
      const { userId } = request.params
      const { owners, devices } = await request.readAsTenantAdmin<{ owners: Owner; devices: Device }>(
        ({ tenant, session }) => ({
          owners: selectOwner(tenant, userId),
          devices: selectDevices(tenant, userId, session),
        }),
        { byKey: true },
      )
      if (owners.length === 0) throw new ApiProblem('not_found')
      return { data: devices, nextCursor: null }
    },
  )

  app.delete(
    '/admin/users/:userId/devices/:deviceId',
    {
      config: { access: 'tenant_admin', scope: 'sessions:end', problems: ['not_found', 'role_above_yours'] },
      schema: {
        operationId: 'endUserDevice',
        summary: 'Revoke a user’s device session',
        description: 'The next request from that device gets 401.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user'), deviceId: Id('dev') }),
        response: { 200: ref(Device) },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { userId, deviceId } = request.params
        return found(await endSession(sql, caller, deviceId, await lockOwner(sql, caller, userId)))
      }),
  )

  app.delete(
    '/admin/users/:userId/devices',
    {
      config: { access: 'tenant_admin', scope: 'sessions:end', problems: ['not_found', 'role_above_yours'] },
      schema: {
        operationId: 'endUserDevices',
        summary: 'End all of a user’s sessions',
        description:
          'Ends every session of the user; if the user is you, also this one. Links that were mailed to the user stop working, and all of their devices count as unknown again.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: Ended },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { userId, name } = await lockOwner(sql, caller, request.params.userId)
        const endedSessions = await endAllSessions(sql, userId)
        await forgetDevices(sql, userId)
        const target = { type: 'user', userId, name } as const
        await spendMailedTokens(sql, caller, { target })
        await record(sql, caller, 'session.revoked', { target, details: { endedSessions } })
        return { endedSessions }
      }),
  )
}

/** Whose devices they are. */
type Owner = Pick<Caller, 'userId' | 'name'>

function selectOwner(tenant: string, userId: string): Statement {
  return statement`select id as user_id, name from users where tenant_id = ${tenant} and id = ${userId}`
}

/** @throws Problem not_found, role_above_yours; unauthenticated or forbidden if the caller has lost the right meanwhile */
async function lockOwner(sql: Sql, caller: Caller | KeyCaller, userId: string): Promise<Owner> {
  const [[owner]] = await pipeline([
    sql<Owner & { role: TenantRole }>`
      select id as user_id, name, role from users where tenant_id = ${sql.tenant} and id = ${userId} for no key update`,
    recheckAdmin(sql, caller),
  ])
  if (!owner) throw new ApiProblem('not_found')
  checkRank(caller, owner.role)
  return owner
}
