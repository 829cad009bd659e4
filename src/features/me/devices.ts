/** Devices: the sessions of a user, to be seen and ended by themselves and by tenant admins. */
import { Type } from 'typebox'
import { forgetDevices } from '../../domain/credentials/known-devices.ts'
import { spendMailedTokens } from '../../domain/credentials/mailed-tokens.ts'
import { found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { Device, Devices, Ended, endOtherSessions, endSession, selectDevices } from '../../domain/sessions/sessions.ts'
import { lockOwn } from '../../domain/sessions/ways-in.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function deviceRoutes(app: App): Promise<void> {
  app.get(
    '/users/me/devices',
    {
      config: { access: 'user', withoutSecondFactor: true },
      schema: {
        operationId: 'listDevices',
        summary: 'Get active devices',
        description: 'Your live sessions, most recently active first. The list has one page.',
        tags: ['Devices'],
        response: { 200: Devices },
      },
    },
    async (request) => {
      const { devices } = await request.readAsUser<{ devices: Device }>(
        ({ tenant, user, session }) => ({
          devices: selectDevices(tenant, user, session),
        }),
        { byKey: true },
      )
      return { data: devices, nextCursor: null }
    },
  )

  app.delete(
    '/users/me/devices/:deviceId',
    {
      config: { access: 'user', withoutSecondFactor: true, problems: ['not_found'] },
      schema: {
        operationId: 'endDevice',
        summary: 'Revoke device session',
        description: 'The next request from that device gets 401. You can also end the current session.',
        tags: ['Devices'],
        params: Type.Object({ deviceId: Id('dev') }),
        response: { 200: ref(Device) },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        await lockOwn(sql, caller)
        return found(await endSession(sql, caller, request.params.deviceId))
      }),
  )

  app.delete(
    '/users/me/devices',
    {
      config: { access: 'user', withoutSecondFactor: true },
      schema: {
        operationId: 'endOtherDevices',
        summary: 'End all other sessions',
        description:
          'Your current session stays. All other devices count as unknown again. Links that were mailed to you stop working; those that let you choose a password do only if the session is fresh, so that a thief of a session cannot take them away.',
        tags: ['Devices'],
        response: { 200: Ended },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        await lockOwn(sql, caller)
        const endedSessions = await endOtherSessions(sql, caller)
        await forgetDevices(sql, caller.userId, caller.sessionId)
        await spendMailedTokens(sql, caller, { target: caller }, !caller.isFresh)
        await record(sql, caller, 'session.revoked', { target: caller, details: { endedSessions } })
        return { endedSessions }
      }),
  )
}
