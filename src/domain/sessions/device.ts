/** Devices: what a User-Agent header says of the device, in words a person recognizes. */
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
  const { browser, os, platform } = Bowser.parse((userAgent || 'unknown').slice(0, 512))
  const browserName = clean(browser.name)
  const osName = clean(os.name)
  const program = /^([A-Za-z][\w .-]{0,40})\/[\d.]+/.exec(userAgent ?? '')?.[1] // curl/8.5.0
  const name = browserName ?? (program && program !== 'Mozilla' ? program : null)
  return {
    name: name && osName ? `${name} on ${osName}` : (name ?? osName ?? 'Unknown device'),
    browser: name,
    os: osName,
    type: deviceTypes.find((type) => type === platform.type) ?? 'other',
  }
}

function clean(text: string | undefined): string | null {
  return text?.replace(/[^\w .+-]/g, '').slice(0, 60) || null
}
