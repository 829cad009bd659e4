/** Pictures in the files of users and organizations: as base64. An import encodes each again, unless a Guildhall has made it. */
import { Type } from 'typebox'
import { insertPicture, type NewPicture, newPicture, type PictureOwner } from '../../domain/pictures/pictures.ts'
import type { Sql } from '../../platform/database/database.ts'
import { encodeOrKeep } from '../../platform/pictures/encoding.ts'
import { inspectPicture } from '../../platform/pictures/inspection.ts'
import { PictureError } from '../../platform/pictures/picture.ts'
import type { Config } from '../../platform/settings/config.ts'

/** 300 kB in base64. What an export writes is shorter (`mostMade`). */
export const PictureText = Type.String({ maxLength: 400_000, pattern: '^[A-Za-z0-9+/]+={0,2}$' })

/** The column that has a picture, by the kind of file; its form has the same name. */
export const pictureColumns = { users: 'avatar', organizations: 'logo' } as const

/** @returns the content of a row with its picture encoded again; undefined if it cannot be */
export async function withPicture<Content extends object>(
  kind: string,
  content: Content,
): Promise<Content | undefined> {
  const found = findPicture(kind, content)
  if (!found) return content
  try {
    const made = await encodeOrKeep(inspectPicture(Buffer.from(found.text, 'base64')), found.column)
    return { ...content, [found.column]: made.toString('base64') }
  } catch (error) {
    if (error instanceof PictureError) return undefined
    throw error
  }
}

/** The length of a row's picture, in characters; 0 if it has none. */
export function pictureLength(kind: string, content: object): number {
  return findPicture(kind, content)?.text.length ?? 0
}

function findPicture(kind: string, content: object) {
  const column = Object.entries(pictureColumns).find(([each]) => each === kind)?.[1]
  const text = column && (content as Readonly<Record<string, unknown>>)[column]
  return typeof text === 'string' && column !== undefined ? { column, text } : undefined
}

/** A new URL for the picture of a row, and what is stored under it. @param text as `withPicture` has made it */
export function newPictureOf(
  config: Pick<Config, 'publicUrl'>,
  tenant: string,
  text: string | undefined,
): { readonly url: string; readonly picture: NewPicture } | undefined {
  return text === undefined ? undefined : newPicture(config, tenant, Buffer.from(text, 'base64'))
}

/** Stores the pictures of rows that were inserted with their URLs. */
export async function insertPictures(
  sql: Sql,
  pictures: readonly (PictureOwner & { readonly picture: NewPicture | undefined })[],
): Promise<void> {
  for (const { picture, ...owner } of pictures) if (picture) await insertPicture(sql, owner, picture)
}
