/** Who may use which operation, for test/access.ts. */

/**
 * Each operation of the OpenAPI document, with its answer to an unauthenticated caller, an outsider (who has an invitation to the
 * organization), its members, a tenant admin outside of it, and its owner with an ended session. The text in brackets is a variant of the
 * request.
 */
const table = `
operation                                                                nobody outsider member admin owner tenantAdmin ended

GET /livez                                                                  200   200   200   200   200   200   200
GET /readyz                                                                 200   200   200   200   200   200   200
GET /api/mailbox                                                            404   404   404   404   404   404   404
GET /api/mailbox (with its key)                                             200   200   200   200   200   200   200

POST /api/auth/sign-up                                                      201   201   201   201   201   201   201
POST /api/auth/sign-in                                                      200   200   200   200   200   200   200
POST /api/auth/sign-in/passkey                                              200   200   200   200   200   200   200
POST /api/auth/sign-in/mail-code                                            202   202   202   202   202   202   202
POST /api/auth/sign-in/provider                                             200   200   200   200   200   200   200
POST /api/auth/sign-in/continue                                             200   200   200   200   200   200   200
POST /api/auth/passkey-options                                              200   200   200   200   200   200   200
POST /api/auth/confirm                                                      401   200   200   200   200   200   401
POST /api/auth/sign-out                                                     204   204   204   204   204   204   204
POST /api/auth/sign-out/preview                                             200   200   200   200   200   200   200
POST /api/auth/authorize/preview                                            200   200   200   200   200   200   200
POST /api/auth/authorize (without a cookie)                                 403   403   403   403   403   403   403
POST /api/auth/verify-email (with the outsider's token)                     403   200   403   403   403   403   401
POST /api/auth/verify-email/resend                                          401   202   202   202   202   202   401
POST /api/auth/forgot-password                                              202   202   202   202   202   202   202
POST /api/auth/reset-password                                               200   200   200   200   200   200   200
POST /api/auth/undo-email-change                                            200   200   200   200   200   200   200
POST /api/auth/end-session                                                  200   200   200   200   200   200   200
POST /api/auth/end-session/preview                                          200   200   200   200   200   200   200
POST /api/setup                                                             201   201   201   201   201   201   201

GET /api/tenant                                                             200   200   200   200   200   200   200
GET /api/tenants/{tenantId}/.well-known/openid-configuration                200   200   200   200   200   200   200
GET /api/tenants/{tenantId}/jwks.json                                       200   200   200   200   200   200   200
POST /api/tenants/{tenantId}/token                                          200   200   200   200   200   200   200
POST /api/tenants/{tenantId}/revoke                                         200   200   200   200   200   200   200
GET /api/tenants/{tenantId}/userinfo                                        200   200   200   200   200   200   200
POST /api/tenants/{tenantId}/userinfo                                       200   200   200   200   200   200   200
GET /api/tenants/{tenantId}/authorize                                       303   303   303   303   303   303   303
POST /api/tenants/{tenantId}/authorize                                      303   303   303   303   303   303   303
GET /api/tenants/{tenantId}/end-session                                     303   303   303   303   303   303   303
POST /api/tenants/{tenantId}/end-session                                    303   303   303   303   303   303   303

GET /api/users/me                                                           401   200   200   200   200   200   401
PATCH /api/users/me                                                         401   200   200   200   200   200   401
PATCH /api/users/me (another address)                                       401   200   200   200   200   200   401
PUT /api/users/me/avatar                                                    401   200   200   200   200   200   401
DELETE /api/users/me/avatar                                                 401   200   200   200   200   200   401
DELETE /api/users/me (the owner has members)                                401   200   200   200   409   200   401
POST /api/users/me/password                                                 401   200   200   200   200   200   401
DELETE /api/users/me/password (the only way in)                             401   409   409   409   409   409   401
DELETE /api/users/me/password (beside a linked account)                     401   200   200   200   200   200   401
GET /api/users/me/factors                                                   401   200   200   200   200   200   401
POST /api/users/me/factors/setup                                            401   200   200   200   200   200   401
POST /api/users/me/factors (with the outsider's set-up)                     401   201   410   410   410   410   401
PATCH /api/users/me/factors/{factorId} (the outsider's)                     401   200   404   404   404   404   401
DELETE /api/users/me/factors/{factorId} (the outsider's)                    401   200   404   404   404   404   401
POST /api/users/me/recovery-codes (the outsider has a factor)               401   200   409   409   409   409   401
GET /api/users/me/identities                                                401   200   200   200   200   200   401
POST /api/users/me/identities/start                                         401   200   200   200   200   200   401
POST /api/users/me/identities (with the outsider's attempt)                 401   201   410   410   410   410   401
DELETE /api/users/me/identities/{identityId} (the outsider's)               401   200   404   404   404   404   401
GET /api/users/me/devices                                                   401   200   200   200   200   200   401
DELETE /api/users/me/devices                                                401   200   200   200   200   200   401
DELETE /api/users/me/devices/{deviceId} (the outsider's)                    401   200   404   404   404   404   401
GET /api/users/me/keys                                                      401   200   200   200   200   200   401
POST /api/users/me/keys                                                     401   201   201   201   201   201   401
GET /api/users/me/keys/{keyId} (the outsider's)                             401   200   404   404   404   404   401
PATCH /api/users/me/keys/{keyId} (the outsider's)                           401   200   404   404   404   404   401
DELETE /api/users/me/keys/{keyId} (the outsider's)                          401   200   404   404   404   404   401
POST /api/users/me/keys/{keyId}/rotate (the outsider's)                     401   200   404   404   404   404   401
GET /api/users/me/audit                                                     401   200   200   200   200   200   401
GET /api/users/me/deletion-impact                                           401   200   200   200   200   200   401
GET /api/users/me/invites                                                   401   200   200   200   200   200   401

GET /api/organizations                                                      401   200   200   200   200   200   401
POST /api/organizations                                                     401   201   201   201   201   201   401
GET /api/organizations/{orgId}                                              401   404   200   200   200   404   401
PATCH /api/organizations/{orgId}                                            401   404   403   200   200   404   401
PUT /api/organizations/{orgId}/logo                                         401   404   403   200   200   404   401
DELETE /api/organizations/{orgId}/logo                                      401   404   403   200   200   404   401
DELETE /api/organizations/{orgId}                                           401   404   403   403   200   404   401
POST /api/organizations/{orgId}/transfer                                    401   404   403   403   200   404   401
POST /api/organizations/{orgId}/transfer (to an owner)                      401   404   403   403   409   404   401
GET /api/organizations/{orgId}/audit                                        401   404   403   200   200   404   401
GET /api/organizations/{orgId}/events                                       401   404   403   200   200   404   401

GET /api/organizations/{orgId}/members                                      401   404   200   200   200   404   401
GET /api/organizations/{orgId}/members/{memberId}                           401   404   200   200   200   404   401
GET /api/organizations/{orgId}/members/{memberId} (oneself)                 401   404   200   200   200   404   401
PATCH /api/organizations/{orgId}/members/{memberId}                         401   404   403   200   200   404   401
PATCH /api/organizations/{orgId}/members/{memberId} (to owner)              401   404   403   403   200   404   401
PATCH /api/organizations/{orgId}/members/{memberId} (an owner)              401   404   403   403   200   404   401
DELETE /api/organizations/{orgId}/members/{memberId}                        401   404   403   200   200   404   401
DELETE /api/organizations/{orgId}/members/{memberId} (an owner)             401   404   403   403   200   404   401
DELETE /api/organizations/{orgId}/members/{memberId} (oneself)              401   404   200   200   200   404   401

GET /api/organizations/{orgId}/invites                                      401   404   403   200   200   404   401
POST /api/organizations/{orgId}/invites                                     401   404   403   201   201   404   401
POST /api/organizations/{orgId}/invites (as an owner)                       401   404   403   403   201   404   401
POST /api/organizations/{orgId}/invites/bulk                                401   404   403   200   200   404   401
GET /api/organizations/{orgId}/invites/{inviteId}                           401   404   403   200   200   404   401
DELETE /api/organizations/{orgId}/invites/{inviteId}                        401   404   403   200   200   404   401
POST /api/organizations/{orgId}/invites/{inviteId}/resend                   401   404   403   200   200   404   401
GET /api/organizations/{orgId}/links                                        401   404   403   200   200   404   401
POST /api/organizations/{orgId}/links                                       401   404   403   201   201   404   401
GET /api/organizations/{orgId}/links/{linkId}                               401   404   403   200   200   404   401
DELETE /api/organizations/{orgId}/links/{linkId}                            401   404   403   200   200   404   401
GET /api/organizations/{orgId}/keys                                         401   404   403   200   200   404   401
POST /api/organizations/{orgId}/keys                                        401   404   403   201   201   404   401
GET /api/organizations/{orgId}/keys/{keyId}                                 401   404   403   200   200   404   401
PATCH /api/organizations/{orgId}/keys/{keyId}                               401   404   403   200   200   404   401
DELETE /api/organizations/{orgId}/keys/{keyId}                              401   404   403   200   200   404   401
POST /api/organizations/{orgId}/keys/{keyId}/rotate                         401   404   403   200   200   404   401
GET /api/organizations/{orgId}/webhooks                                     401   404   403   200   200   404   401
POST /api/organizations/{orgId}/webhooks                                    401   404   403   201   201   404   401
GET /api/organizations/{orgId}/webhooks/{webhookId}                         401   404   403   200   200   404   401
PATCH /api/organizations/{orgId}/webhooks/{webhookId}                       401   404   403   200   200   404   401
DELETE /api/organizations/{orgId}/webhooks/{webhookId}                      401   404   403   200   200   404   401
POST /api/organizations/{orgId}/webhooks/{webhookId}/rotate                 401   404   403   200   200   404   401
POST /api/organizations/{orgId}/webhooks/{webhookId}/test                   401   404   403   202   202   404   401
GET /api/organizations/{orgId}/webhooks/{webhookId}/deliveries              401   404   403   200   200   404   401
POST /api/organizations/{orgId}/webhooks/{webhookId}/retry                  401   404   403   202   202   404   401
POST /api/links/preview                                                     200   200   200   200   200   200   200
POST /api/links/join                                                        401   200   200   200   200   200   401
GET /api/organizations/{orgId}/roles                                        401   404   200   200   200   404   401
GET /api/organizations/{orgId}/check/{permission}                           401   404   403   204   204   404   401
POST /api/check                                                             401   200   200   200   200   200   401
GET /api/caller                                                             401   200   200   200   200   200   401
POST /api/tokens                                                            401   200   200   200   200   200   401
POST /api/credentials/verify                                                401   403   403   403   403   403   401

POST /api/invites/{inviteId}/preview                                        200   200   200   200   200   200   200
POST /api/invites/{inviteId}/accept                                         401   200   403   403   403   403   401
POST /api/invites/{inviteId}/decline                                        401   200   403   403   403   403   401

GET /api/admin/users                                                        401   403   403   403   403   200   401
POST /api/admin/users                                                       401   403   403   403   403   201   401
POST /api/admin/users (an admin)                                            401   403   403   403   403   201   401
GET /api/admin/users/{userId}                                               401   403   403   403   403   200   401
PATCH /api/admin/users/{userId}                                             401   403   403   403   403   200   401
PATCH /api/admin/users/{userId} (to admin)                                  401   403   403   403   403   200   401
PATCH /api/admin/users/{userId} (suspended)                                 401   403   403   403   403   200   401
DELETE /api/admin/users/{userId}                                            401   403   403   403   403   200   401
GET /api/admin/users/{userId}/devices                                       401   403   403   403   403   200   401
DELETE /api/admin/users/{userId}/devices                                    401   403   403   403   403   200   401
DELETE /api/admin/users/{userId}/devices/{deviceId}                         401   403   403   403   403   200   401
GET /api/admin/users/{userId}/factors                                       401   403   403   403   403   200   401
DELETE /api/admin/users/{userId}/factors                                    401   403   403   403   403   200   401
GET /api/admin/users/{userId}/deletion-impact                               401   403   403   403   403   200   401
GET /api/admin/users/{userId}/identities                                    401   403   403   403   403   200   401
DELETE /api/admin/users/{userId}/identities/{identityId}                    401   403   403   403   403   200   401
GET /api/admin/users/{userId}/keys                                          401   403   403   403   403   200   401
DELETE /api/admin/users/{userId}/keys/{keyId}                               401   403   403   403   403   200   401
GET /api/admin/audit                                                        401   403   403   403   403   200   401
GET /api/admin/events                                                       401   403   403   403   403   200   401
GET /api/admin/tenant                                                       401   403   403   403   403   200   401
PATCH /api/admin/tenant                                                     401   403   403   403   403   200   401
PUT /api/admin/tenant/logo                                                  401   403   403   403   403   200   401
DELETE /api/admin/tenant/logo                                               401   403   403   403   403   200   401
GET /api/admin/access                                                       401   403   403   403   403   200   401
PUT /api/admin/access                                                       401   403   403   403   403   200   401
GET /api/admin/keys                                                         401   403   403   403   403   200   401
POST /api/admin/keys                                                        401   403   403   403   403   201   401
GET /api/admin/keys/{keyId}                                                 401   403   403   403   403   200   401
PATCH /api/admin/keys/{keyId}                                               401   403   403   403   403   200   401
DELETE /api/admin/keys/{keyId}                                              401   403   403   403   403   200   401
POST /api/admin/keys/{keyId}/rotate                                         401   403   403   403   403   200   401
GET /api/admin/webhooks                                                     401   403   403   403   403   200   401
POST /api/admin/webhooks                                                    401   403   403   403   403   201   401
GET /api/admin/webhooks/{webhookId}                                         401   403   403   403   403   200   401
PATCH /api/admin/webhooks/{webhookId}                                       401   403   403   403   403   200   401
DELETE /api/admin/webhooks/{webhookId}                                      401   403   403   403   403   200   401
POST /api/admin/webhooks/{webhookId}/rotate                                 401   403   403   403   403   200   401
POST /api/admin/webhooks/{webhookId}/test                                   401   403   403   403   403   202   401
GET /api/admin/webhooks/{webhookId}/deliveries                              401   403   403   403   403   200   401
POST /api/admin/webhooks/{webhookId}/retry                                  401   403   403   403   403   202   401
GET /api/admin/applications                                                 401   403   403   403   403   200   401
POST /api/admin/applications                                                401   403   403   403   403   201   401
GET /api/admin/applications/{appId}                                         401   403   403   403   403   200   401
PATCH /api/admin/applications/{appId}                                       401   403   403   403   403   200   401
DELETE /api/admin/applications/{appId}                                      401   403   403   403   403   200   401
POST /api/admin/applications/{appId}/rotate-secret                          401   403   403   403   403   200   401
GET /api/admin/providers                                                    401   403   403   403   403   200   401
POST /api/admin/providers                                                   401   403   403   403   403   201   401
GET /api/admin/providers/{providerId}                                       401   403   403   403   403   200   401
PATCH /api/admin/providers/{providerId}                                     401   403   403   403   403   200   401
DELETE /api/admin/providers/{providerId}                                    401   403   403   403   403   200   401
GET /api/admin/organizations                                                401   403   403   403   403   200   401
GET /api/admin/organizations/{orgId}                                        401   403   403   403   403   200   401
GET /api/admin/organizations/{orgId}/members                                401   403   403   403   403   200   401
POST /api/admin/organizations                                               401   403   403   403   403   201   401
PATCH /api/admin/organizations/{orgId}                                      401   403   403   403   403   200   401
PUT /api/admin/organizations/{orgId}/logo                                   401   403   403   403   403   200   401
DELETE /api/admin/organizations/{orgId}/logo                                401   403   403   403   403   200   401
POST /api/admin/organizations/{orgId}/members                               401   403   403   403   403   201   401
GET /api/admin/organizations/{orgId}/members/{memberId}                     401   403   403   403   403   200   401
PATCH /api/admin/organizations/{orgId}/members/{memberId}                   401   403   403   403   403   200   401
PATCH /api/admin/organizations/{orgId}/members/{memberId} (to owner)        401   403   403   403   403   200   401
PATCH /api/admin/organizations/{orgId}/members/{memberId} (an owner)        401   403   403   403   403   200   401
DELETE /api/admin/organizations/{orgId}/members/{memberId}                  401   403   403   403   403   200   401
DELETE /api/admin/organizations/{orgId}/members/{memberId} (an owner)       401   403   403   403   403   200   401
GET /api/admin/organizations/{orgId}/roles                                  401   403   403   403   403   200   401
GET /api/admin/organizations/{orgId}/invites                                401   403   403   403   403   200   401
POST /api/admin/organizations/{orgId}/invites                               401   403   403   403   403   201   401
POST /api/admin/organizations/{orgId}/invites (as an owner)                 401   403   403   403   403   201   401
POST /api/admin/organizations/{orgId}/invites/bulk                          401   403   403   403   403   200   401
GET /api/admin/organizations/{orgId}/invites/{inviteId}                     401   403   403   403   403   200   401
DELETE /api/admin/organizations/{orgId}/invites/{inviteId}                  401   403   403   403   403   200   401
POST /api/admin/organizations/{orgId}/invites/{inviteId}/resend             401   403   403   403   403   200   401
DELETE /api/admin/organizations/{orgId}                                     401   403   403   403   403   200   401
POST /api/admin/organizations/{orgId}/transfer                              401   403   403   403   403   200   401
`

export interface AccessRow {
  /** The operation, and the variant in brackets. */
  readonly name: string
  readonly operation: string
  /** The answer to each kind of caller, in the order of `columns`. */
  readonly statuses: readonly string[]
}

const [head = '', ...lines] = table.split('\n').filter((line) => line.trim() !== '')
export const columns = head.split(/\s+/).slice(1)
export const rows: readonly AccessRow[] = lines.map((line) => {
  const [, operation = '', variant = '', statuses = ''] = /^(\S+ \S+)(?: \((.+)\))?\s+((?:\d+\s*)+)$/.exec(line) ?? []
  return { name: variant ? `${operation} (${variant})` : operation, operation, statuses: statuses.trim().split(/\s+/) }
})

/** Whether the operation is about accounts: signing in, and what people do with their own. The tests of these rows take half of the time. */
export const isOfAccounts = ({ operation }: AccessRow) => / \/api\/(auth|users\/me)\b/.test(operation)
