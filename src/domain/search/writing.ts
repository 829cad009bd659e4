/**
 * Writing words: what writes a name, an address or a slug also writes the words of the row, in the same transaction, while the row is locked.
 *
 * Invariant: the words of a row in its table of words are those in its column `words`, and have the sort keys of the row. `keys_version` is
 * the version of the row that they are of. Older code does not know it: a row whose version is another one is filled in by a task.
 * `words_version` is the same for older code, which fills in words without sort keys. The address of an invitation changes only when it is
 * erased: an invitation has words if it has an address, and the task fills in or erases the others. Older code made fewer words of a domain
 * with a hyphen, and wrote the domain after them (`ofOlderCode`): these are filled in, too.
 */
import {
  type Database,
  join,
  pipeline,
  type Sent,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { isOneOf } from '../../platform/database/one-of.ts'
import { wordsIn, wordsOfAddress, wordsOfOrganization, wordsOfUser } from './words.ts'

/** What is searched by words: the statements that read and write it. */
interface Indexed {
  readonly rows: Statement
  /** An update of `x`, to which the words are added. */
  readonly change: Statement
  /** The column in the table of words that names the row. */
  readonly key: Statement
  readonly add: Statement
  readonly drop: Statement
  /** The columns that both tables have, in the order of `add`. */
  readonly sortKeys: readonly Statement[]
  /** The primary key of the table of words. */
  readonly unique: Statement
  /** The condition of rows that are to be filled in, and the column that begins their index. */
  readonly unfilled: Statement
  readonly version: Statement
}

/** The condition of rows whose words lack some of their domain. */
const ofOlderCode = statement`email like '%@%-%' and words not like ' @%'`
/** The conditions of the indexes users_to_fill, organizations_without_keys and invitations_to_fill. */
export const unfilled = {
  users: statement`(keys_version is distinct from version or ${ofOlderCode})`,
  organizations: statement`keys_version is distinct from version`,
  invitations: statement`((words is null) <> (email is null) or ${ofOlderCode})`,
}

const users: Indexed = {
  rows: statement`users`,
  change: statement`update users x set words_version = x.version, keys_version = x.version,`,
  key: statement`user_id`,
  add: statement`insert into user_words (tenant_id, word, user_id, name_key, email, created_at)`,
  drop: statement`delete from user_words`,
  sortKeys: [statement`name_key`, statement`email`, statement`created_at`],
  unique: statement`tenant_id, word, user_id`,
  unfilled: unfilled.users,
  version: statement`version`,
}
const organizations: Indexed = {
  rows: statement`organizations`,
  change: statement`update organizations x set words_version = x.version, keys_version = x.version,`,
  key: statement`organization_id`,
  add: statement`insert into organization_words (tenant_id, word, organization_id, name_key, created_at)`,
  drop: statement`delete from organization_words`,
  sortKeys: [statement`name_key`, statement`created_at`],
  unique: statement`tenant_id, word, organization_id`,
  unfilled: unfilled.organizations,
  version: statement`version`,
}
const invitations: Indexed = {
  rows: statement`invitations`,
  change: statement`update invitations x set`,
  key: statement`invitation_id`,
  add: statement`insert into invitation_words (tenant_id, word, invitation_id, organization_id, created_at)`,
  drop: statement`delete from invitation_words`,
  sortKeys: [statement`organization_id`, statement`created_at`],
  unique: statement`tenant_id, organization_id, word, invitation_id`,
  unfilled: unfilled.invitations,
  version: statement`generation`,
}

/** An assignment of an update that gives the row its next version, and changes nothing that words are made of. */
export const sameWords = statement`words_version = words_version + 1, keys_version = keys_version + 1`

/** The same for one that changes it. @param words of the row as it will be */
export function newWords(words: string): Statement {
  return statement`words = ${words}, words_version = version + 1, keys_version = version + 1`
}

/** Words of a row. */
interface OfRow {
  readonly id: string
  readonly words: string | null
}

/** Writes the words of a user into their table. The row has them already, and is locked. */
export function indexUser(sql: Sql, { id, words }: OfRow): Sent<unknown> {
  return pipeline([dropOthers(sql, users, { id, words }), indexUsers(sql, [{ id, words }])])
}

/** The same for an organization. */
export function indexOrganization(sql: Sql, { id, words }: OfRow): Sent<unknown> {
  return pipeline([dropOthers(sql, organizations, { id, words }), indexOrganizations(sql, [{ id, words }])])
}

/** Writes the words of new users. */
export function indexUsers(sql: Sql, made: readonly OfRow[]): Sent<unknown> {
  return insertWords(sql, users, made)
}

/** Writes the words of new organizations. */
export function indexOrganizations(sql: Sql, made: readonly OfRow[]): Sent<unknown> {
  return insertWords(sql, organizations, made)
}

/** Writes the words of new invitations. */
export function indexInvitations(sql: Sql, made: readonly OfRow[]): Sent<unknown> {
  return insertWords(sql, invitations, made)
}

/** Erases the words of invitations from their table. */
export function dropInvitationWords(sql: Sql, ids: readonly string[]): Sent<unknown> {
  return sql`${invitations.drop} where tenant_id = ${sql.tenant} and invitation_id = any(${ids})`
}

/** Makes the words of a user from the row, which is locked, after its address has changed. */
export async function refreshUser(sql: Sql, id: string): Promise<void> {
  const [row] = await sql<{ name: string | null; email: string }>`
    select name, email from users where tenant_id = ${sql.tenant} and id = ${id}`
  if (!row) return
  const words = wordsOfUser(row)
  await pipeline([
    sql`
      update users
      set words = ${words}, words_version = version, keys_version = version
      where tenant_id = ${sql.tenant} and id = ${id}`,
    indexUser(sql, { id, words }),
  ])
}

function dropOthers(sql: Sql, { drop, key }: Indexed, { id, words }: OfRow): Sent<unknown> {
  return sql`${drop} where tenant_id = ${sql.tenant} and ${key} = ${id} and word <> all(${wordsIn(words)})`
}

/** PostgreSQL expects a hundred rows of the JSON. Without the condition on their ids, it would rather read tens of thousands of rows. */
function insertWords(sql: Sql, { rows, add, sortKeys, unique }: Indexed, made: readonly OfRow[]): Sent<unknown> {
  const ids = made.map(({ id }) => id)
  const all = made.flatMap(({ id, words }) => wordsIn(words).map((word) => ({ id, word })))
  const each = (write: (column: Statement) => Statement) => join(sortKeys.map(write), ', ')
  return sql`
    ${add}
    select x.tenant_id, r.word, x.id, ${each((column) => statement`x.${column}`)}
    from jsonb_to_recordset(${JSON.stringify(all)}::jsonb) as r (id text, word text)
    join ${rows} x on x.tenant_id = ${sql.tenant} and x.id = r.id and ${isOneOf(statement`x.id`, ids)}
    on conflict (${unique}) do update set ${each((column) => statement`${column} = excluded.${column}`)}`
}

/** The version and the id of a row, which are the order in which rows are filled in. */
type Place = readonly [number, string]
/** The place of the last row, and how many were filled in. */
type Filled = [Place, number]

/** How many rows a transaction fills in: each is locked until its end. */
const batch = 500

/**
 * Fills in, in a tenant, the words of rows that the release before has written. Any number of processes may do so at once: a batch skips
 * rows that another transaction has locked.
 *
 * @returns how many rows
 */
export async function fillWords(database: Database, tenant: string): Promise<number> {
  let count = 0
  for (const fill of [fillUsers, fillOrganizations, fillInvitations])
    for (let [after, filled]: Filled = [[0, ''], batch]; filled === batch; count += filled)
      [after, filled] = await database.inTenant(tenant, (sql) => fill(sql, after))
  return count
}

interface Unfilled {
  readonly id: string
  readonly version: number
  readonly words: string | null
}

async function fillUsers(sql: Sql, after: Place): Promise<Filled> {
  const rows = await sql<Unfilled & { name: string | null; email: string }>`
    ${selectUnfilled(sql.tenant, users, statement`name, email`, after)}`
  return fill(sql, users, rows, wordsOfUser)
}

async function fillOrganizations(sql: Sql, after: Place): Promise<Filled> {
  const rows = await sql<Unfilled & { name: string; slug: string }>`
    ${selectUnfilled(sql.tenant, organizations, statement`name, slug`, after)}`
  return fill(sql, organizations, rows, wordsOfOrganization)
}

async function fillInvitations(sql: Sql, after: Place): Promise<Filled> {
  const rows = await sql<Unfilled & { email: string | null }>`
    ${selectUnfilled(sql.tenant, invitations, statement`email`, after)}`
  return fill(sql, invitations, rows, ({ email }) => email && wordsOfAddress(email))
}

function selectUnfilled(
  tenant: string,
  { rows, unfilled, version }: Indexed,
  sources: Statement,
  after: Place,
): Statement {
  return statement`
    select id, ${sources}, words, ${version} as version
    from ${rows}
    where tenant_id = ${tenant} and ${unfilled} and (${version}, id) > (${after[0]}, ${after[1]})
    order by ${version}, id
    limit ${batch}
    for no key update skip locked`
}

/** @param rows with the words that they have, which are locked */
async function fill<Row extends Unfilled>(
  sql: Sql,
  indexed: Indexed,
  rows: readonly Row[],
  wordsOf: (row: Row) => string | null,
): Promise<Filled> {
  const last = rows.at(-1)
  if (!last) return [[0, ''], 0]
  const made = rows.map((row) => ({ id: row.id, words: wordsOf(row) }))
  const old = rows.filter(({ words }) => words !== null).map(({ id }) => id)
  await pipeline([
    sql`
      ${indexed.change} words = r.words
      from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as r (id text, words text)
      where x.tenant_id = ${sql.tenant} and x.id = r.id`,
    old.length > 0 && sql`${indexed.drop} where tenant_id = ${sql.tenant} and ${indexed.key} = any(${old})`,
    insertWords(sql, indexed, made),
  ])
  return [[last.version, last.id], rows.length]
}
