/** Keys of a world, added as their owners make them, but without a request. */
import { newKeyToken } from '../src/domain/access/tokens.ts'
import { addKey } from '../src/domain/keys/key-states.ts'
import { getTenantBySlug } from '../src/features/tenants/tenants.ts'
import type { Database } from '../src/platform/database/database.ts'
import { newId } from '../src/platform/http/schemas.ts'
import { type Person, Program, type Service } from './client.ts'

export interface KeyOptions {
  readonly name?: string
  /** By default the default one. */
  readonly tenant?: string
  /** Whose it is; by default the tenant’s. */
  readonly person?: Person
  /** Whose it is, or to which a person’s key is limited: an id. */
  readonly organization?: string
  /** Who has seen the secret: an id. */
  readonly holder?: string
  readonly assurance?: 1 | 2
  /** RFC 3339. */
  readonly expiresAt?: string
}

export async function makeKey(
  world: Service & { readonly database: Database },
  scopes: readonly string[],
  {
    name = 'Nightly import',
    tenant = 'default',
    person,
    organization,
    holder,
    assurance = 1,
    expiresAt,
  }: KeyOptions = {},
): Promise<Program> {
  const { id: tenantId } = await getTenantBySlug(world.database, tenant)
  const id = newId('key')
  const { token, ...secret } = newKeyToken(tenantId)
  const key = {
    id,
    ownerType: person
      ? ('user' as const)
      : organization === undefined
        ? ('tenant' as const)
        : ('organization' as const),
    userId: person?.id ?? null,
    organizationId: organization ?? null,
    name,
    scopes,
    assurance,
    holderId: holder ?? null,
    expiresAt: expiresAt ?? null,
  }
  await world.database.inTenant(tenantId, (sql) => addKey(sql, key, secret))
  return new Program(world, token, id)
}
