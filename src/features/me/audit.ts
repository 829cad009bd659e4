/** Activity: what the audit log says about the caller. */
import { Type } from 'typebox'
import { beginExport, exportRates } from '../../domain/limits/exports.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import {
  AuditEntry,
  asList,
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

export async function activityRoutes(app: App): Promise<void> {
  app.addSchema(AuditEntry)

  app.get(
    '/users/me/audit',
    {
      config: { access: 'user', problems: ['invalid_cursor'], answersCsv: true, rates: exportRates },
      schema: {
        operationId: 'listMyAudit',
        summary: 'Get audit log',
        description: 'What the caller did, what was done to them, and the ends of their keys, newest first.',
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
      const filter = readFilter(request.query)
      const read = async (page: PageRequest) => {
        const { caller, entries } = await request.readAsUser<{ entries: EntryRow }>(({ tenant, user }) => ({
          entries: showEntries(
            tenant,
            chooseEntriesOf(tenant, user, filter, page),
            statement`e.action = 'session.refused' or a.user_id = chosen.user_id`,
            statement`exists (
              select from memberships m
              where m.tenant_id = ${tenant} and m.user_id = chosen.user_id and m.organization_id = e.organization_id
                and ${isCurrent})`,
          ),
        }))
        return { caller, rows: entries, show: toEntry }
      }
      const begin = async () =>
        beginExport(request.context, 'activity', await request.readAsUser(() => ({}), { byKey: true }))
      return answerList(request, reply, { columns: entryColumns, begin, read, position: positionOf })
    },
  )
}
