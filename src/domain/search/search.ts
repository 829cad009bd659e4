/**
 * Search: how a list finds what a query asks for, at a cost that does not grow with the tenant.
 *
 * 1. A first read counts the words that begin as each typed one does, up to a bound (`measure`). The text of the indexes is compared by
 *    ranges: other operators are not leakproof, and row-level security would keep them from the index.
 * 2. If one of them is rare, its rows are read by the index of words, and sorted (`few`).
 * 3. If all are frequent, the list is read in its order, and soon fills a page (`many`). It reads a bounded number of rows.
 * 4. If the page is not full then, the lists of the words are intersected in their index, and what is in all of them is sorted (`all`). So
 *    are two frequent words found that rarely meet, and one that the order keeps for its end. The entries of the index have sort keys: in an
 *    order by one of these, they are sorted without their rows, which are looked up until the page is full (`foundInKeptOrder`). As long as
 *    a row of older code has no sort keys (`isFilled`), and if there are other conditions, which few rows may fulfil, the rows are sorted.
 *
 * Whatever the way is, each row is compared with the whole query by its column `words`. A query looks up at most eight words; those beyond
 * are only compared. Invitations have one order, so that their rare words are read in it, too.
 */
import { Type } from 'typebox'
import { empty, join, type Statement, statement } from '../../platform/database/database.ts'
import { lookedUpInOrder, type Order } from '../../platform/database/keyset.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { type Lookup, lookupsIn, type Term } from './words.ts'
import { unfilled } from './writing.ts'

/** What is searched. */
export interface Searched {
  /** The table of words, its column that names the row, and the table of the rows. */
  readonly words: Statement
  readonly key: Statement
  readonly rows: Statement
  /** The condition of the index of rows that are not filled in, and its order. */
  readonly unfilled: Statement
  /** A condition of words, if a part of all rows is searched. Addresses are then looked up by their words, too. */
  readonly within?: Statement
}

/** An order of which the words have the column, too. */
export type KeptOrder = Pick<Order, 'column' | 'descending' | 'nullableAs'>

export const searchedUsers: Searched = {
  words: statement`user_words`,
  key: statement`user_id`,
  rows: statement`users`,
  unfilled: statement`${unfilled.users} order by version`,
}
export const searchedOrganizations: Searched = {
  words: statement`organization_words`,
  key: statement`organization_id`,
  rows: statement`organizations`,
  unfilled: statement`${unfilled.organizations} order by version`,
}

/** The invitations of an organization. */
export function searchedInvitations(organization: Statement | string): Searched {
  return {
    words: statement`invitation_words`,
    key: statement`invitation_id`,
    rows: statement`invitations`,
    unfilled: statement`${unfilled.invitations} order by generation`,
    within: statement`and organization_id = ${organization}`,
  }
}

/** The `query` of a list, as long as an address at most. @param description which words match */
export const queryOf = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 254, description }))
export const PeopleQuery = queryOf(
  'Words, which all must match: each is the beginning of a word of the name, or of the address. With `@` in it, it is the beginning of the whole address; with `@` before it, of the domain. Without case and accents. No wildcards.',
)
export const OrganizationsQuery = queryOf(
  'Words, which all must match: each is the beginning of a word of the name or the slug. Without case and accents. No wildcards.',
)

/** Up to how many matches a word is rare. To read and sort as many takes as long as to find a page among a million rows in their order. */
const rare = 2_000
/** Up to how many matches are read one by one where all of them are counted; of more, ten thousand are soon counted in order. */
const countable = 30_000
/** How many rows are read in their order. */
export const mostInOrder = 10_000
/** The same if the words find those beyond at less cost, or if each row is looked up; but in the order of creation, rows lie together. */
export const mostBeforeWords = 1_000

/** How rows are found: by one rare word, in the order of the list, by all words, or among all rows of a small part. */
export type Way = { readonly kind: 'few'; readonly term: Lookup } | { readonly kind: 'many' | 'all' | 'part' }

/** What a query asks for, and how to find it. Without terms, it finds nothing. */
export interface Search {
  readonly terms: readonly Term[]
  readonly way: Way
  /** As that of `Size`: only then do the words have an order. */
  readonly isFilled: boolean
  /** How to count what is found. */
  readonly toCount: Way
  /** Whether the page is read for the second time. */
  readonly isAgain: boolean
}

/** A count for each lookup, in their order, as `measureTerms` selects them. */
export interface Size {
  readonly size: number
  /** Whether the words of all rows are filled in, with their sort keys. */
  readonly isFilled: boolean
}

const [email, word] = [statement`email`, statement`word`]

/**
 * Counts what each lookup matches, up to a bound. The orders make PostgreSQL read the indexes: that of words and that of unfilled rows.
 *
 * @param isCounted whether all that the query finds is to be counted, too
 */
export function measureTerms(searched: Searched, tenant: string, terms: readonly Term[], isCounted = false): Statement {
  const most = isCounted ? countable : rare
  const counts = lookupsIn(terms).map(
    (term, place) => statement`
      select ${place}::integer as place, count(*) as size
      from (${idsOf(searched, tenant, term)} order by ${isByAddress(searched, term) ? email : word} limit ${most + 1}) few`,
  )
  return statement`
    select size, (
      select id
      from ${searched.rows}
      where tenant_id = ${tenant} and ${searched.unfilled}
      limit 1) is null as is_filled
    from (${join(counts, ' union all ')}) sizes
    order by place`
}

/**
 * Finds a page of what a query asks for.
 *
 * @param measure reads what `measureTerms` selects
 * @param read    reads the page
 * @param isFull  whether a page has all rows that were to be read
 */
export async function readFound<Answer>(
  terms: readonly Term[],
  measure: (terms: readonly Term[]) => Promise<{ readonly sizes: readonly Size[] }>,
  read: (search: Search) => Promise<Answer>,
  isFull: (answer: Answer) => boolean,
): Promise<Answer> {
  const all = { kind: 'all' } as const
  if (terms.length === 0) return read({ terms, way: all, isFilled: false, toCount: all, isAgain: false })
  const { sizes } = await measure(terms)
  const toCount = terms.length > 1 ? 'all' : 'many'
  const [first, isFilled] = [wayOf(terms, sizes, 'many'), isFilledIn(sizes)]
  const search = { terms, isFilled, toCount: wayOf(terms, sizes, toCount, countable) }
  return readBy(first, (way) => read({ ...search, way, isAgain: way !== first }), isFull)
}

/** Reads a page. If the first rows in their order do not fill it, reads it again, by all words. */
export async function readBy<Answer>(
  way: Way,
  read: (way: Way) => Promise<Answer>,
  isFull: (answer: Answer) => boolean,
): Promise<Answer> {
  const answer = await read(way)
  if (way.kind !== 'many' || isFull(answer)) return answer
  return { ...answer, ...(await read({ kind: 'all' })) }
}

/**
 * @param otherwise the way if no word is rare
 * @param most      matches of a rare word
 */
export function wayOf(
  terms: readonly Term[],
  sizes: readonly Size[],
  otherwise: 'many' | 'all' | 'part',
  most = rare,
): Way {
  const least = Math.min(...sizes.map(({ size }) => size))
  const term = lookupsIn(terms)[sizes.findIndex(({ size }) => size === least)]
  return term && least <= most ? { kind: 'few', term } : { kind: otherwise }
}

export function isFilledIn(sizes: readonly Size[]): boolean {
  return sizes.every(({ isFilled }) => isFilled)
}

/** How to search some of all rows: by a rare word, if it matches fewer rows than that. Few rows are all read. @param part how many they are */
export function wayInPart(terms: readonly Term[], sizes: readonly Size[], part: number): Way {
  return wayOf(terms, sizes, part > mostInOrder ? 'many' : 'part', Math.min(rare, part))
}

/**
 * The conditions that rows fulfil that a search finds, and that lead to them by an index.
 *
 * @param search undefined: without a query all rows are found
 * @param row    the table of the rows in the statement, with a dot; none if it needs none
 */
export function conditionsOf(
  searched: Searched,
  tenant: string,
  search: Pick<Search, 'terms' | 'way'> | undefined,
  row: Statement = empty,
): Statement {
  if (!search) return empty
  const { terms, way } = search
  if (terms.length === 0) return statement`and false`
  const matches = matching(row, terms)
  if (way.kind === 'many' || way.kind === 'part') return matches
  return statement`and ${row}id = any(${idsIn(searched, tenant, search)}) ${matches}`
}

/** An expression: the keys of the rows among which are all that a search finds. */
export function idsIn(searched: Searched, tenant: string, search: Pick<Search, 'terms' | 'way'>): Statement {
  return statement`array(${listsOf(searched, tenant, search)})`
}

/**
 * Counts to 10,001 what a search finds, by the index of words alone.
 *
 * @returns undefined if the rows must be compared, or if they are soon counted in their order
 */
export function countByWords(searched: Searched, tenant: string, { terms, toCount }: Search): Statement | undefined {
  if (terms.length === 0 || toCount.kind === 'many' || !isOfWords(terms)) return undefined
  return statement`select count(*) as total from (${selectIds(searched, tenant, { terms, way: { kind: 'all' } })} limit 10001) counted`
}

/** The rows of a list. */
interface ListedRows {
  /** Ends in its conditions; more conditions are appended. */
  readonly select: Statement
  /** As that of `conditionsOf`. */
  readonly row?: Statement
  /** Whether these are all rows of the tenant. */
  readonly isOfAll: boolean
}

/**
 * Selects a page of what a search finds, by its rare word or by all words, in an order that the words have. It reads no more rows than
 * fill the page.
 */
export function foundInKeptOrder(
  searched: Searched,
  tenant: string,
  search: Pick<Search, 'terms' | 'way'>,
  { column, ...order }: KeptOrder,
  { after, take }: Pick<PageRequest, 'after' | 'take'>,
  { select, row = empty, isOfAll }: ListedRows,
): Statement {
  const { terms, way } = search
  const ids = statement`select * from (${selectIds(searched, tenant, search, column)}) ids where true`
  const byKey = { ...order, column: statement`sort_key`, id: statement`id` }
  const lookedUp = statement`${select} and ${row}id = ids.id ${matching(row, terms)}`
  const isExact = isOfAll && way.kind === 'all' && isOfWords(terms)
  return lookedUpInOrder({ rows: ids, name: statement`ids`, lookedUp, isExact }, byKey, after, take)
}

/** Selects the `id` of each row that the rare word finds, or all words, once. @param column of the words, which becomes `sort_key` */
function selectIds(
  searched: Searched,
  tenant: string,
  search: Pick<Search, 'terms' | 'way'>,
  column?: Statement,
): Statement {
  const also = column ? statement`, ${column} as sort_key` : empty
  return statement`select distinct * from (${listsOf(searched, tenant, search, also)}) lists`
}

function listsOf(
  searched: Searched,
  tenant: string,
  { terms, way }: Pick<Search, 'terms' | 'way'>,
  also = empty,
): Statement {
  const lookups = way.kind === 'few' ? [way.term] : lookupsIn(terms)
  return join(
    lookups.map((term) => idsOf(searched, tenant, term, also)),
    ' intersect ',
  )
}

/** Whether the index of words finds no rows but those that match. */
function isOfWords(terms: readonly Term[]): boolean {
  return terms.every(({ kind }) => kind === 'word')
}

/** The keys of all rows that a term may match; a row is in it once for each of its words that begins so. @param also more columns */
function idsOf(searched: Searched, tenant: string, term: Lookup, also = empty): Statement {
  const { words, key, rows, within = empty } = searched
  if (isByAddress(searched, term))
    return statement`select id ${also} from ${rows} where tenant_id = ${tenant} and ${beginsWith(email, term.text)}`
  const text = term.kind === 'word' ? term.text : longestOf(term.words)
  return statement`
    select ${key} as id ${also} from ${words} where tenant_id = ${tenant} ${within} and ${beginsWith(word, text)}`
}

/** Whether a term is looked up in the rows, and not in the words. */
function isByAddress({ within }: Searched, { kind }: Lookup): boolean {
  return kind === 'address' && !within
}

function longestOf(words: readonly string[]): string {
  return words.reduce((longest, each) => (each.length > longest.length ? each : longest), '')
}

/** A range, which an index serves however the statement is planned. U+10FFFF is in no text that people write. */
export function beginsWith(column: Statement, text: string): Statement {
  return statement`${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`}`
}

/**
 * The conditions that each row must fulfil.
 *
 * @param row the table of the rows in the statement, with a dot; none if it needs none
 */
export function matching(row: Statement, terms: readonly Term[]): Statement {
  if (terms.length === 0) return statement`and false`
  return join([empty, ...terms.map((term) => matchingOne(row, term))], ' and ')
}

/** Of a row without words the rest is null, too. */
function matchingOne(row: Statement, term: Term): Statement {
  if (term.kind === 'rest')
    return statement`true = all (select strpos(${row}words, ' ' || typed) > 0 from unnest(${term.texts}::text[]) typed)`
  if (term.kind === 'address') return beginsWith(statement`${row}email`, term.text)
  return statement`strpos(${row}words, ${term.kind === 'word' ? ` ${term.text}` : ` @${term.text}`}) > 0`
}
