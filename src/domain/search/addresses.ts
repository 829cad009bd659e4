/**
 * Search of addresses whose words are not filled in, as those of invitations that the release before has made. Their words are made by the
 * statement: an address is ASCII. A domain in another script is found as it is stored (`xn--…`), until its words are filled in.
 */
import { empty, join, type Statement, statement } from '../../platform/database/database.ts'
import { beginsWith } from './search.ts'
import type { Term } from './words.ts'

/** The conditions that an address must fulfil. All words are compared in one, whose text does not depend on how many there are. */
export function matchingAddress(email: Statement, terms: readonly Term[]): Statement {
  if (terms.length === 0) return statement`and false`
  const texts = terms.flatMap((term) => (term.kind === 'rest' ? term.texts : term.kind === 'word' ? [term.text] : []))
  const conditions = terms.flatMap((term) => {
    if (term.kind === 'address') return [beginsWith(email, term.text)]
    return term.kind === 'domain' ? [statement`strpos(${email}, ${`@${term.text}`}) > 0`] : []
  })
  return join([empty, ...conditions, ...(texts.length > 0 ? [matchingWords(email, texts)] : [])], ' and ')
}

/** `offset 0` keeps the words of the address from being made again for each text. */
function matchingWords(email: Statement, texts: readonly string[]): Statement {
  const [apart, domain] = [/\./g, /\.(?=.*\.)/g].map((dots) => texts.map((text) => text.replaceAll(dots, '. ')))
  return statement`
    true = all (
      select strpos(made.words, ' ' || typed.apart) > 0 or strpos(made.words, ' ' || typed.domain) > 0
      from (select ${wordsOf(email)} as words offset 0) made,
        unnest(${apart}::text[], ${domain}::text[]) typed (apart, domain))`
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
