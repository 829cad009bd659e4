/** What keys of the tenant are for, and the scopes that they need for it. */
import type { ScopeGroup } from './scopes.ts'

export const presets = ['backend', 'reader', 'verifier'] as const
export type Preset = (typeof presets)[number]

/** Not for a usual back end: what is lost for good, ownership, and other keys. */
const dangerous = /^ownership:|:delete$|^keys:/

/** @param found all scopes of keys of the tenant */
export function scopesOf(preset: Preset, found: readonly ScopeGroup[]): string[] {
  const keys = found.filter(({ group }) => group !== 'product').flatMap(({ scopes }) => scopes.map(({ key }) => key))
  if (preset === 'verifier') return keys.filter((key) => key === 'credentials:verify')
  if (preset === 'reader') return keys.filter((key) => key.endsWith(':read'))
  return keys.filter((key) => !dangerous.test(key))
}
