/** Devices: what a User-Agent header says of the device, in words that its owner recognizes. */
import Bowser from 'bowser'

export interface DeviceDescription {
  /** "Chrome on macOS". */
  readonly name: string
  readonly browser: string | null
  readonly os: string | null
  readonly type: DeviceType
}

export const deviceTypes = ['desktop', 'mobile', 'tablet', 'tv', 'bot', 'other'] as const
export type DeviceType = (typeof deviceTypes)[number]

/** @param userAgent the header, as unbelievable as it may be; cut, and never kept whole */
export function deviceOf(userAgent: string | undefined): DeviceDescription {
  const text = (userAgent || '').slice(0, 512)
  const { browser, os, platform } = Bowser.parse(text || 'unknown')
  const isScript = /PowerShell\//i.test(text)
  const isRuntime = /^Dalvik\//.test(text) // of Android's apps, which say no more of themselves
  const named = () => appleAppOf(userAgent || '') ?? programOf(text) ?? appOf(text) ?? browserOf(browser.name)
  const name = isScript ? 'PowerShell' : isRuntime ? null : named()
  const osName = clean(os.name) ?? (/\biOS \d/.test(text) ? 'iOS' : null)
  const found = deviceTypes.find((type) => type === platform.type)
  return {
    name: name && osName && name !== osName ? `${name} on ${osName}` : (name ?? osName ?? 'Unknown device'),
    browser: name,
    os: osName,
    type: isScript ? 'other' : isRuntime ? 'mobile' : (found ?? typeOf(text, osName)),
  }
}

/**
 * An app on Apple's systems: `My%20App/42 CFNetwork/1410 Darwin/22.6.0`. Its name may have any characters, and is percent-encoded, so
 * that a short name can be a long text.
 *
 * @param userAgent the whole header
 */
function appleAppOf(userAgent: string): string | null {
  const end = userAgent.indexOf(' CFNetwork/')
  if (end < 0 || userAgent.startsWith('Mozilla/')) return null
  const product = userAgent.slice(0, end).replace(/ \([^()]*\)$/, '') // `My%20App (unknown version)`
  const slash = product.lastIndexOf('/')
  return clean(decoded(slash < 0 ? product : product.slice(0, slash)))
}

/** A program or an app that begins with its own name: `curl/8.5.0`, `Acme/5 (com.acme.app; iOS 17.4.1)`, `node`. */
function programOf(text: string): string | null {
  const [, named] =
    /^([\p{L}%][^/()<>;,]{0,60})\/[\w.]/u.exec(text) ?? /^([A-Za-z][\w.-]{0,40})(?: v?\d[\w.]*)?$/.exec(text) ?? []
  return named === undefined || named === 'Mozilla' ? null : clean(decoded(named))
}

/** An app that is a browser with a name of its own, as Electron makes them. */
function appOf(text: string): string | null {
  const [, named] = /like Gecko\) ([^/()<>;,]{1,60})\/\S+ Chrome\/\S+ Electron\//.exec(text) ?? []
  return named === undefined ? null : clean(decoded(named))
}

function browserOf(name: string | undefined): string | null {
  const cleaned = clean(name)
  if (cleaned === 'Mozilla') return null // it is what nearly all of them begin with
  return cleaned?.replace(/ for Android$/, '') ?? null
}

function typeOf(text: string, os: string | null): DeviceType {
  if (/\bCrOS\b/.test(text)) return 'desktop'
  return os === 'iOS' ? 'mobile' : 'other'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function clean(text: string | undefined): string | null {
  return cut(text?.replace(/[^\p{L}\p{M}\p{N}_ .+-]/gu, '').trim() ?? '').trim() || null
}

/** Cuts a name to 60 UTF-16 units, and never within a character that people see as one. */
function cut(name: string): string {
  if (name.length <= 60) return name
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' }) // here, as the first one takes 2 MiB
  return name.slice(0, segmenter.segment(name).containing(60)?.index)
}
