/** Places: which placeholder stands for an existing value in a generated request. */
import { keyNameIn } from './key-requests.ts'
import type { Operation } from './requests.ts'

/** By the name of the parameter or field. */
const places: Readonly<Record<string, string>> = {
  orgId: '~orgId~',
  organizationId: '~orgId~',
  organization: '~orgId~',
  tenantId: '~tenantId~',
  memberId: '~memberId~',
  userId: '~userId~',
  inviteId: '~inviteId~',
  linkId: '~linkId~',
  userKeyId: '~userKeyId~',
  organizationKeyId: '~organizationKeyId~',
  tenantKeyId: '~tenantKeyId~',
  organizationWebhookId: '~organizationWebhookId~',
  tenantWebhookId: '~tenantWebhookId~',
  ownerId: '~userId~',
  permission: '~permission~',
  scopes: '~permissionKeys~',
  redirectUris: '~redirectUris~',
  postLogoutUris: '~redirectUris~',
  invites: '~invites~',
  checks: '~checks~',
  permissions: '~permissions~',
  roles: '~roles~',
  deviceId: '~deviceId~',
  providerId: '~providerId~',
  appId: '~appId~',
  factorId: '~factorId~',
  identityId: '~identityId~',
  attempt: '~attempt~',
  recoveryCode: '~recoveryCode~',
  credential: '~assertion~',
  callback: '~callback~',
  confirm: '~slug~',
  email: '~newEmail~',
  password: '~password~',
  currentPassword: '~password~',
  cursor: '~cursor~',
  invitationToken: '~invitationToken~',
  'If-Match': '~etag~',
  'Idempotency-Key': '~newText~',
  'Guildhall-Tenant': '~tenant~',
}
const tokens: Readonly<Record<string, string>> = {
  'POST /api/auth/verify-email': '~verifyToken~',
  'POST /api/auth/reset-password': '~resetToken~',
  'POST /api/auth/undo-email-change': '~undoToken~',
  'POST /api/auth/end-session': '~endToken~',
  'POST /api/auth/end-session/preview': '~endToken~',
  'POST /api/invites/{inviteId}/preview': '~invitationToken~',
  'POST /api/links/preview': '~joinToken~',
  'POST /api/links/join': '~joinToken~',
  'POST /api/setup': '~setUpToken~',
}

/** The value of a field that decides which others are needed. */
const types: Readonly<Record<string, string>> = {
  'POST /api/users/me/factors': 'passkey',
  'POST /api/admin/providers': 'github',
}

/** The placeholders of existing values. */
export function placeOf(operation: Operation, name: string): string | undefined {
  if (name === 'Guildhall-Tenant' && operation.template === '/api/setup') return '~unowned~'
  if (name === 'slug') return operation.method === 'PATCH' ? '~slug~' : '~newText~'
  if (name === 'confirm' && operation.template.includes('/providers/')) return '~providerName~'
  if (name === 'confirm' && operation.template.includes('/applications/')) return '~applicationName~'
  if (name === 'scopes' && operation.template.includes('/applications')) return '~applicationScopes~'
  if (name === 'url' && operation.template.includes('/webhooks')) return '~webhookUrl~'
  if (name === 'types' && operation.method !== 'GET') return '~webhookTypes~'
  if (name === 'to' && operation.template === '/api/mailbox') return '~email~'
  if (name === 'email' && operation.template.endsWith('/sign-in')) return '~email~'
  if (name === 'userId' && operation.template.includes('/identities/')) return '~enrolledId~'
  if (name === 'userId' && operation.template.endsWith('/keys/{keyId}')) return '~keyHolderId~'
  if (name === 'userId' && operation.name === 'POST /api/admin/organizations/{orgId}/members') return '~outsiderId~'
  if (name === 'credential' && operation.name === 'POST /api/users/me/factors') return '~registration~'
  if (name === 'attempt' && operation.template.includes('/identities')) return '~linkAttempt~'
  if (name === 'type' && operation.name in types) return types[operation.name]
  if (name === 'credential' && operation.name === 'POST /api/credentials/verify') return '~member~'
  if (name === 'permissions' && /\/(tokens|verify)$/.test(operation.template)) return '~permissionKeys~'
  if (name === 'request')
    return operation.template.includes('/sign-out') ? '~signOutRequest~' : '~authorizationRequest~'
  return name === 'token' ? tokens[operation.name] : places[keyNameIn(operation.template, name)]
}
