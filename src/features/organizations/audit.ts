/** The audit log of an organization, for its admins. */
import { Type } from 'typebox'
import { beginExport, exportRates, type Named, selectSlug } from '../../domain/limits/exports.ts'
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
import { entryColumns } from '../../domain/record/entry-columns.ts'
import { statement } from '../../platform/database/database.ts'
import { answerList } from '../../platform/http/exports.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { Page } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function organizationAuditRoutes(app: App): Promise<void> {
  app.get(
    '/organizations/:orgId/audit',
    {
      config: { access: 'audit:read', problems: ['invalid_cursor'], answersCsv: true, rates: exportRates },
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
      const read = async (page: PageRequest) => {
        const { caller, entries } = await request.readInOrganization<{ entries: EntryRow }>(
          ({ tenant, organization }) => {
            const filter = readFilter(request.query, organization)
            return { entries: showEntries(tenant, chooseEntries(tenant, filter, page), statement`false`) }
          },
        )
        return { caller, rows: entries, show: toEntry }
      }
      const begin = async () =>
        beginExport(request.context, 'activity', await request.readInOrganization<Named>(selectSlug, { byKey: true }))
      return answerList(request, reply, { columns: entryColumns, begin, read, position: positionOf })
    },
  )
}
