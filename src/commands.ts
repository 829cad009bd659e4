/** Commands: what the operator does from a terminal, also while the service runs. */
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { Config } from './config.ts'
import { uuidToTenantId } from './http/schemas.ts'
import { type OpenResources, openResources } from './resources.ts'
import { createAdmin, renewSetUpLink } from './tenants/set-up.ts'
import {
  createTenant,
  deleteTenant,
  ensureDefaultTenant,
  getTenantBySlug,
  listTenants,
  TenantError,
  type TenantRecord,
  type TenantSettings,
  updateTenant,
} from './tenants/tenants.ts'

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export async function migrateCommand(config: Config): Promise<void> {
  await withResources(config, async ({ migrated }) => {
    console.log(migrated.length > 0 ? `Applied ${migrated.join(', ')}.` : 'The schema is up to date.')
  })
}

const tenantOptions = {
  name: { type: 'string' },
  slug: { type: 'string' },
  domain: { type: 'string', multiple: true },
  'mail-from': { type: 'string' },
  'base-url': { type: 'string' },
  origin: { type: 'string', multiple: true },
  yes: { type: 'boolean' },
} as const

/** @throws UsageError, TenantError */
export async function tenantCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = understood(() =>
    parseArgs({ args: [...args], options: tenantOptions, allowPositionals: true }),
  )
  const [action, slug] = positionals
  if (action === 'list') return withResources(config, async ({ database }) => printTenants(await listTenants(database)))
  if (!action || !['create', 'update', 'delete'].includes(action))
    throw new UsageError('Say what to do with tenants: list, create, update or delete.')
  if (!slug) throw new UsageError(`Which tenant? guildhall tenant ${action} <slug>`)
  if (action === 'create' && !values.name) throw new UsageError('A new tenant needs a --name.')
  if (action === 'delete' && !values.yes)
    throw new UsageError(`This deletes "${slug}" and everything in it for good. Add --yes to do it.`)

  const settings: TenantSettings = {
    ...(values.name !== undefined && { name: values.name }),
    ...(values.slug !== undefined && { slug: values.slug }),
    ...(values.domain !== undefined && {
      domains: values.domain.map((domain) => domain.toLowerCase()).filter(Boolean),
    }),
    ...(values['mail-from'] !== undefined && { mailFrom: values['mail-from'] || null }),
    ...(values['base-url'] !== undefined && { baseUrl: values['base-url'] || null }),
    ...(values.origin !== undefined && { allowedOrigins: values.origin.filter(Boolean) }),
  }
  const { hostname } = new URL(config.publicUrl)
  if (settings.domains?.includes(hostname))
    throw new TenantError(`"${hostname}" is the host of PUBLIC_URL, which belongs to no tenant alone.`)
  return withResources(config, async ({ database }) => {
    if (action === 'delete') {
      await deleteTenant(database, slug)
      console.log(`Deleted the tenant "${slug}" and everything in it.`)
      return
    }
    const tenant =
      action === 'create'
        ? await createTenant(database, { ...settings, slug, name: values.name ?? slug })
        : await updateTenant(database, slug, settings)
    printTenants([tenant])
    const link = action === 'create' ? await renewSetUpLink(database, config, tenant) : undefined
    if (link) console.log(`\nThe link that makes its first admin (once, within 24 hours):\n${link}`)
  })
}

/** @throws UsageError, TenantError */
export async function adminCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = understood(() =>
    parseArgs({
      args: [...args],
      options: { email: { type: 'string' }, tenant: { type: 'string' } },
      allowPositionals: true,
    }),
  )
  if (positionals[0] !== 'create') throw new UsageError('Say what to do with admins: create.')
  const { email, tenant: slug = 'default' } = values
  if (!email) throw new UsageError('A new admin needs an --email.')
  const password = process.env.GUILDHALL_ADMIN_PASSWORD || (await ask('Password: '))
  await withResources(config, async ({ database }) => {
    await createAdmin(database, await getTenantBySlug(database, slug), { email, password })
    console.log(`${email} is an admin of the tenant "${slug}" now.`)
  })
}

async function withResources(config: Config, work: (resources: OpenResources) => Promise<void>): Promise<void> {
  const resources = await openResources(config)
  try {
    await ensureDefaultTenant(resources.database)
    await work(resources)
  } finally {
    await resources.close()
  }
}

function printTenants(tenants: readonly TenantRecord[]): void {
  const rows = [
    ['SLUG', 'ID', 'NAME', 'DOMAINS'],
    ...tenants.map(({ slug, id, name, domains }) => [slug, uuidToTenantId(id), name, domains.join(' ') || '-']),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** Reads a line without showing it. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const reader = createInterface({ input: process.stdin, terminal: process.stdin.isTTY === true })
  try {
    return await reader.question('')
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}

function understood<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
