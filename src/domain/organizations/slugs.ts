/** Slugs: the names of organizations in URLs. */
import { Type } from 'typebox'
import { randomBytes } from '../../platform/cryptography.ts'
import { ConstraintError } from '../../platform/database/errors.ts'
import { ApiProblem } from '../problems.ts'
import { isReservedSlug } from './reserved-slugs.ts'

export const Slug = Type.String({
  minLength: 3,
  maxLength: 48,
  pattern: '^[a-z0-9][a-z0-9-]*[a-z0-9]$',
  description: 'Lower-case letters, digits and hyphens. No hyphen at the start or end.',
  examples: ['acme'],
})

/** Checks a slug that somebody has chosen. @throws Problem slug_taken: the service keeps the word for a page */
export function checkChosen(slug: string): void {
  if (isReservedSlug(slug)) throw new ApiProblem('slug_taken')
}

/** A slug made from a name: itself at first, then with a random suffix. Without anything of the name it begins with "org". */
export function suggestSlug(slug: string, attempt: number): string {
  const isUsable = slug !== '' && !isReservedSlug(slug)
  return attempt === 0 && isUsable ? slug : `${slug || 'org'}-${randomBytes(3).toString('hex')}`
}

/** Tries the slug itself, then with a random suffix; the constraint says which is free. */
export async function createWithFreeSlug<T>(slug: string, create: (slug: string) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await create(suggestSlug(slug, attempt))
    } catch (error) {
      const isTaken = error instanceof ConstraintError && error.constraint === 'organizations_slug_key'
      if (!isTaken || attempt === 5) throw error
    }
  }
}
