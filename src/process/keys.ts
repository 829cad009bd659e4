/** Keys: `guildhall key`, the keys of a tenant that its operator makes, lists and ends. Nobody else has seen their secrets: they have no holder. */
import { lockTenant } from '../domain/access/tenant-lock.ts'
import { endKeys } from '../domain/keys/key-states.ts'
import { type KeyRow, selectKeys } from '../domain/keys/keys.ts'
import { judgeKey, keysOfTenant, makeKey, tenantItself } from '../domain/keys/making.ts'
import { NewKey } from '../features/keys/key-fields.ts'
import { getTenantBySlug, operator, TenantError } from '../features/tenants/tenants.ts'
import { type Sql, statement } from '../platform/database/database.ts'
import type { Fault } from '../platform/http/faults.ts'
import type { Config } from '../platform/settings/config.ts'
import { checkBody, explain } from './refusals.ts'
import { type OpenResources, withResources } from './resources.ts'

/** A key that the command line asks for. */
export interface WantedKey {
  readonly name: string
  readonly scopes: readonly string[]
  /** Undefined: no end. */
  readonly expiresInDays: number | undefined
}

/** Prints the secret alone to the standard output, so that a script can take it. @throws EmbeddedError, SchemaError, TenantError */
export async function makeTenantKey(config: Config, slug: string, wanted: WantedKey): Promise<void> {
  const { name, scopes, expiresInDays: days } = wanted
  const expiresAt = days === undefined ? null : new Date(Date.now() + days * 86_400_000).toISOString()
  const body = { name, scopes, expiresAt }
  const say = (faults: readonly Fault[]) => sayFaults(faults, wanted)
  checkBody(NewKey, body, say)
  await inTenant(config, slug, async (sql, resources) => {
    await lockTenant(sql)
    const { key: judged } = await judgeKey(sql, 'tenant', body)
    const { key, secret } = await makeKey(sql, resources, operator, tenantItself, judged)
    return () => {
      console.error(`Made the key ${key.id} of the tenant "${slug}". Its secret is shown once:`)
      console.log(secret)
    }
  }).catch((error: unknown) => explain(error, say))
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function showTenantKeys(config: Config, slug: string): Promise<void> {
  await inTenant(config, slug, async (sql) => {
    const keys = await sql<KeyRow>`
      ${selectKeys(sql.tenant)} and ${keysOfTenant}
      order by k.created_at desc, k.id desc`
    return () => console.log(keys.map(describe).join('\n\n') || `The tenant "${slug}" has no keys.`)
  })
}

/** @throws EmbeddedError, SchemaError, TenantError */
export async function endTenantKey(config: Config, slug: string, id: string): Promise<void> {
  await inTenant(config, slug, async (sql) => {
    const ended = await endKeys(sql, operator, statement`k.id = ${id} and ${keysOfTenant}`, 'revoked')
    if (ended.length === 0) throw new TenantError(`The tenant "${slug}" has no live key ${id}.`)
    return () => console.log(`Ended the key ${id}. The next request with it gets 401.`)
  })
}

/** @param work returns what is to be said once its transaction is committed */
async function inTenant(
  config: Config,
  slug: string,
  work: (sql: Sql, resources: OpenResources) => Promise<() => void>,
): Promise<void> {
  await withResources(config, async (resources) => {
    const { id } = await getTenantBySlug(resources.database, slug)
    const say = await resources.database.inTenant(id, (sql) => work(sql, resources))
    say()
  })
}

function describe(key: KeyRow): string {
  const { id, name, scopes, holder, status, endedBecause, expiresAt, lastUsedAt } = key
  return [
    id,
    `  Name     ${name}`,
    `  Scopes   ${scopes.join(', ')}`,
    `  Holder   ${holder?.name ?? holder?.id ?? 'none'}`,
    `  Status   ${endedBecause === null ? status : `${status} (${endedBecause})`}`,
    `  Ends     ${expiresAt ?? 'never'}`,
    `  Used     ${lastUsedAt ?? 'never'}`,
  ].join('\n')
}

function sayFaults(faults: readonly Fault[], { scopes }: WantedKey): string {
  return faults.map(({ pointer, detail }) => `${optionAt(pointer, scopes)}: ${detail}`).join('\n')
}

/** What of the command line a fault of the body is about. */
function optionAt(pointer: string, scopes: readonly string[]): string {
  const [, field, index] = pointer.split('/')
  if (field === 'scopes' && index !== undefined) return `The scope "${scopes[Number(index)]}"`
  return field === 'expiresAt' ? '--expires-in-days' : `--${field}`
}
