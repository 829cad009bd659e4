/** Identities: one's own accounts at providers that sign one in. */
import { Type } from 'typebox'
import { readToken } from '../../domain/access/tokens.ts'
import {
  Identity,
  type IdentityRow,
  lockProvider,
  selectIdentities,
  toIdentity,
} from '../../domain/credentials/identities.ts'
import { caps } from '../../domain/limits/caps.ts'
import { ApiProblem } from '../../domain/problems.ts'
import {
  beginAtProvider,
  Callback,
  exchangeOnce,
  RedirectUri,
  StartedAtProvider,
} from '../../domain/providers/sign-in.ts'
import { AttemptToken, getAttempt, spendAttempt } from '../../domain/sessions/attempts.ts'
import { getIdentity, linkIdentity, unlinkIdentity } from '../../domain/sessions/linking.ts'
import { lockOwn } from '../../domain/sessions/ways-in.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function identityRoutes(app: App): Promise<void> {
  app.addSchema(Identity)

  app.get(
    '/users/me/identities',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'listIdentities',
        summary: 'List linked accounts',
        description: 'The whole list.',
        tags: ['Linked accounts'],
        response: {
          200: Type.Object(
            { data: Type.Array(ref(Identity), { maxItems: caps.identities.most }) },
            { description: 'The whole list.' },
          ),
        },
      },
    },
    async (request) => {
      const { identities } = await request.readAsUser<{ identities: IdentityRow }>(
        ({ tenant, user }) => ({
          identities: selectIdentities(tenant, user),
        }),
        { byKey: true },
      )
      return { data: identities.map(toIdentity) }
    },
  )

  app.post(
    '/users/me/identities/start',
    {
      config: {
        access: 'user',
        proof: 'fresh',
        problems: ['not_found', 'email_not_verified', 'provider_unavailable'],
      },
      schema: {
        operationId: 'startLinking',
        summary: 'Begin to link an account',
        description:
          'Send the browser to `url`. The page at `redirectUri` posts what it receives to `POST /api/users/me/identities`.',
        tags: ['Linked accounts'],
        body: Type.Object(
          { providerId: Id('idp'), redirectUri: Type.Optional(RedirectUri) },
          { additionalProperties: false },
        ),
        response: { 200: StartedAtProvider },
      },
    },
    async (request) => {
      const { providerId, redirectUri } = request.body
      const { caller } = await request.readAsUser<Record<never, never>>(() => ({}), { byKey: true })
      if (!caller.emailVerified) throw new ApiProblem('email_not_verified')
      return beginAtProvider(request.context, app.exchange, { id: caller.tenantId }, providerId, redirectUri, {
        purpose: 'link',
        caller,
        remembered: {},
      })
    },
  )

  app.post(
    '/users/me/identities',
    {
      config: {
        access: 'user',
        problems: [
          'attempt_spent',
          'identity_taken',
          'limit_reached',
          'email_not_verified',
          'provider_refused',
          'provider_unavailable',
        ],
      },
      schema: {
        operationId: 'linkIdentity',
        summary: 'Link an account',
        description: 'Takes the attempt and what the page at `redirectUri` received, in the session that began it.',
        tags: ['Linked accounts'],
        body: Type.Object({ attempt: AttemptToken, callback: Callback }, { additionalProperties: false }),
        response: { 201: ref(Identity) },
      },
    },
    async (request, reply) => {
      const { context } = request
      const { callback } = request.body
      const token = readToken(request.body.attempt)
      const { caller } = await request.readAsUser<Record<never, never>>(() => ({}), { byKey: true })
      if (token.tenant !== caller.tenantId) throw new ApiProblem('attempt_spent')
      const tenant = { id: caller.tenantId }
      const attempt = await request.asAnyone(tenant, (sql) => getAttempt(sql, app.keyring, token))
      if (attempt.purpose !== 'link' || attempt.sessionId !== caller.sessionId) throw new ApiProblem('attempt_spent')
      const { provider, person } = await exchangeOnce(context, app.exchange, tenant, attempt, callback)
      const { issuer, subject, email } = person
      const key = { provider: { id: provider.id, name: provider.name }, issuer, subject, email }
      const linked = await request.asUser(async (sql, caller) => {
        const owner = await lockOwn(sql, caller)
        if (!(await lockProvider(sql, provider.id))) throw new ApiProblem('attempt_spent')
        await spendAttempt(sql, attempt.id)
        return getIdentity(sql, caller.userId, await linkIdentity(sql, context, owner, key))
      })
      return reply.status(201).header('location', `/api/users/me/identities/${linked.id}`).send(linked)
    },
  )

  app.delete(
    '/users/me/identities/:identityId',
    {
      config: { access: 'user', proof: 'fresh', problems: ['not_found', 'last_way_in'] },
      schema: {
        operationId: 'unlinkIdentity',
        summary: 'Unlink an account',
        description: 'Ends the sessions that it began. A way to sign in must remain.',
        tags: ['Linked accounts'],
        params: Type.Object({ identityId: Id('idn') }),
        response: { 200: ref(Identity) },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) =>
        unlinkIdentity(sql, app, caller, await lockOwn(sql, caller), request.params.identityId),
      ),
  )
}
