/**
 * Links to join: an organization's admins make them, and hand them out themselves.
 *
 * A link is a bearer secret. So it makes plain members, and gives only roles without built-in permissions. Its token is stored nowhere.
 */

import { type Static, Type } from 'typebox'
import { makerOf } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { makeJoinToken } from '../../domain/access/tokens.ts'
import { caps } from '../../domain/limits/caps.ts'
import { linkBaseOf } from '../../domain/mail/mail.ts'
import { detailsOf, End, readEnd, readGrants, WantedGrants } from '../../domain/organizations/grants.ts'
import { addLink, endLinks, isLinkLive } from '../../domain/organizations/link-states.ts'
import {
  effectiveLinkStatus,
  getLink,
  Link,
  type LinkRow,
  linkStatuses,
  selectLinks,
} from '../../domain/organizations/links.ts'
import { checkMaker, giftsOf, lockMaker, type MakerRows, mayMakeLink } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import {
  type AccessModel,
  type AccessModelRows,
  isHarmless,
  selectAccessModel,
  toAccessModel,
} from '../../domain/permissions/access-model.ts'
import { checkCover } from '../../domain/permissions/rules.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { empty, pipeline, statement } from '../../platform/database/database.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import { byCreation, makePage, readPage } from '../../platform/http/pagination.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Domain, Id, newId, normalizeDomain, OneOf, Page, paging, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const path = Type.Object({ orgId: OrganizationPath, linkId: Id('lnk') })
const body = Type.Object(
  {
    grants: Type.Optional(WantedGrants),
    maxUses: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 25, format: 'int32' })),
    emailDomains: Type.Optional(
      Type.Array(Domain, { maxItems: 10, description: 'Only verified addresses of these domains may join.' }),
    ),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, default: 7, format: 'int32' })),
    memberExpiresAt: Type.Optional(End),
  },
  { additionalProperties: false },
)

export async function linkRoutes(app: App): Promise<void> {
  app.addSchema(Link)

  /** The link as the caller sees it. @param mayShare whether they may have its URL, by which they could get what it gives */
  const shown = (tenant: string, mayShare: boolean, { slug, baseUrl, offered: _, ...link }: LinkRow) => ({
    ...link,
    url:
      mayShare && link.status === 'live'
        ? `${linkBaseOf(app.config, { slug, baseUrl })}/join#token=${makeJoinToken(app.keyring, tenant, link.id)}`
        : null,
  })

  app.get(
    '/organizations/:orgId/links',
    {
      config: { access: 'invitations:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listLinks',
        summary: 'List links to join',
        description: 'Newest first, ended ones too. They are kept for 90 days after their end.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: Type.Object(
          { ...paging, status: Type.Optional(OneOf(linkStatuses, { description: 'Links with this status.' })) },
          { additionalProperties: false },
        ),
        response: { 200: Page(Link) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { status } = request.query
      const { caller, links, ...rows } = await request.readInOrganization<Read>(({ tenant, organization }) => ({
        ...selectAccessModel(tenant),
        links: statement`
          ${selectLinks(tenant, organization)}
            ${status ? statement`and ${effectiveLinkStatus} = ${status}` : empty}
            ${page.after ? statement`and (l.created_at, l.id) < (${page.after[0]}, ${page.after[1]})` : empty}
          order by l.created_at desc, l.id desc
          limit ${page.take}`,
      }))
      const model = toAccessModel(rows)
      return makePage(request, reply, page, {
        owner: caller.id,
        rows: links.map((row) => shown(caller.tenantId, mayMakeLink(caller, row, model), row)),
        position: byCreation,
      })
    },
  )

  app.get(
    '/organizations/:orgId/links/:linkId',
    {
      config: { access: 'invitations:read' },
      schema: {
        operationId: 'getLink',
        summary: 'Get link to join',
        description: 'A link in any state.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Link) },
      },
    },
    async (request) => {
      const { caller, links, ...rows } = await request.readInOrganization<Read>(
        ({ tenant, organization }) => ({
          ...selectAccessModel(tenant),
          links: statement`${selectLinks(tenant, organization)} and l.id = ${request.params.linkId}`,
        }),
        { byKey: true },
      )
      const link = found(links[0])
      return shown(caller.tenantId, mayMakeLink(caller, link, toAccessModel(rows)), link)
    },
  )

  app.post(
    '/organizations/:orgId/links',
    {
      config: {
        access: 'invitations:write',
        problems: ['not_offered', 'role_above_yours', 'limit_reached'],
        takesIdempotencyKey: true,
      },
      schema: {
        operationId: 'createLink',
        summary: 'Create link to join',
        description:
          'Anybody with the link and a verified address can join as a member, `maxUses` times. It lets nobody sign up, and it ends when its maker loses the right to invite.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath }),
        body,
        response: { 201: ref(Link) },
      },
    },
    async (request, reply) => {
      const { maxUses = 25, expiresInDays: days = 7 } = request.body
      const emailDomains = [...new Set((request.body.emailDomains ?? []).map((each) => normalizeDomain(each) ?? each))]
      const { link, organizationId, tenant } = await request.inOrganization(
        selectBefore,
        async (sql, caller, read: Before) => {
          const { organizationId } = caller
          if (!read.tenants[0]?.shareLinks) throw new ApiProblem('not_offered')
          const model = toAccessModel(read)
          const { grants = [], memberExpiresAt = null } = request.body
          const faults = faultsOfHarm(grants, model)
          const offer = {
            role: 'member' as const,
            grants: readGrants('/grants', grants, model, faults),
            memberExpiresAt: readEnd('/memberExpiresAt', memberExpiresAt, model.now, faults),
          }
          if (faults.length > 0) throw invalidRequest(faults)
          checkCover(caller, giftsOf(offer, model), model.minimumRoles)
          checkMaker(caller, read)
          if ((read.counts[0]?.count ?? 0) >= caps.links.most) throw new ApiProblem('limit_reached')
          const id = newId('lnk')
          const [, [row]] = await sql.commit([
            addLink(sql, { ...offer, id, organizationId, emailDomains, maxUses, days, maker: makerOf(caller) }),
            sql<LinkRow>`${selectLinks(sql.tenant, organizationId)} and l.id = ${id}`,
            record(sql, caller, 'link.created', {
              organizationId,
              target: { type: 'link', id },
              details: { maxUses, emailDomains, ...detailsOf(offer.grants, offer.memberExpiresAt, model.roles) },
            }),
          ])
          return { link: found(row), organizationId, tenant: caller.tenantId }
        },
      )
      // The URL is made here: it must not be stored with an answer that is kept for its idempotency key.
      reply.status(201).header('location', `/api/organizations/${organizationId}/links/${link.id}`)
      return shown(tenant, true, link)
    },
  )

  app.delete(
    '/organizations/:orgId/links/:linkId',
    {
      config: { access: 'invitations:write', problems: ['link_ended'] },
      schema: {
        operationId: 'endLink',
        summary: 'End link to join',
        description: 'It stops working. Those who have joined by it stay.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Link) },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        const { organizationId } = caller
        const before = await getLink(sql, organizationId, request.params.linkId)
        if (before.status === 'ended') throw new ApiProblem('link_ended')
        const [, ended] = await pipeline([
          endLinks(sql, caller, organizationId, [before.id], { reason: 'revoked' }),
          getLink(sql, organizationId, before.id),
        ])
        return shown(caller.tenantId, true, ended)
      }),
  )
}

/** What is read of a link or a list of them: also what says who could make it. */
type Read = { readonly links: LinkRow } & { [Name in keyof AccessModelRows]: AccessModelRows[Name][number] }

/** What a new link is judged by, which is read with the door. */
function selectBefore(names: Names) {
  const { tenant, organization } = names
  return {
    ...lockMaker(names),
    tenants: statement`select share_links from tenants where id = ${tenant}`,
    counts: statement`
      select count(*) from links l
      where l.tenant_id = ${tenant} and l.organization_id = ${organization} and ${isLinkLive}`,
    ...selectAccessModel(tenant),
  }
}

type Before = AccessModelRows & MakerRows & { tenants: { shareLinks: boolean }[]; counts: { count: number }[] }

/** A fault for each role that contains a built-in permission. */
function faultsOfHarm(grants: Static<typeof WantedGrants>, { roles }: AccessModel): Fault[] {
  const harmful = roles.filter((role) => !isHarmless(role)).map(({ key }) => key)
  return grants.flatMap(({ role }, index) =>
    harmful.includes(role)
      ? [faultOf(`/grants/${index}/role`, 'not_allowed', 'A link gives no role with built-in permissions.')]
      : [],
  )
}
