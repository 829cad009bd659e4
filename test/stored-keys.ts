/** Keys as they are stored, for tests: added without a request, and read whatever became of them. */
import assert from 'node:assert/strict'
import type { KeyOptions } from './keys.ts'
import type { Client, Person, World } from './world.ts'

export interface StoredKey {
  readonly ended_because: string | null
  readonly is_ended: boolean
  readonly is_left: boolean
  readonly holder_id: string | null
  /** From now, in seconds; null: no end. */
  readonly lives: number | null
  readonly secrets: number
}

/** How a new key differs from one of a person, with `members:read` and without an end. */
interface Difference {
  readonly scopes?: readonly string[]
  readonly name?: string
  /** RFC 3339. */
  readonly expiresAt?: string
}

/** A key that was added, and the program that has it. */
export interface AddedKey {
  readonly id: string
  readonly program: Client
}

/** @returns functions that do each of these in the world of a test file */
export function onStoredKeys(world: World) {
  const { query } = world.postgres

  async function add(
    owner: Pick<KeyOptions, 'person' | 'organization' | 'holder'>,
    { scopes = ['members:read'], name = 'Import', ...difference }: Difference = {},
  ): Promise<AddedKey> {
    const program = await world.key(scopes, { ...owner, name, ...difference })
    return { id: program.id, program }
  }

  /** A key of a person, perhaps limited to an organization. */
  const ownKey = (person: Person, difference?: Difference, organization?: string) =>
    add({ person, ...(organization !== undefined && { organization }) }, difference)
  /** A key of an organization, held by somebody. */
  const organizationKey = (organization: string, holder: Person, difference?: Difference) =>
    add({ organization, holder: holder.id }, difference)
  /** A key of the tenant, held by somebody. */
  const tenantKey = (holder: Person, difference?: Difference) => add({ holder: holder.id }, difference)

  async function stateOf({ id }: { id: string }): Promise<StoredKey> {
    const [row] = await query<StoredKey>(
      `select ended_because, ended_at is not null as is_ended, holder_left_at is not null as is_left, holder_id,
         extract(epoch from expires_at - now())::float8 as lives,
         (select count(*)::int from api_key_secrets s where s.tenant_id = k.tenant_id and s.key_id = k.id) as secrets
       from api_keys k where id = $1`,
      [id],
    )
    assert.ok(row, 'the key is stored')
    return row
  }

  /** What ended a key, and how many of its secrets are left; null: it lives. */
  const endOf = async (key: { id: string }) => {
    const { ended_because, secrets } = await stateOf(key)
    return [ended_because, secrets]
  }

  /** The recorded actions about a key. */
  const actionsOn = async ({ id }: { id: string }): Promise<string[]> => {
    const rows = await query<{ action: string }>('select action from audit_entries where target_id = $1 order by id', [
      id,
    ])
    return rows.map(({ action }) => action)
  }

  return { ownKey, organizationKey, tenantKey, stateOf, endOf, actionsOn }
}
