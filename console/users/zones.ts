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
export function languageChoices(present: string | null): Choice[] {
  const tags = present === null || languages.includes(present) ? languages : [...languages, present]
  const own = (tag: string) => languageName(tag, tag)
  const read = (tag: string) => languageName(tag, navigator.language)
  return tags
    .map((value) => ({ value, label: own(value) === read(value) ? own(value) : `${own(value)} · ${read(value)}` }))
    .sort((a, b) => a.label.localeCompare(b.label))
}

/** The name of a language, or its tag if the browser has none: `DisplayNames` refuses tags with extensions, which the service accepts. */
export function languageName(tag: string, reader: string): string {
  try {
    const name = new Intl.DisplayNames([reader], { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag
    return name.charAt(0).toLocaleUpperCase(reader) + name.slice(1)
  } catch {
    return tag
  }
}

/** Zones whose names have changed: browsers that follow CLDR list the former name, others the present one of IANA's database. */
const presentNames: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}
const formerNames = new Map(Object.entries(presentNames).map(([former, present]) => [present, former]))

const presentName = (zone: string) => presentNames[zone] ?? zone

/** A zone by its present name, for people. */
export function zoneInWords(zone: string): string {
  return presentName(zone).replaceAll('_', ' ')
}

/** Whether two names are those of one zone. */
export function isSameZone(one: string, other: string): boolean {
  return presentName(one) === presentName(other)
}

/** @param present the current zone, which is included under the name that it has, and under no other */
export function zoneChoices(present: string | null): Choice[] {
  const zones = new Map([...Intl.supportedValuesOf('timeZone'), 'UTC'].map((zone) => [presentName(zone), zone]))
  if (present !== null) zones.set(presentName(present), present)
  return [...zones.values()].map((value) => ({ value, label: zoneInWords(value) })).sort(byLabel)
}

const byLabel = (one: Choice, other: Choice) => (one.label < other.label ? -1 : 1)

/** Whether what somebody has typed is part of a zone's present or former name. */
export function isZoneFound(zone: string, typed: string): boolean {
  const wanted = folded(typed).replace(/ city$/, '') // "Ho Chi Minh City", "Panama City"
  return [presentName(zone), formerNames.get(presentName(zone)) ?? ''].some((name) => folded(name).includes(wanted))
}

/** A name as the names of zones are written: without accents and apostrophes, and with spaces between words. */
function folded(name: string): string {
  const plain = name.normalize('NFD').replace(/[\p{M}.'’]/gu, '')
  return plain.replace(/[_-]/g, ' ').trim().toLowerCase()
}

/** The zone of this browser. */
export function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The current time in a zone, or undefined if the browser does not know the zone. @param reader the language */
export function clockIn(timeZone: string, reader: string): string | undefined {
  try {
    return new Intl.DateTimeFormat(reader, { weekday: 'long', hour: 'numeric', minute: '2-digit', timeZone }).format()
  } catch {
    return undefined
  }
}
