/** @guildhall/client: everything that a product needs to use Guildhall, from a server, a browser or the edge. */
export type { ModelChanges, ReplaceOptions } from './access.ts'
export type {
  AccessModel,
  Application,
  ApplicationWithSecret,
  Attempt,
  AuditEntry,
  CallerDetails,
  ChangeOptions,
  Deleted,
  Delivery,
  Device,
  Event,
  Factor,
  Grant,
  Identity,
  Invitation,
  Key,
  KeyWithSecret,
  Link,
  Maker,
  Member,
  MemberDetails,
  OnceOptions,
  Organization,
  PasskeyAssertion,
  PasskeyRegistration,
  Provider,
  RequestOptions,
  Role,
  RoleDetails,
  Tenant,
  TenantSettings,
  TokenSource,
  User,
  Versioned,
  Webhook,
  WebhookWithSecret,
} from './api.ts'
export type { ConfirmedSession, CookieSession, SignedIn, TokenSession, Visit } from './auth.ts'
export type { IncomingRequest } from './authenticate.ts'
export type { Check, CheckPermission, CheckResult } from './check.ts'
export { type Unconfirmed, withConfirmation } from './confirmation.ts'
export type { Verification } from './credentials.ts'
export type { DeviceStore } from './device.ts'
export {
  type ErrorCode,
  type Fault,
  GuildhallError,
  isGuildhallError,
  type Problem,
  SignInIncomplete,
} from './errors.ts'
export type { EventPage, Following, FollowOptions } from './events.ts'
export {
  type AnyGuildhall,
  type AuthenticateOptions,
  type Caller,
  type CookieOptions,
  createGuildhall,
  type Guildhall,
  type KeyGuildhall,
  type KeyOptions,
  type MemberCaller,
  type OrganizationSender,
  type Sender,
  type TokenOptions,
} from './guildhall.ts'
export { type InvitationPreview, type InvitationResults, invitationIdOf } from './invitations.ts'
export type { LinkPreview } from './links.ts'
export type { List, Page } from './lists.ts'
export type { DeletionImpact, EndedSessions, FactorSetup, Factors } from './me.ts'
export type { Picture } from './pictures.ts'
export type { NewToken } from './tokens.ts'
