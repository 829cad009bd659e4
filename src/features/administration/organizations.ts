/** Directory: every organization of the tenant, for its admins, who need not be in it. */
import { Type } from 'typebox'
import { Deleted, deletedNow } from '../../domain/deleted.ts'
import { Confirmation, deleteOrganization } from '../../domain/erasure/organizations.ts'
import { lockAnyOrganization } from '../../domain/organizations/administration.ts'
import {
  byIdOrSlug,
  Organization,
  OrganizationPath,
  organizationColumns,
  seenFromOutside,
} from '../../domain/organizations/organizations.ts'
import { ExternalId, externalIdOfOrganization } from '../../domain/people/external-ids.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { found } from '../../domain/problems.ts'
import {
  conditionsOf,
  countByWords,
  foundInKeptOrder,
  measureTerms,
  mostBeforeWords,
  mostInOrder,
  OrganizationsQuery,
  readFound,
  type Search,
  type Size,
  searchedOrganizations,
} from '../../domain/search/search.ts'
import { readWords, type Term } from '../../domain/search/words.ts'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { inOrder, nextInOrder, type Order, sorted } from '../../platform/database/keyset.ts'
import { isOneOf } from '../../platform/database/one-of.ts'
import { makePage, type PageRequest, type Position, readPage, totalOf } from '../../platform/http/pagination.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Id, OneOf, Page, paging, ref, Totals, totals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const sorts = ['name', '-name', 'createdAt', '-createdAt'] as const
const path = Type.Object({ orgId: OrganizationPath })

export async function organizationDirectoryRoutes(app: App): Promise<void> {
  app.get(
    '/admin/organizations',
    {
      config: { access: 'tenant_admin', scope: 'organization:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listTenantOrganizations',
        summary: 'List the tenant’s organizations',
        description: 'Every organization of the tenant, for its admins. Sorted by name by default.',
        tags: ['Administration'],
        querystring: Type.Object(
          {
            ...paging,
            ...totals,
            query: OrganizationsQuery,
            id: Type.Optional(
              Type.Array(Id('org'), {
                maxItems: 100,
                description: 'A comma-separated list: organizations with one of these ids.',
              }),
            ),
            userId: Type.Optional({ ...Id('user'), description: 'Organizations of which this user is a member.' }),
            externalId: Type.Optional({ ...ExternalId, description: 'The organization with this external id.' }),
            sort: Type.Optional(OneOf(sorts, { default: 'name', description: 'The order. `-` means descending.' })),
          },
          { additionalProperties: false, explode: false }, // the list is in one parameter as `a,b`
        ),
        response: { 200: Page(Organization, Totals) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { sort = 'name', includeTotal = false, query } = request.query
      const read = (search?: Search) =>
        request.readAsTenantAdmin<{ organizations: Listed; counts?: { total: number } }>(({ tenant }) => ({
          organizations: selectOrganizations(tenant, request.query, page, search),
          ...(includeTotal && !search?.isAgain && { counts: countOrganizations(tenant, request.query, search) }),
        }))
      const measure = (terms: readonly Term[]) =>
        request.readAsTenantAdmin<{ sizes: Size }>(({ tenant }) => ({
          sizes: measureTerms(searchedOrganizations, tenant, terms, includeTotal),
        }))
      const { caller, organizations, counts } =
        query === undefined
          ? await read()
          : await readFound(readWords(query), measure, read, (answer) => answer.organizations.length === page.take)
      const made = makePage(request, reply, page, {
        owner: caller.id,
        rows: organizations.map(seenFromOutside),
        position: (row) => positionIn(row, sort),
      })
      return { ...made, ...totalOf(counts?.[0]) }
    },
  )

  app.get(
    '/admin/organizations/:orgId',
    {
      config: { access: 'tenant_admin', scope: 'organization:read', problems: ['not_found'] },
      schema: {
        operationId: 'getTenantOrganization',
        summary: 'One organization of the tenant',
        description: 'Any organization of the tenant, for its admins. `role` is null, even if the caller is a member.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Organization) },
      },
    },
    async (request, reply) => {
      const { organizations } = await request.readAsTenantAdmin<{ organizations: Columns & Versioned }>(
        ({ tenant }) => ({
          organizations: statement`
            select ${organizationColumns}, ${externalIdOfOrganization(tenant)}
            from organizations o
            where o.tenant_id = ${tenant} and ${byIdOrSlug(request.params.orgId)}`,
        }),
        { byKey: true },
      )
      return withTag(reply, seenFromOutside(found(organizations[0])))
    },
  )

  app.delete(
    '/admin/organizations/:orgId',
    {
      config: {
        access: 'tenant_admin',
        scope: 'organization:delete',
        problems: ['not_found', 'confirmation_mismatch'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'deleteTenantOrganization',
        summary: 'Delete an organization of the tenant',
        description: 'Permanent: members, invitations and audit log are deleted as well. Owners and admins get a mail.',
        tags: ['Administration'],
        params: path,
        body: Confirmation,
        response: { 200: ref(Deleted) },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { organizationId } = await lockAnyOrganization(sql, caller, request.params.orgId)
        await deleteOrganization(sql, request.context, caller, organizationId, request.body.confirm)
        return deletedNow(sql)
      }),
  )
}

type Columns = Omit<Organization, 'role' | 'roles' | 'membership'>

interface Listed extends Columns {
  readonly nameKey: string
}

interface ListQuery {
  readonly query?: string
  readonly id?: readonly string[]
  readonly userId?: string
  readonly externalId?: string
  readonly sort?: (typeof sorts)[number]
}

/** A page of organizations. @param search how to find what the query asks for, if there is one */
function selectOrganizations(tenant: string, query: ListQuery, page: PageRequest, search?: Search): Statement {
  const { after, take } = page
  const order = orderOf(query.sort ?? 'name')
  const filter = statement`${filterOf(tenant, query)} ${conditionsOf(searchedOrganizations, tenant, search, statement`o.`)}`
  const selectFrom = (organizations: Statement, filter: Statement) => statement`
    select ${organizationColumns}, ${externalIdOfOrganization(tenant)}, o.name_key
    from ${organizations} o
    where o.tenant_id = ${tenant} ${filter}`
  if (!search) return inOrder(selectFrom(statement`organizations`, filter), order, after, take, isFiltered(query))
  const all = statement`select * from organizations o where o.tenant_id = ${tenant}`
  const isByTime = query.sort?.endsWith('createdAt')
  const column = isByTime ? statement`created_at` : statement`name_key`
  const kept = search.isFilled && !isFiltered(query) ? { ...order, column } : undefined
  if (search.way.kind === 'many') {
    const next = nextInOrder(all, order, after, kept && !isByTime ? mostBeforeWords : mostInOrder)
    return nextInOrder(selectFrom(statement`(${next})`, filter), order, undefined, take)
  }
  if (search.way.kind === 'few' || !kept)
    return sorted(selectFrom(statement`organizations`, filter), order, after, take)
  const next = foundInKeptOrder(searchedOrganizations, tenant, search, kept, page, {
    select: all,
    row: statement`o.`,
    isOfAll: true,
  })
  return sorted(selectFrom(statement`(${next})`, empty), order, undefined, take)
}

/** In an order that an index has, so that the table itself is not read, unless rare words lead to few rows. */
function countOrganizations(tenant: string, query: ListQuery, search?: Search): Statement {
  const byWords = search && !isFiltered(query) && countByWords(searchedOrganizations, tenant, search)
  if (byWords) return byWords
  const counting = search && { terms: search.terms, way: search.toCount }
  const ordered = counting === undefined || counting.way.kind === 'many' ? statement`order by o.id` : empty
  return statement`
    select count(*) as total
    from (
      select from organizations o
      where o.tenant_id = ${tenant} ${filterOf(tenant, query)} ${conditionsOf(searchedOrganizations, tenant, counting, statement`o.`)}
      ${ordered}
      limit 10001) counted`
}

/** Whether more than words are asked for. */
function isFiltered({ id, userId, externalId }: ListQuery): boolean {
  return [id, userId, externalId].some((each) => each !== undefined)
}

function filterOf(tenant: string, { id, userId, externalId }: ListQuery): Statement {
  return statement`
    ${id ? statement`and ${isOneOf(statement`o.id`, id)}` : empty}
    ${
      userId
        ? statement`
          and o.id in (
            select m.organization_id
            from memberships m
            where m.tenant_id = ${tenant} and m.user_id = ${userId} and ${isCurrent})`
        : empty
    }
    ${
      externalId
        ? statement`
          and o.id = (
            select organization_id from external_organizations where tenant_id = ${tenant} and external_id = ${externalId})`
        : empty
    }`
}

function orderOf(sort: (typeof sorts)[number]): Order {
  const column = sort.endsWith('name') ? statement`o.name_key` : statement`o.created_at`
  return { column, id: statement`o.id`, descending: sort.startsWith('-') }
}

function positionIn({ nameKey, createdAt, id }: Listed, sort: (typeof sorts)[number]): Position {
  return [sort.endsWith('name') ? nameKey : createdAt, id]
}
