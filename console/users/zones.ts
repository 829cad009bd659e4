/** The languages and time zones to choose from, named by the browser. */

/** The languages that the console offers. A user's other language is offered to them too. */
const languages =
  'ar bg ca cs da de de-AT de-CH el en-AU en-CA en-GB en-IE en-IN en-NZ en-US es es-419 es-MX et eu fa fi fr fr-BE fr-CA fr-CH ga gl he hi hr hu hy id is it ja ka kk ko lt lv mk ms nb nl nl-BE nn pl pt-BR pt-PT ro ru sk sl sq sr sv th tr uk vi zh-Hans zh-Hant'.split(
    ' ',
  )

export interface Choice {
  readonly value: string
  readonly label: string
}

/** @param present the current tag, which is always included */
export function languageChoices(present: string | null, reader?: string): Choice[] {
  const tags = present === null || languages.includes(present) ? languages : [...languages, present]
  const own = (tag: string) => nameOf(tag, tag)
  const read = (tag: string) => nameOf(tag, reader ?? navigator.language)
  return tags
    .map((value) => ({ value, label: own(value) === read(value) ? own(value) : `${own(value)} · ${read(value)}` }))
    .sort((a, b) => a.label.localeCompare(b.label))
}

/** The name of a language, or its tag if the browser does not know it. */
function nameOf(tag: string, reader: string): string {
  try {
    const name = new Intl.DisplayNames([reader], { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag
    return name.charAt(0).toLocaleUpperCase(reader) + name.slice(1)
  } catch {
    return tag // valid for the service, but not for this browser
  }
}

/** @param present the current zone, which is always included */
export function zoneChoices(present: string | null): Choice[] {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(present === null ? [] : [present])])
  return [...zones].sort().map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}

/** The zone of this browser. */
export function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The current time in a zone, or undefined if the browser does not know the zone. */
export function clockIn(timeZone: string, reader?: string): string | undefined {
  try {
    return new Intl.DateTimeFormat(reader, { weekday: 'long', hour: 'numeric', minute: '2-digit', timeZone }).format()
  } catch {
    return undefined
  }
}
