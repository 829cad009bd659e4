/**
 * Changes of the access model. It is one document, so that it can live in a repository and changes as a whole.
 *
 * Invariants: a role contains only permissions that there are; what somebody or a key has goes only if it is named; keys lose what goes, so
 * that it widens none if it comes again. The tenant's row must be locked: when a grant and a change of the model meet, either order is right.
 */
import { type Static, Type } from 'typebox'
import type { Actor } from '../../domain/access/actors.ts'
import { countKeysWith, removeScopes, selectLiveScopes } from '../../domain/keys/removed-scopes.ts'
import {
  getProductRoles,
  type ProductPermission,
  type ProductRole,
  selectProductPermissions,
} from '../../domain/permissions/access-model.ts'
import { isCurrent, isHeld } from '../../domain/permissions/held.ts'
import { isAtLeast, type Role, roles } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { newId, normalizeName } from '../../platform/http/schemas.ts'
import { faultsOf, type WantedModel } from './wanted-model.ts'

/** What a change does, by keys. */
export type ModelChanges = Static<typeof ModelChanges>
const Keys = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 500 })
/** Where counts stop. */
const mostCounted = 10_000
const Count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: mostCounted, format: 'int32', description: `${description} Exact to 10,000.` })
export const ModelChanges = Type.Object(
  {
    added: Keys,
    removed: Keys,
    changed: Keys,
    affectedMembers: Count('Members who gain or lose a permission.'),
    affectedKeys: Count('API keys that lose a permission. A key that has no other permission ends.'),
  },
  { description: 'What the request changes, by key.' },
)

interface Model {
  readonly permissions: readonly ProductPermission[]
  readonly roles: readonly ProductRole[]
}

/**
 * Replaces the model.
 *
 * @param drop   keys that may go although somebody holds them
 * @param isDry  whether to say only what would change
 * @throws Problem invalid_request, role_in_use
 */
export async function changeModel(
  sql: Sql,
  actor: Actor,
  wanted: WantedModel,
  { drop, isDry }: { readonly drop: readonly string[]; readonly isDry: boolean },
): Promise<ModelChanges> {
  const before = await getModel(sql)
  const faults = faultsOf(wanted, before.roles)
  if (faults.length > 0) throw invalidRequest(faults)
  const after = normalized(wanted, before)
  const { added, removed } = compare(before.permissions, after.permissions, ({ key }) => key)
  // Keys lose those that are added, too: a key that was made while one was removed may have it.
  const taken = [...added, ...removed].map(({ key }) => key)
  const [affectedMembers, affectedKeys] = await pipeline([
    countAffected(sql, before, after),
    countKeysWith(sql, taken, mostCounted),
  ])
  const listed = changesBetween(before, after)
  const changes = { ...listed, affectedMembers, affectedKeys }
  await checkUnused(sql, before, after, drop)
  if (isDry || listed.added.length + listed.removed.length + listed.changed.length === 0) return changes
  await write(sql, before, after)
  await record(sql, actor, 'access.updated', { target: { type: 'tenant', id: sql.tenant }, details: listed })
  await removeScopes(sql, actor, taken)
  return changes
}

async function getModel(sql: Sql): Promise<Model> {
  const [permissions, known] = await pipeline([
    sql<ProductPermission>`${selectProductPermissions(sql.tenant)}`,
    getProductRoles(sql),
  ])
  return { permissions, roles: known }
}

/** The model that is wanted, with the ids of the roles that stay. */
function normalized({ permissions, roles: wanted }: WantedModel, before: Model): Model {
  const find = (key: string | undefined) => before.roles.find((role) => role.key === key)
  return {
    permissions: permissions.map(({ key, name, description, minimumRole = 'admin' }) => ({
      key,
      name: normalizeName(name),
      description: description == null ? null : normalizeName(description),
      minimumRole,
    })),
    roles: wanted.map(({ key, was, name, description, permissions: contained }) => ({
      id: (find(was) ?? find(key))?.id ?? newId('rol'),
      key,
      name: normalizeName(name),
      description: description == null ? null : normalizeName(description),
      permissions: [...contained].sort(),
    })),
  }
}

function changesBetween(before: Model, after: Model): Omit<ModelChanges, 'affectedMembers' | 'affectedKeys'> {
  const parts = [
    compare(before.permissions, after.permissions, ({ key }) => key),
    compare(before.roles, after.roles, ({ id }) => id),
  ]
  return {
    added: parts.flatMap(({ added }) => added.map(({ key }) => key)),
    removed: parts.flatMap(({ removed }) => removed.map(({ key }) => key)),
    changed: parts.flatMap(({ changed }) => changed.map(({ key }) => key)),
  }
}

/** @param identify what stays the same when an entry changes */
function compare<Entry extends { readonly key: string }>(
  before: readonly Entry[],
  after: readonly Entry[],
  identify: (entry: Entry) => string,
) {
  const of = (list: readonly Entry[]) => new Map(list.map((entry) => [identify(entry), entry]))
  const [old, now] = [of(before), of(after)]
  return {
    added: after.filter((entry) => !old.has(identify(entry))),
    removed: before.filter((entry) => !now.has(identify(entry))),
    changed: after.filter((entry) => {
      const known = old.get(identify(entry))
      return known && JSON.stringify(sorted(known)) !== JSON.stringify(sorted(entry))
    }),
  }
}

function sorted(entry: object): [string, unknown][] {
  return Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Counts members who hold a role whose permissions change, or whose own role gains or loses a permission. */
async function countAffected(sql: Sql, before: Model, after: Model): Promise<number> {
  const changedIds = before.roles
    .filter(({ id, permissions }) => {
      const now = after.roles.find((role) => role.id === id)
      return now?.permissions.join() !== [...permissions].sort().join()
    })
    .map(({ id }) => id)
  const leastIn = ({ permissions }: Model, key: string) => permissions.find((each) => each.key === key)?.minimumRole
  const keys = [...before.permissions, ...after.permissions].map(({ key }) => key)
  const has = (role: Role, least: Role | undefined) => least !== undefined && isAtLeast(role, least)
  const changedRoles = roles.filter((role) =>
    keys.some((key) => has(role, leastIn(before, key)) !== has(role, leastIn(after, key))),
  )
  const [counted] = await sql<{ count: number }>`
    select count(*) from (
      select from memberships m
      where m.tenant_id = ${sql.tenant} and ${isCurrent} and (
        m.role = any(${changedRoles})
        or m.has_grants and exists (
          select from role_grants g
          where g.tenant_id = ${sql.tenant} and g.membership_id = m.id and g.role_id = any(${changedIds}) and ${isHeld}))
      limit ${mostCounted}) affected`
  return counted?.count ?? 0
}

/** @throws Problem role_in_use with the keys that would have to be named */
async function checkUnused(sql: Sql, before: Model, after: Model, drop: readonly string[]): Promise<void> {
  const gone = compare(before.roles, after.roles, ({ id }) => id).removed
  const lost = compare(before.permissions, after.permissions, ({ key }) => key).removed.map(({ key }) => key)
  const [held, organizations, scopes] = await pipeline([
    sql<{ key: string }>`
      select r.key
      from roles r
      where r.tenant_id = ${sql.tenant} and exists (
        select from role_grants g where g.tenant_id = ${sql.tenant} and g.role_id = r.id and ${isHeld})`,
    sql`select from organizations where tenant_id = ${sql.tenant} limit 1`,
    selectLiveScopes(sql, lost),
  ])
  const isHeldByKey = (key: string) => scopes.some(({ scope }) => scope === key)
  const inUse = {
    roles: gone.map(({ key }) => key).filter((key) => held.some((role) => role.key === key) && !drop.includes(key)),
    // Every organization has an owner, who has every permission.
    permissions: lost.filter((key) => (organizations.length > 0 || isHeldByKey(key)) && !drop.includes(key)),
  }
  if (inUse.roles.length + inUse.permissions.length > 0) throw new ApiProblem('role_in_use', inUse)
}

async function write(sql: Sql, before: Model, after: Model): Promise<void> {
  const ids = after.roles.map(({ id }) => id)
  const keys = after.permissions.map(({ key }) => key)
  await pipeline([
    sql`delete from permissions where tenant_id = ${sql.tenant} and key <> all(${keys})`,
    sql`delete from roles where tenant_id = ${sql.tenant} and id <> all(${ids})`,
    ...after.permissions.map(
      ({ key, name, description, minimumRole }) => sql`
        insert into permissions (tenant_id, key, name, description, minimum_role)
        values (${sql.tenant}, ${key}, ${name}, ${description}, ${minimumRole})
        on conflict (tenant_id, key) do update
        set name = excluded.name, description = excluded.description, minimum_role = excluded.minimum_role`,
    ),
    ...after.roles.map(({ id, key, name, description, permissions }) =>
      before.roles.some((role) => role.id === id)
        ? sql`
          update roles set key = ${key}, name = ${name}, description = ${description}, permissions = ${permissions}
          where tenant_id = ${sql.tenant} and id = ${id}`
        : sql`
          insert into roles (tenant_id, id, key, name, description, permissions)
          values (${sql.tenant}, ${id}, ${key}, ${name}, ${description}, ${permissions})`,
    ),
    sql`update tenants set access_version = access_version + 1 where id = ${sql.tenant}`,
  ])
}
