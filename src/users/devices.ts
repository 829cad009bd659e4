/** Devices: the sessions of the caller, to be seen and ended. */

import { Type } from 'typebox'
import { isLive } from '../access/lifetime.ts'
import { recordEvent } from '../audit/audit.ts'
import { statement } from '../database/database.ts'
import { Problem } from '../http/problems.ts'
import { Id, ref } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { spendMailedTokens } from '../sign-in/mailed-tokens.ts'
import { Device, deviceColumns, endOtherSessions, endSession } from '../sign-in/sessions.ts'

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
        response: {
          200: Type.Object(
            { data: Type.Array(ref(Device), { maxItems: 1000 }), nextCursor: Type.Null() },
            { description: 'The whole list.' },
          ),
        },
      },
    },
    async (request) => {
      const [, data] = await request.readAsUser<[Device]>(({ tenant, user, session }) => [
        statement`
          select ${deviceColumns(session)}
          from sessions s
          join tenants t on t.id = s.tenant_id
          where s.tenant_id = ${tenant} and s.user_id = ${user} and ${isLive}
          order by s.last_active_at desc, s.id desc`,
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
        response: {
          200: Type.Object(
            { endedSessions: Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32' }) },
            { description: 'How many other sessions were ended.' },
          ),
        },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const endedSessions = await endOtherSessions(sql, caller)
        await spendMailedTokens(sql, caller.userId)
        if (endedSessions > 0)
          await recordEvent(sql, caller, 'session.revoked', { target: caller, details: { endedSessions } })
        return { endedSessions }
      }),
  )
}
