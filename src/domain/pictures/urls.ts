/**
 * URLs of pictures: our own, of those that were uploaded, and the rule for those that people set.
 *
 * A URL of our own names the tenant, since a page that shows it sends no header, and then a random name. It is kept in clear, as the URL is:
 * everybody who may see the picture has it.
 */
import { faultOf } from '../../platform/http/faults.ts'
import { formats } from '../../platform/http/formats.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { tenantIdToUuid, uuidToTenantId } from '../../platform/http/schemas.ts'
import type { Config } from '../../platform/settings/config.ts'

type Origin = Pick<Config, 'publicUrl'>

/** Where our own pictures are. */
export const picturesPath = '/pictures'

/** A path at which a service may have an uploaded picture, at any of its hosts: it has several, and may get more. */
const uploadedPath = /\/pictures\/+ten_[^/]+\.[^/]/i
const ownName = /^(ten_[0-7][0-9a-hjkmnp-tv-z]{25})\.([A-Za-z0-9_-]{32})$/

/** How the paths of a tenant's pictures begin. The id follows. @param tenant its uuid */
export function pathIn(tenant: string): string {
  return `${picturesPath}/${uuidToTenantId(tenant)}.`
}

/** @param name the last part of a URL @returns what it names: the tenant's uuid, the picture's id and its path; undefined if it is none of ours */
export function readPictureName(name: string) {
  const [, tenantId = '', id = ''] = ownName.exec(name) ?? []
  return id === '' ? undefined : { tenant: tenantIdToUuid(tenantId), id, path: `${picturesPath}/${name}` }
}

/**
 * Checks that a field may get this URL: an https URL of another server, or the one that it has now. That of another uploaded picture is
 * refused, whatever its host: anybody could wear the picture of somebody else.
 *
 * @param pointer of the field
 * @param present what the field has now
 * @throws Problem invalid_request
 */
export function checkPictureUrl(
  { publicUrl }: Origin,
  pointer: string,
  present: string | null,
  wanted: string | null | undefined,
): void {
  if (wanted === undefined || wanted === null || wanted === present) return
  const { protocol, origin, pathname } = new URL(wanted) // its format let it pass
  if (origin === publicUrl || uploadedPath.test(decoded(pathname)))
    throw invalidRequest([
      faultOf(
        pointer,
        'not_allowed',
        'This URL is ours or that of an uploaded picture, and not that of your present one. Upload the picture.',
      ),
    ])
  if (protocol !== 'https:') throw invalidRequest([faultOf(pointer, 'invalid_format', formats['https-url'].form)])
}

/** A path as the router reads it. One that cannot be decoded is nowhere here. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
