/**
 * Words: what a search compares. Stored words and typed words are made by the same rules, and a typed word matches the beginning of a
 * stored one.
 *
 * - Letters are compared without case and accents, in their compatible forms (NFKD): `MÜL` finds Müller, `ｱ` finds ア, `strasse` finds Straße.
 *   Vowel signs that are letters of their script, as in Devanagari or Thai, stay.
 * - A word is a run of letters, digits and symbols such as emoji. A dot between two of them belongs to the word, and what follows it begins
 *   another one: `anna.smith` is found by `anna.s` and by `smith`, `mail.acme.com` by `acme`. An apostrophe is left out: O’Neill is found by
 *   `oneill`, by `o'neill` and by `neill`. Everything else separates words.
 * - Chinese, Japanese and Korean are written without spaces, or with few. Each of their characters begins a word, so 田中太郎 is found by
 *   太郎. A dictionary would find fewer beginnings, and others in each version of it. Of scripts such as Thai the whole run is one word.
 */
import { domainToUnicode } from 'node:url'
import { addressKey } from '../../platform/http/schemas.ts'

/** Longer words are compared up to here, in characters. An entry of an index has a limit. */
const longest = 64

/** How many terms of a query are looked up in an index. */
const mostLookedUp = 8

/** What a query asks for, as far as an index finds it. */
export type Lookup =
  /** The beginning of a word. */
  | { readonly kind: 'word'; readonly text: string }
  /** The beginning of an address’s domain; `words` are words that this domain then has. */
  | { readonly kind: 'domain'; readonly text: string; readonly words: readonly string[] }
  /** The beginning of a whole address, as it is stored; `words` are words that its local part then has. */
  | { readonly kind: 'address'; readonly text: string; readonly words: readonly string[] }

/** What a query asks for. Everything that it contains must match. */
export type Term =
  | Lookup
  /** The beginnings of words beyond those that are looked up. Rows that the others find are compared with them. */
  | { readonly kind: 'rest'; readonly texts: readonly string[] }

/**
 * What a typed query asks for. Punctuation that is in no word asks for nothing, unless there is nothing else: it then finds names of
 * punctuation. With nothing asked for, nothing is found.
 *
 * Invariant: there are few lists of kinds. Each makes another text of a statement, which each connection keeps prepared.
 *
 * @returns at most eight lookups, by kind: the longest words, which are the rarest, then a domain and an address; then the rest
 */
export function readQuery(query: string): Term[] {
  const typed = query
    .normalize('NFKC')
    .split(/\s+/)
    .filter((each) => each !== '')
  const words = typed.filter((each) => !each.includes('@')).flatMap(typedWords)
  const domains = distinct(typed.filter((each) => each.startsWith('@')).flatMap(termOfDomain))
  const addresses = distinct(typed.filter((each) => each.indexOf('@') > 0).map(termOfAddress))
  // An address has one beginning, and one domain.
  if (domains.length > 1 || addresses.length > 1) return []
  const others = [...domains, ...addresses]
  const asked = withoutBeginnings(words.length + others.length > 0 ? words : punctuationOf(query))
  asked.sort((one, other) => other.length - one.length)
  const [lookedUp, texts] = [asked.slice(0, mostLookedUp - others.length), asked.slice(mostLookedUp - others.length)]
  return [
    ...lookedUp.map((text) => ({ kind: 'word', text }) as const),
    ...others,
    ...(texts.length > 0 ? [{ kind: 'rest', texts } as const] : []),
  ]
}

/** The terms that an index finds. In a list of terms they come first. */
export function lookupsIn(terms: readonly Term[]): Lookup[] {
  return terms.filter((term) => term.kind !== 'rest')
}

/** Without addresses: an `@` separates words, as other punctuation does. */
export function readWords(query: string): Term[] {
  return readQuery(query.normalize('NFKC').replaceAll('@', ' '))
}

function termOfDomain(typed: string): Lookup[] {
  const text = fold(typed.slice(1))
  const runs = [...text.matchAll(run)]
  // A word that begins in the last part has no row (`wordsOfDomain`).
  const before = runs.filter(({ index }) => index < text.lastIndexOf('.'))
  const words = withoutBeginnings((before.length > 0 ? before : runs).map(([each]) => cut(each)))
  return words.length === 0 ? [] : [{ kind: 'domain', text, words }]
}

function termOfAddress(typed: string): Lookup {
  const text = addressKey(typed)
  return { kind: 'address', text, words: storedWords(text.slice(0, text.indexOf('@'))) }
}

/** Without terms whose text is the beginning of another one’s. */
function distinct(terms: readonly Lookup[]): Lookup[] {
  const byText = new Map(terms.map((term) => [term.text, term]))
  return withoutBeginnings([...byText.keys()]).flatMap((text) => byText.get(text) ?? [])
}

/**
 * A domain in another script is found as people read it, and as lists show it: `xn--…`.
 *
 * @returns the domain after an `@`, in one form or two, then the words by which a user is found; each after a space
 */
export function wordsOfUser({ name, email }: { readonly name: string | null; readonly email: string }): string {
  const [local = '', domain = ''] = email.split('@')
  const forms = [...new Set([domain, fold(domainToUnicode(domain) || domain)])]
  const words = [...storedWords(name ?? ''), ...storedWords(local), ...forms.flatMap(wordsOfDomain)]
  // The domain comes first: by this, words of older code are known.
  return asText([...forms.map((form) => `@${form}`), ...withoutBeginnings(words)])
}

/** The last part of a domain finds nobody: half of all people would have it as a word. */
function wordsOfDomain(domain: string): string[] {
  const last = storedWords(domain.slice(domain.lastIndexOf('.') + 1))
  return storedWords(domain).slice(0, -last.length)
}

/** @returns the words by which an invitation is found: those of an address alone */
export function wordsOfAddress(email: string): string {
  return wordsOfUser({ name: null, email })
}

/** @returns the words by which an organization is found, each after a space */
export function wordsOfOrganization({ name, slug }: { readonly name: string; readonly slug: string }): string {
  return asText(withoutBeginnings([...storedWords(name), ...storedWords(slug)]))
}

function asText(words: readonly string[]): string {
  return words.map((word) => ` ${word}`).join('')
}

/** The words in a text that is made here, without the domain: those that get a row. */
export function wordsIn(text: string | null): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '' && !word.startsWith('@'))
}

const letter = String.raw`[\p{L}\p{M}\p{N}\p{So}]`
const run = new RegExp(`${letter}+(?:[.']${letter}+)*`, 'gu')
/** Of Hangul, which NFKD takes apart, the first consonant of each syllable. */
const alone = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u1100-\u115f\p{So}]`
/** Where a word begins in a run: after a dot or an apostrophe, at each character that begins one, and after those. */
const beginning = new RegExp(String.raw`(?<=^|[.'])|(?=${alone})|(?<=${alone})(?![.'\p{M}\u1160-\u11ff])`, 'gu')

function typedWords(text: string): string[] {
  return [...fold(text).matchAll(run)].map(([each]) => cut(each))
}

function storedWords(text: string): string[] {
  const runs = [...fold(text).matchAll(run)]
  if (runs.length === 0) return punctuationOf(text)
  return runs.flatMap(([each]) =>
    [...each.matchAll(beginning)].map(({ index }) => cut(each.slice(index))).filter((word) => word !== ''),
  )
}

/** The only word of a text that has no others. */
function punctuationOf(text: string): string[] {
  const word = cut(fold(text).replaceAll(/[\s@]/g, ''))
  return word === '' ? [] : [word]
}

function cut(word: string): string {
  return [...word.replaceAll("'", '')].slice(0, longest).join('')
}

/** Letters that NFKD leaves whole, although people type them without their stroke, or as two letters. */
const plain: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ə: 'e',
  ς: 'σ',
  ة: 'ه',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
}
const notPlain = new RegExp(`[${Object.keys(plain).join('')}]`, 'gu')
/** Accents: marks that any script may take, the points of Hebrew, and the tatweel of Arabic. Cf: joiners and other characters without a look. */
const marks = /[\p{Mn}&&[\p{Script=Inherited}\p{Script=Hebrew}]]|\u0640|\p{Cf}/gv

const isAscii = /^[ -~]*$/

/** The upper case of ß is two letters, and that of the dotless ı is I. */
function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase() // most are
  return text
    .normalize('NFKD')
    .replaceAll(marks, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll(notPlain, (each) => plain[each] ?? each)
    .replaceAll(/[’‘ʼʻ＇]/g, "'")
}

/** Without words that are the beginning of another one: what they match, the other one matches. */
function withoutBeginnings(words: readonly string[]): string[] {
  const sorted = [...new Set(words)].sort()
  return sorted.filter((word, index) => !sorted[index + 1]?.startsWith(word))
}
