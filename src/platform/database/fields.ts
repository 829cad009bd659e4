/**
 * Fields: what people edit of a resource. Each is listed once, in `domain/<resource>/fields.ts`. The shape, the bodies, the imported row
 * and the statements are made from the list.
 */
import { raw } from 'sql-template-tag'
import { type TOptional, type TSchema, Type } from 'typebox'
import { join, type Statement, statement } from './database.ts'

export interface Field {
  /** In answers and bodies. */
  readonly schema: TSchema
  /** In the body of a PATCH, if that takes more than `schema`. */
  readonly patched?: TSchema
  /** In a row of an import, which omits what is null. A field that is never null is required there, or has a default. */
  readonly imported: TSchema
  /** Returns the form of a text that is stored, if that is not the text as it was sent. */
  readonly stored?: (text: string) => string
  /** The type of its column. */
  readonly type: Statement
  /** The class of the data, as the comment of the column says. */
  readonly class: 'public' | 'personal' | 'secret'
  /**
   * Who sees it, besides admins of the tenant. `themselves`: the user. `members`: everybody in the organization, or in one with the user.
   * `invited`: also people who have an invitation or a link to join.
   */
  readonly seenBy: 'themselves' | 'members' | 'invited'
}

/** By the names that the fields have in JSON. */
export type Fields = Readonly<Record<string, Field>>

/** For a shape. */
export function schemasOf<Listed extends Fields>(fields: Listed) {
  return pick(fields, ({ schema }) => schema) as { [Name in keyof Listed]: Listed[Name]['schema'] } // picked from each
}

/** For the body of a POST whose fields may be omitted. */
export function optional<Listed extends Fields>(fields: Listed) {
  return pick(fields, ({ schema }) => Type.Optional(schema)) as {
    [Name in keyof Listed]: TOptional<Listed[Name]['schema']> // made from each
  }
}

type Patched<Each extends Field> = Each extends { readonly patched: infer Schema extends TSchema }
  ? Schema
  : Each['schema']

/** For the body of a PATCH. */
export function patchOf<Listed extends Fields>(fields: Listed) {
  return pick(fields, ({ schema, patched = schema }) => Type.Optional(patched)) as {
    [Name in keyof Listed]: TOptional<Patched<Listed[Name]>> // made from each
  }
}

/** For a row of an import. */
export function importedOf<Listed extends Fields>(fields: Listed) {
  return pick(fields, ({ imported }) => imported) as { [Name in keyof Listed]: Listed[Name]['imported'] } // picked from each
}

function pick(fields: Fields, choose: (field: Field) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, choose(field)]))
}

/** Values as they are stored: call it where values of people come in, before they are compared, written or recorded. */
export function asStored<Values extends Readonly<Record<string, unknown>>>(fields: Fields, values: Values): Values {
  const changed = Object.entries(fields).flatMap(([name, { stored }]) => {
    const value = values[name]
    return stored && typeof value === 'string' ? [[name, stored(value)]] : []
  })
  return { ...values, ...Object.fromEntries(changed) }
}

/** Anything by the names of fields. */
type Named = Readonly<Record<string, unknown>>

/**
 * `name, logo_url`
 *
 * @param table its name in the statement, if the columns need one
 */
export function fieldColumns(fields: Named, table?: Statement): Statement {
  const columns = Object.keys(fields).map(columnOf)
  return join(table ? columns.map((column) => statement`${table}.${column}`) : columns, ', ')
}

/** The column of a field has its name, as SQL writes it: `logo_url` for `logoUrl`. */
export function columnOf(name: string): Statement {
  return raw(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

/** A value for each field. */
export type ValuesOf<Listed extends Named> = { readonly [Name in keyof Listed]: unknown }

/** `$1, $2`: in the order of `fieldColumns`. An omitted field gets the default of its column. */
export function fieldValues<Listed extends Fields>(fields: Listed, values: Partial<ValuesOf<Listed>>): Statement {
  return join(
    Object.keys(fields).map((name) => (values[name] === undefined ? statement`default` : values[name])),
    ', ',
  )
}

/** `name = $1, logo_url = $2` */
export function assignments<Listed extends Named>(fields: Listed, values: ValuesOf<Listed>): Statement {
  return join(
    Object.keys(fields).map((name) => statement`${columnOf(name)} = ${values[name]}`),
    ', ',
  )
}

/** `r."name", r."logoUrl"`: the columns of `jsonColumnsOf`, in the order of `fieldColumns`. */
export function jsonNamesOf(fields: Fields): Statement {
  return join(
    Object.keys(fields).map((name) => statement`r.${quoted(name)}`),
    ', ',
  )
}

/** `"name" text, "logoUrl" text`: for a jsonb_to_recordset that is `r`. */
export function jsonColumnsOf(fields: Fields): Statement {
  return join(
    Object.entries(fields).map(([name, { type }]) => statement`${quoted(name)} ${type}`),
    ', ',
  )
}

/** A name of a list: text of ours. */
function quoted(name: string): Statement {
  return raw(`"${name}"`)
}
