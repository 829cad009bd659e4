/**
 * Notes, in SQLite, by the ids of organizations and users, which never change. Only Guildhall has names and addresses.
 *
 * Invariant: a note can be reached only together with its organization.
 */
import { DatabaseSync } from 'node:sqlite'

export interface Note {
  readonly id: number
  readonly authorId: string
  readonly text: string
  readonly createdAt: string
}

export type Notes = ReturnType<typeof openNotes>

/** @param path the path of the file, or `:memory:` */
export function openNotes(path: string) {
  const database = new DatabaseSync(path)
  database.exec(`
    pragma secure_delete = on; -- overwrites deleted data
    create table if not exists notes (
      id integer primary key autoincrement,
      organizationId text not null,
      authorId text not null,
      text text not null,
      createdAt text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    ) strict;
    create index if not exists notes_by_organization on notes (organizationId, id);`)
  const sql = database.createTagStore() // values are parameters
  const idsOf = (rows: readonly { id?: unknown }[]) => new Set(rows.map(({ id }) => String(id)))
  return {
    /** Newest first. */
    list(organizationId: string) {
      const rows = sql.all`
        select id, authorId, text, createdAt from notes where organizationId = ${organizationId} order by id desc`
      return rows as unknown as readonly Note[] // the columns
    },
    count(organizationId: string) {
      return Number(sql.get`select count(*) as count from notes where organizationId = ${organizationId}`?.count)
    },
    findAuthor(organizationId: string, id: number) {
      return sql.get`select authorId from notes where organizationId = ${organizationId} and id = ${id}`?.authorId
    },
    add(organizationId: string, authorId: string, text: string) {
      const row = sql.get`
        insert into notes (organizationId, authorId, text) values (${organizationId}, ${authorId}, ${text})
        returning id, authorId, text, createdAt`
      return row as unknown as Note // the columns
    },
    delete(organizationId: string, id: number) {
      sql.run`delete from notes where organizationId = ${organizationId} and id = ${id}`
    },

    organizationIds: () => idsOf(sql.all`select distinct organizationId as id from notes`),
    authorIds: () => idsOf(sql.all`select distinct authorId as id from notes`),
    eraseOrganization: (id: string) => sql.run`delete from notes where organizationId = ${id}`,
    eraseAuthor: (id: string) => sql.run`delete from notes where authorId = ${id}`,
    close: () => database.close(),
  }
}
