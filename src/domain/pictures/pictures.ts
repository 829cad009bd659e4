/**
 * Pictures: those that were uploaded, each of a user, of an organization, or of the tenant.
 *
 * Invariant: the owner of a picture names it in `avatar_url` or `logo_url`. What changes that column calls `dropPicture` in the same
 * transaction, under the lock of the owner's row. A picture that its owner does not name is served to nobody.
 */
import { randomSecret } from '../../platform/cryptography.ts'
import { type Purge, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Config } from '../../platform/settings/config.ts'
import { pathIn, type readPictureName } from './urls.ts'

/** Whose picture it is. Of the tenant, neither is there. */
export interface PictureOwner {
  readonly userId?: string
  readonly organizationId?: string
}

/** A picture that is to be stored. */
export interface NewPicture {
  readonly id: string
  readonly content: Buffer
}

/** Names a new picture. @param tenant its uuid @returns the picture, and the URL that its owner is to name */
export function newPicture(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  tenant: string,
  content: Buffer,
): { readonly url: string; readonly picture: NewPicture } {
  const id = randomSecret('picture')
  return { url: `${publicUrl}${pathIn(tenant)}${id}`, picture: { id, content } }
}

/** Stores a picture. Call `dropPicture` before. */
export function insertPicture(
  sql: Sql,
  { userId = null, organizationId = null }: { userId?: string | null; organizationId?: string | null },
  { id, content }: NewPicture,
): Sent<unknown> {
  return sql`
    insert into pictures (tenant_id, id, user_id, organization_id, content)
    values (${sql.tenant}, ${id}, ${userId}, ${organizationId}, ${content})`
}

export function dropPicture(sql: Sql, owner: PictureOwner): Sent<unknown> {
  return sql`delete from pictures where tenant_id = ${sql.tenant} and ${isOf(owner)}`
}

function isOf({ userId, organizationId }: PictureOwner): Statement {
  if (userId !== undefined) return statement`user_id = ${userId}`
  if (organizationId !== undefined) return statement`organization_id = ${organizationId}`
  return statement`user_id is null and organization_id is null`
}

/**
 * Selects the content of a picture that its owner names. A host that is a domain of another tenant has none of this one's.
 *
 * @param host of the request
 */
export function selectPicture(
  { tenant, id, path }: NonNullable<ReturnType<typeof readPictureName>>,
  host: string,
): Statement {
  return statement`
    select p.content
    from pictures p
    ${owners}
    where p.tenant_id = ${tenant} and p.id = ${id} and t.deleted_at is null and ${isNamed(statement`${path}`)}
      and not exists (select from tenant_domains d where d.domain = ${host} and d.tenant_id <> p.tenant_id)`
}

/**
 * Deletes pictures that their owners do not name: a process of a release before pictures has changed the column. No index finds them, so
 * each time as many pictures are looked at as may be deleted, from a random id on, and after the last id from the first one. In the end
 * all have been looked at: of 100,000 pictures, one after days. It is served to nobody meanwhile.
 */
export const purgePictures: Purge = (sql, limit) => {
  const start = randomSecret('picture')
  const next = (part: Statement) =>
    statement`(select id from pictures where tenant_id = ${sql.tenant} and ${part} order by id limit ${limit})`
  return sql`
    with looked as (
      select id from (${next(statement`id >= ${start}`)} union all ${next(statement`id < ${start}`)}) ring limit ${limit}),
    over as (
      select p.id
      from pictures p
      ${owners}
      where p.tenant_id = ${sql.tenant} and p.id = any(array(select id from looked))
        and not coalesce(${isNamed(statement`${pathIn(sql.tenant)} || p.id`)}, false)
      for update of p skip locked)
    delete from pictures p
    using over
    where p.tenant_id = ${sql.tenant} and p.id = over.id
    returning p.id`
}

/** Joins the owners of a picture `p`. */
const owners = statement`
  join tenants t on t.id = p.tenant_id
  left join users u on u.tenant_id = p.tenant_id and u.id = p.user_id
  left join organizations o on o.tenant_id = p.tenant_id and o.id = p.organization_id`

/** Whether the owner of a picture names the path. It is null if the owner names nothing. */
function isNamed(path: Statement): Statement {
  const url = statement`
    case when p.user_id is not null then u.avatar_url
      when p.organization_id is not null then o.logo_url
      else t.logo_url end`
  return statement`right(${url}, char_length(${path})) = ${path}`
}
