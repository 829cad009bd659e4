/**
 * Invitations: how an organization's admins ask somebody in, by email address.
 *
 * Invariants: at most one pending invitation for an organization and address (unique partial index); an invitation never outlives
 * its inviter's right to make it; no answer holds its token.
 */
import { type Static, Type } from 'typebox'
import type { MemberCaller } from '../access/authorization.ts'
import { isAtLeast, mayInvite, Role, roles } from '../access/roles.ts'
import { recordEvent } from '../audit/audit.ts'
import { empty, type Sql, type Statement, statement } from '../database/database.ts'
import { makePage, readPage } from '../http/pagination.ts'
import { Problem } from '../http/problems.ts'
import {
  Email,
  HttpsUrl,
  Id,
  Nullable,
  newId,
  normalizeEmail,
  OneOf,
  OrganizationName,
  Page,
  paging,
  ref,
  Timestamp,
} from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { queueMail } from '../jobs/queue.ts'
import { forgetInvitationMails } from '../mail/mail.ts'
import { Person } from '../users/users.ts'
import { countInvitation } from './invitation-rates.ts'
import { checkInvitee, checkNotInvited, checkPending } from './invitees.ts'
import { OrganizationPath } from './organizations.ts'
import { recordRevoked } from './revocation.ts'

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
            ${page.after ? statement`and (i.created_at, i.id) < (${page.after[0]}, ${page.after[1]})` : empty}
          order by i.created_at desc, i.id desc
          limit ${page.take}`,
      ])
      return makePage(request, reply, caller.userId, page, rows, ({ createdAt, id }) => [createdAt, id])
    },
  )

  app.post(
    '/organizations/:orgId/invites',
    {
      config: {
        access: 'invitations:write',
        problems: [
          'role_above_yours',
          'email_domain_not_allowed',
          'already_a_member',
          'already_invited',
          'limit_reached',
          'rate_limited',
        ],
      },
      schema: {
        operationId: 'inviteMember',
        summary: 'Invite member',
        description: 'A mail with a link goes out; the link lives for seven days.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: Type.Object(
          { email: Email, role: Type.Optional(OneOf(roles, { default: 'member' })) },
          { additionalProperties: false },
        ),
        response: { 201: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const { role = 'member' } = request.body
      const email = normalizeEmail(request.body.email) as string // the format `email` let it pass
      const [inviter] = await request.readInOrganization(() => [])
      await countInvitation(request, reply, inviter, email)
      const invitation = await request.inOrganization(async (sql, caller) => {
        if (!mayInvite(caller.role, role)) throw new Problem('role_above_yours')
        await checkInvitee(sql, caller.organizationId, email)
        const id = await insertInvitation(sql, caller, email, role)
        // The organization's row is locked, so nobody else can add one at the same time.
        await checkPending(sql, caller.organizationId, app.config.maxPendingInvites)
        await queueMail(sql, { kind: 'invitation', invitationId: id, generation: 1 }, invitationJob(id))
        await recordEvent(sql, caller, 'invitation.sent', {
          organizationId: caller.organizationId,
          target: { type: 'invitation', id },
          details: { role },
        })
        return getInvitation(sql, caller.organizationId, id)
      })
      return reply
        .status(201)
        .header('location', `/api/organizations/${invitation.organization.id}/invites/${invitation.id}`)
        .send(invitation)
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
    async (request) => {
      const [, [invitation]] = await request.readInOrganization<[Invitation]>(({ tenant, organization }) => [
        statement`${selectInvitations(tenant)} and i.organization_id = ${organization} and i.id = ${request.params.inviteId}`,
      ])
      if (!invitation) throw new Problem('not_found')
      return invitation
    },
  )

  app.delete(
    '/organizations/:orgId/invites/:inviteId',
    {
      config: { access: 'invitations:write', problems: ['role_above_yours', 'invitation_not_pending'] },
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Revoke invitation',
        description: 'Its link stops working. Only a pending invitation can be revoked.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        const invitation = await getInvitation(sql, caller.organizationId, request.params.inviteId)
        if (!isAtLeast(caller.role, invitation.role)) throw new Problem('role_above_yours')
        if (invitation.status !== 'pending') throw new Problem('invitation_not_pending')
        await sql`update invitations set status = 'revoked' where tenant_id = ${sql.tenant} and id = ${invitation.id}`
        await recordRevoked(sql, caller, caller.organizationId, invitation.id)
        return { ...invitation, status: 'revoked' as const }
      }),
  )

  app.post(
    '/organizations/:orgId/invites/:inviteId/resend',
    {
      config: {
        access: 'invitations:write',
        problems: [
          'role_above_yours',
          'invitation_not_pending',
          'already_invited',
          'already_a_member',
          'email_domain_not_allowed',
          'limit_reached',
          'rate_limited',
        ],
      },
      schema: {
        operationId: 'resendInvitation',
        summary: 'Resend invitation',
        description:
          'A new link and seven more days; the links sent before stop working. The caller becomes the inviter.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const { inviteId } = request.params
      const [inviter, [invitation]] = await request.readInOrganization<[{ email: string | null }]>(
        ({ tenant, organization }) => [
          statement`
            select email from invitations
            where tenant_id = ${tenant} and organization_id = ${organization} and id = ${inviteId}`,
        ],
      )
      if (!invitation) throw new Problem('not_found')
      await countInvitation(request, reply, inviter, invitation.email ?? '')
      return request.inOrganization(async (sql, caller) => {
        const { organizationId } = caller
        const { id, email, role, status, invitedBy } = await getInvitation(sql, organizationId, inviteId)
        if (!mayInvite(caller.role, role)) throw new Problem('role_above_yours')
        if ((status !== 'pending' && status !== 'expired') || email === null)
          throw new Problem('invitation_not_pending')
        await checkInvitee(sql, organizationId, email)
        await checkNotInvited(sql, organizationId, email, id)

        const [resent] = await sql<{ generation: number }>`
          update invitations
          set status = 'pending', generation = generation + 1, token_spent_at = null, invited_by = ${caller.userId},
            expires_at = now() + interval '7 days'
          where tenant_id = ${sql.tenant} and id = ${id}
          returning generation`
        if (invitedBy?.id !== caller.userId) await forgetInvitationMails(sql, id)
        if (status === 'expired') await checkPending(sql, organizationId, app.config.maxPendingInvites)
        const generation = resent?.generation ?? 1
        await queueMail(sql, { kind: 'invitation', invitationId: id, generation }, invitationJob(id))
        await recordEvent(sql, caller, 'invitation.resent', { organizationId, target: { type: 'invitation', id } })
        return getInvitation(sql, organizationId, id)
      })
    },
  )
}

/** A pending invitation past its time counts as expired, whether or not somebody has closed it yet. */
export const effectiveStatus = statement`case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end`

/** Invitations in the shape of `Invitation`; more conditions may follow. */
export function selectInvitations(tenant: string): Statement {
  return statement`
    select i.id, i.email, i.role, ${effectiveStatus} as status, i.created_at, i.expires_at,
      json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'logoUrl', o.logo_url) as organization,
      case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as invited_by
    from invitations i
    join organizations o on o.tenant_id = ${tenant} and o.id = i.organization_id
    left join users u on u.tenant_id = ${tenant} and u.id = i.invited_by
    where i.tenant_id = ${tenant}`
}

/** The queue's key of an invitation's mail. */
export function invitationJob(id: string): string {
  return `invitation:${id}`
}

/** @throws Problem not_found */
async function getInvitation(sql: Sql, organizationId: string, id: string): Promise<Invitation> {
  const [invitation] =
    await sql<Invitation>`${selectInvitations(sql.tenant)} and i.organization_id = ${organizationId} and i.id = ${id}`
  if (!invitation) throw new Problem('not_found')
  return invitation
}

/**
 * @returns the id of the new invitation
 * @throws Problem already_invited
 */
async function insertInvitation(sql: Sql, caller: MemberCaller, email: string, role: Role): Promise<string> {
  await checkNotInvited(sql, caller.organizationId, email)
  const id = newId('inv')
  await sql`
    insert into invitations (tenant_id, id, organization_id, email, role, invited_by, expires_at)
    values (${sql.tenant}, ${id}, ${caller.organizationId}, ${email}, ${role}, ${caller.userId}, now() + interval '7 days')`
  return id
}
