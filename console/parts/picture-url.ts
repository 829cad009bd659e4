/** URLs of pictures: which of them a page shows, and how. */

const own = /^\/pictures\/ten_[0-9a-z]{26}\.[\w-]{32}$/

/**
 * Uploaded pictures are loaded from the origin of the page, which serves them under each of the tenant's domains: the
 * Content-Security-Policy allows no other origin.
 *
 * @returns what to load; null for none, and for pictures of other servers if the tenant does not show those
 */
export function pictureShown(url: string | null, remotePictures: boolean): string | null {
  if (url === null || !URL.canParse(url)) return null
  const { pathname } = new URL(url)
  if (own.test(pathname)) return pathname
  return remotePictures && url.startsWith('https://') ? url : null
}
