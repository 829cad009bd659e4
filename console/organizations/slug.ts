/** Slugs: organizations in addresses. */

/** The address of an organization's pages, without the scheme. */
export function addressOf(slug: string, basePath: string): string {
  return `${location.host}${basePath}organizations/${slug}`
}
