/** The app: a table of contents. First the steps of a request in order, then one line for each feature. */
import { authenticate } from './access/authentication.ts'
import { openDoors } from './access/authorization.ts'
import { allowOrigins } from './access/cross-origin.ts'
import { auditRoutes } from './audit/logs.ts'
import { healthRoutes } from './http/health.ts'
import { readIdempotencyKeys } from './http/idempotency.ts'
import { describeApi } from './http/openapi.ts'
import { readPreconditions } from './http/preconditions.ts'
import { limitRequests } from './http/request-rates.ts'
import { collectRoutes, refuseOtherMethods } from './http/routes.ts'
import { type App, checkMediaTypes, createServer, parseBodies, type Resources } from './http/server.ts'
import { mailboxRoutes } from './mail/mailbox.ts'
import { acceptanceRoutes } from './organizations/acceptance.ts'
import { creationRoutes } from './organizations/creation.ts'
import { deletionRoutes } from './organizations/deletion.ts'
import { organizationDirectoryRoutes } from './organizations/directory.ts'
import { invitationRoutes } from './organizations/invitations.ts'
import { memberRoutes } from './organizations/members.ts'
import { organizationRoutes } from './organizations/organizations.ts'
import { ownershipRoutes } from './organizations/ownership.ts'
import { removalRoutes } from './organizations/removal.ts'
import { sendingRoutes } from './organizations/sending.ts'
import { consoleRoutes } from './pages/console.ts'
import { pageRoutes } from './pages/pages.ts'
import { emailVerificationRoutes } from './sign-in/email-verification.ts'
import { endSessionRoutes } from './sign-in/end-session.ts'
import { passwordResetRoutes } from './sign-in/password-reset.ts'
import { signInRoutes } from './sign-in/sign-in.ts'
import { signUpRoutes } from './sign-in/sign-up.ts'
import { setUpRoutes } from './tenants/set-up.ts'
import { settingsRoutes } from './tenants/settings.ts'
import { userAdministrationRoutes } from './users/administration.ts'
import { deletionImpactRoutes } from './users/deletion-impact.ts'
import { deviceRoutes, userDeviceRoutes } from './users/devices.ts'
import { directoryRoutes } from './users/directory.ts'
import { emailChangeRoutes } from './users/email-change.ts'
import { erasureRoutes } from './users/erasure.ts'
import { meRoutes } from './users/me.ts'
import { passwordRoutes } from './users/password.ts'

export interface AppOptions {
  readonly log: { readonly level: string } | false
  /** Absent: there is no mailbox. */
  readonly mailboxKey: string | undefined
  /** Where the built console is. Absent: there is none. */
  readonly consoleFolder?: string | undefined
}

/** Builds the app. It listens to nobody yet. */
export async function buildApp(resources: Resources, { log, mailboxKey, consoleFolder }: AppOptions): Promise<App> {
  const app = createServer(resources, log)
  const routes = collectRoutes(app)
  await describeApi(app)

  checkMediaTypes(app)
  await authenticate(app)
  allowOrigins(app)
  limitRequests(app)
  parseBodies(app)
  readPreconditions(app)
  readIdempotencyKeys(app)
  openDoors(app)

  await app.register(
    async (api: App) => {
      await meRoutes(api)
      await signInRoutes(api)
      await signUpRoutes(api)
      await emailVerificationRoutes(api)
      await passwordResetRoutes(api)
      await endSessionRoutes(api)
      await emailChangeRoutes(api)
      await setUpRoutes(api)
      await settingsRoutes(api)
      await passwordRoutes(api)
      await deviceRoutes(api)
      await organizationRoutes(api)
      await creationRoutes(api)
      await deletionRoutes(api)
      await memberRoutes(api)
      await removalRoutes(api)
      await ownershipRoutes(api)
      await invitationRoutes(api)
      await sendingRoutes(api)
      await acceptanceRoutes(api)
      await erasureRoutes(api)
      await deletionImpactRoutes(api)
      await auditRoutes(api)
      await directoryRoutes(api)
      await userAdministrationRoutes(api)
      await userDeviceRoutes(api)
      await organizationDirectoryRoutes(api)
      if (mailboxKey !== undefined) await mailboxRoutes(api, mailboxKey)
    },
    { prefix: '/api' },
  )
  await healthRoutes(app)
  await pageRoutes(app)
  await consoleRoutes(app, consoleFolder)

  app.decorate('routes', [...routes])
  refuseOtherMethods(app, routes)
  await app.ready()
  return app
}
