/**
 * CSV: the text of a table (RFC 4180), in UTF-8 with the mark by which Excel knows it.
 *
 * Invariant: no cell is a formula. Spreadsheets run what begins with `=`, `+`, `-` or `@`, and names and addresses are what people have
 * typed. Such text gets a leading apostrophe, also behind a separator inside a cell: a program that separates cells by other characters
 * than commas would begin a cell there (OWASP, CSV injection), and take quotes that follow for those around it.
 */

export type Cell = string | number | boolean | null | undefined

/** The header of a column, and its cell in the line of an item. */
export type Column<Item> = readonly [header: string, cellOf: (item: Item) => Cell]

/** The beginning of the file: the mark of UTF-8, and the headers. */
export function toHead<Item>(columns: readonly Column<Item>[]): string {
  return `\u{feff}${toLine(columns.map(([header]) => header))}`
}

/** A line for each item. */
export function toLines<Item>(columns: readonly Column<Item>[], items: readonly Item[]): string {
  return items.map((item) => toLine(columns.map(([, cellOf]) => cellOf(item)))).join('')
}

function toLine(cells: readonly Cell[]): string {
  return `${cells.map(toField).join(',')}\r\n`
}

/** Where text would begin a formula, and where it would do so in a cell of its own. Some spreadsheets take full-width characters for others. */
const begins = /^(?= *[=+\-@＝＋－＠]|[\t\r\n])/
const beginsInside = /([;\t\r\n][" ]*)(?=[=+\-@＝＋－＠])/g

function toField(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  const text = typeof cell === 'string' ? cell.replace(beginsInside, "$1'").replace(begins, "'") : String(cell)
  return /[",;\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
