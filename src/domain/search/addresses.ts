/**
 * Search of addresses alone, as those of invitations. Their words are made by the statement: an address is ASCII, and an organization’s
 * invitations are read in their order, so that no words need be stored. A domain in another script is found as it is stored (`xn--…`).
 */
import { empty, join, type Statement, statement } from '../../platform/database/database.ts'
import { beginsWith } from './search.ts'
import type { Term } from './words.ts'

/** The conditions that an address must fulfil. */
export function matchingAddress(email: Statement, terms: readonly Term[]): Statement {
  if (terms.length === 0) return statement`and false`
  return join([empty, ...terms.map((term) => matchingOne(email, term))], ' and ')
}

function matchingOne(email: Statement, term: Term): Statement {
  if (term.kind === 'address') return beginsWith(email, term.text)
  if (term.kind === 'domain') return statement`strpos(${email}, ${`@${term.text}`}) > 0`
  const forms = new Set([term.text.replaceAll('.', '. '), term.text.replaceAll(/\.(?=.*\.)/g, '. ')])
  const conditions = [...forms].map((form) => statement`strpos(${wordsOf(email)}, ${` ${form}`}) > 0`)
  return statement`(${join(conditions, ' or ')})`
}

/**
 * The words of an address, each after a space, also if a dot is before it. Only the last dot of the domain has none after it: what follows
 * it is no word.
 */
function wordsOf(email: Statement): Statement {
  const [local, domain] = [statement`split_part(${email}, '@', 1)`, statement`split_part(${email}, '@', 2)`]
  const apart = (text: Statement) =>
    statement`replace(translate(${text}, '!#$%&*+/=?^_{|}~\`-''', repeat(' ', 19)), '.', '. ')`
  return statement`
    concat(' ', ${apart(local)}, ' ', ${apart(statement`replace(${local}, '''', '')`)},
      ' ', ${apart(statement`substring(${domain} from '(.*)[.]')`)}, '.', substring(${domain} from '[^.]*$'))`
}
