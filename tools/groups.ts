/** Groups: the text of a statement by its parentheses. */

/** @returns where the group ends that is open at `start` */
export function endOfGroup(sql: string, start: number): number {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    if (sql[at] === '(') depth++
    else if (sql[at] === ')' && depth-- === 0) return at
  }
  return sql.length
}

/** @returns the text with `()` in the places of its nested selects */
export function withoutSelects(sql: string): string {
  const { index, 0: opening } = /\(\s*select\b/i.exec(sql) ?? { index: -1, 0: '' }
  return index < 0
    ? sql
    : `${sql.slice(0, index)}()${withoutSelects(sql.slice(endOfGroup(sql, index + opening.length) + 1))}`
}

/** @returns the text with spaces in the places of its groups and strings */
export function maskGroups(sql: string): string {
  let masked = sql.replace(/'[^']*'/g, (text) => ' '.repeat(text.length))
  for (let inner = masked; ; inner = masked) {
    masked = inner.replace(/\([^()]*\)/g, (group) => ' '.repeat(group.length))
    if (masked === inner) return masked
  }
}

/** @returns what is between commas */
export function partsOf(sql: string): string[] {
  const commas = [...maskGroups(sql).matchAll(/,/g)].map(({ index }) => index)
  return [...commas, sql.length].map((comma, n) => sql.slice((commas[n - 1] ?? -1) + 1, comma).trim())
}
