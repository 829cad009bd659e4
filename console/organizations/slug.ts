/** Slugs: organizations in addresses. */
import { isReservedSlug } from '../../src/domain/organizations/reserved-slugs.ts'

/** The address of an organization's pages, without the scheme. */
export function addressOf(slug: string, basePath: string): string {
  return `${location.host}${basePath}organizations/${toSegment(slug)}`
}

/** A slug in a path. An organization that is older than the reserved words may have one of them, where a page of another kind is. */
export function toSegment(slug: string): string {
  return isReservedSlug(slug) ? `~${slug}` : slug
}

export function fromSegment(segment: string): string {
  return segment.replace(/^~/, '')
}
