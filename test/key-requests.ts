/** Keys for tests: of people, organizations and tenants, and requests about them. */
import type { Described } from './sign-in-requests.ts'
import type { Json, Person, World } from './world.ts'

/** Lets people and organizations of a tenant have keys. */
export async function offerKeys({ postgres }: World, slug = 'default'): Promise<void> {
  await postgres.query('update tenants set personal_keys = true, organization_keys = true where slug = $1', [slug])
}

/** @param list the path below which the key is made @returns the key, and its secret */
export async function requestKey(
  maker: Person,
  list: string,
  body: object = {},
): Promise<{ key: Json; secret: string }> {
  const made = await maker.post(list, { name: 'Import', scopes: ['members:read'], ...body })
  if (made.status !== 201) throw new Error(`making a key answered ${made.status} ${JSON.stringify(made.body)}`)
  return made.body
}

/** Makes a key of a person, one of an organization, and one of the tenant. @returns their ids, by the names of `keyNameIn` */
export async function makeKeys(
  person: Person,
  { owner, orgId, admin }: { readonly owner: Person; readonly orgId: string; readonly admin: Person },
): Promise<Record<string, string>> {
  const [ofUser, ofOrganization, ofTenant] = await Promise.all([
    requestKey(person, '/api/users/me/keys'),
    requestKey(owner, `/api/organizations/${orgId}/keys`),
    requestKey(admin, '/api/admin/keys'),
  ])
  return { userKeyId: ofUser.key.id, organizationKeyId: ofOrganization.key.id, tenantKeyId: ofTenant.key.id }
}

/**
 * Paths of keys of all owners have a parameter `keyId`, and those of webhooks `webhookId`.
 *
 * @returns a name for it that tells whose it is; that of any other parameter
 */
export function keyNameIn(template: string, name: string): string {
  if (name === 'webhookId')
    return template.startsWith('/api/organizations/') ? 'organizationWebhookId' : 'tenantWebhookId'
  if (name !== 'keyId') return name
  if (template.startsWith('/api/organizations/')) return 'organizationKeyId'
  return template.startsWith('/api/admin/keys') ? 'tenantKeyId' : 'userKeyId'
}

/** A request about keys of the outsider or of the tenant. @returns undefined if the operation is about something else */
export async function keyRequest(
  name: string,
  { outsider, tenantAdmin }: { readonly outsider: Person; readonly tenantAdmin: Person },
): Promise<Described | undefined> {
  const [, template = ''] = name.split(' ')
  if (!template.includes('/keys')) return undefined
  const isOfTenant = template.startsWith('/api/admin/keys')
  const made = template.includes('{keyId}')
    ? await requestKey(isOfTenant ? tenantAdmin : outsider, isOfTenant ? '/api/admin/keys' : '/api/users/me/keys')
    : undefined
  const path = template.replace('{userId}', outsider.id).replace('{keyId}', made?.key.id ?? '')
  return { path, ...bodyOfKeyRequest(name) }
}

export function bodyOfKeyRequest(name: string): { readonly body?: Json } {
  if (/^POST \S+\/keys\b(?!\/)/.test(name)) return { body: { name: 'Import', scopes: ['members:read'] } }
  if (name.startsWith('PATCH')) return { body: { name: 'Renamed' } }
  return {}
}

/** A valid body, with every field, for each operation on keys. @param until an end in the future */
export function keyBodies(orgId: string, until: string): Record<string, Json> {
  const key = { name: 'Import', scopes: ['members:read'], expiresAt: until }
  const change = { name: 'Nightly import', scopes: ['members:read'], expiresAt: until }
  const rotation = { overlapSeconds: 60 }
  return {
    'POST /api/users/me/keys': { ...key, organizationId: orgId },
    'PATCH /api/users/me/keys/{keyId}': change,
    'POST /api/users/me/keys/{keyId}/rotate': rotation,
    'POST /api/organizations/{orgId}/keys': key,
    'PATCH /api/organizations/{orgId}/keys/{keyId}': change,
    'POST /api/organizations/{orgId}/keys/{keyId}/rotate': rotation,
    'POST /api/admin/keys': key,
    'PATCH /api/admin/keys/{keyId}': change,
    'POST /api/admin/keys/{keyId}/rotate': rotation,
  }
}
