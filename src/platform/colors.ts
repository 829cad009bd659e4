/** Colors of a brand, made readable: pages and mails show the same button. The console imports this file, so it imports nothing. */

/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [number, number, number]
export type Scheme = 'light' | 'dark'

/** The contrast that text needs (WCAG 2.2, 1.4.3). */
const enough = 4.5

/** The greys of our pages and mails. */
export const greys = {
  light: {
    ground: '#fafafa',
    surface: '#ffffff',
    raised: '#f4f4f5', // the background with the least contrast to text
    line: '#e4e4e7',
    ink: '#18181b',
    muted: '#5b5b64',
  },
  dark: {
    ground: '#121214',
    surface: '#1a1a1e',
    raised: '#26262b', // as above
    line: '#36363d',
    ink: '#f4f4f5',
    muted: '#b0b0b9',
  },
} as const

/** Text on an accent. */
const inks = { light: '#ffffff', dark: '#18181b' } as const

/** What marks links and buttons: a color, and the color of text on it. */
export interface Accent {
  readonly accent: string
  readonly onAccent: string
}

/** Our own, without the color of a tenant: ink. */
export const ourAccent: Readonly<Record<Scheme, Accent>> = {
  light: { accent: '#27272a', onAccent: inks.light },
  dark: { accent: '#e4e4e7', onAccent: inks.dark },
}

/** @param color `#rrggbb` @returns the color, lightened or darkened until it is readable on our backgrounds */
export function accentOf(color: string, scheme: Scheme): Accent {
  const accent = readable(parse(color), parse(greys[scheme].raised), parse(inks[scheme === 'light' ? 'dark' : 'light']))
  const isDark = contrast(accent, parse(inks.light)) >= enough
  return { accent: format(accent), onAccent: isDark ? inks.light : inks.dark }
}

/** Mixes the color with as little of `towards` as makes it readable on `ground`. */
export function readable(color: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let part = 0; part < 1; part += 0.04) {
    const mixed = mix(color, towards, part)
    if (contrast(mixed, ground) >= enough) return mixed
  }
  return towards
}

/** The contrast ratio of two colors (WCAG 2.2). */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix([red, green, blue]: Rgb, towards: Rgb, part: number): Rgb {
  const at = (value: number, other: number) => value + (other - value) * part
  return [at(red, towards[0]), at(green, towards[1]), at(blue, towards[2])]
}

/** @param color `#rrggbb` */
export function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

function format(color: Rgb): string {
  return `#${color.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`
}
