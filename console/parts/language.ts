/**
 * Dates in sentences. The sentences are of the page's language, and dates of the reader's: screen readers need to know that (WCAG 3.1.2).
 * A date in another language is isolated in its sentence by marks, which also keep the order of words where it is written from right to
 * left. `WithDates` shows such a sentence.
 */
import i18next from 'i18next'

const locales = new Map<string | undefined, string>()

/**
 * @param locale undefined: the browser's
 * @returns      a locale for Intl. Its dates are in the calendar of date fields, beside which they stand, also where the language has another one
 */
export function localeOf(locale: string | undefined): string {
  const known = locales.get(locale)
  if (known !== undefined) return known
  const { locale: resolved } = new Intl.DateTimeFormat(locale).resolvedOptions()
  const found = new Intl.Locale(resolved, { calendar: 'gregory' }).toString()
  locales.set(locale, found)
  return found
}

const languages = new Map<string, string | undefined>()

/** @returns the language of what Intl writes for a locale, for `lang`; undefined if it is the page's */
export function langOf(locale: string): string | undefined {
  if (!languages.has(locale)) {
    const { language, baseName } = new Intl.Locale(new Intl.DateTimeFormat(locale).resolvedOptions().locale)
    languages.set(locale, language === new Intl.Locale(i18next.language).language ? undefined : baseName)
  }
  return languages.get(locale)
}

/** Isolates a date for a sentence, unless it is in the page's language. */
export function isolate(date: string, locale: string): string {
  return langOf(locale) === undefined ? date : `\u2068${date}\u2069`
}

/** @returns the parts of a sentence: each second one was isolated */
export function partsOf(sentence: string): string[] {
  return sentence.split(/\u2068(.*?)\u2069/)
}
