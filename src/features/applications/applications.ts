/**
 * Applications of the tenant, for its admins.
 *
 * Invariant: the kind never changes, because the secret and the rules about addresses follow it. A secret is shown once.
 */
import { Type } from 'typebox'
import type { Transact } from '../../domain/access/tenant-lock.ts'
import { makeApplication, rotateSecret, updateApplication } from '../../domain/applications/administration.ts'
import {
  Application,
  ApplicationName,
  type ApplicationRow,
  ApplicationWithSecret,
  applicationKinds,
  applicationScopes,
  selectApplications,
  toApplication,
  Uri,
} from '../../domain/applications/applications.ts'
import { deleteApplication } from '../../domain/applications/deletion.ts'
import { Deleted } from '../../domain/deleted.ts'
import { caps } from '../../domain/limits/caps.ts'
import { found } from '../../domain/problems.ts'
import { SecretRotation, usualOverlap } from '../../domain/secrets.ts'
import { makeFirstKey, selectCurrentKey } from '../../domain/signing-keys/signing-keys.ts'
import { empty, statement } from '../../platform/database/database.ts'
import { byCreation, makePage, readPage } from '../../platform/http/pagination.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { HttpsUrl, Id, Nullable, OneOf, Page, paging, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const Address = { ...Uri, format: 'redirect-uri' }
const usual = 'https, or http on loopback for development'

const kind = OneOf(applicationKinds, { description: 'Where it runs. It never changes.' })
const editable = {
  name: ApplicationName,
  logoUrl: Nullable({ ...HttpsUrl, description: 'Its mark on the sign-in pages.' }),
  startUrl: Nullable({ ...Address, description: 'Where it begins a sign-in by itself.' }),
  redirectUris: Type.Array(Address, {
    minItems: 1,
    maxItems: 20,
    description: `Where its people may be sent with a code: ${usual}, of a \`native\` application also a scheme with a dot. They are compared as texts.`,
  }),
  postLogoutUris: Type.Array(Address, {
    maxItems: 20,
    description: 'Where its people may be sent after a sign-out, by the same rules.',
  }),
  backChannelLogoutUri: Nullable({
    ...Address,
    description: `Where it is told that a session has ended: ${usual}.`,
  }),
  scopes: Type.Array(OneOf(applicationScopes), {
    minItems: 1,
    maxItems: 5,
    description: 'What it may ask for: `openid`, and others. By default `openid`, `profile` and `email`.',
  }),
  requireVerifiedEmail: Type.Boolean({
    description: 'Whether only people with a verified address get in. By default true.',
  }),
  chooseOrganization: Type.Boolean({ description: 'Whether its people choose an organization. By default false.' }),
  isHome: Type.Boolean({
    description: 'Whether pages that are opened from mails lead on to it. True takes it from the other application.',
  }),
  enabled: Type.Boolean({ description: 'While it is not, nobody signs in to it, and its grants are refused.' }),
}
const { name, redirectUris, ...others } = editable

/** The body that makes an application. */
export const NewApplication = Type.Object(
  { name, kind, redirectUris, ...Type.Partial(Type.Object(others)).properties },
  { additionalProperties: false },
)

/** The body that changes one. */
export const ApplicationChange = Type.Partial(Type.Object({ kind, ...editable }), { additionalProperties: false })

const path = Type.Object({ appId: Id('app') })
const list = '/admin/applications'

export async function applicationRoutes(app: App): Promise<void> {
  app.addSchema(Application)
  app.addSchema(ApplicationWithSecret)

  app.get(
    list,
    {
      config: { access: 'tenant_admin', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listApplications',
        summary: 'List applications',
        description: 'Oldest first.',
        tags: ['Administration'],
        querystring: Type.Object({ ...paging }, { additionalProperties: false }),
        response: { 200: Page(Application) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { take, after } = page
      const { caller, applications } = await request.readAsTenantAdmin<{ applications: ApplicationRow }>(
        ({ tenant }) => ({
          applications: statement`
            ${selectApplications(tenant)}
              ${after ? statement`and (a.created_at, a.id) > (${after[0]}, ${after[1]})` : empty}
            order by a.created_at, a.id
            limit ${take}`,
        }),
      )
      return makePage(request, reply, page, {
        owner: caller.id,
        rows: applications.map(toApplication),
        position: byCreation,
      })
    },
  )

  app.post(
    list,
    {
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['limit_reached'] },
      schema: {
        operationId: 'createApplication',
        summary: 'Create application',
        description: `People of the tenant can then sign in to it, by OpenID Connect. The secret of a \`server\` is shown once. The tenant’s admins get a mail. A tenant has at most ${caps.applications.most} applications.`,
        tags: ['Administration'],
        body: NewApplication,
        response: { 201: ref(ApplicationWithSecret) },
      },
    },
    async (request, reply) => {
      const { caller, keys } = await request.readAsTenantAdmin(({ tenant }) => ({ keys: selectCurrentKey(tenant) }))
      if (keys.length === 0) await makeFirstKey(app, caller.tenantId)
      const made = await request.asTenantAdmin((sql, caller) =>
        makeApplication(sql, request.context, caller, request.body),
      )
      reply.status(201).header('location', `/api${list}/${made.application.id}`)
      withTag(reply, made.application)
      return made
    },
  )

  app.get(
    `${list}/:appId`,
    {
      config: { access: 'tenant_admin', problems: ['not_found'] },
      schema: {
        operationId: 'getApplication',
        summary: 'Get application',
        description: '`lastLogout` tells how telling it of the end of a session went.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Application) },
      },
    },
    async (request, reply) => {
      const { appId } = request.params
      const { applications } = await request.readAsTenantAdmin<{ applications: ApplicationRow }>(
        ({ tenant }) => ({ applications: statement`${selectApplications(tenant)} and a.id = ${appId}` }),
        { byKey: true },
      )
      return withTag(reply, toApplication(found(applications[0])))
    },
  )

  app.patch(
    `${list}/:appId`,
    {
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['not_found'], takesIfMatch: true },
      schema: {
        operationId: 'updateApplication',
        summary: 'Update application',
        description:
          'Omitted fields keep their value. The kind never changes. If addresses change, the tenant’s admins get a mail.',
        tags: ['Administration'],
        params: path,
        body: ApplicationChange,
        response: { 200: ref(Application) },
      },
    },
    async (request, reply) => {
      const { appId } = request.params
      const application = await request.asTenantAdmin((sql, caller) =>
        updateApplication(sql, request.context, caller, appId, request.body),
      )
      return withTag(reply, application)
    },
  )

  app.delete(
    `${list}/:appId`,
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        problems: ['not_found', 'confirmation_mismatch'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'deleteApplication',
        summary: 'Delete application',
        description:
          'Permanent: its tokens are refused from then on. Sessions of Guildhall go on. An application with very many grants is disabled first; if the request fails, send it again.',
        tags: ['Administration'],
        params: path,
        body: Type.Object(
          {
            confirm: Type.String({
              minLength: 1,
              maxLength: 100,
              description: 'The name of the application.',
              examples: ['Acme'],
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(Deleted) },
      },
    },
    async (request) => {
      const { context, params, body } = request
      const transact: Transact = (work) => request.asTenantAdmin(work)
      const { deletedAt } = await deleteApplication(transact, context, params.appId, body.confirm)
      return { deleted: true, deletedAt }
    },
  )

  app.post(
    `${list}/:appId/rotate-secret`,
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        problems: ['not_found', 'no_secret'],
      },
      schema: {
        operationId: 'rotateApplicationSecret',
        summary: 'Rotate the secret of an application',
        description:
          'Makes another secret, which is shown once. The one before works for `overlapSeconds` more, and an older one ends at once. The tenant’s admins get a mail.',
        tags: ['Administration'],
        params: path,
        body: SecretRotation,
        response: { 200: ref(ApplicationWithSecret) },
      },
    },
    async (request, reply) => {
      const { overlapSeconds = usualOverlap } = request.body
      const made = await request.asTenantAdmin((sql, caller) =>
        rotateSecret(sql, request.context, caller, request.params.appId, overlapSeconds),
      )
      withTag(reply, made.application)
      return made
    },
  )
}
