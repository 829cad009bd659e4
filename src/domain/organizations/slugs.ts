/** Slugs: the names of organizations in URLs. */
import { Type } from 'typebox'
import { randomBytes } from '../../platform/cryptography.ts'
import { ConstraintError } from '../../platform/database/errors.ts'

export const Slug = Type.String({
  minLength: 3,
  maxLength: 48,
  pattern: '^[a-z0-9][a-z0-9-]*[a-z0-9]$',
  description: 'Lower-case letters, digits and hyphens. No hyphen at the start or end.',
  examples: ['acme'],
})

/** Tries the slug itself, then with a random suffix; the constraint says which is free. */
export async function createWithFreeSlug<T>(slug: string, create: (slug: string) => Promise<T>): Promise<T> {
  for (let attempt = slug ? 0 : 1; ; attempt++) {
    try {
      return await create(attempt === 0 ? slug : `${slug || 'org'}-${randomBytes(3).toString('hex')}`)
    } catch (error) {
      const isTaken = error instanceof ConstraintError && error.constraint === 'organizations_slug_key'
      if (!isTaken || attempt === 5) throw error
    }
  }
}
