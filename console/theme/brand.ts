/** The tenant's color as accent, lightened or darkened until it is readable on our backgrounds. */

/** The contrast that text needs (WCAG 2.2, 1.4.3). */
const enough = 4.5
const grounds = { light: '#f4f3f1', dark: '#282421' } // the backgrounds with the least contrast to text
const inks = { light: '#ffffff', dark: '#1c1917' }

/** @param color `#rrggbb`, or null for our own accent */
export function applyBrand(color: string | null, { style } = document.documentElement): void {
  for (const scheme of ['light', 'dark'] as const) {
    const names = [`--accent-in-${scheme}`, `--on-accent-in-${scheme}`] as const
    if (color === null) {
      for (const name of names) style.removeProperty(name)
      continue
    }
    const accent = readable(parse(color), parse(grounds[scheme]), parse(inks[scheme === 'light' ? 'dark' : 'light']))
    const ink = contrast(accent, parse(inks.light)) >= enough ? inks.light : inks.dark
    style.setProperty(names[0], `rgb(${accent.map(Math.round).join(' ')})`)
    style.setProperty(names[1], ink)
  }
}

/** The icon of the tab. @param logo the tenant's, or null for our own */
export function applyIcon(logo: string | null): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  if (!icon) return
  icon.href = logo ?? '/pages/favicon.svg'
  if (logo === null) icon.type = 'image/svg+xml'
  else icon.removeAttribute('type')
}

type Rgb = readonly [number, number, number]

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

export function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}
