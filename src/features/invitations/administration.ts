/** Invitations to any organization of the tenant: an admin of the tenant sends and revokes them, as the organization’s owner could. */
import { Type } from 'typebox'
import { inAnyOrganization, readInAnyOrganization } from '../../domain/organizations/administration.ts'
import { Invitation } from '../../domain/organizations/invitations.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { found } from '../../domain/problems.ts'
import { byCreation, makePage, readPage } from '../../platform/http/pagination.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Id, Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { InvitationResults, inviteMany, WantedInvitations } from './bulk.ts'
import { invitationRates } from './invitation-rates.ts'
import { type BeforeRevoking, revoke, selectBeforeRevoking, selectInvitation } from './invitations.ts'
import { type Judging, WantedInvitation } from './inviting.ts'
import { InvitationQuery, readInvitations } from './list.ts'
import {
  type BeforeResending,
  invite,
  invitingProblems,
  resend,
  selectBeforeInvitation,
  selectBeforeResending,
  WantedResending,
} from './sending.ts'

const path = Type.Object({ orgId: OrganizationPath, inviteId: Id('inv') })

export async function invitationAdministrationRoutes(app: App): Promise<void> {
  app.get(
    '/admin/organizations/:orgId/invites',
    {
      config: { access: 'tenant_admin', scope: 'invitations:read', problems: ['not_found', 'invalid_cursor'] },
      schema: {
        operationId: 'listTenantOrganizationInvitations',
        summary: 'Invitations of an organization of the tenant',
        description: 'Newest first.',
        tags: ['Administration'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: InvitationQuery,
        response: { 200: Page(Invitation) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, invitations } = await readInvitations(request.query, page, (reading) =>
        readInAnyOrganization(request, reading),
      )
      return makePage(request, reply, page, { owner: caller.id, rows: invitations, position: byCreation })
    },
  )

  app.get(
    '/admin/organizations/:orgId/invites/:inviteId',
    {
      config: { access: 'tenant_admin', scope: 'invitations:read', problems: ['not_found'] },
      schema: {
        operationId: 'getTenantOrganizationInvitation',
        summary: 'One invitation of an organization of the tenant',
        description: 'An invitation in any state. Only the mail contains its link.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const { invitations } = await readInAnyOrganization<{ invitations: Invitation & Versioned }>(
        request,
        (names) => ({ invitations: selectInvitation(names, request.params) }),
        { byKey: true },
      )
      return withTag(reply, found(invitations[0]))
    },
  )

  app.post(
    '/admin/organizations/:orgId/invites',
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        scope: 'invitations:write',
        problems: ['not_found', ...invitingProblems],
        takesIdempotencyKey: true,
        rates: invitationRates,
      },
      schema: {
        operationId: 'inviteTenantOrganizationMember',
        summary: 'Invite a member to an organization of the tenant',
        description: 'As an owner of the organization could. The mail says that an admin of the tenant invites.',
        tags: ['Administration'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: WantedInvitation,
        response: { 201: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const invitation = await inAnyOrganization(
        request,
        selectBeforeInvitation(request.body),
        (sql, caller, read: Judging) => invite(sql, request.context, caller, read, request.body),
      )
      const { id, organization } = invitation
      reply.status(201).header('location', `/api/admin/organizations/${organization.id}/invites/${id}`)
      return withTag(reply, invitation)
    },
  )

  app.post(
    '/admin/organizations/:orgId/invites/bulk',
    {
      bodyLimit: 512 * 1024,
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        scope: 'invitations:write',
        problems: ['not_found'],
        takesIdempotencyKey: true,
        rates: invitationRates,
      },
      schema: {
        operationId: 'inviteTenantOrganizationMembers',
        summary: 'Invite many members to an organization of the tenant',
        description:
          'Sends up to 100 invitations. Each row has its own `outcome`: `sent`, or the code that a single invitation would be refused with.',
        tags: ['Administration'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: WantedInvitations,
        response: { 200: InvitationResults },
      },
    },
    async (request) =>
      inviteMany(request.body, request.context, (reading, work) => inAnyOrganization(request, reading, work)),
  )

  app.post(
    '/admin/organizations/:orgId/invites/:inviteId/resend',
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        scope: 'invitations:write',
        problems: ['not_found', ...invitingProblems, 'invitation_not_pending'],
        takesIdempotencyKey: true,
        rates: invitationRates,
      },
      schema: {
        operationId: 'resendTenantOrganizationInvitation',
        summary: 'Resend an invitation of an organization of the tenant',
        description:
          'Sends a new link that lives `expiresInDays`. Links sent earlier stop working. The caller becomes the inviter.',
        tags: ['Administration'],
        params: path,
        body: WantedResending,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const invitation = await inAnyOrganization(
        request,
        selectBeforeResending(request.params),
        (sql, caller, before: BeforeResending) => resend(sql, request.context, caller, before, request.body),
      )
      return withTag(reply, invitation)
    },
  )

  app.delete(
    '/admin/organizations/:orgId/invites/:inviteId',
    {
      config: {
        access: 'tenant_admin',
        scope: 'invitations:write',
        problems: ['not_found', 'invitation_not_pending'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'revokeTenantOrganizationInvitation',
        summary: 'Revoke an invitation of an organization of the tenant',
        description: 'Its link stops working. Only a pending invitation can be revoked.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const revoked = await inAnyOrganization(
        request,
        selectBeforeRevoking(request.params),
        (sql, caller, before: BeforeRevoking) => revoke(sql, request.context, caller, before),
      )
      return withTag(reply, revoked)
    },
  )
}
