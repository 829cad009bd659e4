/**
 * Invitations: how an organization's admins ask somebody in, by email address.
 *
 * Invariants: at most one pending invitation for an organization and address (unique partial index); an invitation never outlives
 * its inviter's right to make it; no answer holds its token.
 */
import { Type } from 'typebox'
import type { ActingCaller } from '../../domain/access/actors.ts'
import { type Names, withinLimit } from '../../domain/access/authorization.ts'
import { closeInvitation, recordRevoked } from '../../domain/organizations/invitation-states.ts'
import { awaits, Invitation, lockInvitation, Maker, selectInvitations } from '../../domain/organizations/invitations.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { empty, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { byCreation, makePage, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { checkVersion, type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Id, Page, paging, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { InvitationQuery, readInvitations } from './list.ts'

const path = Type.Object({ orgId: OrganizationPath, inviteId: Id('inv') })

export async function invitationRoutes(app: App): Promise<void> {
  app.addSchema(Maker)
  app.addSchema(Invitation)

  app.get(
    '/organizations/:orgId/invites',
    {
      config: { access: 'invitations:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listInvitations',
        summary: 'List invitations',
        description: 'Newest first.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: InvitationQuery,
        response: { 200: Page(Invitation) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, invitations } = await readInvitations(request.query, page, (reading) =>
        request.readInOrganization(reading),
      )
      return makePage(request, reply, page, { owner: caller.id, rows: invitations, position: byCreation })
    },
  )

  app.get(
    '/organizations/:orgId/invites/:inviteId',
    {
      config: { access: 'invitations:read' },
      schema: {
        operationId: 'getInvitation',
        summary: 'Get invitation',
        description: 'An invitation in any state. Only the mail contains its link.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const { invitations } = await request.readInOrganization<{ invitations: Invitation & Versioned }>(
        (names) => ({ invitations: selectInvitation(names, request.params) }),
        { byKey: true },
      )
      return withTag(reply, found(invitations[0]))
    },
  )

  app.delete(
    '/organizations/:orgId/invites/:inviteId',
    {
      config: {
        access: 'invitations:write',
        problems: ['invitation_not_pending'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Revoke invitation',
        description: 'Its link stops working. Only a pending invitation can be revoked.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const revoked = await request.inOrganization(
        selectBeforeRevoking(request.params),
        (sql, caller, before: BeforeRevoking) => revoke(sql, request.context, caller, before),
      )
      return withTag(reply, revoked)
    },
  )

  app.get(
    '/users/me/invites',
    {
      config: { access: 'user', scope: 'me:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listMyInvitations',
        summary: 'My invitations',
        description:
          'Pending invitations to the caller’s verified email address, newest first. Empty while the address is unverified.',
        tags: ['Invitations'],
        querystring: Type.Object(paging, { additionalProperties: false }),
        response: { 200: Page(Invitation) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, invitations } = await request.readAsUser<{ invitations: Invitation }>((names) => ({
        invitations: statement`
          ${selectInvitations(names.tenant)} and ${awaits(names.tenant, names.user)}
            ${withinLimit(names, statement`i.organization_id`)}
            ${isBefore(page)}
          order by i.created_at desc, i.id desc
          limit ${page.take}`,
      }))
      return makePage(request, reply, page, { owner: caller.id, rows: invitations, position: byCreation })
    },
  )
}

interface InvitationInPath {
  readonly inviteId: string
}

/** One invitation of an organization. */
export function selectInvitation({ tenant, organization }: Names, { inviteId }: InvitationInPath): Statement {
  return statement`${selectInvitations(tenant)} and i.organization_id = ${organization} and i.id = ${inviteId}`
}

/** Selects what revoking must know, after the organization was locked. */
export function selectBeforeRevoking({ inviteId }: InvitationInPath) {
  return ({ tenant, organization }: Names) => lockInvitation(tenant, organization, inviteId)
}

/** As `selectBeforeRevoking` selects it. */
export type BeforeRevoking = { invitations: (Invitation & Versioned)[] }

/** Revokes an invitation, and commits. @throws Problem not_found, version_mismatch, invitation_not_pending */
export async function revoke(
  sql: Sql,
  context: RequestContext,
  caller: ActingCaller,
  { invitations }: BeforeRevoking,
): Promise<Invitation & Versioned> {
  const invitation = found(invitations[0])
  checkVersion(context, invitation)
  if (invitation.status !== 'pending') throw new ApiProblem('invitation_not_pending')
  const [, [now]] = await sql.commit([
    closeInvitation(sql, invitation.id, 'revoked'),
    sql<Invitation & Versioned>`${selectInvitations(sql.tenant)} and i.id = ${invitation.id}`,
    recordRevoked(sql, caller, caller.organizationId, invitation.id),
  ])
  return found(now)
}

/** Newest first, what comes after the page before. */
function isBefore({ after }: PageRequest): Statement {
  return after ? statement`and (i.created_at, i.id) < (${after[0]}, ${after[1]})` : empty
}
