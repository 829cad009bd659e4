/**
 * Invitations: how an organization's admins ask somebody in, by email address.
 *
 * Invariants: at most one pending invitation for an organization and address (unique partial index); an invitation never outlives
 * its inviter's right to make it; no answer holds its token.
 */
import { type Static, Type } from 'typebox'
import { recordRevoked } from '../../domain/organizations/revocation.ts'
import { Person } from '../../domain/people/users.ts'
import { isAtLeast, Role } from '../../domain/permissions/roles.ts'
import { empty, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { makePage, type PageRequest, type Position, readPage } from '../../platform/http/pagination.ts'
import { checkVersion, type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Problem } from '../../platform/http/problems.ts'
import {
  HttpsUrl,
  Id,
  Nullable,
  OneOf,
  OrganizationName,
  Page,
  paging,
  ref,
  Timestamp,
} from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { OrganizationPath } from '../organizations/organizations.ts'

const invitationStatuses = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const

export type Invitation = Static<typeof Invitation>
export const Invitation = Type.Object(
  {
    id: Id('inv'),
    organization: Type.Object({
      id: Id('org'),
      name: OrganizationName,
      slug: Type.String({ maxLength: 48, examples: ['acme'] }),
      logoUrl: Nullable(HttpsUrl),
    }),
    email: Nullable(
      Type.String({
        maxLength: 254,
        description: 'Null once its owner has deleted their account.',
        examples: ['bob@example.com'],
      }),
    ),
    role: Role,
    status: OneOf(invitationStatuses),
    invitedBy: Nullable(ref(Person)),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'Invitation', description: 'An invitation to an organization. Its link is in the mail alone.' },
)

const path = Type.Object({ orgId: OrganizationPath, inviteId: Id('inv') })

export async function invitationRoutes(app: App): Promise<void> {
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
        querystring: Type.Object(
          {
            ...paging,
            status: Type.Optional(OneOf(invitationStatuses, { description: 'Invitations in this state.' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: Page(Invitation) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { status } = request.query
      const [caller, rows] = await request.readInOrganization<[Invitation]>(({ tenant, organization }) => [
        statement`
          ${selectInvitations(tenant)} and i.organization_id = ${organization}
            ${status ? statement`and ${effectiveStatus} = ${status}` : empty}
            ${isBefore(page)}
          order by i.created_at desc, i.id desc
          limit ${page.take}`,
      ])
      return makePage(request, reply, caller.userId, page, rows, positionOf)
    },
  )

  app.get(
    '/organizations/:orgId/invites/:inviteId',
    {
      config: { access: 'invitations:read' },
      schema: {
        operationId: 'getInvitation',
        summary: 'Get invitation',
        description: 'In any state. Its link is in the mail alone.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const [, [invitation]] = await request.readInOrganization<[Invitation & Versioned]>(
        ({ tenant, organization }) => [
          statement`${selectInvitations(tenant)} and i.organization_id = ${organization} and i.id = ${request.params.inviteId}`,
        ],
      )
      if (!invitation) throw new Problem('not_found')
      return withTag(reply, invitation)
    },
  )

  app.delete(
    '/organizations/:orgId/invites/:inviteId',
    {
      config: {
        access: 'invitations:write',
        problems: ['role_above_yours', 'invitation_not_pending'],
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
      const revoked = await request.inOrganization(async (sql, caller) => {
        const invitation = await lockInvitation(sql, caller.organizationId, request.params.inviteId)
        if (!isAtLeast(caller.role, invitation.role)) throw new Problem('role_above_yours')
        checkVersion(request, invitation)
        if (invitation.status !== 'pending') throw new Problem('invitation_not_pending')
        const [, now] = await Promise.all([
          sql`update invitations set status = 'revoked' where tenant_id = ${sql.tenant} and id = ${invitation.id}`,
          getInvitation(sql, caller.organizationId, invitation.id),
          recordRevoked(sql, caller, caller.organizationId, invitation.id),
        ])
        return now
      })
      return withTag(reply, revoked)
    },
  )

  app.get(
    '/users/me/invites',
    {
      config: { access: 'user', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listMyInvitations',
        summary: 'My invitations',
        description: 'What is pending for the caller’s email address, newest first; nothing until it is verified.',
        tags: ['Invitations'],
        querystring: Type.Object(paging, { additionalProperties: false }),
        response: { 200: Page(Invitation) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const [caller, rows] = await request.readAsUser<[Invitation]>(({ tenant, user }) => [
        statement`
          ${selectInvitations(tenant)} and ${awaits(tenant, user)}
            ${isBefore(page)}
          order by i.created_at desc, i.id desc
          limit ${page.take}`,
      ])
      return makePage(request, reply, caller.userId, page, rows, positionOf)
    },
  )
}

/** A pending invitation past its time counts as expired, whether or not somebody has closed it yet. */
export const effectiveStatus = statement`case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end`

/** Which of `invitations i` wait for a user's answer: none while their address is not verified. */
export function awaits(tenant: string, user: Statement): Statement {
  return statement`
    i.email = (select email from users where tenant_id = ${tenant} and id = ${user} and email_verified)
    and i.status = 'pending' and i.expires_at > now()`
}

/** Invitations in the shape of `Invitation`; more conditions may follow. */
export function selectInvitations(tenant: string): Statement {
  return statement`
    select i.id, i.email, i.role, ${effectiveStatus} as status, i.created_at, i.expires_at,
      i.generation || '.' || ${effectiveStatus} as version,
      json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'logoUrl', o.logo_url) as organization,
      case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as invited_by
    from invitations i
    join organizations o on o.tenant_id = ${tenant} and o.id = i.organization_id
    left join users u on u.tenant_id = ${tenant} and u.id = i.invited_by
    where i.tenant_id = ${tenant}`
}

function positionOf({ createdAt, id }: Invitation): Position {
  return [createdAt, id]
}

/** Newest first, what comes after the page before. */
function isBefore({ after }: PageRequest): Statement {
  return after ? statement`and (i.created_at, i.id) < (${after[0]}, ${after[1]})` : empty
}

/** @throws Problem not_found */
export async function getInvitation(sql: Sql, organizationId: string, id: string): Promise<Invitation & Versioned> {
  const [invitation] = await sql<
    Invitation & Versioned
  >`${selectInvitations(sql.tenant)} and i.organization_id = ${organizationId} and i.id = ${id}`
  if (!invitation) throw new Problem('not_found')
  return invitation
}

/**
 * Locks an invitation, then reads it: while its organization is locked, deleting the account that it went to may still revoke it.
 *
 * @throws Problem not_found
 */
export async function lockInvitation(sql: Sql, organizationId: string, id: string): Promise<Invitation & Versioned> {
  const [, invitation] = await Promise.all([
    sql`
      select from invitations
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and id = ${id}
      for no key update`,
    getInvitation(sql, organizationId, id),
  ])
  return invitation
}
