/** The audit log of the tenant, for its admins. */
import { Type } from 'typebox'
import { beginExport, exportRates, type Named, selectSlugOfTenant } from '../../domain/limits/exports.ts'
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
import { entryColumns } from '../../domain/record/entry-columns.ts'
import { statement } from '../../platform/database/database.ts'
import { answerList } from '../../platform/http/exports.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { Id, Page } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function tenantAuditRoutes(app: App): Promise<void> {
  app.get(
    '/admin/audit',
    {
      config: {
        access: 'tenant_admin',
        scope: 'audit:read',
        problems: ['invalid_cursor'],
        answersCsv: true,
        rates: exportRates,
      },
      schema: {
        operationId: 'listTenantAudit',
        summary: 'Tenant audit',
        description: 'Every entry of the tenant, newest first, with IP address and device.',
        tags: ['Administration'],
        querystring: Type.Object(
          {
            ...filters,
            organizationId: Type.Optional({ ...Id('org'), description: 'Entries of the organization with this id.' }),
            userId: Type.Optional({
              ...Id('user'),
              description: 'Entries whose actor or target has this id, and the ends of their keys.',
            }),
          },
          asList,
        ),
        response: { 200: Page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const { userId } = request.query
      const filter = readFilter(request.query)
      const read = async (page: PageRequest) => {
        const { caller, entries } = await request.readAsTenantAdmin<{ entries: EntryRow }>(({ tenant }) => {
          const chosen = userId ? chooseEntriesOf(tenant, userId, filter, page) : chooseEntries(tenant, filter, page)
          return { entries: showEntries(tenant, chosen, statement`true`) }
        })
        return { caller, rows: entries, show: toEntry }
      }
      const begin = async () =>
        beginExport(
          request.context,
          userId ? `activity-${userId}` : 'activity',
          await request.readAsTenantAdmin<Named>(selectSlugOfTenant, { byKey: true }),
        )
      return answerList(request, reply, { columns: entryColumns, begin, read, position: positionOf })
    },
  )
}
