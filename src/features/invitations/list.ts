/** The list of an organization’s invitations: its filters, and its statements. */
import { type Static, Type } from 'typebox'
import type { ActingCaller } from '../../domain/access/actors.ts'
import type { Names, Read, Reading, Selected } from '../../domain/access/authorization.ts'
import {
  effectiveStatus,
  type Invitation,
  invitationStatuses,
  selectInvitations,
} from '../../domain/organizations/invitations.ts'
import { matchingAddress } from '../../domain/search/addresses.ts'
import {
  foundInKeptOrder,
  isFilledIn,
  matching,
  measureTerms,
  mostInOrder,
  queryOf,
  readBy,
  type Search,
  type Size,
  searchedInvitations,
  wayOf,
} from '../../domain/search/search.ts'
import { readQuery } from '../../domain/search/words.ts'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { nextInOrder, sorted } from '../../platform/database/keyset.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { OneOf, paging } from '../../platform/http/schemas.ts'

/** What a list of invitations can be asked for. */
type InvitationQuery = Static<typeof InvitationQuery>
export const InvitationQuery = Type.Object(
  {
    ...paging,
    query: queryOf(
      'Words, which all must match: each is the beginning of a word of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. No wildcards.',
    ),
    status: Type.Optional(OneOf(invitationStatuses, { description: 'Invitations with this status.' })),
  },
  { additionalProperties: false },
)

/** A door to an organization. */
type Door = <Rows extends Selected>(reading: Reading<Rows>) => Promise<Read<ActingCaller, Rows>>

type InvitationSearch = Pick<Search, 'terms' | 'way' | 'isFilled'>

/** A page of invitations, and who asked for it. */
type Page = Read<ActingCaller, { invitations: Invitation }>

/**
 * Reads a page of invitations, newest first. As long as an invitation of the tenant has no words, all are compared in their order. So they
 * are if no word is rare and the list has a filter, which few may fulfil.
 *
 * @param door opens the organization to the caller
 */
export async function readInvitations(
  { query, status }: InvitationQuery,
  page: PageRequest,
  door: Door,
): Promise<Page> {
  const read = (search?: InvitationSearch) =>
    door<{ invitations: Invitation }>((names) => ({ invitations: listInvitations(names, status, page, search) }))
  if (query === undefined) return read()
  const [terms, inOrder] = [readQuery(query), { kind: 'part' } as const]
  if (terms.length === 0) return read({ terms, way: inOrder, isFilled: true })
  const { sizes } = await door<{ sizes: Size }>(({ tenant, organization }) => ({
    sizes: measureTerms(searchedInvitations(organization), tenant, terms),
  }))
  const isFilled = isFilledIn(sizes)
  const first = isFilled ? wayOf(terms, sizes, status ? 'part' : 'many') : inOrder
  return readBy(
    first,
    (way) => read({ terms, way, isFilled }),
    ({ invitations }) => invitations.length === page.take,
  )
}

function listInvitations(
  { tenant, organization }: Names,
  status: InvitationQuery['status'],
  page: PageRequest,
  search?: InvitationSearch,
): Statement {
  const { after, take } = page
  const order = { column: statement`i.created_at`, id: statement`i.id`, descending: true }
  const hasStatus = status ? statement`and ${effectiveStatus} = ${status}` : empty
  if (!search || search.way.kind === 'part') {
    const matches = search ? matchingOf(search) : empty
    const select = statement`${selectInvitations(tenant)} and i.organization_id = ${organization} ${hasStatus} ${matches}`
    return sorted(select, order, after, take)
  }
  const all = statement`select i.* from invitations i where i.tenant_id = ${tenant}`
  const inOrganization = statement`${all} and i.organization_id = ${organization}`
  // What is looked up for an invitation is looked up for the page alone.
  const found =
    search.way.kind === 'many'
      ? sorted(
          statement`select i.* from (${nextInOrder(inOrganization, order, after, mostInOrder)}) i where true ${matchingOf(search)}`,
          order,
          undefined,
          take,
        )
      : foundInKeptOrder(
          searchedInvitations(organization),
          tenant,
          search,
          { column: statement`created_at`, descending: true },
          page,
          // By the id alone: without statistics, PostgreSQL would read all of the organization for each. The words are of the organization.
          { select: statement`${all} ${hasStatus}`, row: statement`i.`, isOfAll: false },
        )
  const select = statement`${selectInvitations(tenant, statement`(${found})`)} and i.organization_id = ${organization}`
  return sorted(select, order, undefined, take)
}

function matchingOf({ terms, isFilled }: InvitationSearch): Statement {
  return isFilled ? matching(statement`i.`, terms) : matchingAddress(statement`i.email`, terms)
}
