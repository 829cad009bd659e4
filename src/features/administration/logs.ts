/** Logs: what the audit log shows, to the person it speaks of, to an organization's admins and to the tenant's. */
import { Type } from 'typebox'
import {
  AuditEntry,
  asList,
  chooseEntries,
  chooseEntriesOf,
  type EntryRow,
  filters,
  positionOf,
  readFilter,
  showEntries,
  toEntry,
} from '../../domain/record/entries.ts'
import { empty, statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { Id, Page } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { OrganizationPath } from '../organizations/organizations.ts'

export async function auditRoutes(app: App): Promise<void> {
  app.addSchema(AuditEntry)

  app.get(
    '/users/me/audit',
    {
      config: { access: 'user', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listMyAudit',
        summary: 'Get audit log',
        description: 'What the caller did and what was done to them, newest first.',
        tags: ['Audit log'],
        querystring: Type.Object(
          {
            ...filters,
            organizationId: Type.Optional({ ...Id('org'), description: 'Entries of the organization with this id.' }),
          },
          asList,
        ),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const filter = readFilter(request.query)
      const [caller, rows] = await request.readAsUser<[EntryRow]>(({ tenant, user }) => [
        showEntries(
          tenant,
          chooseEntriesOf(tenant, user, filter, page),
          statement`e.action = 'session.refused' or a.user_id = chosen.user_id`,
          statement`and exists (
            select from memberships m
            where m.tenant_id = ${tenant} and m.user_id = chosen.user_id and m.organization_id = e.organization_id)`,
        ),
      ])
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, rows, positionOf)
      return { data: data.map(toEntry), nextCursor }
    },
  )

  app.get(
    '/organizations/:orgId/audit',
    {
      config: { access: 'audit:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listOrganizationAudit',
        summary: 'Organization audit',
        description: 'What happened in the organization, newest first.',
        tags: ['Audit log'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: Type.Object(filters, asList),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const filter = readFilter(request.query)
      const [caller, rows] = await request.readInOrganization<[EntryRow]>(({ tenant, organization }) => {
        const ofOrganization = statement`and e.organization_id = ${organization}`
        return [showEntries(tenant, chooseEntries(tenant, ofOrganization, filter, page), statement`false`)]
      })
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, rows, positionOf)
      return { data: data.map(toEntry), nextCursor }
    },
  )

  app.get(
    '/admin/audit',
    {
      config: { access: 'tenant_admin', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listTenantAudit',
        summary: 'Tenant audit',
        description: 'Every entry of the tenant, newest first, with where it came from.',
        tags: ['Administration'],
        querystring: Type.Object(
          {
            ...filters,
            organizationId: Type.Optional({ ...Id('org'), description: 'Entries of the organization with this id.' }),
            userId: Type.Optional({ ...Id('user'), description: 'Entries whose actor or target has this id.' }),
          },
          asList,
        ),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { userId } = request.query
      const filter = readFilter(request.query)
      const [caller, rows] = await request.readAsTenantAdmin<[EntryRow]>(({ tenant }) => {
        const chosen = userId
          ? chooseEntriesOf(tenant, userId, filter, page)
          : chooseEntries(tenant, empty, filter, page)
        return [showEntries(tenant, chosen, statement`true`)]
      })
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, rows, positionOf)
      return { data: data.map(toEntry), nextCursor }
    },
  )
}
