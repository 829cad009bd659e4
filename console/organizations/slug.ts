/** Slugs: what an organization is called in addresses. */

/** What stands in the address bar for an organization, without the scheme. */
export function addressOf(slug: string, basePath: string): string {
  return `${location.host}${basePath}organizations/${slug}`
}
