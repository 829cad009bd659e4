/** Commands: what the operator does from a terminal, also while the service runs. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import { checkEmbedded } from './database/embedded.ts'
import { normalizeEmail, uuidToTenantId } from './http/schemas.ts'
import { linkBaseOf } from './mail/mail.ts'
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
  const { migrated, close } = await openResources(config, 'migrate')
  await close()
  console.log(migrated.length > 0 ? `Applied ${migrated.join(', ')}.` : 'The schema is up to date.')
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

/** The options that mean something to each action. */
const tenantActions: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', []],
  ['create', ['name', 'domain', 'mail-from', 'base-url', 'origin']],
  ['update', ['slug', 'name', 'domain', 'mail-from', 'base-url', 'origin']],
  ['delete', ['yes']],
])

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function tenantCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = understood(() =>
    parseArgs({ args: [...args], options: tenantOptions, allowPositionals: true }),
  )
  const [action = '', slug] = positionals
  const options = tenantActions.get(action)
  if (!options) throw new UsageError('Say what to do with tenants: list, create, update or delete.')
  refuseSurplus(`tenant ${action}`, positionals.slice(action === 'list' ? 1 : 2))
  const foreign = Object.keys(values).find((option) => !options.includes(option))
  if (foreign) throw new UsageError(`"tenant ${action}" has no option --${foreign}.`)
  if (action === 'list')
    return withResources(config, async ({ database }) => printTenants(config, await listTenants(database)))

  if (!slug) throw new UsageError(`Which tenant? guildhall tenant ${action} <slug>`)
  if (action === 'create' && !values.name) throw new UsageError('A new tenant needs a --name.')
  if (action === 'update' && Object.keys(values).length === 0)
    throw new UsageError(`Say what to change of "${slug}": ${options.map((option) => `--${option}`).join(', ')}.`)
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
    printTenants(config, [tenant])
    if (tenant.slug !== slug && !tenant.baseUrl)
      console.error(`\nLinks in mails that went out before lead to /t/${slug}, and no longer work.`)
    if (action === 'create') await printWayIn(database, config, tenant)
  })
}

/** @throws UsageError, EmbeddedError, SchemaError, TenantError */
export async function adminCommand(config: Config, args: readonly string[]): Promise<void> {
  const { values, positionals } = understood(() =>
    parseArgs({
      args: [...args],
      options: { email: { type: 'string' }, tenant: { type: 'string' } },
      allowPositionals: true,
    }),
  )
  const [action, ...surplus] = positionals
  if (action !== 'create') throw new UsageError('Say what to do with admins: create.')
  refuseSurplus('admin create', surplus)
  const { email, tenant: slug = 'default' } = values
  if (!email) throw new UsageError('A new admin needs an --email.')
  if (!normalizeEmail(email)) throw new UsageError(`"${email}" is not an email address.`)
  await withResources(config, async ({ database }) => {
    const tenant = await getTenantBySlug(database, slug)
    const password = process.env.GUILDHALL_ADMIN_PASSWORD || (await ask('Password: '))
    if (!password) throw new UsageError('No password was given.')
    await createAdmin(database, tenant, { email, password })
    console.log(`${email} is an admin of the tenant "${slug}" now.`)
  })
}

/** Works on data that is there: none is made for a command that was typed in the wrong folder. */
async function withResources(config: Config, work: (resources: OpenResources) => Promise<void>): Promise<void> {
  if (config.databaseUrl === undefined) checkEmbedded(config.dataFolder)
  const resources = await openResources(config, 'check')
  try {
    await ensureDefaultTenant(resources.database)
    await work(resources)
  } finally {
    await resources.close()
  }
}

function printTenants(config: Config, tenants: readonly TenantRecord[]): void {
  const blocks = tenants.map((tenant) =>
    [
      tenant.slug,
      `  Name      ${tenant.name}`,
      `  Id        ${uuidToTenantId(tenant.id)}`,
      `  Domains   ${tenant.domains.join(', ') || 'none'}`,
      `  Base URL  ${linkBaseOf(config, tenant)}${tenant.baseUrl ? '' : ' (this service)'}`,
      `  Origins   ${tenant.allowedOrigins.join(', ') || 'none'}`,
      `  Sender    ${tenant.mailFrom ?? `${config.mailFrom} (MAIL_FROM)`}`,
    ].join('\n'),
  )
  console.log(blocks.join('\n\n'))
}

/** Where a new tenant's first admin is made, and where its mails are read. */
async function printWayIn(database: Database, config: Config, tenant: TenantRecord): Promise<void> {
  const { publicUrl, smtpUrl, mailboxKey } = config
  const link = await renewSetUpLink(database, config, tenant)
  console.log(`\nThe link that makes its first admin (once, within 24 hours):\n${link}`)
  if (smtpUrl !== undefined) return
  const mailbox = `${publicUrl}/t/${tenant.slug}/mailbox`
  if (mailboxKey) console.log(`\nIts mailbox:\n${mailbox}#${mailboxKey}`)
  else
    console.log(
      `\nIts mailbox, which asks for the key that stands after /mailbox# where the service started:\n${mailbox}`,
    )
}

/** Reads a line without showing it. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const reader = createInterface({ input: process.stdin, terminal: process.stdin.isTTY === true })
  try {
    // The input may end without a line, as at Ctrl-C.
    const answer = await Promise.race([once(reader, 'line'), once(reader, 'close')])
    const [line = ''] = answer as [string?] // what these events hand over
    return line
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}

/** @throws UsageError */
function refuseSurplus(command: string, surplus: readonly string[]): void {
  if (surplus.length > 0) throw new UsageError(`"${command}" does not take: ${surplus.join(' ')}`)
}

function understood<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(message.replace(/ To specify a positional argument .*/s, '')) // no command takes one that begins with -
  }
}
