/** The app: the steps of a request in their order, then the routes, one line for each room. */
import { authenticate } from './domain/access/authentication.ts'
import { openDoors } from './domain/access/authorization.ts'
import { allowOrigins } from './domain/access/cross-origin.ts'
import { applicationKind } from './domain/applications/credential.ts'
import { keyKind } from './domain/keys/credential.ts'
import { limitRequests } from './domain/limits/request-rates.ts'
import { problemOfConstraint } from './domain/problems.ts'
import { Exchange } from './domain/providers/exchange.ts'
import { type Kinds, kinds as usualKinds } from './domain/providers/kinds.ts'
import { sessionKind } from './domain/sessions/credential.ts'
import { noteActivity } from './domain/sessions/uses.ts'
import { Signer } from './domain/signing-keys/signer.ts'
import { tenantAuditRoutes } from './features/administration/audit.ts'
import { userDeviceRoutes } from './features/administration/devices.ts'
import { userFactorRoutes } from './features/administration/factors.ts'
import { userIdentityRoutes } from './features/administration/identities.ts'
import { tenantLogoRoutes } from './features/administration/logo.ts'
import { organizationChangeRoutes } from './features/administration/organization-changes.ts'
import { organizationLogoRoutes } from './features/administration/organization-logo.ts'
import { organizationDirectoryRoutes } from './features/administration/organizations.ts'
import { settingsRoutes } from './features/administration/settings.ts'
import { tenantRoutes } from './features/administration/tenant.ts'
import { userChangeRoutes } from './features/administration/user-changes.ts'
import { userCreationRoutes } from './features/administration/user-creation.ts'
import { userDeletionRoutes } from './features/administration/user-deletion.ts'
import { directoryRoutes } from './features/administration/users.ts'
import { applicationRoutes } from './features/applications/applications.ts'
import { authorizationRoutes } from './features/applications/authorization.ts'
import { authorizeRoutes } from './features/applications/authorize.ts'
import { applicationSignOutRoutes } from './features/applications/end-session.ts'
import { revocationRoutes } from './features/applications/revocation.ts'
import { applicationTokenRoutes } from './features/applications/token.ts'
import { userinfoRoutes } from './features/applications/userinfo.ts'
import { eventRoutes } from './features/events/events.ts'
import { acceptanceRoutes } from './features/invitations/acceptance.ts'
import { invitationAdministrationRoutes } from './features/invitations/administration.ts'
import { bulkInvitationRoutes } from './features/invitations/bulk.ts'
import { invitationRoutes } from './features/invitations/invitations.ts'
import { previewRoutes } from './features/invitations/preview.ts'
import { sendingRoutes } from './features/invitations/sending.ts'
import { linkJoiningRoutes } from './features/joining/link-joining.ts'
import { linkRoutes } from './features/joining/links.ts'
import { organizationKeyRoutes } from './features/keys/organization.ts'
import { ownKeyRoutes } from './features/keys/own.ts'
import { tenantKeyRoutes } from './features/keys/tenant.ts'
import { userKeyRoutes } from './features/keys/users.ts'
import { mailboxRoutes } from './features/mailbox/mailbox.ts'
import { activityRoutes } from './features/me/audit.ts'
import { avatarRoutes } from './features/me/avatar.ts'
import { accountDeletionRoutes } from './features/me/deletion.ts'
import { deletionImpactRoutes } from './features/me/deletion-impact.ts'
import { deviceRoutes } from './features/me/devices.ts'
import { factorRoutes } from './features/me/factors.ts'
import { identityRoutes } from './features/me/identities.ts'
import { passwordRoutes } from './features/me/password.ts'
import { meRoutes } from './features/me/profile.ts'
import { recoveryCodeRoutes } from './features/me/recovery-codes.ts'
import { memberAdministrationRoutes } from './features/members/administration.ts'
import { memberChangeRoutes } from './features/members/changes.ts'
import { memberCreationRoutes } from './features/members/creation.ts'
import { memberRoutes } from './features/members/members.ts'
import { ownershipRoutes } from './features/members/transfer.ts'
import { organizationAuditRoutes } from './features/organizations/audit.ts'
import { creationRoutes } from './features/organizations/creation.ts'
import { deletionRoutes } from './features/organizations/deletion.ts'
import { logoRoutes } from './features/organizations/logo.ts'
import { organizationRoutes } from './features/organizations/organizations.ts'
import { consoleRoutes } from './features/pages/console.ts'
import { describeApi } from './features/pages/openapi.ts'
import { pageRoutes } from './features/pages/pages.ts'
import { pictureRoutes } from './features/pages/pictures.ts'
import { showProblems } from './features/pages/refusal-page.ts'
import { providerCreationRoutes } from './features/providers/creation.ts'
import { providerRoutes } from './features/providers/providers.ts'
import { accessModelRoutes } from './features/roles/access-model.ts'
import { checkRoutes } from './features/roles/check.ts'
import { roleRoutes } from './features/roles/roles.ts'
import { confirmRoutes } from './features/sign-in/confirm.ts'
import { continueRoutes } from './features/sign-in/continue.ts'
import { emailChangeUndoRoutes } from './features/sign-in/email-change-undo.ts'
import { emailVerificationRoutes } from './features/sign-in/email-verification.ts'
import { endSessionRoutes } from './features/sign-in/end-session.ts'
import { mailCodeRoutes } from './features/sign-in/mail-code.ts'
import { passkeyRoutes } from './features/sign-in/passkey.ts'
import { passwordResetRoutes } from './features/sign-in/password-reset.ts'
import { providerSignInRoutes } from './features/sign-in/provider.ts'
import { signInRoutes } from './features/sign-in/sign-in.ts'
import { signOutRoutes } from './features/sign-in/sign-out.ts'
import { signUpRoutes } from './features/sign-in/sign-up.ts'
import { setUpRoutes } from './features/tenants/set-up.ts'
import { callerRoutes } from './features/tokens/caller.ts'
import { discoveryRoutes } from './features/tokens/discovery.ts'
import { tokenRoutes } from './features/tokens/tokens.ts'
import { verificationRoutes } from './features/tokens/verification.ts'
import { deliveryRoutes } from './features/webhooks/deliveries.ts'
import { organizationWebhookRoutes } from './features/webhooks/organization.ts'
import { tenantWebhookRoutes } from './features/webhooks/tenant.ts'
import { healthRoutes } from './platform/http/health.ts'
import { readIdempotencyKeys } from './platform/http/idempotency.ts'
import { readPreconditions } from './platform/http/preconditions.ts'
import { collectRoutes, refuseOtherMethods, refuseUnknown } from './platform/http/routes.ts'
import { type App, checkMediaTypes, createServer, parseBodies, type Resources } from './platform/http/server.ts'
import { Outbound } from './platform/outbound/outbound.ts'

export interface AppOptions {
  readonly log: { readonly level: string } | false
  /** The key that opens the local mailbox. Undefined: there is no mailbox. */
  readonly mailboxKey: string | undefined
  /** The folder of the built console. Undefined: no console is served. */
  readonly consoleFolder?: string | undefined
  /** Where the well-known providers are. */
  readonly kinds?: Kinds | undefined
}

/** The routes of each room of features/, a list for each. */
const rooms = [
  [
    activityRoutes,
    deletionImpactRoutes,
    deviceRoutes,
    accountDeletionRoutes,
    factorRoutes,
    identityRoutes,
    meRoutes,
    avatarRoutes,
    passwordRoutes,
    recoveryCodeRoutes,
  ],
  [
    confirmRoutes,
    continueRoutes,
    emailChangeUndoRoutes,
    emailVerificationRoutes,
    endSessionRoutes,
    mailCodeRoutes,
    passkeyRoutes,
    passwordResetRoutes,
    providerSignInRoutes,
    signInRoutes,
    signOutRoutes,
    signUpRoutes,
  ],
  [creationRoutes, deletionRoutes, organizationAuditRoutes, organizationRoutes, logoRoutes],
  [memberAdministrationRoutes, memberChangeRoutes, memberCreationRoutes, memberRoutes, ownershipRoutes],
  [accessModelRoutes, checkRoutes, roleRoutes],
  [linkJoiningRoutes, linkRoutes],
  [
    acceptanceRoutes,
    bulkInvitationRoutes,
    invitationAdministrationRoutes,
    invitationRoutes,
    previewRoutes,
    sendingRoutes,
  ],
  [
    directoryRoutes,
    organizationChangeRoutes,
    organizationDirectoryRoutes,
    settingsRoutes,
    tenantLogoRoutes,
    organizationLogoRoutes,
    tenantAuditRoutes,
    tenantRoutes,
    userChangeRoutes,
    userCreationRoutes,
    userDeletionRoutes,
    userDeviceRoutes,
    userFactorRoutes,
    userIdentityRoutes,
  ],
  [deliveryRoutes, organizationWebhookRoutes, tenantWebhookRoutes],
  [eventRoutes],
  [providerRoutes, providerCreationRoutes],
  [setUpRoutes],
  [organizationKeyRoutes, ownKeyRoutes, tenantKeyRoutes, userKeyRoutes],
  [
    applicationRoutes,
    applicationSignOutRoutes,
    applicationTokenRoutes,
    authorizationRoutes,
    authorizeRoutes,
    revocationRoutes,
    userinfoRoutes,
  ],
  [callerRoutes, discoveryRoutes, tokenRoutes, verificationRoutes],
]

/** Builds the app, ready for requests. It does not listen yet. */
export async function buildApp(
  resources: Resources,
  { log, mailboxKey, consoleFolder, kinds = usualKinds }: AppOptions,
): Promise<App> {
  const app = createServer(resources, log, problemOfConstraint)
  // Of its own, so that names which are slow to resolve hold up no sign-in at a provider.
  app.decorate('outbound', new Outbound(resources.config.outboundPrivate))
  app.decorate('exchange', new Exchange(new Outbound(resources.config.outboundPrivate).fetch, kinds))
  app.decorate('signer', new Signer(resources))
  const routes = collectRoutes(app)
  await describeApi(app)

  showProblems(app)
  checkMediaTypes(app)
  await authenticate(app, [sessionKind, keyKind, applicationKind(resources.keyring)])
  allowOrigins(app)
  limitRequests(app)
  refuseUnknown(app)
  parseBodies(app)
  readPreconditions(app)
  readIdempotencyKeys(app)
  openDoors(app)
  noteActivity(app)

  await app.register(
    async (api: App) => {
      for (const addRoutes of rooms.flat()) await addRoutes(api)
      if (mailboxKey !== undefined) await mailboxRoutes(api, mailboxKey)
    },
    { prefix: '/api' },
  )
  await healthRoutes(app)
  await pageRoutes(app)
  await pictureRoutes(app)
  await consoleRoutes(app, consoleFolder)

  app.decorate('routes', [...routes])
  refuseOtherMethods(app, routes)
  await app.ready()
  return app
}
