/** Access model: `guildhall access`, the product's permissions and roles as a document in a file. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { lockTenant } from '../domain/access/tenant-lock.ts'
import {
  getProductRoles,
  type ProductPermission,
  selectProductPermissions,
} from '../domain/permissions/access-model.ts'
import { builtInPermissions } from '../domain/permissions/permissions.ts'
import { changeModel, type ModelChanges } from '../features/roles/model-changes.ts'
import { faultsOf, WantedModel } from '../features/roles/wanted-model.ts'
import { getTenantBySlug, operator, TenantError } from '../features/tenants/tenants.ts'
import { pipeline, type Sql } from '../platform/database/database.ts'
import type { Fault } from '../platform/http/faults.ts'
import { Problem } from '../platform/http/problems.ts'
import { buildChecker, parseBody } from '../platform/http/validation.ts'
import type { Config } from '../platform/settings/config.ts'
import { withResources } from './resources.ts'

/** Prints the model as `PUT /api/admin/access` takes it. @throws EmbeddedError, SchemaError, TenantError */
export async function exportModel(config: Config, slug: string): Promise<void> {
  console.log(JSON.stringify(await readModelOf(config, slug), undefined, 2))
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function applyModel(
  config: Config,
  slug: string,
  path: string,
  { drop, isDry }: { readonly drop: readonly string[]; readonly isDry: boolean },
): Promise<void> {
  const wanted = await readModelFile(path)
  await withResources(config, async ({ database }) => {
    const { id } = await getTenantBySlug(database, slug)
    const changes = await database
      .inTenant(id, async (sql) => {
        await lockTenant(sql)
        return changeModel(sql, operator, wanted, { drop, isDry })
      })
      .catch((error: unknown) => {
        throw error instanceof Problem ? new TenantError(refusalOf(path, error)) : error
      })
    console.log(describe(changes))
    if (isDry) console.log('\nThis was a trial: nothing was changed.')
  })
}

/** Prints all permissions as a TypeScript union. @param source the path of a file, or a tenant's slug @throws EmbeddedError, SchemaError, TenantError */
export async function printTypes(config: Config, source: string): Promise<void> {
  const isSlug = /^[a-z0-9-]+$/.test(source)
  const { permissions } = isSlug ? await readModelOf(config, source) : await readModelFile(source)
  const keys = [...builtInPermissions, ...permissions].map(({ key }) => `  | '${key}'`)
  console.log(`/** What may be done in an organization. Made by \`guildhall access types\`. */`)
  console.log(`export type Permission =\n${keys.join('\n')}`)
}

async function readModelOf(config: Config, slug: string): Promise<WantedModel> {
  let model: WantedModel | undefined
  await withResources(config, async ({ database }) => {
    const { id } = await getTenantBySlug(database, slug)
    model = await database.inTenant(id, getModel)
  })
  return model as WantedModel // `withResources` has called its work, or thrown
}

async function getModel(sql: Sql): Promise<WantedModel> {
  const [permissions, roles] = await pipeline([
    sql<ProductPermission>`${selectProductPermissions(sql.tenant)}`,
    getProductRoles(sql),
  ])
  return {
    permissions: permissions.map(({ key, name, description, minimumRole }) => ({
      key,
      name,
      ...(description !== null && { description }),
      minimumRole,
    })),
    roles: roles.map(({ key, name, description, permissions }) => ({
      key,
      name,
      ...(description !== null && { description }),
      permissions: [...permissions],
    })),
  }
}

/** @throws TenantError */
async function readModelFile(path: string): Promise<WantedModel> {
  const bytes = await readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw new TenantError(`${basename(path)}: the file cannot be read (${code}).`)
  })
  try {
    const model = parseBody(bytes, true)
    const faults = buildChecker(WantedModel)(model)
    if (faults.length > 0) throw new TenantError(sayFaults(path, faults))
    const wanted = model as WantedModel // the schema says so
    // A rename is judged when it is applied, because only the tenant knows which roles there are.
    const own = faultsOf(wanted, [])
    if (own.length > 0) throw new TenantError(sayFaults(path, own))
    return wanted
  } catch (error) {
    throw error instanceof Problem ? new TenantError(refusalOf(path, error)) : error
  }
}

/** @returns what to do about a problem of the model */
function refusalOf(path: string, { code, title, extra }: Problem): string {
  if (code === 'malformed_json')
    return `${basename(path)}: this is not JSON, in UTF-8 and without comments or trailing commas.`
  if (code === 'role_in_use') {
    const { roles, permissions } = extra as Readonly<Record<'roles' | 'permissions', readonly string[]>> // of changeModel
    const held = [...roles, ...permissions]
    return `Somebody or a key has what would go: ${held.join(', ')}. Nothing was changed. To take it away, add --drop ${held.join()}`
  }
  const { errors } = extra as { errors?: readonly Fault[] } // of invalidRequest
  return errors ? sayFaults(path, errors) : `${basename(path)}: ${title}`
}

function sayFaults(path: string, faults: readonly Fault[]): string {
  const lines = faults.slice(0, 100).map(({ pointer, detail }) => `  ${pointer || '/'}  ${detail}`)
  return [`${basename(path)} cannot be applied.`, ...lines].join('\n')
}

function describe({ added, removed, changed, affectedMembers, affectedKeys }: ModelChanges): string {
  if (added.length + removed.length + changed.length === 0) return 'The permissions and roles are as in the file.'
  const counted = (count: number) => (count < 10_000 ? `${count}` : '10,000 or more')
  return [
    ['Added', added.join(', ') || 'none'],
    ['Removed', removed.join(', ') || 'none'],
    ['Changed', changed.join(', ') || 'none'],
    ['Members affected', counted(affectedMembers)],
    ['Keys affected', counted(affectedKeys)],
  ]
    .map(([name = '', value]) => `${name.padEnd(18)}${value}`)
    .join('\n')
}
