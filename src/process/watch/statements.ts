/**
 * Statements as traces show them: without their values.
 *
 * Invariant: the number of descriptions that the process keeps is limited, because a list with filters and a search has hundreds of
 * thousands of texts.
 */

/** A statement in a span. */
interface Described {
  readonly text: string
  /** The operation and its first table, such as `select sessions`. */
  readonly summary: string
}

/** How many descriptions are kept. */
export const mostKnown = 10_000

/** By the text of a statement. */
const known = new Map<string, Described>()

/** Describes a statement. A statement that is a string contains its values, and they are replaced. */
export function describe(statement: string | { readonly text: string }): Described {
  if (typeof statement === 'string') return description(statement.replace(/'[^']*'/g, '?'))
  const found = known.get(statement.text)
  if (found) return found
  if (known.size >= mostKnown) known.clear()
  const made = description(statement.text)
  known.set(statement.text, made)
  return made
}

function description(source: string): Described {
  const text = source.replace(/\s+/g, ' ').trim()
  const [operation = ''] = text.split(' ')
  const [, table] = /\b(?:from|into|^update) ([a-z_.]+)/.exec(text) ?? []
  return { text, summary: table ? `${operation} ${table}` : operation }
}
