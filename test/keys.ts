/** Keys of tests, and the programs that use them. */
import { newKeyToken } from '../src/domain/access/tokens.ts'
import { addKey } from '../src/domain/keys/key-states.ts'
import { getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { newId } from '../src/platform/http/schemas.ts'
import { Client, type Person, type World } from './world.ts'

/** A program with a key. */
export class KeyClient extends Client {
  readonly id: string
  readonly token: string

  constructor(world: World, token: string, id: string) {
    super(world, { authorization: `Bearer ${token}` })
    this.id = id
    this.token = token
  }
}

interface KeyOwner {
  readonly person?: Person
  readonly organizationId?: string
  /** The slug. */
  readonly tenant?: string
}

/** Makes a key of a person (limited to an organization, if one is named), else of an organization, else of the tenant, and has the tenant offer keys. */
export async function makeKey(
  world: World,
  scopes: readonly string[],
  { person, organizationId, tenant = 'default' }: KeyOwner = {},
): Promise<KeyClient> {
  const { id: tenantId } = await getTenantBySlug(world.database, tenant)
  const offer = 'update tenants set personal_keys = true, organization_keys = true where id = $1'
  await world.postgres.query(offer, [tenantId])
  const [id, { token, ...secret }] = [newId('key'), newKeyToken(tenantId)]
  const ownerType = person ? 'user' : organizationId ? 'organization' : 'tenant'
  const owner = {
    ownerType,
    userId: person?.id ?? null,
    organizationId: organizationId ?? null,
    holderId: null,
  } as const
  const key = { id, ...owner, name: 'Nightly import', scopes, assurance: 1, expiresAt: null } as const
  await world.database.inTenant(tenantId, (sql) => addKey(sql, key, secret))
  return new KeyClient(world, token, id)
}
