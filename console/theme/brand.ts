/** The tenant's color as accent of the pages. */
import { accentOf } from '../../src/platform/colors.ts'

/** @param color `#rrggbb`, or null for our own accent */
export function applyBrand(color: string | null, { style } = document.documentElement): void {
  for (const scheme of ['light', 'dark'] as const) {
    const names = [`--accent-in-${scheme}`, `--on-accent-in-${scheme}`] as const
    if (color === null) {
      for (const name of names) style.removeProperty(name)
      continue
    }
    const { accent, onAccent } = accentOf(color, scheme)
    style.setProperty(names[0], accent)
    style.setProperty(names[1], onAccent)
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
