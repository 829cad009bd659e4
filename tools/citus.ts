/**
 * Statements: what Citus refuses of them, on tables that are distributed by `tenant_id` under row-level security. Tried on Citus 13.2 with
 * PostgreSQL 15. It pushes an insertion down to the rows of one tenant, or copies the rows, which PostgreSQL refuses under the wall.
 */
import { endOfGroup, maskGroups, partsOf, withoutSelects } from './groups.ts'
import { endOfTemplate, endOfValue, templatesIn } from './statements.ts'
import { readTree } from './tree.ts'

/** What was released before is not changed; 0043 takes away what breaks the rules in it. */
const firstMigration = 43

/** Functions that are not immutable. */
const mutable =
  /\b(?:now|(?:clock|statement|transaction)_timestamp|timeofday|random|gen_random_uuid|uuidv[47]|current_setting|set_config|date_trunc|date_part|extract|age|to_char|nextval)\s*\(|\b(?:current_(?:timestamp|date|time|user|role)|localtime(?:stamp)?)\b/i
/** Of these, the ones that a change of rows may not have at all. */
const volatile = /\b(?:random|gen_random_uuid|uuidv[47]|clock_timestamp|timeofday|nextval)\s*\(/i
/** What a change returns, up to the end of its group. */
const returned = /\breturning\b([\s\S]*)/i
/** Of a time with a time zone, this is stable; of one at UTC, immutable. */
const stableSum = /(?<!at time zone 'UTC'\s*)[+-]\s*(?:make_interval\s*\(|interval\b)/i

/** @returns each statement that Citus would refuse, with the rule that it breaks */
export async function findWhatCitusRefuses(): Promise<string> {
  return readTree()
    .flatMap(({ path, text }) => {
      if (/^src\/.*(?<!\.test)\.ts$/.test(path))
        return [...[...statementsIn(text)].flatMap((read) => judge(path, read)), ...judgeNulls(path, text)]
      const isNew = path.startsWith('migrations/') && Number(path.slice(11, 15)) >= firstMigration
      return isNew ? [...judge(path, { line: 1, sql: text }), ...judgeKeys(path, text), ...judgeBodies(path, text)] : []
    })
    .join('\n')
}

/** Of a `left join` whose condition compares with null, PostgreSQL drops the table, and then the coordinator of Citus crashes. */
function judgeNulls(path: string, text: string): string[] {
  return [...text.matchAll(/\bleft join\b(?:(?!\b(?:left join|where)\b|`)[\s\S])*?\?\? null\}/g)].map(
    ({ index }) =>
      `${path}:${text.slice(0, index).split('\n').length}: null in the condition of a left join: take a value that no row has`,
  )
}

interface Read {
  readonly line: number
  /** With `?` for each value, and the texts of nested and named fragments in their places. */
  readonly sql: string
  /** Whether it is a fragment with a name, which is read where it is used. */
  readonly isNamed?: boolean
}

function* statementsIn(text: string): Generator<Read> {
  const lineAt = (index: number) => text.slice(0, index).split('\n').length
  const named = new Map<string, string>()
  for (const { 1: name = '', index, 0: opening } of text.matchAll(/\b(\w+)(?::| =) statement`/g)) {
    const start = index + opening.length
    const own = text.slice(start, endOfTemplate(text, start)).replaceAll('\n', ' ')
    named.set(name, `${named.get(name) ?? ''} ${own.replace(/\$\{[^}]*\}/g, '?')}`)
  }
  let last = 0
  const asked = [...text.matchAll(/\bquery(?:<[^`]*>)?\(\s*`/g)].map(({ index, 0: opening }) => {
    const start = index + opening.length
    return { start, end: endOfTemplate(text, start) }
  })
  for (const { start, end } of [...templatesIn(text), ...asked].sort((one, other) => one.start - other.start)) {
    if (start < last) continue // part of the one before
    last = end
    const isNamed = /(?::| =) statement`$/.test(text.slice(0, start))
    yield { line: lineAt(start), sql: fill(text, start, end, named), isNamed }
  }
  for (const { 2: sql = '', index } of text.matchAll(/(['"])(insert into .*?)\1/gi)) yield { line: lineAt(index), sql }
}

/** @returns the text of a template, with as many lines */
function fill(text: string, start: number, end: number, named: ReadonlyMap<string, string>): string {
  let filled = ''
  for (let at = start; at < end; at++) {
    if (!text.startsWith('${', at)) {
      filled += text[at]
      continue
    }
    const close = endOfValue(text, at + 2)
    const value = text.slice(at + 2, close)
    const nested = [...templatesIn(value)]
    let done = 0
    for (const part of nested) {
      if (part.start < done) continue
      filled += value.slice(done, part.start).replace(/[^\n]/g, '')
      filled += ` ${fill(value, part.start, part.end, named)} `
      done = part.end
    }
    if (nested.length === 0) filled += named.get(/^(?:\w+\.)*(\w+)$/.exec(value)?.[1] ?? '') ?? '?'
    filled += value.slice(done).replace(/[^\n]/g, '')
    at = close
  }
  return filled
}

function judge(path: string, read: Read): string[] {
  const sql = read.sql.replace(/--.*/g, '')
  const each = { ...read, sql }
  return [...judgeInsertions(path, each), ...judgeChanges(path, each), ...judgeSelects(path, each)]
}

/** What Citus passes on wrongly, or finds no node for. */
function judgeSelects(path: string, { line, sql }: Read): string[] {
  const placeOf = (index: number) => `${path}:${line + sql.slice(0, index).split('\n').length - 1}`
  const cases = [...sql.matchAll(/\bcase\s+(?!when\b)[\w.]+\s+when\b/gi)].map(
    ({ index }) => `${placeOf(index)}: \`case … when\` that compares a value: write \`case when … =\``,
  )
  const nested = [...sql.matchAll(/\(\s*select\b/gi)].flatMap(({ index, 0: opening }) => {
    const own = withoutSelects(sql.slice(index + opening.length, endOfGroup(sql, index + opening.length)))
    const names = new Set([...own.matchAll(/\b(?:from|join|,)\s+\w+\s+(?:as\s+)?(\w+)/gi)].map(([, name]) => name))
    if (/\bfrom\s+tenant(?:s|_domains)\b/i.test(own) && !/\bjoin\b/i.test(own)) return [] // they are on every node
    const foreign = [...own.matchAll(/\btenant_id\s*=\s*(\w+)\.(?:tenant_id|id)\b/gi)]
    return foreign
      .filter(([, name]) => !names.has(name))
      .map(() => `${placeOf(index)}: a nested select whose tenant is that of an outer row: name the tenant itself`)
  })
  return [...cases, ...nested]
}

/** Updates and deletions of tenants' rows, without what they select. */
function judgeChanges(path: string, { line, sql }: Read): string[] {
  return [...sql.matchAll(/\b(?:update\s+\w+(?:\s+\w+)?\s+set|delete\s+from)\b/gi)].flatMap(({ index }) => {
    const place = `${path}:${line + sql.slice(0, index).split('\n').length - 1}`
    const own = withoutSelects(sql.slice(index, endOfGroup(sql, index)).replace(/;[\s\S]*/, ''))
    if (!/\btenant_id\b|^update\s+tenants\b/i.test(own)) return []
    const choices = [...own.matchAll(/\bcoalesce\s*\(/gi)].map(({ index, 0: opening }) =>
      own.slice(index, endOfGroup(own, index + opening.length)),
    )
    choices.push(...(own.match(/\bcase\b[\s\S]*?\bend\b/gi) ?? []))
    return [
      volatile.test(own) && 'a volatile function in a change: select its value first',
      choices.some((choice) => mutable.test(choice)) &&
        'a function in `case` or `coalesce` of a change that is not immutable: take `least`',
      mutable.test(returned.exec(own)?.[1] ?? '') &&
        'a function in `returning` that is not immutable: select it after the change',
      /\w\s*[+-]\s*(?:make_interval\s*\(|interval\b)/i.test(own.replace(/at time zone 'UTC'/gi, '()')) &&
        "a sum of a column and an interval in a change, which is not immutable: take the time `at time zone 'UTC'`",
    ].flatMap((fault) => (fault ? `${place}: ${fault}` : []))
  })
}

function judgeInsertions(path: string, { line, sql, isNamed }: Read): string[] {
  return [...sql.matchAll(/\binsert into\s+(?:\w+(?:\s+as\s+\w+)?\s*\()?/gi)].flatMap(({ index, 0: opening }) => {
    const place = `${path}:${line + sql.slice(0, index).split('\n').length - 1}`
    const start = index + opening.length
    const end = endOfGroup(sql, start)
    const columns = partsOf(sql.slice(start, end))
    const position = columns.indexOf('tenant_id')
    if (!opening.endsWith('(') || (position < 0 && columns.includes('?')))
      return [`${place}: an insertion without the names of its table and columns: write them in its template`]
    if (position < 0) return [] // a global table
    const rest = sql.slice(end + 1, endOfGroup(sql, end + 1)).replace(/;[\s\S]*/, '')
    return judgeInsertion(rest, position, isNamed).map((fault) => `${place}: ${fault}`)
  })
}

/** @param rest what follows the columns @param position of `tenant_id` among them */
function judgeInsertion(rest: string, position: number, isNamed = false): string[] {
  const top = maskGroups(rest)
  const until = (pattern: RegExp) => (top.search(pattern) < 0 ? rest.length : top.search(pattern))
  const [conflict, returning] = [until(/\bon conflict\b/i), until(/\breturning\b/i)]
  const action = rest.slice(conflict, Math.max(conflict, returning))
  const starts = [...top.slice(0, Math.min(conflict, returning)).matchAll(/\b(?:values|select)\b/gi)].map(
    ({ index }) => index,
  )
  const sources = starts.map((start, n) => rest.slice(start, Math.min(starts[n + 1] ?? conflict, conflict, returning)))
  const selects = sources.filter((source) => /^select\b/i.test(source))
  const isUpdate = /\bdo update\b/i.test(action)
  return [
    sources.length === 0 && !isNamed && 'an insertion whose values or select are elsewhere: write them in one template',
    sources.some((source) => /^values\b/i.test(source) && /\(\s*select\b/i.test(source)) &&
      'a subquery in `insert … values`',
    ...selects.map((source) => judgeTenant(source, position, conflict < rest.length)),
    selects.some((source) =>
      /\b(?:from|join)\s+unnest\s*\(|,\s*unnest\s*\([^()]*\)\s*(?:as\s+)?\w+\s*\(/i.test(source),
    ) && '`insert … select` from `unnest`: take `jsonb_to_recordset`',
    selects.length > 0 && returning < rest.length && '`insert … select … returning`: select the rows after it',
    selects.length > 0 &&
      /\bon conflict\s+on constraint\b/i.test(action) &&
      '`insert … select` with `on conflict on constraint`: name the columns',
    isUpdate &&
      mutable.test(action) &&
      'a function in `on conflict … do update` that is not immutable: take `excluded`',
    isUpdate &&
      stableSum.test(action) &&
      "a sum with an interval in `on conflict … do update`, which is not immutable: take the time `at time zone 'UTC'`",
  ].filter((fault) => typeof fault === 'string')
}

/** The row of the tenant itself will do for an insertion with `on conflict`, which Citus makes without copying. */
function judgeTenant(select: string, position: number, hasConflict: boolean): string | false {
  const from = maskGroups(select).search(/\bfrom\b/i)
  const item = partsOf(select.slice('select'.length, from < 0 ? select.length : from))[position] ?? ''
  const [, tenants] = /\btenants\s+(?:as\s+)?(\w+)/i.exec(select.slice(from)) ?? []
  if (/^(?:\w+\.)?tenant_id$/.test(item)) return false
  if (tenants === undefined || item !== `${tenants}.id`)
    return 'the tenant of `insert … select` is not the `tenant_id` of a selected row'
  return !hasConflict && '`insert … select` from `tenants` without `on conflict`'
}

function judgeKeys(path: string, text: string): string[] {
  const key =
    /\bforeign key\s*\([^)]*\btenant_id\b[^)]*\)\s*references\s+\w+\s*(?:\([^)]*\))?[^,;]*?\bon delete set (?:null|default)\b/gi
  const sql = text.replace(/--.*/g, '')
  return [...sql.matchAll(key)].map(
    ({ index }) =>
      `${path}:${sql.slice(0, index).split('\n').length}: \`on delete set null\` in a key with \`tenant_id\`: let the code do it`,
  )
}

/** The statements of a migration are parted at the semicolons that end lines. */
function judgeBodies(path: string, text: string): string[] {
  return [...text.matchAll(/\$\w*\$(?=[^\n]*\n)[\s\S]*?\$\w*\$/g)]
    .filter(([body]) => body.includes('\n'))
    .map(
      ({ index }) =>
        `${path}:${text.slice(0, index).split('\n').length}: a body of several lines: on a cluster, each of its statements would run alone`,
    )
}
