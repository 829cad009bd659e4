/** The audit log of an organization, for its admins. */
import { Type } from 'typebox'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import {
  AuditEntry,
  asList,
  chooseEntries,
  type EntryRow,
  filters,
  positionOf,
  readFilter,
  showEntries,
  toEntry,
} from '../../domain/record/entries.ts'
import { statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { Page } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function organizationAuditRoutes(app: App): Promise<void> {
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
      const { caller, entries } = await request.readInOrganization<{ entries: EntryRow }>(
        ({ tenant, organization }) => {
          const filter = readFilter(request.query, organization)
          return { entries: showEntries(tenant, chooseEntries(tenant, filter, page), statement`false`) }
        },
      )
      const { data, nextCursor } = makePage(request, reply, caller.id, page, entries, positionOf)
      return { data: data.map(toEntry), nextCursor }
    },
  )
}
