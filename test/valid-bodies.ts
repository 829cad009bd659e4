/** A valid body for each operation that takes one, with every field that it has; and what sends them. */
import { makeMailedToken, newToken } from '../src/domain/access/tokens.ts'
import { newId, uuidToTenantId } from '../src/platform/http/schemas.ts'
import { applicationBodies, requestApplication } from './application-requests.ts'
import { newAuthenticator } from './authenticator.ts'
import { sealRequests } from './authorizations.ts'
import { unfold } from './contract.ts'
import { organizationValues, profileValues, valuesOfOwners, valuesOfTenantAdmins } from './field-values.ts'
import { keyBodies, keyNameIn, makeKeys, offerKeys } from './key-requests.ts'
import { makeLink, membershipBodies } from './membership-requests.ts'
import { addPasskey, answerOf, passkeyOrigin } from './sign-in.ts'
import { makeWebhooks, offerWebhooks, webhookBodies } from './webhook-requests.ts'
import { type Answer, type Client, type Json, type Person, password, type World } from './world.ts'

export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  /** The schema of its body. */
  readonly body: Json
  readonly query: readonly Json[]
  /** Whether it can be sent without its body. */
  readonly isOptional: boolean
}

export interface Bodies {
  /** Every operation of the contract. */
  readonly operations: readonly Operation[]
  /** By the operation's name. */
  readonly bodies: Readonly<Record<string, Json>>
  /** By the operation's name: valid fields that cannot be sent together with those of its body. */
  readonly alternatives: Readonly<Record<string, Json>>
  /** What stands for each parameter of a path. */
  readonly ids: Readonly<Record<string, string>>
  /** The owner of an organization. */
  readonly ann: Person
  /** The path of that organization. */
  readonly acme: string
  /** Somebody who may call an operation. */
  callerOf(operation: Operation): Client
  send(operation: Operation, raw: string): Promise<Answer>
}

export async function makeBodies(world: World): Promise<Bodies> {
  const document = unfold(world.app.swagger())
  const { ann, path: acme, id: orgId, slug, members } = await world.organization()
  const tess = await world.tenantAdmin()
  const invitation = (await ann.post(`${acme}/invites`, { email: 'eve@example.com' })).body
  const token = makeMailedToken(world.keyring, 'invitation', {
    tenant: world.tenantId,
    id: invitation.id,
    generation: 1,
  })
  const login = { name: 'Acme Login', enabled: true, clientId: 'guildhall', clientSecret: 'secret', trustsEmail: true }
  const ofOpenId = { type: 'oidc', issuer: 'https://a.example', microsoftTenant: null, redirectUris: [] }
  const aProvider = { type: 'github', name: 'GitHub', clientId: 'guildhall' }
  const { body: gitHub } = await tess.post('/api/admin/providers', aProvider)
  const key = await addPasskey(ann)
  const attempt = newToken('gha', world.tenantId).token
  const requests = await sealRequests(world, world.tenantId)
  const callback = { code: 'a code', state: 'a state', iss: 'https://a.example', redirectUri: 'https://a.example' }
  const credential = await answerOf(world, key.key)
  const setUp = (await ann.post('/api/users/me/factors/setup', { type: 'passkey' })).body
  const model = {
    permissions: [{ key: 'notes:write', name: 'Write notes', description: 'All of them.', minimumRole: 'admin' }],
    roles: [{ key: 'writer', was: 'author', name: 'Writer', description: 'Writes.', permissions: ['notes:write'] }],
  }
  await tess.put('/api/admin/access', model)
  const link = await makeLink(ann, orgId)
  await offerKeys(world)
  await offerWebhooks(world)
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const ids: Readonly<Record<string, string>> = {
    orgId,
    memberId: members.cleo.id,
    inviteId: invitation.id,
    userId: ann.id,
    deviceId: 'dev_01k9zq3v5hf8gs4m2y7c6t0wdn',
    providerId: gitHub.id,
    appId: (await requestApplication(tess)).application.id,
    factorId: key.answer.body.factor.id,
    identityId: newId('idn'),
    linkId: link.id,
    permission: 'notes:write',
    ...(await makeKeys(ann, { owner: ann, orgId, admin: tess })),
    ...(await makeWebhooks({ owner: ann, orgId, admin: tess })),
    tenantId: uuidToTenantId(world.tenantId),
  }
  const bodies: Readonly<Record<string, Json>> = {
    'PATCH /api/users/me': { ...profileValues, email: 'ann.new@example.com', currentPassword: password },
    'DELETE /api/users/me': { password, confirm: ann.email },
    'POST /api/auth/sign-in': { email: ann.email, password, deviceToken: 'd'.repeat(43) },
    'POST /api/auth/sign-up': {
      email: 'eve@example.com',
      password,
      name: 'Eve',
      invitationToken: token,
      deviceToken: 'd'.repeat(43),
    },
    'POST /api/auth/sign-in/passkey': { credential, deviceToken: 'd'.repeat(43) },
    'POST /api/auth/sign-in/mail-code': { email: ann.email, deviceToken: 'd'.repeat(43) },
    'POST /api/auth/sign-in/provider': {
      providerId: gitHub.id,
      redirectUri: 'https://a.example',
      invitationToken: token,
    },
    'POST /api/auth/sign-in/continue': { attempt, callback, deviceToken: 'd'.repeat(43) },
    'POST /api/auth/passkey-options': { attempt },
    'POST /api/auth/confirm': { password, secondFactor: true },
    'POST /api/users/me/factors/setup': { type: 'passkey' },
    'POST /api/users/me/factors': {
      type: 'passkey',
      name: 'My key',
      credential: newAuthenticator(-7, { origin: passkeyOrigin }).create(setUp.options),
    },
    'PATCH /api/users/me/factors/{factorId}': { name: 'My key' },
    'POST /api/users/me/identities/start': { providerId: gitHub.id, redirectUri: 'https://a.example' },
    'POST /api/users/me/identities': { attempt, callback },
    'POST /api/auth/verify-email': { token },
    'POST /api/auth/forgot-password': { email: ann.email },
    'POST /api/auth/reset-password': { token, newPassword: 'quite another passphrase' },
    'POST /api/auth/undo-email-change': { token },
    'POST /api/auth/end-session': { token },
    'POST /api/auth/end-session/preview': { token },
    'POST /api/setup': {
      token: newToken('ghu', world.tenantId).token,
      email: 'fay@example.com',
      password,
      name: 'Fay',
      deviceToken: 'd'.repeat(43),
    },
    'POST /api/users/me/password': {
      currentPassword: password,
      newPassword: 'quite another passphrase',
      endKeys: false,
    },
    'POST /api/organizations': organizationValues,
    'PATCH /api/organizations/{orgId}': { ...organizationValues, ...valuesOfOwners },
    'DELETE /api/organizations/{orgId}': { confirm: slug },
    'POST /api/organizations/{orgId}/transfer': { memberId: members.cleo.id },
    'DELETE /api/admin/organizations/{orgId}': { confirm: slug },
    'POST /api/admin/organizations/{orgId}/transfer': { memberId: members.cleo.id },
    'POST /api/admin/users': {
      email: 'hal@example.com',
      name: 'Hal',
      role: 'admin',
      externalId: 'person-1',
      currentPassword: password,
    },
    'PATCH /api/admin/users/{userId}': {
      name: 'Ann',
      ...valuesOfTenantAdmins,
      externalId: 'person-2',
      currentPassword: password,
    },
    'PATCH /api/admin/tenant': {
      name: 'The Shop',
      brand: { logoUrl: 'https://example.com/l.png', color: '#0f766e' },
      signUp: 'open',
      allowedEmailDomains: ['example.com'],
      passwordMinimum: 10,
      sessionIdleSeconds: 86_400,
      sessionAbsoluteSeconds: 172_800,
      auditRetentionSeconds: 864_000,
      eventRetentionSeconds: 864_000,
      remotePictures: true,
      secondFactor: 'optional',
      shareLinks: true,
      memberLimit: 1000,
      mailCodes: false,
      tokenSeconds: 600,
      tokenAudiences: ['https://billing.example.com'],
      personalKeys: true,
      organizationKeys: true,
      organizationWebhooks: true,
      keyGraceSeconds: 86_400,
    },
    'POST /api/admin/providers': { ...login, ...ofOpenId },
    'PATCH /api/admin/providers/{providerId}': { ...login, microsoftTenant: 'common', redirectUris: [] },
    'DELETE /api/admin/providers/{providerId}': { confirm: 'GitHub' },
    ...membershipBodies({ orgId, userId: ann.id, until, token: link.token, model }),
    ...keyBodies(orgId, until),
    ...applicationBodies(),
    ...webhookBodies(),
    'POST /api/invites/{inviteId}/preview': { token },
    'POST /api/auth/authorize/preview': { request: requests.authorization },
    'POST /api/auth/authorize': { request: requests.authorization, organizationId: orgId, userId: ann.id },
    'POST /api/auth/sign-out': { request: requests.signOut },
    'POST /api/auth/sign-out/preview': { request: requests.signOut },
    'POST /api/tokens': { organization: orgId, audience: ids.tenantId, permissions: ['members:read'] },
    'POST /api/credentials/verify': { credential: ann.token, organization: orgId, permissions: ['members:read'] },
  }
  const alternatives = {
    'POST /api/auth/sign-in/mail-code': { attempt },
    'POST /api/auth/sign-in/continue': {
      password,
      totp: '287082',
      recoveryCode: '9ZQ3-V5HF-8GS4-M2Y7-C6T0-WDN1',
      mailCode: '287082',
      credential,
    },
    'POST /api/admin/webhooks': { from: '2026-01-31T09:30:00.000Z' },
    'PATCH /api/admin/webhooks/{webhookId}': { from: '2026-01-31T09:30:00.000Z' },
    'POST /api/organizations/{orgId}/webhooks': { from: '2026-01-31T09:30:00.000Z' },
    'PATCH /api/organizations/{orgId}/webhooks/{webhookId}': { from: '2026-01-31T09:30:00.000Z' },
    'POST /api/users/me/factors': { setup: 'x'.repeat(40), code: '287082' },
  }
  const operations = Object.entries<Json>(document.paths).flatMap(([template, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      path: template.replace(/\{(\w+)\}/g, (_, name: string) => ids[keyNameIn(template, name)] ?? ''),
      body: resolved(document, operation.requestBody?.content['application/json']?.schema),
      query: (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'query'),
      isOptional: operation.requestBody?.required === false,
    })),
  )
  const backend = await world.key(['credentials:verify'])
  const callerOf = ({ path }: Operation) => {
    if (path.includes('/credentials/')) return backend
    return path.includes('/admin/') ? tess : ann
  }
  return {
    operations,
    bodies,
    alternatives,
    ids,
    ann,
    acme,
    callerOf,
    send: (operation, raw) => callerOf(operation).request(operation.path, { method: operation.method, raw }),
  }
}

/** A schema with the shared schemas that it names in their places. */
function resolved(document: Json, schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((each) => resolved(document, each))
  if (typeof schema !== 'object' || schema === null) return schema
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref)?.[1]
  if (name !== undefined) return resolved(document, document.components.schemas[name])
  return Object.fromEntries(Object.entries<Json>(schema).map(([key, each]) => [key, resolved(document, each)]))
}
