/** Directory: every user of the tenant, for its admins. */
import { Type } from 'typebox'
import { beginExport, exportRates, type Named, selectSlugOfTenant } from '../../domain/limits/exports.ts'
import { selectUserForAdmins, User } from '../../domain/people/users.ts'
import { found } from '../../domain/problems.ts'
import { measureTerms, readFound, type Search, type Size, searchedUsers } from '../../domain/search/search.ts'
import { readQuery, type Term } from '../../domain/search/words.ts'
import { statement } from '../../platform/database/database.ts'
import { sendCsv, wantsCsv } from '../../platform/http/exports.ts'
import { makePage, type PageRequest, readPage, totalOf } from '../../platform/http/pagination.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Id, Page, ref, Totals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { csvColumns } from './user-columns.ts'
import { countUsers, positionOfUser, selectUsers, UserQuery, type UserRow } from './user-list.ts'

export async function directoryRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users',
    {
      config: {
        access: 'tenant_admin',
        scope: 'users:read',
        problems: ['invalid_cursor'],
        answersCsv: true,
        rates: exportRates,
      },
      schema: {
        operationId: 'listUsers',
        summary: 'List users',
        description: 'Every user of the tenant, for its admins. Newest first by default.',
        tags: ['Administration'],
        querystring: UserQuery,
        response: { 200: Page(User, Totals) },
      },
    },
    async (request, reply) => {
      const { query, includeTotal = false } = request.query
      const position = positionOfUser(request.query)
      const measure = (terms: readonly Term[]) =>
        request.readAsTenantAdmin<{ sizes: Size }>(({ tenant }) => ({
          sizes: measureTerms(searchedUsers, tenant, terms, includeTotal),
        }))
      const read = async (page: PageRequest) => {
        const readBy = (search?: Search) =>
          request.readAsTenantAdmin<{ users: UserRow; counts?: { total: number } }>(({ tenant }) => ({
            users: selectUsers(tenant, request.query, page, search),
            ...(includeTotal && !search?.isAgain && { counts: countUsers(tenant, request.query, search) }),
          }))
        const { caller, users, counts } =
          query === undefined
            ? await readBy()
            : await readFound(readQuery(query), measure, readBy, (answer) => answer.users.length === page.take)
        return { caller, rows: users, show: (row: UserRow) => row, counts }
      }
      if (wantsCsv(request)) {
        const begin = async () =>
          beginExport(
            request.context,
            'users',
            await request.readAsTenantAdmin<Named>(selectSlugOfTenant, { byKey: true }),
          )
        return sendCsv(request, reply, { columns: csvColumns, begin, read, position })
      }
      const page = readPage(request)
      const { caller, rows, counts } = await read(page)
      return { ...makePage(request, reply, page, { owner: caller.id, rows, position }), ...totalOf(counts?.[0]) }
    },
  )

  app.get(
    '/admin/users/:userId',
    {
      config: { access: 'tenant_admin', scope: 'users:read', problems: ['not_found'] },
      schema: {
        operationId: 'getUser',
        summary: 'One user',
        description: 'Any user of the tenant, for its admins.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: ref(User) },
      },
    },
    async (request, reply) => {
      const { users } = await request.readAsTenantAdmin<{ users: User & Versioned }>(
        ({ tenant }) => ({
          users: statement`${selectUserForAdmins(tenant)} where tenant_id = ${tenant} and id = ${request.params.userId}`,
        }),
        { byKey: true },
      )
      return withTag(reply, found(users[0]))
    },
  )
}
